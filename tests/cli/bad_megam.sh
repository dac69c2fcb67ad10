# Damaged megam files: training ends with one line that names the place, status 1 and no model.
exec 2>&1
format=megam
printf 'A\tx y\nB\tz\n' >good.megam
caucus train -q -f megam -o good.cau good.megam
damaged empty ''
damaged one_class 'A\tx\nA\ty\n'
damaged only_dev 'DEV\nA\tx\nB\ty\n'
damaged weight_word 'A $$$WEIGHT heavy x\nB y\n'
damaged weight_negative 'A $$$WEIGHT -1 x\nB y\n'
damaged weight_missing 'A $$$WEIGHT\nB y\n'
damaged weight_late 'A x $$$WEIGHT 1\nB y\n'
damaged sections_mixed '0 # a # b\n1 a b\n'
damaged sections_differ '0 # a # b\n1 # a # b # c\n'
damaged sections_one '0 # a\n1 # b\n'
damaged section_label '0 # a # b\n7 # a # b\n'
damaged bad_utf8 'A x\nB \200\n'

options=--values
printf 'A\tx 1 y 2\nB\tz 1\n' >values.megam
caucus train -q -f megam --values -o good.cau values.megam
damaged no_value 'A\tx 1 y\nB\tz 1\n'
damaged not_a_number 'A\tx nan\nB\tz 1\n'
damaged overflow 'A\tx 1e999\nB\tz 1\n'
damaged word 'A\tx one\nB\tz 1\n'
find . -name '*.cau*' | sort
