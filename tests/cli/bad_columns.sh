# Damaged lines in the format columns: one line, status 1, no model.
exec 2>&1
try() {
    name=$1
    shift
    # shellcheck disable=SC2059 # the bytes are written as a format
    printf "$@" >"$name.col"
    caucus train -q -f columns -o m.cau "$name.col"; echo "$name = $?"
    caucus tag -q -f columns -m good.cau "$name.col"; echo "$name = $?"
}
printf 'the DT O\ncat NN B\n\nsat VB O\n' >good.col
caucus train -q -f columns -o good.cau good.col
try empty ''
try blank '\n \n\t\n'
try one_class 'the DT O\ncat NN O\n'
try too_few 'the DT O\ncat NN B\n\nsat O\n'
try too_many 'the DT O\ncat NN B\nsat VB x O\n'
try one_column 'the\ncat\n'
try bad_utf8 'the DT O\ncat N\370 B\n'
find . -name '*.cau*' | sort
