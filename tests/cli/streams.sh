# Standard input, several files and compressed files are read as the same data.
data=$EXAMPLES/desk/train.txt
test=$EXAMPLES/desk/test.txt
same() { # same FILE...: they give the same model as one file; only the fingerprint depends on the files
    caucus train -q --lower -o two.cau "$@" && caucus inspect --dump two.cau | grep -v fingerprint |
        cmp - dump
}
caucus train -q --lower -o one.cau "$data"
caucus inspect --dump one.cau | grep -v fingerprint >dump
gzip -c "$data" >data.gz
for packed in "$data" data.gz; do
    caucus train -q --lower -o two.cau "$packed" && cmp one.cau two.cau
    caucus train -q --lower -o two.cau - <"$packed" && cmp one.cau two.cau
done
head -n 300 "$data" >first.txt
tail -n +301 "$data" >second.txt
gzip -k first.txt
gzip -c second.txt | cat first.txt.gz - >both.gz # two gzip members in one file
same first.txt second.txt
same first.txt - <second.txt
same first.txt.gz second.txt
same - second.txt <first.txt.gz
same both.gz
for pack in xz zstd; do
    command -v $pack >/dev/null || continue
    $pack -q -c second.txt >packed
    same first.txt packed
    head -c 2000 packed >short
    same first.txt short 2>err
    [ "$(wc -l <err)" = 1 ] && grep -q '^caucus: short: damaged or cut short' err || cat err
done

caucus tag -q -m one.cau "$test" >whole
caucus tag -q -m one.cau <"$test" | cmp - whole
caucus tag -q -m one.cau - <"$test" | cmp - whole
gzip -c "$test" | caucus tag -q -m one.cau | cmp - whole
caucus tag -q -m one.cau first.txt "$test" second.txt | tail -n +301 | head -n 200 | cmp - whole
caucus eval whole >table
caucus eval <whole | cmp - table
caucus eval - <whole | cmp - table
head -n 50 whole >a
tail -n +51 whole | gzip >b.gz
caucus eval a b.gz | cmp - table
caucus tag -q -m one.cau "$test" | caucus eval -q | cmp - table

# A compressed file that was cut short.
head -c 2000 first.txt.gz >cut.gz
caucus train -q -o two.cau cut.gz 2>err
echo "$? $(wc -l <err) $(sed 's/ (.*)//' err)"
caucus inspect --dump two.cau | grep -v fingerprint | cmp - dump # the old model is kept
