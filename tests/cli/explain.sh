# Why a sequence gets its labels, and not others.
caucus train -q --max-iterations 30 -o m.cau "$EXAMPLES/kitchen/train.txt"
sentence='4
cloves
,
crushed'
run inspect --explain "$sentence" m.cau | sed 's/\([0-9]\.[0-9][0-9]\)[0-9]*/\1/g' | head -n 12
caucus inspect --explain "$sentence" m.cau >second
caucus inspect --explain "$sentence" --against '? B-NAME ? ?' m.cau | cmp - second && echo "the same"
run inspect --explain "$sentence" --against '? ?' m.cau
run inspect --explain "$sentence" --against '? ? ? NO' m.cau
run inspect --against '?' m.cau
run inspect --explain "$sentence

one" m.cau
# the probabilities are those of tag
caucus inspect --explain "$sentence" m.cau | sed -n 's/^probability of these labels: \([0-9.]*\); of those instead: /\1 /p' >got
echo "$sentence" | caucus tag -q -m m.cau -n 2 - | sed -n 's/^# [01] //p' | tr '\n' ' ' >want
python3 -c '
got, want = ([float(x) for x in open(f).read().split()] for f in ("got", "want"))
print("as tag says:", all(abs(a - b) < 1e-6 for a, b in zip(got, want, strict=True)))'
