# Every key of every JSON report is described in docs/evaluation.md or docs/adaptation.md.
page=$CASE/../../docs/evaluation.md
keys() { grep -o '"[^"]*":' | sort -u; }
check() { # check WHAT: every key of the JSON on standard input is on the page
    missing=$(keys | while read -r key; do grep -qF "$key" "$page" || printf ' %s' "$key"; done)
    echo "$1:${missing:- all described}"
}
printf 'a B-X B-X\nb I-X O\n\nc O B-Y\nd B-Y B-Y\n' >a
printf 'a B-X B-X\nb I-X I-X\n\nc O O\nd B-Y O\n' >b
printf 'a B-X\nc B-Y\n' >train
caucus eval --known train --against b --json a | check chunks
caucus eval --classes --known train --against b --json a | check classes
printf 'x\ty\ty:0.75\tx:0.25\n' | caucus eval -p --json - | check probabilities
printf 'a\t1\nb\t2\n' >clusters
caucus eval --clusters clusters --json clusters | check clusters
data=$EXAMPLES/kitchen/train.txt
head -n 400 "$data" >few
caucus train -q --folds 2 --json few | check folds
caucus train -q --folds 2 --grid l2=1,2 --json few | check grid
caucus train -q --curve --seeds 2 --json few | check curve
caucus train -q --max-iterations 3 -o m.cau few
caucus eval -q -m m.cau --drop 'U0*' --json few | check robustness
page=$CASE/../../docs/adaptation.md
desk=$EXAMPLES/desk
caucus adapt -q --target "$desk/calls.txt" --source "$desk/train.txt" --method all --test \
    "$desk/calls_test.txt" --json | check methods
caucus adapt -q --target "$desk/calls.txt" --source "$desk/train.txt" --curve --seeds 2 --json | check amounts
