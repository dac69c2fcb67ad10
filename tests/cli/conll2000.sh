# CoNLL-2000 chunking with the features and the penalty of the peers: the objectives of CRFsuite (seen states,
# from items) and of Wapiti and CRF++ (all states, from the template) within 1e-4, and their F1 within 0.05.
[ -e "$DATA/conll2000-chunk" ] || exit 77
xz -dc "$DATA/conll2000-chunk/train.txt.xz" >train.txt
xz -dc "$DATA/conll2000-chunk/test.txt.xz" >test.txt

# Words at -2..2 and two pairs of them; tags at -2..2, four pairs and three triples of them.
i=0
for cells in -2,0 -1,0 0,0 1,0 2,0 '-1,0 0,0' '0,0 1,0' -2,1 -1,1 0,1 1,1 2,1 \
    '-2,1 -1,1' '-1,1 0,1' '0,1 1,1' '1,1 2,1' '-2,1 -1,1 0,1' '-1,1 0,1 1,1' '0,1 1,1 2,1'; do
    echo "U$i:$(for c in $cells; do printf '/%%x[%s]' "$c"; done | cut -c 2-)"
    i=$((i + 1))
done >template
echo B >>template

# The same features as CRFsuite items: without positions outside the sentence, its ends marked.
cat >items.awk <<'AWK'
function cell(t, column) { return column ? tag[t] : word[t] }
function add(name, t, column, from, to,    j, value) {
    for (j = from; j <= to; j++) {
        if (t + j < 1 || t + j > n) return
        value = value (j > from ? "|" : "") cell(t + j, column)
    }
    printf "\t%s[%d..%d]=%s", name, from, to, value
}
function flush(    t, j) {
    for (t = 1; t <= n; t++) {
        printf "%s", label[t]
        for (j = -2; j <= 2; j++) add("w", t, 0, j, j)
        add("w", t, 0, -1, 0); add("w", t, 0, 0, 1)
        for (j = -2; j <= 2; j++) add("p", t, 1, j, j)
        for (j = -2; j <= 1; j++) add("p", t, 1, j, j + 1)
        for (j = -2; j <= 0; j++) add("p", t, 1, j, j + 2)
        printf "%s%s\n", t == 1 ? "\t__BOS__" : "", t == n ? "\t__EOS__" : ""
    }
    if (n) print ""
    n = 0
}
NF == 0 { flush(); next }
{ n++; word[n] = $1; tag[n] = $2; label[n] = $3; gsub(/[\\:]/, "\\\\&", word[n]); gsub(/[\\:]/, "\\\\&", tag[n]) }
END { flush() }
AWK
for set in train test; do awk -f items.awk $set.txt >$set.items; done

check() { # check NAME GOT WANTED TOLERANCE
    awk -v name="$1" -v a="$2" -v b="$3" -v most="$4" 'BEGIN {
        d = a - b; if (d < 0) d = -d
        print name (d <= most ? " as it should be" : ": " a " instead of " b) }'
}
fit() { # fit NAME OBJECTIVE F1 TRAIN TEST OPTIONS...
    name=$1 objective=$2 f1=$3 train=$4 test=$5
    shift 5
    caucus train -q --model crf --l2 2 --delta 1e-5 --period 5 "$@" -o m.cau "$train" || return
    reached=$(caucus inspect --json m.cau | sed -n 's/.*"objective": "\([0-9.]*\)".*/\1/p')
    check "$name objective" "$reached" "$objective" "$(awk "BEGIN { print $objective * 1e-4 }")"
    [ "$f1" = - ] && return
    caucus tag -m m.cau "$test" >tagged
    check "$name F1" "$(caucus eval --conlleval tagged | sed -n 's/^accuracy.*FB1: *//p')" "$f1" 0.05
}
fit "template, all states:" 11369.25 93.67 train.txt test.txt -T template --states all
fit "items, seen states:" 13139.37 93.61 train.items test.items -f crfsuite --states seen \
    --transitions seen
# No peer was run to convergence here; L-BFGS and dual ascent converge to the same value.
fit "items, all states:" 11602.59 - train.items test.items -f crfsuite --states all
