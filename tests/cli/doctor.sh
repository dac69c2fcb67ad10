# What doctor says about good and bad files, as text and as JSON.
exec 2>&1
doctor() { caucus doctor -q "$@"; echo "= $?"; }
doctor "$EXAMPLES/desk/train.txt" | sed 's#/[^ ]*/examples#examples#'
echo "-- a file with most faults"
{
    printf 'word pos id label\n'
    for i in $(seq 30); do
        printf 'w%d NN %d %s\n' $((i % 7)) $i "$(printf 'O\nB-X\nI-X\n' | sed -n $((i % 3 + 1))p)"
        [ $((i % 3)) = 2 ] && echo
    done
    printf 'w1 NN 31 I-X\n\na\302\240b NN 32 O\nw2 NN 33 O\r\n'
} >bad.txt
doctor -f columns bad.txt
doctor -f columns --header --columns word,pos --label label bad.txt
echo "-- leakage"
printf 'a O\nb B-X\n\nc O\n' >train.txt
printf 'a O\nb B-X\n\nc B-Y\n\nd O\n' >test.txt
doctor --test test.txt train.txt
doctor --json --test test.txt train.txt
doctor --test test.txt <train.txt | tail -n 1
echo "-- other formats"
printf '1 1:1 2:1\n1 1:1 2:1\n-1 2:1\n' | doctor -
printf 'A\tx\ty:2\tz\nB\tx\tq\n\nA\tx\ty:2\tz\nB\tx\tq\n' | doctor -f crfsuite
printf '# s\n1\tThe\t_\tDET\t_\t_\t_\t_\t_\t_\n2\tcat\t_\tNOUN\t_\t_\t_\t_\t_\t_\n' | doctor
echo "-- what is wrong"
doctor missing.txt
printf 'a b\377 c\nd e f\n' | doctor -f columns
printf 'a b c\nd e\n' | doctor -f columns
printf '' | doctor -f columns
doctor a b
