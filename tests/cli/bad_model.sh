# Models that are cut, damaged, or no models at all: one line that names the file, status 1, nothing on standard
# output. A large model is checked in blocks, each when it is first used, so tagging may not notice a damaged
# block: then its output must be that of the intact model.

# refused WHAT INTACT ARGUMENT...: the command must refuse bad.cau. It may have written a part of what the
# intact model makes it write, which is in the file INTACT, but not all of it.
refused() {
    what=$1 intact=$2
    shift 2
    caucus "$@" >out 2>err
    status=$?
    [ $status = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q '^caucus: bad.cau: .*; ' err &&
        { [ ! -s out ] || { ! cmp -s out "$intact" && head -c "$(wc -c <out)" "$intact" | cmp -s - out; }; } ||
        echo "$what: $1, status $status: $(head -c 500 out) $(cat err)"
}

# noticed WHAT INTACT ARGUMENT...: prints 0 if the command writes just what is in the file INTACT, else 1; then
# it must refuse bad.cau.
noticed() {
    what=$1 intact=$2
    shift 2
    if caucus "$@" >out 2>err && [ ! -s err ] && cmp -s out "$intact"; then
        echo 0
    else
        refused "$what" "$intact" "$@" >&2
        echo 1
    fi
}

# flip AT: bad.cau becomes m.cau with one bit of the byte AT changed.
flip() {
    byte=$(od -An -tu1 -j "$1" -N 1 m.cau)
    cp m.cau bad.cau
    printf "\\$(printf %03o $((byte ^ 1 << $1 % 8)))" |
        dd of=bad.cau bs=1 seek="$1" conv=notrunc 2>/dev/null
}

# A small model. Cut at 40 places, the first and the last byte among them; then one byte too long.
caucus train -q -o m.cau "$EXAMPLES/desk/train.txt" || exit
printf 'hello\n' >few.txt
caucus tag -m m.cau few.txt >few.tagged || exit
size=$(wc -c <m.cau)
for i in $(seq 0 39); do
    at=$((i * (size - 1) / 39))
    head -c $at m.cau >bad.cau
    refused "cut at $at" /dev/null tag -m bad.cau few.txt
    refused "cut at $at" /dev/null inspect bad.cau
done
{ cat m.cau; echo; } >bad.cau
refused longer /dev/null tag -m bad.cau few.txt
refused longer /dev/null inspect bad.cau

# One bit flipped, the first bytes of the header and the last byte of the file among the places.
for at in $(seq 0 15) $(seq 100 97 1200) $(seq 2000 $((size / 24)) $((size - 1))) $((size - 1)); do
    flip "$at"
    refused "flipped at $at" /dev/null inspect bad.cau
    noticed "flipped at $at" few.tagged tag -m bad.cau few.txt >/dev/null
done

# A large model: tagging a few lines reads some of its blocks, tagging all lines reads all weights.
seq 1 20000 | sed 's/.*/class&\tw& x&/; s/class[0-9]*\([0-9]\)\t/\1\t/' >train.txt
caucus train -q --max-iterations 1 -o m.cau train.txt || exit
head -n 5 train.txt >few.txt
caucus tag -m m.cau few.txt >few.tagged || exit
caucus tag -m m.cau train.txt >all.tagged || exit
size=$(wc -c <m.cau)
[ "$size" -gt 1000000 ] || echo "only $size bytes"
for i in $(seq 1 40); do
    at=$((i * (size - 1) / 40))
    flip "$at"
    refused "flipped at $at" /dev/null inspect bad.cau
    refused "flipped at $at" /dev/null eval -m bad.cau --drop 'w*' few.txt
    refused "flipped at $at" /dev/null train -q --mean bad.cau -o n.cau few.txt
    [ ! -e n.cau ] || echo "train wrote n.cau"
    few=$(noticed "flipped at $at" few.tagged tag -m bad.cau few.txt)
    all=$(noticed "flipped at $at" all.tagged tag -t 2 -m bad.cau train.txt)
    echo "$few $all" >>counts
done
awk '{ few += $1; all += $2; if ($1 > $2) print "noticed with few lines, but not with all" }
    END { if (few <= 5 || few >= 35 || all <= few) print "noticed " few " and " all " times of 40" }' counts

# Foreign files.
exec 2>&1
for file in empty zeros text self dump; do
    case $file in
    empty) : >bad.cau ;;
    zeros) head -c 100000 /dev/zero >bad.cau ;;
    text) cp "$EXAMPLES/desk/train.txt" bad.cau ;;
    self) cp "$(command -v caucus)" bad.cau ;;
    dump) caucus inspect --dump m.cau >bad.cau ;;
    esac
    caucus tag -m bad.cau few.txt
    echo "$file = $?"
done
caucus train -q --mean few.txt -o n.cau "$EXAMPLES/desk/train.txt"
echo "mean = $?"
ls
