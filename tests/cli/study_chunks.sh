# Studies of a sequence model: F1 of chunks; documents and groups that are kept together.
exec 2>&1
cp "$EXAMPLES/kitchen/train.txt" train.txt
template=$EXAMPLES/kitchen/template

study -T "$template" --folds 3 train.txt
study -T "$template" --folds 3 --grid 'l2=1,100' --solver lbfgs train.txt

# Groups: the first column of the first line of a sequence names its group.
awk '{ if (!NF) { g++; print } else print "g" int(g / 20), $0 }' train.txt >grouped
study --folds 3 --by 0 grouped

# Two groups are two folds, each scored with a model trained on the other.
awk '{ if (!NF) { g++; print } else print (g < 600 ? "one" : "two"), $0 }' train.txt >grouped
awk 'NF { keep = $1 == "one" } keep { print }' grouped >one
awk 'NF { keep = $1 == "two" } keep { print }' grouped >two
printf 'U0:%%lower[0,1]\nU1:%%lower[-1,1]\nU2:%%suffix[0,1,3]\nB\n' >words
options="-T words --solver lbfgs --epsilon 1e-5 --delta 0" # close enough to the optimum for four equal digits
study $options --folds 2 --by 0 grouped
awk '/^fold/ { print $6, $7 }' table | sort >folds
for pair in 'one two' 'two one'; do
    caucus train -q $options -o m.cau "${pair% *}"
    caucus tag -q -m m.cau "${pair#* }" | caucus eval --json - |
        python3 -c 'import json, sys; r = json.load(sys.stdin); print("%.4f %.4f" % (r["chunks"]["micro"]["f1"], r["accuracy"]))'
done | sort | cmp folds - && echo "as two runs"

# Documents.
awk '!NF { n++ } n % 30 == 0 && !NF { print ""; print "-DOCSTART- O" } { print }' train.txt >documents
study --docstart --folds 3 --by document documents
run train -q --folds 3 --by 9 train.txt
run train -q --folds 3 --by document train.txt
