# A sequence from a pipe is answered as soon as its blank line is there: the next one is only asked
# when the answer has come.
caucus train -q -T "$EXAMPLES/kitchen/template" --max-iterations 10 -o m.cau \
    "$EXAMPLES/kitchen/train.txt"
mkfifo to from
timeout 60 caucus tag -q -m m.cau - <to >from &
exec 3>to 4<from
ask() {
    printf '%s\n' "$@" '' >&3
    while IFS= read -r line <&4 && [ -n "$line" ]; do printf '%s\n' "$line" | cut -f 1; done
    echo "-- answered"
}
ask 2 cups flour
ask salt
exec 3>&-
wait
