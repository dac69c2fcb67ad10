# Killed in the middle, a run goes on from its last checkpoint to the same bytes.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do cat "$EXAMPLES/desk/train.txt"; done >data.txt
cat >train.sh <<'END'
exec caucus train -q -t 1 --ngrams 4 --epsilon 0 --delta 0 --checkpoint 0.1 "$@" data.txt
END
sh train.sh -o whole.cau

for _ in 1 2 3 4 5; do # the run may be over before it is killed
    rm -f m.cau*
    sh train.sh -o m.cau &
    until [ -e m.cau.checkpoint ] || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    status=$?
    [ $status = 0 ] || break
done
echo "status $status"
ls m.cau m.cau.checkpoint 2>/dev/null # the one is not there yet
sh train.sh --resume -o m.cau
echo "status $?"
cmp m.cau whole.cau
ls m.cau m.cau.checkpoint 2>/dev/null # the other no longer
true
