# Ctrl-C saves the model so far and leaves a checkpoint; --resume goes on to the bytes of a run
# that nobody disturbed. So for each kind of solver.
for _ in 1 2 3 4 5 6 7 8; do cat "$EXAMPLES/desk/train.txt"; done >data.txt

# A script of its own, so that the process which sh starts in the background is caucus itself;
# sh has such a process ignore SIGINT, env makes it listen again.
cat >train.sh <<'END'
exec env --default-signal=INT caucus train -t 1 --ngrams 4 --epsilon 0 --delta 0 "$@" data.txt
END
interrupt() { # interrupt SIGNAL OPTIONS: sent to a run for m.cau once it is iterating
    signal=$1
    shift
    for _ in 1 2 3 4 5; do # the run may be over before the signal comes
        rm -f m.cau*
        : >err
        sh train.sh -o m.cau "$@" 2>err &
        until grep -q '^iteration' err || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
        kill -"$signal" $! 2>/dev/null
        wait $!
        status=$?
        [ $status = 0 ] || break
    done
    echo "$*: status $status"
    grep '^stopped' err | sed 's/;.*//'
    tail -n 1 err
    ls m.cau m.cau.checkpoint
}

for options in '--solver lbfgs' '--solver owlqn --l1 0.1 --max-iterations 60' \
    '--solver gis --max-iterations 12' '--solver adagrad --max-iterations 6'; do
    # shellcheck disable=SC2086 # several options
    set -- $options
    sh train.sh -q -o whole.cau "$@" || echo "whole: $?"
    interrupt INT "$@"
    cmp -s m.cau whole.cau && echo "that was too late"
    caucus tag -q -m m.cau data.txt | wc -l # what was saved is a whole model
    sh train.sh -q --resume -o m.cau "$@"
    echo "resumed: status $?"
    cmp m.cau whole.cau
    ls m.cau*
done
interrupt TERM --solver lbfgs # does the same
