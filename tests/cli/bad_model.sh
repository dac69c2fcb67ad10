# Models that were cut, damaged, or never were models: one line, status 1, wherever the fault
# is. Nothing is written to standard output. Only a tagger that never comes near the damage answers,
# as with the right model.
caucus train -q -o m.cau "$EXAMPLES/desk/train.txt" || exit
printf 'hello\n' >line.txt
caucus tag -m m.cau line.txt >right || exit
size=$(wc -c <m.cau)

check() { # check WHAT: bad.cau must be refused by all who open it
    caucus tag -m bad.cau line.txt >out 2>err
    status=$?
    [ $status = 1 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] && grep -q '^caucus: bad.cau: .*; ' err ||
        { [ $status = 0 ] && [ ! -s err ] && [ "${1#flipped}" != "$1" ] && cmp -s out right; } ||
        echo "$1: tag, status $status: $(cat out err)"
    caucus inspect bad.cau >out 2>err
    status=$?
    [ $status = 1 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] ||
        echo "$1: inspect, status $status: $(cat out err)"
}

# cut at 40 places, the first and the last byte among them
for i in $(seq 0 39); do
    at=$((i * (size - 1) / 39))
    head -c $at m.cau >bad.cau
    check "cut at $at"
done
{ cat m.cau; echo; } >bad.cau
check "longer"

# a bit flipped at 40 places, the header's first bytes and the last one among them
flip() { # flip AT: bad.cau is m.cau with one bit of this byte turned
    byte=$(od -An -tu1 -j "$1" -N 1 m.cau)
    turned=$((byte ^ (1 << ($1 % 8))))
    {
        head -c "$1" m.cau
        printf "\\$(printf %03o $turned)"
        tail -c +$(($1 + 2)) m.cau
    } >bad.cau
}
for i in $(seq 0 15) $(seq 100 97 1200) $(seq 2000 $((size / 24)) $((size - 1))) $((size - 1)); do
    flip "$i"
    check "flipped at $i"
done

# foreign files
exec 2>&1
for file in empty zeros text self dump; do
    case $file in
    empty) : >bad.cau ;;
    zeros) head -c 100000 /dev/zero >bad.cau ;;
    text) cp "$EXAMPLES/desk/train.txt" bad.cau ;;
    self) cp "$(command -v caucus)" bad.cau ;;
    dump) caucus inspect --dump m.cau >bad.cau ;;
    esac
    caucus tag -m bad.cau line.txt
    echo "$file = $?"
done
caucus train -q --mean line.txt -o n.cau "$EXAMPLES/desk/train.txt"
echo "mean = $?"
ls
