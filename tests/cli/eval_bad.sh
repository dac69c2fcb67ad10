# Errors of eval: one line and status 1 for the data, 2 for wrong usage.
exec 2>&1
try() { # try NAME ARGUMENT...: eval refuses them
    name=$1
    shift
    caucus eval "$@"
    echo "$name = $?"
}
printf 'a O O\nb B-X B-X\n\nc O O\nd O O\n' >a
printf 'a O O\nb B-X B-X\nc O O\nd O O\n' >joined
printf 'a O O\nb B-X B-X\n\nc O O\n' >short
printf 'a O O\nb B-X B-X\n\nc O O\nd O O\ne O O\n' >long
printf 'a O O\nb B-Y B-X\n\nc O O\nd O O\n' >other_gold
printf 'a O O\nx B-X B-X\n\nc O O\nd O O\n' >other_word
try joined --against joined a
try short --against short a
try long --against long a
try other_gold --against other_gold a
try other_word --against other_word a
printf 'a O\nb B-X\n\nc O\n' >gold_short
try gold --gold gold_short a
try missing --against nowhere a
: >empty
try empty empty
try empty_other --against empty a
printf 'x\n' >one
try one_column one
printf 'a O O\nb Q-X O\n' >foreign
try foreign --scheme iob2 foreign
printf 'a O O\nb E-X E-X\n' >iobes
try not_in_scheme --scheme iob2 iobes
try no_scheme --scheme iob3 a
try strict --strict a
try word --word 7 --known a a
try known --known empty a
try bins --bins 1 a
try plot --plot-confusion figure.gif a
try calibration --plot-calibration figure.svg a
printf 'one sentence\n' >/dev/null
printf 'a B-X O\nb O O\n' >single
try single --against single single
try documents --against a --unit document a
try pairs --pairs first a
printf 'a O\nb Q-X\n' >foreign_data
caucus convert --scheme iobes foreign_data out
echo "convert = $?"
test -e out && echo "out is there"
caucus convert --scheme iobes nowhere out
echo "convert = $?"
