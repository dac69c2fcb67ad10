# Damaged lines in the format svmlight: one line, status 1, no model.
exec 2>&1
try() {
    name=$1
    shift
    # shellcheck disable=SC2059 # the bytes are written as a format
    printf "$@" >"$name.svm"
    caucus train -q -f svmlight -o m.cau "$name.svm"; echo "$name = $?"
    caucus tag -q -f svmlight -m good.cau "$name.svm"; echo "$name = $?"
}
printf '+1 1:1 2:0.5\n-1 3:1\n' >good.svm
caucus train -q -o good.cau good.svm
try empty ''
try comments '# nothing\n# here\n'
try one_class '1 1:1\n1 2:1\n'
try not_a_number '1 1:1\n-1 2:nan\n'
try infinite '1 1:1\n-1 2:inf\n'
try overflow '1 1:1\n-1 2:1e999\n'
try float_overflow '1 1:1\n-1 2:1e300\n'
try word '1 1:1\n-1 2:two\n'
try no_value '1 1:1\n-1 2:\n'
try no_colon '1 1:1\n-1 2\n'
try negative_index '1 1:1\n-1 -2:1\n'
try huge_index '1 1:1\n-1 99999999999999999999:1\n'
try big_index '1 1:1\n-1 4294967296:1\n'
try name '1 1:1\n-1 cat:1\n'
try unsorted '1 1:1\n-1 3:1 2:1\n'
try twice '1 1:1\n-1 3:1 3:1\n'
try bad_utf8 '1 1:1\n\377 3:1\n'
find . -name '*.cau*' | sort
