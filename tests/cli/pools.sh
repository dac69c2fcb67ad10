# Pools: every kind trains, tags, is inspected and dumped, with the same bytes at any number of threads; an
# expert is the model of its features alone, and reports agree with tagging.
exec 2>&1
data=$EXAMPLES/kitchen/train.txt
test=$EXAMPLES/kitchen/test.txt
cp "$EXAMPLES/kitchen/template" template
head -n 3000 "$data" >few

# pool NAME OPTIONS...: trains, and prints F1 of chunks on the test data.
pool() {
    name=$1
    shift
    caucus train -q -T template --epsilon 1e-3 "$@" -t 1 -o "$name.cau" few || return
    caucus train -q -T template --epsilon 1e-3 "$@" -t 2 -o again.cau few
    cmp "$name.cau" again.cau
    caucus inspect --dump "$name.cau" >dump
    caucus convert dump copy.cau && cmp "$name.cau" copy.cau
    caucus tag -q -t 1 -m "$name.cau" "$test" >tagged
    caucus tag -q -t 2 -m "$name.cau" "$test" | cmp tagged -
    echo "$name: F1 $(f1 tagged)"
}
pool bag --pool bag
pool bag_transition --pool bag --per transition
pool bag_mixture --pool bag --combine mixture --alphas em --dev "$test"
pool bag_posterior --pool bag --combine mixture --mix posterior
pool bag_rescore --pool bag --combine mixture --mix rescore
pool bag_exact --pool bag --combine mixture --mix exact
pool bag_both --pool bag --combine mixture --per transition
pool bag_grid --pool bag --alphas grid --dev "$test"
pool lop --pool lop --partition random --alphas learn --alphas-folds 3
pool maxent --pool lop --experts 3 --partition template --model maxent
pool elitist --pool elitist --elitist 0.1 --max-iterations 5
pool lop_l1 --pool elitist --l1 0.1 --l2 0 --experts 2 --max-iterations 5
pool dropout --pool dropout --max-iterations 5

caucus inspect --top 1 bag.cau | sed -n '/^experts:/,$p' | decimals 2
caucus inspect --members "$test" --top 1 bag.cau >members
grep -e '^disagreement' -e '^ambiguity' members | decimals 4

# An expert is the model of its patterns alone.
accuracy() { caucus tag -q -m "$1" "$test" | caucus eval --classes - | sed -n 's/^accuracy \([0-9.]*\):.*/\1/p'; }
{
    for patterns in U0 'U[12]'; do
        grep -e "^$patterns" -e '^B' template >part
        caucus train -q -T part --epsilon 1e-3 -o part.cau few
        caucus inspect part.cau | awk '$1 == "features" { printf "%d ", $2 }'
        accuracy part.cau
    done
    accuracy bag.cau
} >alone
awk '$1 ~ /^[12]$/ && NF == 7 { print $4, $7 } $1 == "pool" && NF == 3 { print $3 }' members | diff alone - &&
    echo "experts are as alone"

# Some features removed.
caucus eval -m bag.cau --drop 'U0*' --drop 'nothing*' "$test" >dropped
cut -c 1-60 dropped
caucus tag -q -m bag.cau --drop 'U0*' "$test" | caucus eval --conlleval - | sed -n 2p
caucus tag -q -m bag.cau "$test" | caucus eval --conlleval - | sed -n 2p

# The number of experts; a pool of one is the plain model.
study -T template --pool lop --partition random --folds 2 --grid experts=1,2 few
caucus train -q -T template --folds 2 few | grep -e '^mean' -e '^std'

# Whole patterns are dropped.
caucus train -q -T template --group template --l1 8 --l2 0 --delta 1e-4 -o groups.cau few
caucus inspect groups.cau | grep -e '^groups' -e '^template'
echo "groups: F1 $(caucus tag -q -m groups.cau "$test" | f1)"

try() { run train -q "$@" -o m.cau few; }
try --pool bag --alphas grid
try --pool bag --partition bags
try --pool lop --alphas em --alphas-folds 2
try --pool elitist --elitist 1 --l1 1
try --pool elitist --combine mixture
try --pool bag --resume
try --experts 3
try --elitist 1
try --group template
try --group template --l1 1 --solver owlqn
try --dropout 0.5
try --solver fobos --l1 1
run eval --drop 'U0*' tagged
