# After kill -9, --resume continues from the last checkpoint and ends with the same bytes. SGD takes
# about a second here, which leaves time to kill it after its first checkpoint.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do cat "$EXAMPLES/desk/train.txt"; done >data.txt
cat >train.sh <<'END'
exec caucus train -q -t 1 --ngrams 4 --solver sgd --max-iterations 200 --epsilon 0 --delta 0 \
    --checkpoint 0.01 "$@" data.txt
END
sh train.sh -o whole.cau

for _ in 1 2 3 4 5; do # again, if the run ended before it was killed
    rm -f m.cau*
    sh train.sh -o m.cau &
    until [ -e m.cau.checkpoint ] || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    status=$?
    [ $status = 0 ] || break
done
echo "status $status"
ls m.cau m.cau.checkpoint 2>/dev/null # no model yet
sh train.sh --resume -o m.cau
echo "status $?"
cmp m.cau whole.cau
ls m.cau m.cau.checkpoint 2>/dev/null # and no checkpoint any more
true
