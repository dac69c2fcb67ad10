#!/bin/sh
# `make install` into an empty folder installs every file; an example program builds against it with
# pkg-config, linked statically and dynamically, and runs (examples_test.sh runs all examples).
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

DESTDIR=$work/dest cmake --install "${CAUCUS_BUILD:-$root/build}" --prefix /opt/caucus >/dev/null
here=$work/dest/opt/caucus
cd "$here"
for file in bin/caucus include/caucus.h share/man/man1/caucus.1 \
    share/bash-completion/completions/caucus share/zsh/site-functions/_caucus \
    share/fish/vendor_completions.d/caucus.fish; do
    [ -s "$file" ] || { echo "$file was not installed"; exit 1; }
done
bin/caucus --version
bash -n share/bash-completion/completions/caucus

PKG_CONFIG_PATH=$(dirname "$(find "$here" -name caucus.pc)")
export PKG_CONFIG_PATH
strict="-std=c99 -pedantic -Wall -Wextra -Werror"
[ "$(pkg-config --modversion caucus)" = "$(bin/caucus --version | awk '{ print $NF }')" ]
# shellcheck disable=SC2046,SC2086 # flags are meant to be split
cc $strict -o "$work/shared" "$root/examples/predict.c" $(pkg-config --cflags --libs caucus)

bin/caucus train -q -o "$work/model" "$root/examples/desk/train.txt"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir caucus) "$work/shared" "$work/model" "fine pay" \
    >"$work/shared.out"
[ "$(sort -k 2nr "$work/shared.out" | head -n 1 | cut -f 1)" = fines ]

# shellcheck disable=SC2046,SC2086
cc $strict -o "$work/static" "$root/examples/predict.c" $(pkg-config --cflags caucus) \
    "$(pkg-config --variable=libdir caucus)/libcaucus.a" \
    $(pkg-config --static --libs caucus | sed 's/-lcaucus//')
"$work/static" "$work/model" "fine pay" | diff - "$work/shared.out"

# The shared library shows the public names and no others.
nm -D --defined-only "$(pkg-config --variable=libdir caucus)/libcaucus.so" |
    awk '$2 ~ /[TDB]/ && $3 !~ /^(caucus_|\.)/ { print "not a public name: " $3; bad = 1 }
         END { exit bad }'
