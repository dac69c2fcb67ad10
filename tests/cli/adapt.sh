# Adaptation of a classifier, end to end on the bundled example: few calls, many letters.
exec 2>&1
cp "$EXAMPLES/desk/train.txt" letters.txt
cp "$EXAMPLES/desk/calls.txt" "$EXAMPLES/desk/calls_test.txt" .
head -n 400 letters.txt >early.txt
tail -n 400 letters.txt >late.txt
adapt() { caucus adapt -q --target calls.txt --source letters.txt "$@"; }
accuracy() { caucus eval - | awk '$1 == "accuracy" { printf "%.2f%%\n", 100 * $2 }'; }

# Models that dump, convert and tag as others do; the same bytes at any number of threads.
for method in mega mega-tied only-in only-out interpolate mix mix-weighted feats prior augment; do
    adapt --method $method -t 1 -o $method.cau || echo "$method: status $?"
    adapt --method $method -t 2 -o again.cau
    cmp $method.cau again.cau
    caucus inspect --dump $method.cau >dump
    caucus convert dump copy.cau && cmp $method.cau copy.cau
    caucus tag -q -t 1 -m $method.cau calls_test.txt >$method.tagged
    caucus tag -q -t 2 -m $method.cau calls_test.txt | cmp $method.tagged -
done

# Three methods are ordinary training.
same() { caucus tag -q -m o.cau calls_test.txt | cmp - "$1.tagged" && echo "$1 is training on $2"; }
caucus train -q -o o.cau calls.txt && same only-in "calls alone"
caucus train -q -o o.cau letters.txt && same only-out "letters alone"
caucus train -q -o o.cau calls.txt letters.txt && same mix "both"

# The table has the accuracies and the p-values that tag and eval give; -o keeps the best model.
adapt --method all --test calls_test.txt -o best.cau >table
masked <table
for method in mega mega-tied only-in only-out interpolate mix mix-weighted feats prior augment; do
    awk -v m=$method '$1 == m { print $2, $3 }' table >want
    p=-
    [ $method = mega ] ||
        p=$(caucus eval --against $method.tagged --json mega.tagged | awk '$1 == "\"exact\":" { printf "%.4f", $2; exit }')
    echo "$(accuracy <$method.tagged) $p" | diff want - || echo "$method: the table differs"
done
best=$(awk '$2 + 0 > most { most = $2; name = $1 } END { print name }' table)
caucus tag -q -m best.cau calls_test.txt | cmp "$best.tagged" -
adapt --method all --test calls_test.txt --json >json
python3 - <<'END2'
import json
methods = json.load(open('json'))['rows'][0]['methods']
table = dict(line.split()[:2] for line in open('table') if line.count(' ') > 9)
for m in methods:
    assert '%.2f%%' % (100 * m['accuracy']) == table[m['method']], m
print(len(methods), 'methods in JSON')
END2

# Other ways to compare. With all target data and one test file, a curve ends at the scores of the table.
adapt --folds 3 --method all -t 1 --json | sed 's/"seconds": [^,]*//' >one
adapt --folds 3 --method all -t 2 --json | sed 's/"seconds": [^,]*//' | cmp one -
adapt --folds 3 --method mix --tune 0.1,1,10 | masked
adapt --curve --seeds 2 --plot curve.svg | masked
[ -s curve.svg ] || [ -s curve.svg.dat ] || echo "no figure"
adapt --curve --seeds 1 --method only-in --test calls_test.txt >curve
masked <curve
awk 'NR == FNR && NF == 4 { score[$1] = $2 } NR > FNR && $1 == "trained" { for (i = 3; i <= NF; i++) method[i - 1] = $i }
    NR > FNR && $1 == 70 && NF == 6 { for (i = 2; i <= NF; i++) if ($i != score[method[i]]) print method[i] ": " $i }' table curve

# --tune picks one of the given penalties.
adapt --tune 0.25,4 --method prior -o tuned.cau
caucus inspect tuned.cau | grep -c -E '^penalty.definition +(0.25|4)/2 '

# p(general) of each answer.
caucus tag -q -m mega.cau --domain calls_test.txt >domains
cut -f 1,2 domains | cmp - mega.tagged
awk -F '\t' 'NF != 3 || $3 < 0 || $3 > 1 { print "not a probability: " $0 }' domains
caucus inspect --top 2 mega.cau | grep -E '^(model|method|optimizer|instances|domain\..*(name|instances)) '
caucus inspect --top 2 mega.cau | grep -E '^(domains:|pulls|strongest|KL)'
adapt --optimizer lbfgs --mega-iterations 3 --nb-features 50 --beta-a 1 -o few.cau
caucus inspect few.cau | grep -E '^(optimizer|nb.features|iterations|penalty) '

# Two source domains, each with a component of its own.
caucus adapt --target calls.txt --source early.txt --source late.txt -o two.cau 2>&1 | grep -E '^(maxent|domain)' | masked
caucus inspect --top 1 two.cau | grep -E '^pulls'
caucus adapt -q --target calls.txt --source early.txt --source late.txt --method augment -o two.cau
caucus tag -q -m two.cau calls_test.txt | wc -l

# A single target instance is accepted.
head -n 1 calls.txt >one.txt
caucus adapt --target one.txt --source letters.txt --tune 1,10 -o m.cau 2>&1 | grep -E '(tuned|^domain)' | masked
caucus adapt -q --target one.txt --source letters.txt --method all --test calls_test.txt | masked
