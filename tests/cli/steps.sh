# A run that is stopped after every iteration and resumed each time ends with the same bytes as one that is
# never stopped: every solver, instances and sequences, without development data and with some.
head -n 1500 "$EXAMPLES/kitchen/train.txt" >sequences
cp "$EXAMPLES/desk/train.txt" instances
for solver in $(solvers); do
    for data in instances sequences; do
        for dev in 0 0.2; do
            train() {
                # shellcheck disable=SC2046 # several options
                caucus train -q --solver "$solver" $(solver_options "$solver") --dev-fraction $dev --epsilon 0 \
                    --delta 0 --max-iterations 6 "$@" $data
            }
            if ! train -o whole.cau 2>err; then
                echo "$solver, $data: $(cat err)"
                continue
            fi
            train -o m.cau --max-time 1e-9
            for step in 2 3 4; do
                [ -e m.cau.checkpoint ] || echo "$solver: no checkpoint at step $step"
                train -o m.cau --max-time 1e-9 --resume
            done
            train -o m.cau --resume
            cmp m.cau whole.cau && echo "$solver, $data, dev $dev"
            [ ! -e m.cau.checkpoint ] || echo "$solver: the checkpoint is left"
            rm -f m.cau*
        done
    done
done
