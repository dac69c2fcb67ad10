# Data in another format: what a format holds comes back, and what it cannot hold is an error.
exec 2>&1
convert() {
    echo "$ convert $*"
    caucus convert -q "$@"
    echo "= $?"
}
there_and_back() {
    caucus convert -q -f "$1" --to "$2" "$3" there && caucus convert -q -f "$2" --to "$1" there back && cmp "$3" back &&
        echo "$1 $2"
}
printf 'The\tDT\tB-NP\ncat\tNN\tI-NP\n\nsat\tVBD\tO\n\n' >a.columns
printf 'A\tw=x\tv:2\n@weight:3\nA\tw=y\n\nB\tw\\:z\n\n' >a.crfsuite
printf 'yes\tgood fine\nno\tbad\n\tno label\n' >a.text
printf '1 1:1 2:0.5\n-1 3:1\n' >a.svmlight
printf 'A x y\nB $$$WEIGHT 2 z\nDEV\nA x\n' >a.megam
printf '0 # a b # c\n1 # a # c d\n' >b.megam
for format in columns crfsuite text svmlight megam; do
    caucus convert -q -f $format --to $format a.$format same && cmp a.$format same && echo $format
done
caucus convert -q -f megam --to megam b.megam same && cmp b.megam same && echo classes
printf '1\tThe\t_\tDT\t_\t_\t_\t_\t_\t_\n\n' >a.conllu
there_and_back conllu columns a.conllu
there_and_back svmlight crfsuite a.svmlight
convert --columns 1,0 --to columns a.columns -
convert --columns 0 --label 1 --to conllu a.columns -
convert --to megam a.text -
convert --to crfsuite - - <a.text
echo "-- what cannot be held"
for to in text svmlight crfsuite megam conllu; do convert --to $to a.columns out; done
for to in text svmlight megam columns; do convert --to $to a.crfsuite out; done
for to in svmlight columns; do convert --to $to a.text out; done
for to in text svmlight crfsuite; do convert -f megam --to $to a.megam out; done
convert -f megam --to crfsuite b.megam out

convert --to text missing out
convert --to nothing a.text out
convert --to text a.text missing/out
ls
