# Training that starts at a model (--from): on the data of that model it ends soon, on other data it keeps the
# labels of the model.
head -n 1500 "$EXAMPLES/kitchen/train.txt" >part.txt
caucus train -q --solver lbfgs -o first.cau part.txt
caucus train -q --solver lbfgs --from first.cau -o same.cau part.txt
iterations() { caucus inspect "$1" | awk '$1 == "iterations" { print $2 }'; }
[ "$(iterations same.cau)" -lt $(($(iterations first.cau) / 2)) ] && echo "fewer iterations"
tail -n 1000 "$EXAMPLES/kitchen/train.txt" >rest.txt
printf 'sprinkle\tB-VERB\nsalt\tB-NAME\n\n' >>rest.txt
caucus train -q --from first.cau -o second.cau rest.txt
labels() { caucus inspect --json "$1" | tr '{' '\n' | sed -n 's/.*"label": "\([^"]*\)".*/\1/p' | sort -u; }
labels first.cau >first
labels second.cau >second
comm -13 first second
comm -23 first second
