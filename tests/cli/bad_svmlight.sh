# Damaged svmlight files: training ends with one line that names the place, status 1 and no model.
exec 2>&1
format=svmlight
printf '+1 1:1 2:0.5\n-1 3:1\n' >good.svmlight
caucus train -q -o good.cau good.svmlight
damaged empty ''
damaged comments '# nothing\n# here\n'
damaged one_class '1 1:1\n1 2:1\n'
damaged not_a_number '1 1:1\n-1 2:nan\n'
damaged infinite '1 1:1\n-1 2:inf\n'
damaged overflow '1 1:1\n-1 2:1e999\n'
damaged float_overflow '1 1:1\n-1 2:1e300\n'
damaged word '1 1:1\n-1 2:two\n'
damaged no_value '1 1:1\n-1 2:\n'
damaged no_colon '1 1:1\n-1 2\n'
damaged negative_index '1 1:1\n-1 -2:1\n'
damaged huge_index '1 1:1\n-1 99999999999999999999:1\n'
damaged big_index '1 1:1\n-1 4294967296:1\n'
damaged name '1 1:1\n-1 cat:1\n'
damaged unsorted '1 1:1\n-1 3:1 2:1\n'
damaged twice '1 1:1\n-1 3:1 3:1\n'
damaged bad_utf8 '1 1:1\n\377 3:1\n'
find . -name '*.cau*' | sort
