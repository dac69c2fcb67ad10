# The same bytes on 1, 2, 3 and 8 threads: models by every solver, of instances and of sequences, and what is
# made with them.
head -n 3000 "$EXAMPLES/kitchen/train.txt" >sequences
cp "$EXAMPLES/desk/train.txt" instances
head -n 800 "$EXAMPLES/kitchen/test.txt" >sequences.test
cp "$EXAMPLES/desk/test.txt" instances.test

for solver in $(solvers); do
    for data in instances sequences; do
        rm -f ./*.cau
        for threads in 1 2 3 8; do
            # shellcheck disable=SC2046 # several options
            caucus train -q --solver "$solver" $(solver_options "$solver") --max-iterations 15 --ngrams 2 \
                -t $threads -o $threads.cau $data 2>err || break
        done
        if [ ! -e 1.cau ]; then
            echo "$solver, $data: $(cat err)"
            continue
        fi
        cmp 1.cau 2.cau && cmp 1.cau 3.cau && cmp 1.cau 8.cau && echo "$solver, $data"
        caucus tag -q -p -t 1 -m 1.cau $data.test >tagged
        for threads in 2 3 8; do
            caucus tag -q -p -t $threads -m 1.cau $data.test | cmp - tagged
        done
        [ $data = instances ] || continue
        caucus inspect -t 1 --expectations $data.test 1.cau >expected
        for threads in 2 3 8; do
            caucus inspect -t $threads --expectations $data.test 1.cau | cmp - expected
        done
    done
done

# A development set drawn at random depends on the seed alone.
for run in 1 2; do
    caucus train -q --dev-fraction 0.2 --seed 7 -o $run.cau instances
done
cmp 1.cau 2.cau
caucus train -q --dev-fraction 0.2 --seed 8 -o 2.cau instances
cmp -s 1.cau 2.cau && echo "the seed has no effect"
exit 0
