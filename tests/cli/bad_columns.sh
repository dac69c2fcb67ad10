# Damaged columns files: training ends with one line that names the place, status 1 and no model.
exec 2>&1
format=columns
printf 'the DT O\ncat NN B\n\nsat VB O\n' >good.columns
caucus train -q -f columns -o good.cau good.columns
damaged empty ''
damaged blank '\n \n\t\n'
damaged one_class 'the DT O\ncat NN O\n'
damaged too_few 'the DT O\ncat NN B\n\nsat O\n'
damaged too_many 'the DT O\ncat NN B\nsat VB x O\n'
damaged one_column 'the\ncat\n'
damaged bad_utf8 'the DT O\ncat N\370 B\n'
find . -name '*.cau*' | sort
