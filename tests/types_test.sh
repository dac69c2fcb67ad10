#!/bin/sh
# Type names are unique in the tree, and the check can tell when they are not.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
result=0

sh "$root/tests/types.sh" "$root" || result=1

mkdir -p "$work/src/a" "$work/src/b"
printf 'typedef struct {\n    int x;\n} row;\ntypedef struct box box;\n' >"$work/src/a/a.c"
printf 'typedef struct box {\n    int y;\n} box;\n' >"$work/src/b/b.h"
sh "$root/tests/types.sh" "$work" >/dev/null || { echo "an opaque type was refused"; result=1; }
printf 'typedef enum { ONE } row;\n' >"$work/src/b/b_test.c"
sh "$root/tests/types.sh" "$work" >/dev/null || { echo "a unit test was read"; result=1; }
printf 'typedef enum { ONE } row;\n' >"$work/src/b/c.c"
if said=$(sh "$root/tests/types.sh" "$work"); then
    echo "a second row was accepted"
    result=1
fi
[ "$said" = "types: row is defined in src/a/a.c src/b/c.c" ] || { echo "said: $said"; result=1; }

exit $result
