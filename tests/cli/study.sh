# Cross-validation, grids and learning curves; the same at any number of threads.
exec 2>&1
cp "$EXAMPLES/desk/train.txt" train.txt
cp "$EXAMPLES/desk/test.txt" test.txt
data=train.txt
test=test.txt
# digits that are the same on every machine; how many iterations it took is not
coarse() { sed 's/\([0-9]\.[0-9]\)[0-9]*/\1/g; s/   *[0-9.]*  *[0-9]*$//'; }

caucus train -q --folds 4 -t 1 "$data" >one
caucus train -q --folds 4 -t 2 "$data" | cmp one - && coarse <one
caucus train -q --folds 4 --seed 2 "$data" | cmp -s one - && echo "another seed gives the same folds"
caucus train -q --folds 3 --grid 'l2=1,30,1000' -o best.cau "$data" | coarse
caucus inspect best.cau | grep '^penalty.definition'
caucus train -q --folds 3 --grid 'l2=1,10 model=maxent' --json "$data" | sed 's/\([0-9]\.[0-9]\)[0-9]*/\1/' | head -n 12
caucus train -q --dev "$test" --grid 'C=0.1,1' "$data" | coarse
caucus train -q --curve --seeds 3 --test "$test" "$data" | coarse
caucus train -q --curve --seeds 2 "$data" >/dev/null
echo "= $?"

try() {
    echo "$ caucus train $*"
    caucus train -q "$@" "$data"
    echo "= $?"
}
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
