# Adaptation of sequence models: F1 of chunks, all model kinds, p(general) of each token.
exec 2>&1
cp "$EXAMPLES/kitchen/template" template
awk 'NR > 4000 && !NF { exit } { print }' "$EXAMPLES/kitchen/train.txt" >recipes.txt
awk 'NR > 600 && !NF { exit } { print tolower($1), $2 }' "$EXAMPLES/kitchen/test.txt" >notes.txt
awk 'NR > 600 && (!NF || on) { on = 1; print tolower($1), $2 } NR > 1200 { exit }' \
    "$EXAMPLES/kitchen/test.txt" | sed 's/^ $//; s/^  *$//' >test.txt
adapt() { caucus adapt -q -T template --target notes.txt --source recipes.txt --epsilon 1e-3 "$@"; }

adapt -t 1 -o m.cau
adapt -t 2 -o again.cau
cmp m.cau again.cau
caucus inspect --top 1 m.cau | grep -E '^(model|method|domain\..*name) '
caucus tag -q -m m.cau test.txt >tagged
caucus tag -q -m m.cau --domain test.txt >domains
cut -f 1,2 domains | cmp - tagged
awk -F '\t' 'NF && ($3 == "" || $3 < 0 || $3 > 1) { print "not a probability: " $0 }' domains

# The table has the F1 that tag and eval give.
adapt --method all --test test.txt >table
masked <table
for method in mega mix feats; do
    adapt --method $method -o m.cau
    awk -v m=$method '$1 == m { print $2 }' table >want
    caucus tag -q -m m.cau test.txt | f1 | sed 's/$/%/' | cmp want -
done
adapt --method prior --model crf --folds 2 --tune 1,10 | masked
caucus adapt -T template --target notes.txt --source recipes.txt --epsilon 1e-2 --method all --model crf \
    --max-iterations 5 --test test.txt 2>err | cut -c 1-13 | masked
grep MEGA err
adapt --method mix --model maxent -o m.cau && caucus inspect m.cau | grep -E '^model '
