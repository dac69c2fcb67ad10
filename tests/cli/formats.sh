# The format is detected and reported; the model stores it; --format overrides it.
exec 2>&1
shown() {
    echo "$ caucus $*"
    caucus "$@" 2>&1 | grep -v -e '^iteration' -e '^stopped:' -e '^objective' -e '^penalty' -e '[kM]B' \
        -e 'bytes$' -e 'training needs'
}
printf 'yes\tgood fine\nyes\tfine\nno\tbad worse\n' >a.text
printf '1 1:1 2:0.5\n-1 3:1 # comment\n-1 qid:4 3:2\n' >a.svmlight
printf 'A\tw=x\tv:2\nA\tw=y\n\nB\tw\\:z\n' >a.crfsuite
printf 'A\tx y\nB\tz\nB\tz\nDEV\nA\tx\nTEST\nB\tz\nA\tz\n' >a.megam
printf 'the DT O\ncat NN B\n\nsat VB O\n' >a.columns
for format in text svmlight crfsuite megam columns; do
    shown train -o $format.cau a.$format
    shown tag -m $format.cau a.$format
    shown tag -f $format -m $format.cau a.$format | tail -n +2 >forced
    shown tag -m $format.cau a.$format | tail -n +2 | cmp - forced
    shown inspect $format.cau | grep '^format'
done
# Explicit features: a list for each class.
printf '0 # a b # c\n1 # a # c d\n0 # b # d\n' >explicit.megam
shown train -f megam -o explicit.cau explicit.megam
shown tag -m explicit.cau explicit.megam
# Feature values and instance weights.
printf 'A $$$WEIGHT 2 x 1.5\nB y 1\n' >values.megam
shown train -f megam --values -o values.cau values.megam
shown tag -m values.cau values.megam
# Data of no known format, and data that do not have the given format.
head -c 300 /dev/zero | tr '\0' '\n' >blank
shown train -o m.cau blank
printf 'word\nword\n' >words
shown train -o m.cau words
shown train -f svmlight -o m.cau a.text
shown tag -f svmlight -m text.cau a.text
