# eval scores whatever tag writes: probabilities and comments change nothing.
data=$EXAMPLES/kitchen/train.txt
test=$EXAMPLES/kitchen/test.txt
caucus train -q -T "$EXAMPLES/kitchen/template" -o m.cau "$data"
caucus tag -q -m m.cau "$test" | caucus eval -q >plain
head -n 2 plain
while read -r options; do
    caucus tag -q -m m.cau $options "$test" | caucus eval -q | cmp plain - && echo "$options"
done <<END
--label-probability
--sequence-probability
--nbest 3
--segments
--probabilities
--top 2
--label-probability --segments --sequence-probability --probabilities
--nbest 2 --label-probability --top 2
END
echo "-- with probabilities, and other fields before them"
caucus tag -q -m m.cau --probabilities "$test" | caucus eval -q -p >plain
caucus tag -q -m m.cau --probabilities --label-probability --segments "$test" | caucus eval -q -p | cmp plain -
echo "-- two domains"
caucus adapt -q --model memm --target "$test" --source "$data" -o adapted.cau
caucus tag -q -m adapted.cau "$test" | caucus eval -q >plain
caucus tag -q -m adapted.cau --domain "$test" | caucus eval -q | cmp plain - && echo "--domain"
echo "-- the note; a probability as a label"
exec 2>&1
caucus tag -q -m m.cau --label-probability --segments "$test" | caucus eval | head -n 1
printf 'w B O\nw B 0.5\n' | caucus eval; echo "= $?"
printf 'w\tB:0.5\tO:0.25\n' | caucus eval; echo "= $?"
