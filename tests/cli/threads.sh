# The same bytes on 1, 2, 3 and 8 threads, for every solver and for tagging.
data=$EXAMPLES/desk/train.txt
test=$EXAMPLES/desk/test.txt
for solver in lbfgs 'owlqn --l1 0.5' gis iis sgd adagrad; do
    for threads in 1 2 3 8; do
        # shellcheck disable=SC2086 # the solver comes with its options
        caucus train -q --solver $solver --max-iterations 15 --ngrams 2 -t $threads \
            -o "$threads.cau" "$data" || echo "$solver: status $?"
    done
    cmp 1.cau 2.cau && cmp 1.cau 3.cau && cmp 1.cau 8.cau && echo "$solver"
    for threads in 2 3 8; do
        caucus tag -q -p -t 1 -m 1.cau "$test" >1.out
        caucus tag -q -p -t $threads -m 1.cau "$test" | cmp - 1.out
        caucus inspect -t 1 --expectations "$test" 1.cau >1.out
        caucus inspect -t $threads --expectations "$test" 1.cau | cmp - 1.out
    done
done
# and from run to run, with a development set drawn at random
for run in 1 2; do
    caucus train -q --dev-fraction 0.2 --seed 7 -o $run.cau "$data"
done
cmp 1.cau 2.cau
caucus train -q --dev-fraction 0.2 --seed 8 -o 2.cau "$data"
cmp -s 1.cau 2.cau && echo "the seed means nothing"
exit 0
