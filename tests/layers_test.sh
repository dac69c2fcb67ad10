#!/bin/sh
# The tree keeps to the order of docs/architecture.md, and the check can tell when it does not.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
result=0

sh "$root/tests/layers.sh" "$root" || result=1

mkdir "$work/docs"
cp "$root/docs/architecture.md" "$work/docs"
cp -r "$root/src" "$root/include" "$work"

# breaks FILE LINE WORDS: with LINE added to FILE, the check must fail and say WORDS.
breaks() {
    mkdir -p "$(dirname "$work/$1")"
    [ ! -e "$work/$1" ] || cp "$work/$1" "$work/saved"
    echo "$2" >>"$work/$1"
    if said=$(sh "$root/tests/layers.sh" "$work"); then
        echo "$1: $2: passed, but must not"
        result=1
    fi
    case $said in
    *"$3"*) ;;
    *) echo "$1: $2: said '$said' instead of '$3'"; result=1 ;;
    esac
    if [ -e "$work/saved" ]; then mv "$work/saved" "$work/$1"; else rm "$work/$1"; fi
    rmdir "$work/src/attic" 2>/dev/null
}

breaks src/optim/wrong.c '#include "model/model.h"' "wrong.c:1: optim may not see model"
breaks src/model/wrong.c '#include "optim/solver.h"' "model may not see optim"
breaks src/base/wrong.h '  #  include "math/csr.h"' "base may not see math"
breaks src/infer/wrong.c '#include "optim/solver.h"' "infer may not see optim"
breaks src/math/wrong_test.c '#include "dataset/dataset.h"' "math may not see dataset"
breaks src/cli/wrong.c '#include "base/strbuf.h"' "cli may not see base"
breaks src/text/wrong.c '#include "../model/model.h"' "is not written from src/"
breaks src/text/wrong.c '#include "reader.h"' "does not name its folder"
breaks src/text/wrong.c '#include <model/model.h>' "with quotes"
breaks src/attic/wrong.c '#include "base/strbuf.h"' "has no row"
breaks include/caucus.h '#include "base/strbuf.h"' "the public header includes"
breaks docs/architecture.md '| `attic` | base | nothing |' "there is no folder src/attic"
breaks docs/architecture.md '| `optim` | model | |' "must not see each other"

exit $result
