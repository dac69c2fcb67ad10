# The stand-in for crfsuite, by its own flags, as a command and by a link.
cp "$EXAMPLES"/kitchen/train.txt "$EXAMPLES"/kitchen/test.txt "$EXAMPLES"/kitchen/template .
caucus features -q -T template train.txt >train.items
caucus features -q -T template test.txt >test.items
ln -s "$(command -v caucus)" crfsuite
bin=$PWD
same() { cmp "$1" "$2" && echo "the same: $1 $2"; }

echo "= crfsuite"
caucus compat crfsuite learn -m items.model -p c2=0.5 -p feature.possible_transitions=1 train.items >log
grep -c '^\*\*\*\*\* Iteration #' log | awk '{ print ($1 > 5 ? "iterations" : $1) }'
tail -n 5 log | masked | grep -v seconds
head -c 4 items.model; echo
caucus train -q -f crfsuite --c2 0.5 --solver lbfgs --epsilon 1e-5 --delta 1e-5 -o ours.cau train.items
caucus tag -q -m ours.cau test.items | cut -f 2 >labels
"$bin/crfsuite" tag -m items.model test.items >tagged
same labels tagged
"$bin/crfsuite" tag -m items.model -r -p -i test.items | head -n 3 | decimals 2
"$bin/crfsuite" tag -m items.model -l test.items | head -n 1 | decimals 2
"$bin/crfsuite" tag -q -t -m items.model test.items | sed 's/^Elapsed.*/Elapsed/' | tail -n 6
"$bin/crfsuite" dump items.model | sed -n '/^TRANS/,/^}/p' | head -n 3 | decimals 2

exec 2>&1
echo "= notes"
"$bin/crfsuite" learn -p linesearch=Backtracking -p max_iterations=2 train.items >log && grep -c Iteration log

echo "= errors"
bad() { echo "$ $*"; name=$1; shift; "$bin/$name" "$@"; echo "= $?"; }
bad crfsuite
bad crfsuite sing
bad crfsuite learn -a cg train.items
bad crfsuite learn -p c2=abc train.items
bad crfsuite learn -p cc=1 train.items
bad crfsuite learn -m train.items train.items
bad crfsuite learn -g 3 train.items
bad crfsuite learn -Z
bad crfsuite tag test.items
bad crfsuite tag -m missing.model test.items
bad crfsuite dump
caucus compat mallet; echo "= $?"
caucus compat; echo "= $?"
ls missing.model 2>/dev/null
true
