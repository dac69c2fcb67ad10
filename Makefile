# `make help` lists the targets. CMake does the work (CMakeLists.txt, CMakePresets.json).
#
#   JOBS=N            parallel jobs                     (the number of processors)
#   PREFIX=DIR        where `make install` installs     (/usr/local); DESTDIR works as usual
#   PYTHON=COMMAND    the Python to build for           (/usr/bin/python3)
#   FUZZ_SECONDS=N    seconds for each fuzzer           (60)
#   PAPERS=NAMES      papers to reproduce               (all)

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
FUZZ_SECONDS ?= 60
PAPERS ?= $(patsubst reproduce/%/paper.json,%,$(wildcard reproduce/*/paper.json))

MAKEFLAGS += --no-print-directory
SOURCES = $(shell git ls-files '*.c' '*.h')

.PHONY: all python demo test debug asan tsan fuzz install install-shims bench reproduce format check-format clean help

all: ## build build/caucus and the libraries
	@tools/setup build
	@cmake --preset release -DCAUCUS_TESTS=OFF >/dev/null
	@cmake --build build -j $(JOBS)

python: ## build the Python package into build/python; PYTHONPATH=build/python imports it
	@tools/setup build python
	@cmake --preset release -DCAUCUS_TESTS=OFF -DCAUCUS_PYTHON=$(PYTHON) >/dev/null
	@cmake --build build -j $(JOBS) --target python

demo: all ## build; train, tag, score and explain on the bundled examples
	@examples/demo build/caucus

test: ## build and run all tests; the last line is `N passed, N failed`
	@$(call suite,release,build,build test)

debug: ## the same in a build without optimisation
	@$(call suite,debug,build-debug,build test)

asan: ## the same with the address and undefined-behaviour sanitizers
	@$(call suite,asan,build-asan,build test)

tsan: ## the same with the thread sanitizer
	@$(call suite,tsan,build-tsan,build test)

# suite(preset, folder, packages): builds and runs the tests. It first removes the summary of an earlier
# run, so that a failed build does not look like a success.
define suite
rm -f $(2)/Testing/summary && tools/setup $(3) && cmake --preset $(1) -DCAUCUS_TESTS=ON \
    && cmake --build $(2) -j $(JOBS) && JOBS=$(JOBS) tests/run $(2)
endef

fuzz: ## build the fuzzers and run each for FUZZ_SECONDS seconds
	@tools/setup build clang
	@cmake --preset fuzz
	@cmake --build build-fuzz -j $(JOBS)
	@tests/fuzz/run build-fuzz $(FUZZ_SECONDS)

install: all ## install under PREFIX
	@cmake --install build --prefix $(PREFIX)
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

install-shims: install ## and links crfsuite, crf_learn, crf_test and wapiti to caucus, which stands in for them
	@for name in crfsuite crf_learn crf_test wapiti; do \
	    to="$(DESTDIR)$(PREFIX)/bin/$$name"; \
	    if [ -e "$$to" ] && [ "$$(readlink "$$to")" != caucus ]; then \
	        echo "$$to exists; remove it or give another PREFIX" >&2; exit 1; fi; \
	    ln -sfn caucus "$$to"; done

bench: all python ## compare with other programs, write docs/benchmarks.md; QUICK=1: short, writes nothing
	@bench/run $(if $(QUICK),--quick)

reproduce: all ## do the missing runs of the reproductions and write their pages (hours); PAPERS='bagging mega'
	@set -e; for paper in $(PAPERS); do reproduce/$$paper/run; done

format: ## format all C files
	@tools/setup format
	@clang-format-14 -i $(SOURCES)

check-format: ## fail if `make format` would change a file
	@tools/setup format
	@clang-format-14 --dry-run --Werror $(SOURCES)

clean: ## remove all build folders
	@rm -rf build build-debug build-asan build-tsan build-fuzz

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1|\2/p' Makefile | awk -F '|' '{printf "%-18s %s\n", $$1, $$2}'
	@echo; sed -n 's/^#   \([A-Z_]*=\)/\1/p' Makefile
