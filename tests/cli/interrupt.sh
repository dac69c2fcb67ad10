# Ctrl-C saves the model so far and a checkpoint; --resume then ends with the same bytes as a run that was
# not interrupted. One solver of each family.
for _ in 1 2 3 4 5 6 7 8; do cat "$EXAMPLES/desk/train.txt"; done >data.txt
train="caucus train -t 1 --ngrams 4 --epsilon 0 --delta 0"

interrupt_training() { # interrupt_training SIGNAL OPTIONS: after the first line of progress
    signal=$1
    shift
    rm -f m.cau*
    interrupt "$signal" "grep -q '^iteration' err" $train -o m.cau "$@" data.txt
    echo "$*: status $status"
    grep '^stopped' err | sed 's/;.*//'
    tail -n 1 err
    ls m.cau m.cau.checkpoint
}

for options in '--solver lbfgs' '--solver owlqn --l1 0.1 --max-iterations 60' \
    '--solver gis --max-iterations 12' '--solver adagrad --max-iterations 30'; do
    # shellcheck disable=SC2086 # several options
    set -- $options
    $train -q -o whole.cau "$@" data.txt || echo "whole: $?"
    interrupt_training INT "$@"
    cmp -s m.cau whole.cau && echo "interrupted too late"
    caucus tag -q -m m.cau data.txt | wc -l # the saved model is complete
    $train -q --resume -o m.cau "$@" data.txt
    echo "resumed: status $?"
    cmp m.cau whole.cau
    ls m.cau*
done
interrupt_training TERM --solver lbfgs
