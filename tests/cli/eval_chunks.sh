# Scores of chunks: conlleval's output, the additional measures, schemes, --strict, --raw.
exec 2>&1
cat >iob2 <<'END'
Rolf NNP B-PER B-PER
Weil NNP I-PER I-PER
lives VBZ O O
in IN O O
Bad NNP B-LOC B-LOC
Ems NNP I-LOC O
and CC O O
Ulm NNP B-LOC B-ORG

Ulm NNP B-LOC I-LOC
Ems NNP B-LOC I-LOC
works VBZ O O
for IN O O
Weil NNP B-ORG B-PER
AG NNP I-ORG I-PER
END
run eval iob2
run eval --conlleval iob2
run eval --latex iob2
run eval --conlleval - <iob2
run eval --scheme iob2 --strict --conlleval iob2
run eval --classes iob2
for scheme in io iob1 iobes bilou; do
    caucus convert --scheme $scheme --label-columns 2 iob2 $scheme
    echo "convert $scheme = $?"
    caucus eval --conlleval $scheme
done
cat iobes
caucus convert -q --scheme iob2 --label-columns 2 iobes - | cmp - iob2 || echo "repaired, as it should be"
tr ' ' '|' <iob2 >bars
run eval --delimiter '|' --conlleval bars
tr ' ' '\t' <iob2 | caucus eval --delimiter '\t' --conlleval -
awk 'NF { sub(/^[BI]-/, "", $3); sub(/^[BI]-/, "", $4); sub(/^O$/, "none", $3); sub(/^O$/, "none", $4) } { print }' iob2 >types
run eval --raw --outside none --conlleval types
cut -d ' ' -f 1,2,3 iob2 >gold
cut -d ' ' -f 1,4 iob2 >system
run eval --gold gold --conlleval system
# The -DOCSTART- lines of CoNLL-2003 are outside all chunks.
printf '%s\n' '-DOCSTART- -X- -X- O' '' 'Ulm NNP B-LOC B-LOC' | caucus eval --conlleval -
