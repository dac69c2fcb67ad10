# Columns that are chosen by number or by the names of a header.
exec 2>&1
printf 'U1:%%x[0,0]\nU2:%%x[0,1]\n' >template
features() { caucus features -q -f columns -T template "$@"; echo "= $?"; }
printf 'The cat\tx\tDT\tO\nsat\ty\t\tB\n\nup\tz\tRB\tO\n' >a.tsv
features --delimiter '\t' --columns 0,2 a.tsv
features --delimiter '\t' --columns 2,0 --label 1 a.tsv
features --delimiter '\t' --label 0 a.tsv
features --delimiter '\t' --columns 0,3 --no-label a.tsv
features --delimiter '\t' a.tsv | head -n 1
printf 'a b c\nd e f\n' >b
features --columns 1,0 b
features --no-label b
{ printf 'word,pos,class\n'; printf 'The,DT,O\n,NN,B\n\n'; } >c.csv
features --delimiter , --header --columns pos,word --label class c.csv
features --delimiter , --header c.csv
echo "-- a model keeps the choice; other data may have other columns"
caucus train -q -f columns -T template --delimiter , --header --columns pos,word --label class -o m.cau c.csv
caucus tag -q -m m.cau c.csv
caucus tag -q -m m.cau c.csv | tr , '\t' | caucus eval --header | head -n 1
{ printf 'id,word,pos\n'; printf '1,The,DT\n2,cat,NN\n'; } >new.csv
caucus tag -q -m m.cau new.csv
printf 'The\tDT\ncat\tNN\n' | caucus tag -q -m m.cau --columns 1,0 --no-label --delimiter '\t' -
for threads in 1 2; do
    { cat c.csv; for i in $(seq 20000); do printf 'The,DT,O\ncat,NN,B\n\n'; done; } | caucus tag -q -t $threads -m m.cau | cksum
done
caucus inspect --dump m.cau >m.txt && caucus convert -q m.txt copy.cau && cmp m.cau copy.cau && echo "dumped"
caucus inspect --explain 'The,DT,O' m.cau
caucus inspect --columns 1,0 --label 2 --explain 'The,DT,O' m.cau | grep U1:
echo "-- what is wrong"
caucus tag -q -m m.cau --columns 0 new.csv
caucus tag -q -m m.cau --columns colour,word new.csv
caucus tag -q -m m.cau --header b
features --columns 3 b
features --columns 0 --label x b
features --columns 0,,1 b
features --delimiter xx b
printf 'a,b,c\nd,e\n' >ragged
features --columns 0 --delimiter , ragged
printf 'a\n' >one
features one
features --label 0 one
