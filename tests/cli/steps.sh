# A run that is stopped after every iteration and resumed each time ends with the bytes of one
# that was never stopped: for every solver, with a development set and without.
data=$EXAMPLES/desk/train.txt
for solver in lbfgs 'owlqn --l1 0.5' gis iis sgd adagrad; do
    for dev in 0 0.2; do
        train() {
            # shellcheck disable=SC2086 # the solver comes with its options
            caucus train -q --solver $solver --dev-fraction $dev --max-iterations 6 "$@" "$data"
        }
        train -o whole.cau || echo "$solver: status $?"
        train -o m.cau --max-time 1e-9
        for step in 2 3 4; do
            [ -e m.cau.checkpoint ] || echo "$solver: no checkpoint at step $step"
            train -o m.cau --max-time 1e-9 --resume
        done
        train -o m.cau --resume
        cmp m.cau whole.cau && echo "$solver, dev $dev"
        ls m.cau*
        rm m.cau
    done
done
