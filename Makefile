# The front door. `make help` lists what there is; the building itself is done by CMake
# (CMakeLists.txt, CMakePresets.json).
#
#   JOBS=N            how much to do at a time        (the number of processors)
#   PREFIX=DIR        where `make install` puts things  (/usr/local); DESTDIR works as usual
#   FUZZ_SECONDS=N    how long each fuzzer runs       (60)

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

MAKEFLAGS += --no-print-directory
SOURCES = $(shell git ls-files '*.c' '*.h')

.PHONY: all demo test debug asan tsan fuzz install bench format check-format clean help

all: ## build build/caucus and the libraries
	@tools/setup build
	@cmake --preset release -DCAUCUS_TESTS=OFF >/dev/null
	@cmake --build build -j $(JOBS)

demo: all ## build, train on the bundled example, tag held-out lines, score, explain
	@examples/demo build/caucus

test: ## build and run every test; ends with `N passed, N failed`
	@$(call suite,release,build,build test)

debug: ## the same in a build without optimisation
	@$(call suite,debug,build-debug,build test)

asan: ## the same under the address and undefined-behaviour sanitizers
	@$(call suite,asan,build-asan,build test)

tsan: ## the same under the thread sanitizer
	@$(call suite,tsan,build-tsan,build test)

# suite(preset, folder, packages): one recipe for all kinds of test runs. The summary of an
# earlier run is removed first, so that a build which fails cannot be taken for a success.
define suite
rm -f $(2)/Testing/summary && tools/setup $(3) && cmake --preset $(1) -DCAUCUS_TESTS=ON \
    && cmake --build $(2) -j $(JOBS) && JOBS=$(JOBS) tests/run $(2)
endef

fuzz: ## build the fuzzers and run each for FUZZ_SECONDS
	@tools/setup build clang
	@cmake --preset fuzz
	@cmake --build build-fuzz -j $(JOBS)
	@tests/fuzz/run build-fuzz $(FUZZ_SECONDS)

install: all ## install under PREFIX
	@cmake --install build --prefix $(PREFIX)
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

bench: all ## measure against all peers and write docs/benchmarks.md (QUICK=1: a quick look)
	@bench/run $(if $(QUICK),--quick)

format: ## lay out all C files as .clang-format says
	@tools/setup format
	@clang-format-14 -i $(SOURCES)

check-format: ## fail if `make format` would change something
	@tools/setup format
	@clang-format-14 --dry-run --Werror $(SOURCES)

clean: ## remove everything that was built
	@rm -rf build build-debug build-asan build-tsan build-fuzz

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1|\2/p' Makefile | awk -F '|' '{printf "%-18s %s\n", $$1, $$2}'
