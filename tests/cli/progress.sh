# Progress: one line that is rewritten on a terminal, plain lines elsewhere.
command -v script >/dev/null || exit 77
data=$EXAMPLES/desk/train.txt
train="caucus train --max-iterations 30 -o m.cau $data"
TERM=xterm script -qec "$train" /dev/null >live </dev/null
grep -c "$(printf '\r')iteration .*$(printf '\033')\[K" live
TERM=dumb script -qec "$train" /dev/null >plain </dev/null
grep -c "$(printf '\033')" plain
grep -c '^iteration 1 ' plain
TERM=xterm script -qec "$train --quiet" /dev/null </dev/null
$train 2>log
grep -c '^iteration' log # the first and the last iteration
grep '^iteration' log | sed 's/[0-9.e+-]\{2,\}/N/g'
# Without files, tag reads from the terminal and says so.
head -n 1 "$data" | TERM=xterm script -qec 'caucus tag -m m.cau' /dev/null | grep -o 'reading from the terminal.*ends the input'
