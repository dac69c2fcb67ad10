# Damaged lines in the format megam: one line, status 1, no model.
exec 2>&1
try() {
    name=$1
    values=$2
    shift 2
    # shellcheck disable=SC2059 # the bytes are written as a format
    printf "$@" >"$name.meg"
    # shellcheck disable=SC2086 # there may be no option
    caucus train -q -f megam $values -o m.cau "$name.meg"; echo "$name = $?"
    caucus tag -q -f megam -m "good$values.cau" "$name.meg"; echo "$name = $?"
}
printf 'A\tx y\nB\tz\n' >good.meg
caucus train -q -f megam -o good.cau good.meg
printf 'A\tx 1 y 2\nB\tz 1\n' >values.meg
caucus train -q -f megam --values -o good--values.cau values.meg
try empty '' ''
try one_class '' 'A\tx\nA\ty\n'
try only_dev '' 'DEV\nA\tx\nB\ty\n'
try no_value --values 'A\tx 1 y\nB\tz 1\n'
try not_a_number --values 'A\tx nan\nB\tz 1\n'
try overflow --values 'A\tx 1e999\nB\tz 1\n'
try word --values 'A\tx one\nB\tz 1\n'
try weight_word '' 'A $$$WEIGHT heavy x\nB y\n'
try weight_negative '' 'A $$$WEIGHT -1 x\nB y\n'
try weight_missing '' 'A $$$WEIGHT\nB y\n'
try weight_late '' 'A x $$$WEIGHT 1\nB y\n'
try sections_mixed '' '0 # a # b\n1 a b\n'
try sections_differ '' '0 # a # b\n1 # a # b # c\n'
try sections_one '' '0 # a\n1 # b\n'
try section_label '' '0 # a # b\n7 # a # b\n'
try bad_utf8 '' 'A x\nB \200\n'
find . -name '*.cau*' | sort
