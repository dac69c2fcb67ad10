# Several processes share the jobs of studies and pools and the files to tag. The results are those of one
# process, byte for byte, for any number of them.
need_mpi
desk=$EXAMPLES/desk
kitchen=$EXAMPLES/kitchen

caucus train --folds 4 --grid 'l2=0.1,1' -o grid.cau $desk/train.txt >grid.txt 2>/dev/null
head -300 $kitchen/train.txt >small.txt
pool="train --pool bag --alphas learn --alphas-folds 3 --template $kitchen/template --quiet"
caucus $pool -o pool.cau small.txt
caucus tag -m grid.cau $desk/test.txt $desk/calls_test.txt $desk/calls.txt >tagged.txt
for n in 1 2 3 4; do
    ranks $n caucus train --folds 4 --grid 'l2=0.1,1' -o grid$n.cau $desk/train.txt >grid$n.txt 2>/dev/null
    cmp grid.txt grid$n.txt && cmp grid.cau grid$n.cau && echo "$n: study"
    ranks $n caucus tag -m grid.cau $desk/test.txt $desk/calls_test.txt $desk/calls.txt >tagged$n.txt
    cmp tagged.txt tagged$n.txt && echo "$n: tagging"
done
ranks 2 caucus $pool -o pool2.cau small.txt
cmp pool.cau pool2.cau && echo "2: pool"

# One message, and the job ends.
ranks 3 caucus train --wrong -o x.cau $desk/train.txt 2>err; echo $?
only_caucus <err
ranks 3 caucus tag -m grid.cau $desk/test.txt none.txt $desk/calls.txt >out 2>err; echo $?
only_caucus <err
ranks 2 caucus eval tagged.txt 2>err; echo $?
only_caucus <err

# Started by mpirun without the module.
CAUCUS_MPI=./none.so ranks 2 caucus train -o x.cau $desk/train.txt 2>err; echo $?
only_caucus <err
CAUCUS_MPI=none ranks 2 caucus version
mkdir bare && cp "$(command -v caucus)" bare && OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 bare/caucus train -o x.cau none.txt 2>&1 | only_caucus | cut -c 1-60
