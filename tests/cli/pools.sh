# Pools: every kind trains, tags, is inspected and dumped; the same file at any number of threads.
exec 2>&1
data=$EXAMPLES/kitchen/train.txt
test=$EXAMPLES/kitchen/test.txt
cp "$EXAMPLES/kitchen/template" template
head -n 3000 "$data" >few
f1() { sed -n 's/^accuracy.*FB1: *//p' | awk '{ print ($1 > 80 ? "good" : $1) }'; }
coarse() { sed 's/\([0-9]\.[0-9]\)[0-9]*/\1/g'; } # digits that are the same on every machine
pool() { # pool NAME OPTIONS: trains, and says how good it is
    name=$1
    shift
    caucus train -q -T template --epsilon 1e-3 "$@" -t 1 -o "$name.cau" few || return
    caucus train -q -T template --epsilon 1e-3 "$@" -t 2 -o again.cau few
    cmp "$name.cau" again.cau
    caucus inspect --dump "$name.cau" >dump
    caucus convert dump copy.cau && cmp "$name.cau" copy.cau
    caucus tag -q -t 1 -m "$name.cau" "$test" >tagged
    caucus tag -q -t 2 -m "$name.cau" "$test" | cmp tagged -
    printf '%s: ' "$name"
    caucus eval --conlleval tagged | f1
}
pool bag --pool bag
pool bag_transition --pool bag --per transition
pool bag_mixture --pool bag --combine mixture --alphas em --dev "$test"
pool bag_posterior --pool bag --combine mixture --mix posterior
pool bag_rescore --pool bag --combine mixture --mix rescore
pool bag_both --pool bag --combine mixture --per transition
pool bag_grid --pool bag --alphas grid --dev "$test"
pool lop --pool lop --partition random --alphas learn --alphas-folds 3
pool maxent --pool lop --experts 3 --partition template --model maxent
pool elitist --pool elitist --elitist 0.1 --max-iterations 5
pool lop_l1 --pool elitist --l1 0.1 --l2 0 --experts 2 --max-iterations 5
pool dropout --pool dropout --max-iterations 5

caucus inspect --top 1 bag.cau | sed -n '/^experts:/,$p' | coarse
caucus inspect --members "$test" --top 1 bag.cau | coarse | grep -e '^disagreement' -e '^ambiguity'

# what is left without some of the features
caucus eval -m bag.cau --drop 'U0*' --drop 'nothing*' "$test" | cut -c 1-27 | coarse
caucus tag -q -m bag.cau --drop 'U0*' "$test" | caucus eval --conlleval - | head -n 1 | cut -c 1-40

# how many experts?
caucus train -q -T template --pool lop --partition random --folds 2 --grid experts=1,2 few | cut -c 1-24 | head -n 6 | coarse

# whole templates drop out
caucus train -q -T template --group template --l1 8 --l2 0 --delta 1e-4 -o groups.cau few
caucus inspect groups.cau | grep -e '^groups' -e '^template'
caucus tag -q -m groups.cau "$test" | caucus eval --conlleval - | head -n 1 | cut -c 1-40

try() {
    echo "$ caucus train $*"
    caucus train -q "$@" -o m.cau few
    echo "= $?"
}
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
caucus eval --drop 'U0*' tagged
echo "= $?"
