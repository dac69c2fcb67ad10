# A sequence from a pipe is answered when its blank line arrives: this test sends the next one only after it has
# read the answer.
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
