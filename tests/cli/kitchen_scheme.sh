# --scheme iob2 forbids an I- label after a label of another type, and nothing else: if the best labelling is
# legal without the option, it is also the best with it.
caucus train -q --max-iterations 8 -o m.cau "$EXAMPLES/kitchen/train.txt"

# labels OPTION...: a line for each sequence: "whole" or "broken", and its labels.
labels() {
    caucus tag -q -m m.cau "$@" "$EXAMPLES/kitchen/test.txt" | awk -v RS= -F '\n' '{
        line = "whole"; last = ""
        for (i = 1; i <= NF; i++) {
            split($i, cell, "\t"); part = substr(cell[3], 3)
            if (cell[3] ~ /^I/ && part != last) sub("whole", "broken", line)
            last = part; line = line " " cell[3]
        }
        print line
    }'
}
labels >free
labels --scheme iob2 >legal
[ "$(grep -c broken free)" -gt 0 ] && echo "some are broken without it"
grep -c broken legal
paste -d '|' free legal | awk -F '|' '/^whole/ && $1 != $2' | wc -l
caucus tag -q -m m.cau --scheme io "$EXAMPLES/kitchen/test.txt" | head -n 1
