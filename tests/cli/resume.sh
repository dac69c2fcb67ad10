# What --resume refuses, and what it accepts.
exec 2>&1
data=$EXAMPLES/desk/train.txt
go_on() {
    caucus train -q --ngrams 4 --resume --max-iterations 5 "$@" -o m.cau
    echo "= $?"
}
# A run ended by its time limit leaves a checkpoint.
caucus train -q --ngrams 4 --epsilon 0 --delta 0 --max-time 1e-9 -o m.cau "$data"
cp m.cau.checkpoint kept
head -n 700 "$data" >other.txt
go_on other.txt         # other data
go_on --l2 2 "$data"    # another model
go_on --seed 3 "$data"
go_on --solver gis "$data"
cmp kept m.cau.checkpoint # a refusal leaves the checkpoint
head -c 1000 kept >m.cau.checkpoint
go_on "$data"           # cut short
head -c 100000 /dev/zero >m.cau.checkpoint
go_on "$data"           # not a checkpoint
: >m.cau.checkpoint
go_on "$data"           # empty
cp kept m.cau.checkpoint
go_on "$data"           # the checkpoint has more iterations than --max-iterations
ls
rm -f m.cau*
caucus train --resume -q -o m.cau "$data"; echo "= $?" # no checkpoint: a new run
caucus train -q -o n.cau "$data"
cmp m.cau n.cau
