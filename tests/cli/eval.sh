# Scores of tagged lines, and errors in tagged lines.
exec 2>&1
printf 'a\ta\na\tb\nb\tb\nb\tb\nc\tb\n' >tagged
run eval tagged
run eval --confusion --json tagged
printf 'a\ta\ta:0.75\tb:0.25\nb\ta\ta:0.5\tb:0.5\n' >p
run eval -p --bins 2 p
printf 'the DT O O\ncat NN B O\n\nsat VB O O\n' >columns # label columns last
run eval columns

# A gold class that the model does not have counts as an error of the model.
printf 'yes\tgood fine\nyes\tfine\nno\tbad worse\nno\tbad\n' >train.txt
printf 'yes\tfine\nmaybe\tfine bad\nno\tbad\n' >test.txt
caucus train -q -o m.cau train.txt
caucus tag -q -m m.cau test.txt >tagged
cut -f 1 tagged | tr '\n' ' '
caucus eval tagged | grep -e '^accuracy' -e '^maybe'
caucus tag -q -p -m m.cau test.txt | caucus eval -p | grep -e '^accuracy' -e 'gold label'

try() { # try NAME OPTIONS BYTES: the file is refused
    name=$1
    # shellcheck disable=SC2059 # the bytes are written as a format
    printf "$3" >"$name"
    # shellcheck disable=SC2086 # there may be none
    caucus eval $2 "$name"
    echo "$name = $?"
}
try empty '' ''
try one_column '' 'a\nb\n'
try no_gold '' '\ta\n'
try no_label '' 'a\t\n'
try bad_utf8 '' 'a\t\377\n'
try no_columns -p 'a\ta\n'
try no_sum -p 'a\ta\ta:0.5\tb:0.5\na\ta\ta:0.5\tb:0.6\n'
try no_number -p 'a\ta\ta:0.5\tb:0.5\na\ta\ta:0.5\tb:half\n'
try nan -p 'a\ta\ta:0.5\tb:0.5\na\ta\ta:nan\tb:0.5\n'
try negative -p 'a\ta\ta:0.5\tb:0.5\na\ta\ta:-0.5\tb:1.5\n'
try other_class -p 'a\ta\ta:0.5\tb:0.5\na\ta\ta:0.5\tc:0.5\n'
try cut -p 'a\ta\ta:0.5\tb:0.5\na\ta\ta:0.5\n'
