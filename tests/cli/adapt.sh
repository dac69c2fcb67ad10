# Adaptation from end to end on the bundled example: few calls, many letters.
exec 2>&1
cp "$EXAMPLES/desk/train.txt" letters.txt
cp "$EXAMPLES/desk/calls.txt" "$EXAMPLES/desk/calls_test.txt" .
head -n 400 letters.txt >early.txt
tail -n 400 letters.txt >late.txt
adapt() { caucus adapt -q --target calls.txt --source letters.txt "$@"; }
shape() { sed 's/[0-9][0-9]*\.[0-9]*/N/g; s/   */ /g'; } # numbers that depend on the machine
accuracy() { caucus eval - | awk '$1 == "accuracy" { printf "%.2f\n", 100 * $2 }'; }

# a model like any other; the same file at any number of threads
for method in mega mega-tied only-in only-out interpolate mix mix-weighted feats prior augment; do
    adapt --method $method -t 1 -o $method.cau || echo "$method: status $?"
    adapt --method $method -t 2 -o again.cau
    cmp $method.cau again.cau
    caucus inspect --dump $method.cau >dump
    caucus convert dump copy.cau && cmp $method.cau copy.cau
    caucus tag -q -t 1 -m $method.cau calls_test.txt >$method.tagged
    caucus tag -q -t 2 -m $method.cau calls_test.txt | cmp $method.tagged -
done

# some of them are ordinary training
same() { caucus tag -q -m o.cau calls_test.txt | cmp - "$1.tagged" && echo "$1 is training on $2"; }
caucus train -q -o o.cau calls.txt && same only-in "calls alone"
caucus train -q -o o.cau letters.txt && same only-out "letters alone"
caucus train -q -o o.cau calls.txt letters.txt && same mix "both"

# the table says what tagging the file with each model comes to, and -o takes the best
adapt --method all --test calls_test.txt -o best.cau >table
shape <table
for method in mega mega-tied only-in only-out interpolate mix mix-weighted feats prior augment; do
    awk -v m=$method '$1 == m { print $2 }' table >want
    accuracy <$method.tagged | cmp want - || echo "$method is not what the table says"
done
best=$(awk '$2 + 0 > most { most = $2; name = $1 } END { print name }' table)
caucus tag -q -m best.cau calls_test.txt | cmp "$best.tagged" -
adapt --method all --test calls_test.txt --json >json
python3 - <<'END2'
import json
methods = json.load(open('json'))['rows'][0]['methods']
table = dict(line.split()[:2] for line in open('table') if line.count(' ') > 9)
for m in methods:
    assert '%.2f' % (100 * m['accuracy']) == table[m['method']], m
print(len(methods), 'methods in JSON')
END2

# other ways to compare
adapt --folds 3 --method all -t 1 --json | sed 's/"seconds": [^,]*//' >one
adapt --folds 3 --method all -t 2 --json | sed 's/"seconds": [^,]*//' | cmp one -
adapt --folds 3 --method mix --tune 0.1,1,10 | shape
adapt --curve --seeds 2 --plot curve.svg | shape
[ -s curve.svg ] || [ -s curve.svg.dat ] || echo "no figure"
adapt --curve --seeds 1 --method only-in --test calls_test.txt | shape

# tuned: one of these penalties
adapt --tune 0.25,4 --method prior -o tuned.cau
caucus inspect tuned.cau | grep -c -E '^penalty.definition +(0.25|4)/2 '

# which domain an answer comes from
caucus tag -q -m mega.cau --domain calls_test.txt >domains
cut -f 1,2 domains | cmp - mega.tagged
awk -F '\t' 'NF != 3 || $3 < 0 || $3 > 1 { print "not a probability: " $0 }' domains
caucus inspect --top 2 mega.cau | grep -E '^(model|method|optimizer|instances|domain\..*(name|instances)) '
caucus inspect --top 2 mega.cau | grep -E '^(domains:|pulls|strongest|KL)'
adapt --optimizer lbfgs --mega-iterations 3 --nb-features 50 --beta-a 1 -o few.cau
caucus inspect few.cau | grep -E '^(optimizer|nb.features|iterations|penalty) '

# two other domains, each with its own component
caucus adapt --target calls.txt --source early.txt --source late.txt -o two.cau 2>&1 | grep -E '^(maxent|domain)' | shape
caucus inspect --top 1 two.cau | grep -E '^pulls'
caucus adapt -q --target calls.txt --source early.txt --source late.txt --method augment -o two.cau
caucus tag -q -m two.cau calls_test.txt | wc -l

# one instance is little, but not nothing
head -n 1 calls.txt >one.txt
caucus adapt --target one.txt --source letters.txt --tune 1,10 -o m.cau 2>&1 | grep -E '(tuned|^domain)' | shape
caucus adapt -q --target one.txt --source letters.txt --method all --test calls_test.txt | shape
