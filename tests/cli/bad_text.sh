# Damaged text files: training ends with one line that names the place, status 1 and no model.
exec 2>&1
format=text
printf 'yes\tgood fine\nyes\tgood\nyes\tfine\nno\tbad worse\nno\tbad\n' >good.text
caucus train -q -o good.cau good.text
damaged empty ''
damaged blank '\n\n\n'
damaged one_class 'yes\tgood\nyes\tfine\n'
damaged no_label 'yes\tgood\nno\tbad\ngood words\n'
damaged empty_label 'yes\tgood\nno\tbad\n\tgood words\n'
damaged unknown_label 'yes\tgood\nno\tbad\n?\tgood words\n'
damaged nul_byte 'yes\tgood\nno\tb\000d\n'
damaged bad_utf8 'yes\tgood\nno\tbad\nno\tb\377d\n'
damaged cut_utf8 'yes\tgood\nno\tbad\nno\tcaf\303'
damaged surrogate 'yes\tgood\nno\t\355\240\200\n'
find . -name '*.cau*' | sort
