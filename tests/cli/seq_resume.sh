# A sequence model whose training was stopped goes on to the same bytes, with every solver.
data=$EXAMPLES/kitchen/train.txt
head -n 1500 "$data" >part.txt
for solver in dual lbfgs perceptron pa sgd; do
    train="caucus train -q --solver $solver --epsilon 0 --delta 0"
    $train --max-iterations 6 -o whole.cau part.txt
    $train --max-time 1e-9 -o m.cau part.txt # ends after one iteration, and its checkpoint stays
    [ -e m.cau.checkpoint ] || echo "no checkpoint"
    $train --max-iterations 6 --resume -o m.cau part.txt
    caucus inspect --dump whole.cau | grep -v '^info' >whole
    caucus inspect --dump m.cau | grep -v '^info' >resumed
    cmp whole resumed && echo "$solver: the same"
done

# Started at a finished model, a run has nothing left to do; with other data it keeps what it knew.
caucus train -q -o first.cau part.txt
tail -n 1000 "$data" >rest.txt
printf 'sprinkle\tB-VERB\nsalt\tB-NAME\n\n' >>rest.txt
caucus train -q --from first.cau -o second.cau rest.txt
labels() { caucus inspect --json "$1" | tr '{' '\n' | sed -n 's/.*"label": "\([^"]*\)".*/\1/p' | sort -u; }
labels first.cau >a
labels second.cau >b
comm -13 a b
comm -23 a b
