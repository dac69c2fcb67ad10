# An error in a sequence is reported with its line, after the answers for all sequences before it.
caucus train -q -T "$EXAMPLES/kitchen/template" --max-iterations 10 -o m.cau \
    "$EXAMPLES/kitchen/train.txt"
tag() {
    echo "-- tag $*"
    caucus tag -q -m m.cau "$@" 2>&1 | cut -f 1
}
printf 'salt O\n\n2 O\ncups B-CUP\nflour O\n' >unknown
tag --forced unknown
printf 'salt\n\n2\ncups of\nflour\n' >columns
tag columns
printf 'salt O\n\n2 O\ncups I-NAME\n\nflour O\n' >illegal
tag --forced --scheme iob2 illegal

tag --nbest 2 --decode posterior columns
tag --top 2 --probabilities columns
tag --scheme iobes columns
tag --scheme bmes columns

caucus train -q --model maxent -T "$EXAMPLES/kitchen/template" --max-iterations 3 -o m.cau \
    "$EXAMPLES/kitchen/train.txt"
tag --nbest 2 columns
tag --forced unknown
