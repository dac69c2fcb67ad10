# After kill -9, --resume continues from the last checkpoint and ends with the same bytes. SGD takes
# about a second here, which leaves time to kill it after its first checkpoint.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do cat "$EXAMPLES/desk/train.txt"; done >data.txt
train="caucus train -q -t 1 --ngrams 4 --solver sgd --max-iterations 200 --epsilon 0 --delta 0"
train="$train --checkpoint 0.01"
$train -o whole.cau data.txt

interrupt KILL '[ -e m.cau.checkpoint ]' $train -o m.cau data.txt
echo "status $status"
ls m.cau m.cau.checkpoint 2>/dev/null # no model yet
$train --resume -o m.cau data.txt
echo "status $?"
cmp m.cau whole.cau
ls m.cau m.cau.checkpoint 2>/dev/null # and no checkpoint any more
true
