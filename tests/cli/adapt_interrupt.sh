# Ctrl-C: MEGA stops after its iteration and saves the model so far; a comparison prints no table.
for _ in 1 2 3 4 5 6 7 8; do cat "$EXAMPLES/desk/train.txt"; done >letters.txt
cp "$EXAMPLES/desk/calls.txt" .
adapt="caucus adapt -t 1 --target calls.txt --source letters.txt --ngrams 4"

interrupt INT "grep -q '^iteration' err" $adapt --mega-iterations 50 -o m.cau
echo "status $status"
tail -n 1 err
caucus tag -q -m m.cau calls.txt | wc -l # the saved model is complete
[ "$(caucus inspect m.cau | awk '$1 == "iterations" { print $2 }')" -lt 50 ] && echo "fewer iterations"
rm m.cau

interrupt INT "grep -q '^run' err" $adapt --method all --folds 20 -o m.cau
echo "status $status"
tail -n 1 err | sed 's/after [0-9]* of/after N of/'
wc -c <out
ls
