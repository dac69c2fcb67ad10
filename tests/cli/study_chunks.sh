# Studies of a sequence model: F1 of chunks, documents and groups kept together.
exec 2>&1
cp "$EXAMPLES/kitchen/train.txt" train.txt
data=train.txt
template=$EXAMPLES/kitchen/template
# digits that are the same on every machine; how many iterations it took is not
coarse() { sed 's/\([0-9]\.[0-9]\)[0-9]*/\1/g; s/   *[0-9.]*  *[0-9]*$//'; }
caucus train -q -T "$template" --folds 3 "$data" | coarse
caucus train -q -T "$template" --folds 3 --grid 'l2=1,100' --solver lbfgs "$data" | coarse

# the first column of the first line of a sequence names its group: no group in two folds
awk 'BEGIN { g = 0 } { if (!NF) { g++; print } else print "g" int(g / 20), $0 }' "$data" >grouped
caucus train -q --folds 3 --by 0 grouped | head -n 6 | coarse
awk '!NF { n++ } n % 30 == 0 && !NF { print ""; print "-DOCSTART- O" } { print }' "$data" >documents
caucus train -q --docstart --folds 3 --by document documents | head -n 6 | coarse
caucus train -q --folds 3 --by 9 "$data"
echo "= $?"
caucus train -q --folds 3 --by document "$data"
echo "= $?"
