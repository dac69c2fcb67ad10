#!/bin/sh
# `make install` into an empty folder: everything is there, and a program of somebody else's
# builds against it with pkg-config and runs, linked either way.
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

cat >"$work/user.c" <<'END'
#include <caucus.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    caucus_ctx *ctx = NULL;
    caucus_model *model = NULL;
    if (caucus_ctx_new(&ctx)) return 1;
    if (caucus_model_open(ctx, "/nonexistent", &model) != CAUCUS_ERR_IO) return 2;
    if (model || caucus_message(ctx)[0] == '\0') return 3;
    if (strcmp(caucus_version(), CAUCUS_VERSION) != 0) return 4;
    caucus_ctx_free(ctx);
    return 0;
}
END
PKG_CONFIG_PATH=$(dirname "$(find "$here" -name caucus.pc)")
export PKG_CONFIG_PATH
strict="-std=c99 -pedantic -Wall -Wextra -Werror"
[ "$(pkg-config --modversion caucus)" = "$(bin/caucus --version | awk '{ print $NF }')" ]
# shellcheck disable=SC2046,SC2086 # flags are meant to be split
cc $strict -o "$work/shared" "$work/user.c" $(pkg-config --cflags --libs caucus)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir caucus) "$work/shared"

# shellcheck disable=SC2046,SC2086
cc $strict -o "$work/static" "$work/user.c" $(pkg-config --cflags caucus) \
    "$(pkg-config --variable=libdir caucus)/libcaucus.a" \
    $(pkg-config --static --libs caucus | sed 's/-lcaucus//')
"$work/static"

# The shared library shows the public names and no others.
nm -D --defined-only "$(pkg-config --variable=libdir caucus)/libcaucus.so" |
    awk '$2 ~ /[TDB]/ && $3 !~ /^caucus_/ { print "not a public name: " $3; bad = 1 }
         END { exit bad }'
