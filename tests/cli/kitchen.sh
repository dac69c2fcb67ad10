# A sequence model, end to end on the bundled example: features, train, tag, eval, inspect.
data=$EXAMPLES/kitchen/train.txt
test=$EXAMPLES/kitchen/test.txt
template=$EXAMPLES/kitchen/template
caucus features -q -T "$template" "$data" | head -n 2
# Converged, so that the digits below are the same on every machine.
caucus train -q -T "$template" --epsilon 1e-5 --delta 0 -o m.cau "$data"

caucus tag -q -m m.cau "$test" >tagged
awk 'NF == 0' tagged | wc -l
head -n 8 tagged
caucus eval tagged | head -n 15
caucus inspect --top 3 m.cau | grep -A 3 '^transitions' | decimals 2

echo "-- a line without labels"
printf '%s\n' 2 sticks cold butter , cut into 4 pieces >line
caucus tag -q -m m.cau --segments line | decimals 2
caucus tag -q -m m.cau --label-probability --sequence-probability line | head -n 3 | decimals 2

echo "-- the best answers, and what is left of them when a label is given"
printf '%s\n' 4 cloves , crushed | caucus tag -q -m m.cau --nbest 2 - | decimals 2
printf '%s\n' '4 ?' 'cloves B-NAME|I-NAME' ', ?' 'crushed ?' |
    caucus tag -q -m m.cau --forced --sequence-probability - | decimals 2

echo "-- half of the labels are not known in training"
awk 'NF && NR % 2 { $2 = "?" } { print }' "$data" >half
caucus train -q -T "$template" -o half.cau half
caucus tag -q -m half.cau "$test" | caucus eval --classes - | awk '{ print ($2 > 0.93 ? "fine" : $0); exit }'
