# Damaged lines in the format crfsuite: one line, status 1, no model.
exec 2>&1
try() {
    name=$1
    shift
    # shellcheck disable=SC2059 # the bytes are written as a format
    printf "$@" >"$name.crf"
    caucus train -q -f crfsuite -o m.cau "$name.crf"; echo "$name = $?"
    caucus tag -q -f crfsuite -m good.cau "$name.crf"; echo "$name = $?"
}
printf 'A\tx\ty:2\nA\tx\nB\tz\n' >good.crf
caucus train -q -f crfsuite -o good.cau good.crf
try empty ''
try blank '\n\n'
try one_class 'A\tx\nA\ty\n'
try empty_label 'A\tx\nB\ty\n\tz\n'
try not_a_number 'A\tx:nan\nB\ty\n'
try overflow 'A\tx:1e999\nB\ty\n'
try word 'A\tx:one\nB\ty\n'
try weight_word '@weight:heavy\nA\tx\nB\ty\n'
try weight_negative '@weight:-1\nA\tx\nB\ty\n'
try directive '@speed:1\nA\tx\nB\ty\n'
try bad_utf8 'A\tx\nB\t\300\257\n'
printf 'A\tx:3e38\tx:3e38\nB\ty\n' >sum.crf # fits each, but not together
caucus train -q -f crfsuite -o m.cau sum.crf; echo "sum = $?"
find . -name '*.cau*' | sort
