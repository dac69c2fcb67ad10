#!/bin/sh
# The C programs of examples/ build against the header and the library, and print what they should.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=${CAUCUS_BUILD:-$root/build}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work"

# run NAME ARGUMENT...: what an example prints
run() {
    name=$1
    shift
    if [ ! -x "$name" ]; then
        # shellcheck disable=SC2046 # flags are meant to be split
        cc -std=c99 -pedantic -Wall -Wextra -Werror -I"$root/include" -o "$name" \
            "$root/examples/$name.c" "$build/libcaucus.a" \
            $(pkg-config --libs zlib libzstd liblzma libutf8proc libxxhash jansson libpcre2-8) \
            -pthread -lm
    fi
    "./$name" "$@"
}

# is WANTED NAME ARGUMENT...: compares
is() {
    printf '%s\n' "$1" >wanted
    shift
    run "$@" >got 2>&1 || { cat got; echo "$1 failed"; exit 1; }
    diff wanted got || { echo "$1 printed something else"; exit 1; }
}

"$build/caucus" train -q -o desk.model "$root/examples/desk/train.txt"
run predict desk.model "Can I pay my fine by card?" | sort -k 2nr | head -n 2 | cut -f 1 >got
printf 'card\nfines\n' | diff - got
run weights desk.model | cut -f 1,3 | head -n 3 >got
printf 'card\tcard?\nfines\tpay\nrooms\troom\n' | diff - got
if run predict no.such.model x 2>got; then exit 1; fi
grep -q '^predict: no.such.model: No such file' got

run label 3 grated red carrots >got
cut -f 2 got | head -n 4 | tr '\n' ' ' | grep -q '^B-QTY B-STATE B-NAME I-NAME $'
grep '^[A-Z]' got | cut -f 1,3 | head -n 3 >segments
printf 'QTY\t3\nSTATE\tgrated\nNAME\tred carrots\n' | diff - segments
grep -c '^labelling' got | grep -q '^2$'
run label 3 grated red/B-STATE carrots | sed -n 3p | grep -q '^red	B-STATE	1.00$'
if run label 3 cups/B-CUP 2>got; then exit 1; fi
grep -q "^label: token:2: the model has no label 'B-CUP'" got

is 'accuracy	0.86
F1	0.67
F1 of LOC	0.67
F1 of PER	0.67' scores

run sort | cut -f 1,2 | head -n 6 >got
printf '%s\t%s\n' apple 0 pear 0 plum 0 fork 1 knife 1 ladle 1 | diff - got
run sort | tail -n 1 | cut -f 1,2 >got
printf 'spoon\tc2\n' | diff - got
run sort | grep -c ' and .*: \(together\|apart\)$' | grep -q '^2$'

run choose | head -n 4 >got
printf '%s\n' '  l2=1000	0.40' '* l2=1	0.90' '  l2=0.01	0.90' 'a sturdy blender: good' | diff - got
run choose | tail -n 11 | grep -c '^[ *] [a-z-]*	0\.[0-9]*$' | grep -q '^10$'

for example in "$root"/examples/*.c; do
    [ -x "$(basename "$example" .c)" ] || { echo "$example is not tested here"; exit 1; }
done
