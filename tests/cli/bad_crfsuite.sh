# Damaged crfsuite files: training ends with one line that names the place, status 1 and no model.
exec 2>&1
format=crfsuite
printf 'A\tx\ty:2\nA\tx\nB\tz\n' >good.crfsuite
caucus train -q -f crfsuite -o good.cau good.crfsuite
damaged empty ''
damaged blank '\n\n'
damaged one_class 'A\tx\nA\ty\n'
damaged empty_label 'A\tx\nB\ty\n\tz\n'
damaged not_a_number 'A\tx:nan\nB\ty\n'
damaged overflow 'A\tx:1e999\nB\ty\n'
damaged word 'A\tx:one\nB\ty\n'
damaged weight_word '@weight:heavy\nA\tx\nB\ty\n'
damaged weight_negative '@weight:-1\nA\tx\nB\ty\n'
damaged directive '@speed:1\nA\tx\nB\ty\n'
damaged bad_utf8 'A\tx\nB\t\300\257\n'
printf 'A\tx:3e38\tx:3e38\nB\ty\n' >sum.crfsuite # each fits a float, their sum does not
caucus train -q -f crfsuite -o m.cau sum.crfsuite; echo "sum = $?"
find . -name '*.cau*' | sort
