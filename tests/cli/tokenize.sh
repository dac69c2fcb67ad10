# Words by Unicode rules, character n-grams and TF-IDF, and what a model keeps of them.
exec 2>&1
features() { caucus features -q -f text "$@"; echo "= $?"; }
printf "a\tDon't stop (now), O'Brien's 3.50!\nb\t\n\tsee https://example.com/x. caf\303\251\n" >a.txt
features a.txt
features --tokenize a.txt
features --tokenize --lower --ngrams 2 a.txt | head -n 1
printf 'a\tcaf\303\251 x\n' | features --chars 3-4 -
echo "-- a model keeps the options"
desk=$EXAMPLES/desk
caucus train -q --tokenize --lower --chars 2-4 --tfidf -o m.cau $desk/train.txt
caucus inspect m.cau | sed -n 2p
caucus tag -m m.cau $desk/test.txt >tagged && caucus eval tagged | head -n 1
caucus tag -t 1 -m m.cau $desk/test.txt | cmp - tagged
caucus inspect --dump m.cau >m.txt && caucus convert -q m.txt copy.cau && cmp m.cau copy.cau && echo "dumped"
caucus train -q --pool lop --tokenize --tfidf --max-iterations 5 -o pool.cau $desk/train.txt && caucus tag -m pool.cau $desk/test.txt | caucus eval | head -n 1
echo "-- TF-IDF by its formula, computed here, gives the same objective and the same labels"
awk -F '\t' '
    { split("", count); n = split($2, word, / +/); texts += NR == FNR
      for (i = 1; i <= n; i++) if (word[i] != "") count[word[i]]++
      if (NR == FNR) { for (w in count) { in_texts[w]++; if (!(w in id)) id[w] = ++K } next } }
    FNR == 1 { file++ }
    { squares = 0; for (w in count) squares += count[w]^2
      line = $1
      for (w in count) if (w in id)
          line = line " w" id[w] " " sprintf("%.9g", count[w] / sqrt(squares) * (log((1 + texts) / (1 + in_texts[w])) + 1))
      print line >("values." file) }' $desk/train.txt $desk/train.txt $desk/test.txt
caucus train --tfidf -o t.cau $desk/train.txt 2>&1 | grep ^objective
caucus train -f megam --values -o v.cau values.1 2>&1 | grep ^objective
caucus tag -m t.cau $desk/test.txt >t.out
caucus tag -m v.cau values.2 | cmp - t.out && echo "the same"
echo "-- what is wrong"
caucus train -q --chars 5-2 -o x.cau $desk/train.txt; echo "= $?"
caucus train -q --chars 3-40 -o x.cau $desk/train.txt; echo "= $?"
caucus train -q --chars x -o x.cau $desk/train.txt; echo "= $?"
caucus train -q --tfidf --from m.cau -o x.cau $desk/train.txt; echo "= $?"
cp "$EXAMPLES/kitchen/train.txt" kitchen.txt
caucus train -q --tfidf -f columns -o x.cau kitchen.txt; echo "= $?"
