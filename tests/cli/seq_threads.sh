# Tagged sequences have the same bytes at any number of threads, with every kind of output.
data=$EXAMPLES/kitchen/train.txt
caucus train -q -T "$EXAMPLES/kitchen/template" --max-iterations 10 -o m.cau "$data"
for options in "" "--probabilities" "--nbest 3 --segments" "--decode posterior --scheme iob2" \
    "--forced --sequence-probability --top 2"; do
    for t in 1 2 3 8; do
        # shellcheck disable=SC2086
        caucus tag -q -m m.cau -t $t $options "$data" | cksum
    done | sort -u | wc -l
done

echo "-- and from a pipe"
caucus tag -q -m m.cau "$data" | cksum >file
caucus tag -q -m m.cau - <"$data" | cksum | cmp - file
cat "$data" | caucus tag -q -m m.cau - | cksum | cmp - file

echo "-- given labels come out as they went in"
caucus tag -q -m m.cau --forced "$data" | awk 'NF && $(NF - 1) != $NF' | wc -l
