# Ctrl-C ends MEGA after the iteration, with the model so far, and a comparison without a table.
for _ in 1 2 3 4 5 6 7 8; do cat "$EXAMPLES/desk/train.txt"; done >letters.txt
cp "$EXAMPLES/desk/calls.txt" .

# A script of its own, so that the process which sh starts in the background is caucus itself;
# sh has such a process ignore SIGINT, env makes it listen again.
cat >adapt.sh <<'END2'
exec env --default-signal=INT caucus adapt -t 1 --in calls.txt --out letters.txt --ngrams 4 "$@"
END2
interrupt() { # interrupt SIGN OPTIONS: as soon as the sign is in what the run says
    sign=$1
    shift
    for _ in 1 2 3 4 5; do # the run may be over before the signal comes
        rm -f m.cau
        : >err
        sh adapt.sh "$@" >out 2>err &
        until grep -q "$sign" err || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
        kill -INT $! 2>/dev/null
        wait $!
        status=$?
        [ $status = 0 ] || break
    done
    echo "status $status"
    tail -n 1 err | sed 's/after [0-9]* of/after N of/'
}
interrupt '^iteration' -o m.cau
caucus tag -q -m m.cau calls.txt | wc -l # what was saved is a whole model
[ "$(caucus inspect m.cau | awk '$1 == "iterations" { print $2 }')" -lt 5 ] && echo "fewer iterations"
interrupt '^run' --method all --folds 20 -o m.cau
wc -c <out
ls
