# Spans of running text: read, tagged, written; offsets that do not change; brat.
exec 2>&1
cat >a.jsonl <<'END'
{"text": "Ada Lovelace saw Paris. She liked Paris, France.", "spans": [{"start": 0, "end": 12, "label": "PER"}, {"start": 17, "end": 22, "label": "LOC", "text": "Paris"}, {"start": 34, "end": 39, "label": "LOC"}, {"start": 41, "end": 47, "label": "LOC"}]}
["Bob saw Rome.", {"entities": [[0, 3, "PER"], [8, 12, "LOC"]]}]
{"text": "É👍 Zoë saw\nOslo", "label": [[3, 6, "PER"], [11, 15, "LOC"]]}
{"data": {"text": "👍 Tim saw Wien"}, "annotations": [{"result": [{"type": "labels", "value": {"start": 3, "end": 6, "text": "Tim", "labels": ["PER"]}}, {"value": {"start": 11, "end": 15, "labels": ["LOC"]}}]}]}
{"text": "nothing here", "entities": []}
{"text": "", "spans": []}

{"text": "rejected", "answer": "reject"}
{"text": "Eve ran", "entities": [{"id": 1, "label": "PER", "start_offset": 0, "end_offset": 3}], "relations": []}
END
convert() { caucus convert -q "$@"; echo "= $?"; }
convert -f spans --to columns a.jsonl - | tail -n 18
convert -f spans --to spans a.jsonl b.jsonl && cat b.jsonl
convert -f spans --to spans b.jsonl c.jsonl && cmp b.jsonl c.jsonl && echo "the same"
printf 'a B-X\nb I-X\nc O\n\nd S-Y\n' | convert -f columns --to spans - -
echo "-- brat"
convert -f spans --to brat a.jsonl br
cat br/0001.ann br/0003.ann
convert -f brat --to spans br c.jsonl && cmp b.jsonl c.jsonl && echo "the same"
convert -f brat --to columns br/0002.ann -
printf 'R1\tx Arg1:T1 Arg2:T2\n#1\tAnnotatorNotes T1\tx\n\nT7\tPER 0 3\tBob\r\n' >br/0002.ann
convert -f brat --to spans br/0002.txt -
for ann in 'T1\tPER 0 3;8 12\tBob Rome' 'T1\tPER 0 2\tBo' 'T1\tPER 0\tx' 'T1\tPER 0 99\tx' 'T1\tPER 0 3\tBob\nT2\tX 0 7\tBob saw' 'T1\tPER x 3\tx'; do
    printf "$ann\n" >br/0002.ann
    convert -f brat --to spans br - | tail -n 2
done
convert -f brat --to columns nosuch -
convert -f brat --to columns a.jsonl -
mkdir empty && convert -f brat --to columns empty -
echo "-- train, tag, eval"
for i in 1 2 3 4 5 6; do cat a.jsonl; done >train.jsonl
caucus train -q -f spans -o m.cau train.jsonl; echo "= $?"
caucus tag -q -m m.cau a.jsonl | cmp - b.jsonl && echo "the same"
printf 'Ada Lovelace met Zo\303\253. They left.\n\nTim saw Oslo in https://example.com.' >raw.txt
caucus tag -q -f raw -m m.cau raw.txt
caucus tag -q -f raw -m m.cau --segments raw.txt | sed 's/\(0\.[0-9][0-9]\)[0-9]*/\1/g'
{ cat raw.txt; echo; } >many
for i in 1 2 3 4 5 6 7 8 9 10 11; do cat many many >more && mv more many; done
for threads in 1 3; do caucus tag -q -t $threads -f raw -m m.cau many | cksum; done
caucus eval -m m.cau a.jsonl | head -n 1
caucus features -q -f raw raw.txt | cut -f 1-4 | head -n 3
printf 'T1\tPER 0 3\tBob\n' >br/0002.ann
caucus train -q -f brat -o b.cau br; echo "= $?"
caucus tag -q -m b.cau br/0001.txt
caucus doctor -q -f spans a.jsonl | head -n 2
echo "-- what is wrong"
caucus tag -q -f raw -m m.cau -p raw.txt; echo "= $?"
caucus train -q -o text.cau "$EXAMPLES/desk/train.txt" && caucus tag -q -f raw -m text.cau raw.txt; echo "= $?"
caucus train -q -f raw -o x.cau raw.txt; echo "= $?"
printf '{"text": "Adam ran", "spans": [[0, 3, "P"]]}\n' >inside.jsonl
for how in error expand drop; do convert -f spans --misaligned $how --to spans inside.jsonl -; done
