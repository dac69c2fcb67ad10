# One model by several processes, each with a part of the data. It agrees with that of one process, the same
# number of processes gives the same bytes, a lost process ends the job, and the checkpoint of three processes
# is continued by two.
need_mpi
head -900 "$EXAMPLES/kitchen/train.txt" >train.txt
head -300 "$EXAMPLES/kitchen/test.txt" >dev.txt
head -400 "$EXAMPLES/desk/train.txt" >texts.txt

# agree A B: the models have the same features, objective and weights, but for rounding.
agree() {
    caucus inspect --dump $1 >a.dump && caucus inspect --dump $2 >b.dump && python3 "$CASE/agree.py" a.dump b.dump
}

# trained NAME RANKS OPTIONS...: by these numbers of processes.
trained() {
    name=$1 numbers=$2
    shift 2
    caucus train -q -t 1 -o one.cau "$@"
    for n in $numbers; do
        ranks $n caucus train -q -t 1 -o $n.cau "$@" 2>err || only_caucus <err
        agree one.cau $n.cau && echo "$name: $n"
    done
}

few='--epsilon 0 --delta 0 --max-iterations 12'
trained crf '1 3' --solver lbfgs $few --dev dev.txt train.txt
ranks 3 caucus train -q -t 2 -o again.cau --solver lbfgs $few --dev dev.txt train.txt
cmp 3.cau again.cau && echo "the same bytes"
trained 'crf, l1' 2 --solver owlqn --l1 0.4 $few train.txt
trained 'memm, seen transitions' 2 --solver lbfgs --model memm --transitions seen $few train.txt
trained gis 2 --solver gis --max-iterations 8 texts.txt
trained proximal 2 --solver proximal --group template --l1 0.5 --max-iterations 8 train.txt
trained 'maxent, balanced' 4 --solver lbfgs --class-weight balanced $few texts.txt

# What one process does only.
ranks 2 caucus train -q --solver sgd -o x.cau train.txt 2>err; echo $?
only_caucus <err
head -20 train.txt >few.txt
ranks 4 caucus train -q --solver lbfgs -o x.cau few.txt 2>err; echo $?
only_caucus <err | cut -c 1-60

# A file that one node lacks.
mkdir node0 node1 node2 && cp train.txt node0 && cp train.txt node2
ranks 3 sh -c 'cd node$OMPI_COMM_WORLD_RANK$PMI_RANK && exec caucus train -q -o x.cau train.txt' 2>err; echo $?
only_caucus <err

# A process is killed; the job ends, and two processes continue with the checkpoint.
cat "$EXAMPLES/kitchen/train.txt" "$EXAMPLES/kitchen/train.txt" >long.txt
options="-q -t 1 --solver lbfgs --l2 2 --epsilon 5e-5 --delta 0 --checkpoint 0.05"
caucus train $options -o whole.cau long.txt
ranks 3 sh -c 'echo $$ >pid$OMPI_COMM_WORLD_RANK$PMI_RANK; exec caucus train "$@"' sh $options \
    --epsilon 0 -o killed.cau long.txt 2>err &
job=$!
until [ -e killed.cau.checkpoint ] || ! kill -0 $job 2>/dev/null; do sleep 0.02; done
began=$(date +%s)
kill -9 "$(cat pid1)"
wait $job; [ $? != 0 ] && echo "the job failed"
[ $(($(date +%s) - began)) -lt 20 ] && echo "in seconds"
[ -e killed.cau ] || echo "no model"
ranks 2 caucus train $options --resume -o killed.cau long.txt 2>err || only_caucus <err
agree whole.cau killed.cau && echo "continued by two"
[ -e killed.cau.checkpoint ] || echo "no checkpoint"

# From one process by two.
caucus train $options --max-time 0.02 -o part.cau long.txt
ranks 2 caucus train $options --resume -o part.cau long.txt 2>err || only_caucus <err
agree whole.cau part.cau && echo "continued by two"
