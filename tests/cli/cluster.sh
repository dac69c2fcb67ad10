# Clustering of the pantry example: reports, links, gold classes, models, input formats, output files.
cp "$EXAMPLES"/pantry/*.tsv .
cluster() { caucus cluster -q --chains 3 --burn-in 30 --samples 6 --lag 1 "$@"; }
score() { # score WHAT: V of the clusters in the file found, against the classes
    caucus eval --clusters classes.tsv --json found | tr -d ' \n' |
        grep -o '"v":{"mean":[0-9.]*' | sed 's/.*://' |
        awk -v what="$1" '{ print what ": " ($1 > .8 ? "V above 0.8" : "V " $1) }'
}

echo "= report"
cluster goods.tsv >report
head -n 1 report | sed 's/in [4-9] clusters/in some clusters/; s/ with .* on average//'
sed -n 's/c1: 1[0-9] items, certainty [01]\.[0-9][0-9]; top features: .*/a cluster and its top features/p' report
grep '^    [^ ]' report | tr , '\n' | wc -w
cluster goods.tsv --threads 5 | cmp - report

echo "= links"
cluster --links links.tsv --assignments found --samples-file all goods.tsv | grep -o '[0-9]* links'
score links
awk -F '\t' 'NR == FNR { name[$1] = substr($0, length($1) + 1); next }
    !/^#/ && $3 == "must" && name[$1] != name[$2] { print "apart:", $0 }
    !/^#/ && $3 == "cannot" { n = split(name[$1], a); split(name[$2], b)
        for (i = 2; i <= n; i++) if (a[i] == b[i]) print "together:", $0 }' all links.tsv
caucus eval --clusters classes.tsv all | grep -o '[0-9][0-9]* samples'

echo "= gold"
cluster --gold classes.tsv --ask 5 --answers answers.tsv goods.tsv >report
head -n 1 report | grep -o '5 links'
grep -o '^5 questions answered' report
grep -o '^against the classes, means over samples: V ' report
awk -F '\t' 'NR == FNR { class[$1] = $2; next }
    { if ((class[$1] == class[$2]) != ($3 == "must")) print "wrong:", $0 }' classes.tsv answers.tsv
wc -l <answers.tsv
cluster --gold classes.tsv --ask 12 --batch 4 --batch-mode filtered goods.tsv |
    grep -o '^12 questions answered\|; 12 links'
cluster --gold classes.tsv --ask 6 --batch 3 --select random --afresh goods.tsv |
    grep -o '^6 questions answered\|; 6 links'
cluster --gold classes.tsv --ask 4 --select vi goods.tsv | grep -o '^4 questions answered\|; 4 links'
cluster --gold classes.tsv --ask 6 --batch 3 --batch-mode joint --trust 0.9 goods.tsv |
    grep -o '^6 questions answered\|; 6 links'

echo "= a model"
cluster -o m.cau --gold classes.tsv --ask 5 --assignments found goods.tsv >/dev/null
caucus tag -q -m m.cau goods.tsv >tagged
score assigned
paste found tagged |
    awk '$1 == $3 && $2 == $4 { same++ } END { print (same > 44 ? "tagged as found" : same) }'
printf 'fennel\tleaves:3\tboil:2\tnever-met:4\nwok\tsteel:4\thandle:2\n' >new.tsv
caucus tag -q -m m.cau new.tsv | while read -r item cluster; do
    awk -v c="$cluster" '$2 == c { print $1 }' found | grep -w 'carrot\|ladle' | sed "s/^/$item is with /"
done
caucus inspect m.cau | grep '^method\|^instances\|^links\|^format'

echo "= components"
cluster --reduce nmf:5 --assignments found goods.tsv >/dev/null
score nmf
cluster --likelihood gaussian --reduce nmf:5 --total 1 --assignments found goods.tsv >/dev/null
wc -l <found
cluster --weigh tf-idf --assignments found goods.tsv >/dev/null
score tf-idf
cluster --total 60 --alpha 1 --beta 0.5 --consensus binder --assignments found goods.tsv >/dev/null
score given

echo "= k-means under links"
for method in cop-kmeans pck-means; do
    cluster --method $method --clusters 5 --links links.tsv --gold classes.tsv --assignments found \
        -o m.cau goods.tsv >report
    head -n 1 report | grep -o "48 items in 5 clusters; $method\|[0-9]* links"
    grep -c 'chains' report
    score $method
    caucus inspect m.cau | grep '^clustering'
done

echo "= formats"
awk -F '\t' '{ for (i = 2; i <= NF; i++) { split($i, f, ":"); print $1 "," f[1] "," f[2] } }' \
    goods.tsv >long.csv
awk -F '\t' '{ for (i = 2; i <= NF; i++) { split($i, f, ":"); print f[2] "\tx\t" f[1] "\t" $1 } }' \
    goods.tsv >other.tsv
python3 - <<'END'
rows = [line.split() for line in open("goods.tsv")]
names = []
for row in rows:
    for cell in row[1:]:
        if cell.split(":")[0] not in names: names.append(cell.split(":")[0])
with open("dense.tsv", "w") as dense, open("goods.svm", "w") as svm:
    print("item", *names, sep="\t", file=dense)
    for row in rows:
        x = {cell.split(":")[0]: cell.split(":")[1] for cell in row[1:]}
        print(row[0], *(x.get(name, "0") for name in names), sep="\t", file=dense)
        print("0", *(f"{i + 1}:{x[name]}" for i, name in enumerate(names) if name in x),
              "#", row[0], file=svm)
END
cluster --assignments rows goods.tsv >/dev/null
for way in 'long.csv' 'other.tsv --format long --columns 3,2,0' 'dense.tsv' 'goods.svm'; do
    # shellcheck disable=SC2086 # a file and options
    cluster --assignments found $way >/dev/null && cmp rows found && echo "$way: the same"
done
head -n 20 classes.tsv >some.tsv
cluster --only some.tsv goods.tsv | grep -o '^20 items'
cluster --least 40 goods.tsv | grep -c '^[1-4][0-9] items'

echo "= files"
cluster --members members.tsv goods.tsv >/dev/null
awk -F '\t' 'NR > 1 && (NF != 49 || $NR != 1) { print "row", NR } NR > 1 { for (i = 2; i <= NF; i++) p[NR, i] = $i }
    END { for (a = 2; a <= NR; a++) for (b = 2; b <= NR; b++) bad += p[a, b] != p[b, a]; print NR, bad + 0 }' members.tsv
