# Damaged lines in the format text, through train and tag: one line each, place first, status
# 1, no model.
exec 2>&1
try() { # try NAME BYTES...: the file holds them, as printf writes them
    name=$1
    shift
    # shellcheck disable=SC2059 # the bytes are written as a format
    printf "$@" >"$name.txt"
    caucus train -q -f text -o m.cau "$name.txt"; echo "$name = $?"
    caucus tag -q -f text -m good.cau "$name.txt"; echo "$name = $?"
}
printf 'yes\tgood fine\nyes\tgood\nyes\tfine\nno\tbad worse\nno\tbad\n' >good.txt
caucus train -q -o good.cau good.txt
try empty ''
try blank '\n\n\n'
try one_class 'yes\tgood\nyes\tfine\n'
try no_label 'yes\tgood\nno\tbad\ngood words\n'
try empty_label 'yes\tgood\nno\tbad\n\tgood words\n'
try unknown_label 'yes\tgood\nno\tbad\n?\tgood words\n'
try nul_byte 'yes\tgood\nno\tb\000d\n'
try bad_utf8 'yes\tgood\nno\tbad\nno\tb\377d\n'
try cut_utf8 'yes\tgood\nno\tbad\nno\tcaf\303'
try surrogate 'yes\tgood\nno\t\355\240\200\n'
find . -name '*.cau*' | sort
