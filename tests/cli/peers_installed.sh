# The programs whose models are read, side by side with ours where they are installed: they train a model, and both
# tag with it; then they read what we write. Prints nothing but the names of programs that disagree.
found=
items() {
    caucus features -q -T "$EXAMPLES/kitchen/template" "$1"
    echo
}
if command -v crfsuite >/dev/null; then
    found=yes
    head -n 3000 "$EXAMPLES/kitchen/train.txt" | items - >train.items
    items "$EXAMPLES/kitchen/test.txt" >test.items
    crfsuite learn -a l2sgd -p max_iterations=5 -m peer.crfsuite train.items >log || cat log
    crfsuite tag -m peer.crfsuite test.items >theirs
    caucus tag -q -m peer.crfsuite test.items | cut -f 2 >ours
    cmp theirs ours
    caucus convert --as crfsuite peer.crfsuite ours.crfsuite
    crfsuite tag -m ours.crfsuite test.items | cmp theirs -
fi
if command -v crf_learn >/dev/null && command -v crf_test >/dev/null; then
    found=yes
    head -n 1000 "$EXAMPLES/kitchen/train.txt" >train.txt
    printf 'U00:%%x[0,0]\nU01:%%x[-1,0]/%%x[0,0]\nU02:%%x[2,0]\nB\nB01:%%x[0,0]\n' >template
    crf_learn -t -m 20 template train.txt peer.crfpp >log || cat log
    crf_test -m peer.crfpp "$EXAMPLES/kitchen/test.txt" | sed 's/.*\t//' >theirs
    for model in peer.crfpp peer.crfpp.txt; do
        caucus tag -q -m $model "$EXAMPLES/kitchen/test.txt" | sed 's/.*\t//' | diff -B - theirs
    done
    caucus train -q -T template --max-iterations 20 -o ours.cau train.txt
    caucus tag -q -m ours.cau "$EXAMPLES/kitchen/test.txt" | sed 's/.*\t//' >ours
    caucus convert --as crfpp ours.cau ours.crfpp
    caucus convert --as crfpp-text ours.cau ours.txt
    crf_learn -C ours.txt converted.crfpp >log || cat log
    for model in ours.crfpp converted.crfpp; do
        crf_test -m $model "$EXAMPLES/kitchen/test.txt" | sed 's/.*\t//' | diff -B ours -
    done
    # The stand-ins: the same optimum, the same labels from its model, the same output.
    crf_learn -c 2 -e 0.000001 template train.txt theirs.crfpp >theirs.log
    caucus compat crf_learn -c 2 -e 0.000001 template train.txt ours.crfpp >ours.log
    for log in theirs.log ours.log; do sed -n 's/^iter=.*obj=\([0-9.]*\).*/\1/p' $log | tail -n 1; done |
        awk '{ f[NR] = $1 } END { if (f[2] > f[1] * 1.0001) print "objectives " f[1] " " f[2] }'
    crf_test -m theirs.crfpp "$EXAMPLES/kitchen/test.txt" >theirs
    crf_test -m ours.crfpp "$EXAMPLES/kitchen/test.txt" | cmp theirs -
    for flags in "" "-n 2"; do
        crf_test $flags -m theirs.crfpp "$EXAMPLES/kitchen/test.txt" | sed '/^#/d' >theirs
        caucus compat crf_test $flags -m theirs.crfpp "$EXAMPLES/kitchen/test.txt" | sed '/^#/d' | cmp theirs -
    done
fi
if command -v wapiti >/dev/null; then
    found=yes
    head -n 1000 "$EXAMPLES/kitchen/train.txt" >train.txt
    cat >patterns <<'PATTERNS'
u:w=%x[0,0]
u:l=%X[ 0,0]
u:p=%m[0,0,"^.?.?.?"]
*:c=%t[0,0,"\u"]
u:-6=%x[-6,0]
b
PATTERNS
    for type in crf memm maxent; do
        wapiti train -T $type -p patterns -i 20 train.txt peer.wapiti 2>log || cat log
        wapiti label -m peer.wapiti "$EXAMPLES/kitchen/test.txt" 2>log >theirs
        caucus tag -q -m peer.wapiti "$EXAMPLES/kitchen/test.txt" | diff -B theirs -
        caucus convert peer.wapiti ours.cau
        caucus convert --as wapiti ours.cau ours.wapiti
        wapiti label -m ours.wapiti "$EXAMPLES/kitchen/test.txt" 2>log | cmp theirs -
        for flags in "" -l "-n 3"; do
            [ "$type $flags" = "maxent -n 3" ] && continue
            wapiti label $flags -m peer.wapiti "$EXAMPLES/kitchen/test.txt" 2>log >theirs
            caucus compat wapiti label $flags -m peer.wapiti "$EXAMPLES/kitchen/test.txt" 2>log | cmp theirs -
        done
    done
    wapiti label -c -m peer.wapiti "$EXAMPLES/kitchen/test.txt" 2>theirs >log
    caucus compat wapiti label -c -m peer.wapiti "$EXAMPLES/kitchen/test.txt" 2>ours >log
    diff theirs ours
    printf 'b B-QTY B-UNIT 1\nb O O 0\n*:c=true # B-QTY 0.5\n' >patch
    wapiti update -m peer.wapiti patch theirs.wapiti 2>log || cat log
    caucus compat wapiti update -m peer.wapiti patch ours.wapiti
    cmp theirs.wapiti ours.wapiti
    wapiti train -1 0 -2 1 -p patterns -w 0 -o 100 train.txt theirs.wapiti 2>theirs.log
    caucus compat wapiti train -1 0 -2 1 -p patterns train.txt ours.wapiti 2>ours.log
    for log in theirs.log ours.log; do sed -n 's/.* obj=\([0-9.]*\) .*/\1/p' $log | tail -n 1; done |
        awk '{ f[NR] = $1 } END { if (f[2] > f[1] * 1.0001) print "objectives " f[1] " " f[2] }'
    wapiti label -m theirs.wapiti "$EXAMPLES/kitchen/test.txt" 2>log >theirs
    wapiti label -m ours.wapiti "$EXAMPLES/kitchen/test.txt" 2>log | cmp theirs -
fi
if command -v liblinear-train >/dev/null && command -v liblinear-predict >/dev/null; then
    found=yes
    awk 'NF { printf "%d", length($2) % 3; printf " %d:1 %d:0.5", length($1), 20 + length($2); print "" }' \
        "$EXAMPLES/kitchen/test.txt" >train.svm
    for solver in 0 1 4 6 7; do
        for bias in -1 1; do
            liblinear-train -q -s $solver -B $bias train.svm peer.liblinear
            liblinear-predict -q train.svm peer.liblinear theirs
            caucus tag -q -m peer.liblinear train.svm | cut -f 2 | cmp theirs -
        done
    done
fi
[ -n "$found" ] || { echo "crfsuite, crf_learn, wapiti and liblinear-train are not installed"; exit 77; }
