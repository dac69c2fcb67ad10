# A large model is verified in parts. Wherever a byte is wrong, whoever meets it says so in one
# line, with status 1; a tagger that does not meet it answers as with the right model.
seq 1 20000 | sed 's/.*/class&\tw& x&/; s/class[0-9]*\([0-9]\)\t/\1\t/' >train.txt
caucus train -q --max-iterations 1 -o m.cau train.txt || exit
head -n 5 train.txt >few.txt
caucus tag -m m.cau few.txt >few.out || exit
size=$(wc -c <m.cau)
[ "$size" -gt 1000000 ] || echo "only $size bytes"

refused() { # refused WHAT: one line about bad.cau, and status 1
    [ $status = 1 ] && [ "$(wc -l <err)" = 1 ] &&
        grep -q '^caucus: bad.cau: the model is .*; copy it again or train it again$' err ||
        echo "$1, flipped at $at: status $status: $(cat err)"
}

met=0
missed=0
for i in $(seq 1 40); do
    at=$((i * (size - 1) / 40))
    byte=$(od -An -tu1 -j $at -N 1 m.cau)
    cp m.cau bad.cau
    printf "\\$(printf %03o $((byte ^ 1 << i % 8)))" | dd of=bad.cau bs=1 seek=$at conv=notrunc 2>/dev/null

    caucus inspect bad.cau >out 2>err
    status=$?
    refused inspect
    [ ! -s out ] || echo "inspect wrote something"
    caucus eval -m bad.cau --drop 'w*' few.txt >out 2>err
    status=$?
    refused eval
    caucus train -q --mean bad.cau -o n.cau few.txt >out 2>err
    status=$?
    refused train
    [ ! -e n.cau ] || echo "train wrote n.cau"
    caucus tag -m bad.cau few.txt >out 2>err
    status=$?
    if [ $status = 0 ]; then
        cmp out few.out
        missed=$((missed + 1))
    else
        refused tag
        met=$((met + 1))
    fi
    # all of the weights, but not the names
    caucus tag -t 2 -m bad.cau train.txt >out 2>err
    status=$?
    [ $status = 0 ] || refused "tag of all"
done
[ $met -gt 5 ] && [ $missed -gt 5 ] || echo "$met were met, and $missed were not"
