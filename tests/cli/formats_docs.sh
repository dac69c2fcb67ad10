# Every format of docs/formats.md: its example is detected as that format, or refused as ambiguous; all commands
# read it; what tag writes, eval reads; convert writes it, and a writer's lines are read as the same data.
exec 2>&1
awk '
    /^## / { name = $2; done = 0; inside = 0; next }
    /^    / && !done { inside = 1; print substr($0, 5) > ("ex." name); next }
    /^$/ && inside { getline after; if (after ~ /^    /) { print "" > ("ex." name); print substr(after, 5) > ("ex." name) }
                     else { inside = 0; done = 1 } next }
' "$CASE/../../docs/formats.md"
rm -f ex.Converting ex.What ex.brat ex.raw ex.spans # running text has tests of its own
sed -i 's/⇥/\t/g' ex.*
for file in ex.*; do
    format=${file#ex.}
    note=$(caucus features "$file" 2>&1 >/dev/null | sed 's/^caucus: [^:]*: //')
    case $note in
    "read as $format "*) detected=detected ;;
    *"choose one: "*"--format $format "*) detected="needs --format" ;;
    *) detected="WRONG: $note" ;;
    esac
    label=
    case $format in conllu) label="--gold $file" ;; esac
    caucus train -q -f "$format" -o m.cau "$file" || echo "train fails"
    caucus features -q -f "$format" "$file" >/dev/null || echo "features fails"
    accuracy=
    for how in "" --label-probability --sequence-probability "--nbest 2" -p "--top 1"; do
        case $how,$format in # labellings are of sequences
        --[sn]*,columns | --[sn]*,conllu | --[sn]*,crfsuite | --[sn]*,json-tokens | --[sn]*,simpletagger | --[sn]*,wapiti) ;;
        --[sn]*) continue ;;
        esac
        # shellcheck disable=SC2086 # these are several options
        caucus tag -q -m m.cau $how "$file" >tagged || echo "tag $how fails"
        # shellcheck disable=SC2086
        accuracy="$accuracy $(caucus eval -q $label --json tagged | grep -o '"accuracy": [0-9.]*' | head -n 1 | cut -d' ' -f2)"
    done
    # what is read again is the same data
    caucus convert -q -f "$format" --to "$format" "$file" copy
    caucus features -q -f "$format" "$file" | sed '$!b;/^$/d' >one
    caucus features -q -f "$format" copy | sed '$!b;/^$/d' >two
    cmp one two && copied=copied || copied=different
    # the same file with CR LF, with a byte-order mark, without its last newline, and from a pipe
    caucus tag -q -m m.cau "$file" >plain
    sed 's/$/\r/' "$file" | caucus tag -q -m m.cau | tr -d '\r' | cmp - plain
    { printf '\357\273\277'; cat "$file"; } | caucus tag -q -m m.cau | cmp - plain
    printf %s "$(cat "$file")" | caucus tag -q -m m.cau | cmp - plain
    gzip -c "$file" >z.gz && caucus tag -q -m m.cau z.gz | cmp - plain
    : | caucus tag -q -m m.cau | cmp - /dev/null
    echo "$format: $detected; accuracy$accuracy; $copied"
done
