# Cross-validation, grids and learning curves of a classifier: tables, and what else gives the same numbers.
exec 2>&1
cp "$EXAMPLES/desk/train.txt" train.txt
cp "$EXAMPLES/desk/test.txt" test.txt
head -n 300 train.txt >first.txt
tail -n +301 train.txt >second.txt

# accuracy DATA OPTIONS...: the accuracy on the data of a model trained with the options.
accuracy() {
    data=$1
    shift
    caucus train -q "$@" -o one.cau
    caucus tag -q -m one.cau "$data" | caucus eval - | sed -n 's/^accuracy \([0-9.]*\):.*/\1/p'
}

# agrees ROW COLUMN NUMBER: whether the table has this number in that place.
agrees() {
    awk -v row="$1" -v column="$2" -v want="$3" '{ sub(/^[* ] /, ""); sub(/^fold /, "fold") }
        $1 == row { found = $column }
        END { print row (found == want ? ": as one run" : ": " found " instead of " want) }' table
}

study --folds 4 train.txt
caucus train -q --folds 4 --seed 2 train.txt | cmp -s table - && echo "another seed gives the same folds"

# Files as folds: each is scored with a model trained on the other.
study --folds 2 --by file first.txt second.txt
awk '/^fold/ { print $5 }' table | sort >folds
{ accuracy first.txt second.txt; accuracy second.txt first.txt; } | sort | cmp folds - && echo "as two runs"

study --folds 3 --grid 'l2=1,30,1000' train.txt
caucus train -q --folds 3 --grid 'l2=1,30,1000' -o best.cau train.txt | cmp - table
caucus train -q --l2 1 -o one.cau train.txt
for model in best one; do caucus inspect --dump $model.cau | grep -v '^info' >$model.dump; done
cmp best.dump one.dump && echo "the model is that of l2=1"
study --folds 3 --grid 'l2=1,10 model=maxent' train.txt

study --dev test.txt --grid 'C=0.1,1' train.txt
agrees C=0.1 2 "$(accuracy test.txt --C 0.1 train.txt)"
agrees C=1 2 "$(accuracy test.txt --C 1 train.txt)"

study --curve --seeds 3 --test test.txt train.txt
agrees all 3 "$(accuracy test.txt train.txt)"
study --curve --seeds 2 train.txt

try() { run train -q "$@" train.txt; }
try --folds 1
try --folds 2000
try --grid 'l2=1,2'
try --grid 'l2' --folds 2
try --grid 'l9=1' --folds 2
try --l2 1 --grid 'l2=1,2' --folds 2
try --curve --folds 2
try --folds 2 --resume -o m.cau
try --folds 2 --by document
try --folds 2 --plot figure.svg
try --json -o m.cau
try --plot figure.gif -o m.cau
try --curve --plot nowhere/figure.svg
