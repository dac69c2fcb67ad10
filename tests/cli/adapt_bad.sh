# Errors of adapt: one line with the remedy, and no file of data or model is changed.
[ -c /dev/full ] || exit 77
exec 2>&1
cp "$EXAMPLES/desk/train.txt" letters.txt
cp "$EXAMPLES/desk/calls.txt" .
cp letters.txt more.txt
: >empty.txt
head -n 1 calls.txt >one.txt
both() { run adapt -q --target calls.txt --source letters.txt "$@"; }
echo old >m.cau

run adapt -q --source letters.txt -o m.cau
run adapt -q --target calls.txt -o m.cau
run adapt -q --target calls.txt --source none.txt -o m.cau
both
both -o calls.txt
both -o ./letters.txt
run adapt -q --target calls.txt --source more.txt --source letters.txt -o more.txt
both --test more.txt -o more.txt
both -o nowhere/m.cau
both x.txt

both --method best -o m.cau
both --tune nonsense -o m.cau
both --tune 1,,2 -o m.cau
both --tune=-1 -o m.cau
both --plot figure.svg -o m.cau
both --curve --plot figure.gif
both --curve --folds 3
both --json -o m.cau
both --model crf -o m.cau
both --class-weight balanced -o m.cau
both --method all
both --folds 1
both --method mix --folds 71

run adapt -q --target empty.txt --source letters.txt -o m.cau
run adapt -q --target empty.txt --source letters.txt --method prior -o m.cau
run adapt -q --target calls.txt --source empty.txt -o m.cau
run adapt -q --target calls.txt --source letters.txt --source empty.txt -o m.cau
run adapt -q --target calls.txt --source letters.txt --source empty.txt --method mix -o m.cau
run adapt -q --target empty.txt --source letters.txt --curve
run adapt -q --target one.txt --source letters.txt --method only-in -o m.cau
run adapt -q --target one.txt --source letters.txt --curve
both --test empty.txt --method all

printf 'a X\nb Y\n\nc X\n' >columns.txt
printf 'a ?\nb X|Y\n\nc X\n' >partial.txt
run adapt -q --target partial.txt --source columns.txt -o m.cau
run adapt -q --target calls.txt --source columns.txt -o m.cau
printf '0 # a b # c\n1 # a # d\n' >explicit.txt
run adapt -q --target explicit.txt --source explicit.txt --format megam -o m.cau

# A full disk.
both -o /dev/full
caucus adapt -q --target calls.txt --source letters.txt --folds 2 --method mix >/dev/full
echo "= $?"

cmp letters.txt "$EXAMPLES/desk/train.txt"
cmp more.txt "$EXAMPLES/desk/train.txt"
cmp calls.txt "$EXAMPLES/desk/calls.txt"
cat m.cau
ls
