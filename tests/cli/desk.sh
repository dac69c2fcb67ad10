# A classifier, end to end on the bundled example: train, tag, eval, inspect.
data=$EXAMPLES/desk/train.txt
test=$EXAMPLES/desk/test.txt
# Converged, so that the digits below are the same on every machine.
caucus train -q --lower --ngrams 2 --epsilon 1e-8 --delta 0 -o m.cau "$data"
caucus tag -q -m m.cau "$test" >tagged
wc -l <tagged
head -n 3 tagged
caucus eval tagged
caucus eval --confusion tagged | tail -n 9
caucus eval --json tagged | tr -d ' \n' | head -c 60
echo
caucus tag -q -p -m m.cau "$test" | head -n 1 | tr '\t' '\n' | sed 's/\(:0\.[0-9]\{2\}\)[0-9]*.*/\1/'
caucus tag -q --top 2 -m m.cau "$test" | head -n 1 | tr '\t' '\n' | sed 's/\(:0\.[0-9]\{2\}\)[0-9]*/\1/'
caucus inspect --top 3 m.cau | cut -c 1-100 | sed 's/\(\.[0-9]\{2\}\)[0-9]*/\1/g' | tail -n 30
caucus inspect --explain 'Can I pay for the room with my phone?' m.cau >out
echo "$? $(wc -l <out)"
for ask in '--top 2' "--expectations $test" '--explain pay'; do
    # shellcheck disable=SC2086
    caucus inspect --json $ask m.cau | head -c 1
done
echo
