# `eval --errors`: the sequences that a model labels most surely wrong, and why.
caucus train -q --max-iterations 30 -o m.cau "$EXAMPLES/kitchen/train.txt"
caucus train -q --lower -o desk.cau "$EXAMPLES/desk/train.txt"
test=$EXAMPLES/kitchen/test.txt
caucus eval -q -m m.cau --errors 2 "$test" | sed 's/\([0-9]\.[0-9]\)[0-9]*/\1/g' | head -n 14
caucus eval -q -m m.cau --errors 1000 --json "$test" >all.json
caucus tag -q -m m.cau "$test" >tagged.txt
caucus eval -q -m desk.cau --errors 3 --json "$EXAMPLES/desk/test.txt" >desk.json
caucus tag -q -m desk.cau -p "$EXAMPLES/desk/test.txt" >desk.txt
cat >check.py <<'END'
import json, math

sentences = [[line.split("\t") for line in s.split("\n")] for s in open("tagged.txt").read().strip("\n").split("\n\n")]
wrong = [s for s in sentences if any(line[-2] != line[-1] for line in s)]
got = json.load(open("all.json"))
errors = got["errors"]
print("counted:", got["sequences"] == len(sentences), got["wrong"] == len(wrong) == len(errors))
margins = [e["margin"] for e in errors]
print("sorted:", margins == sorted(margins, reverse=True) and min(margins) >= 0)
print("the same sentences:", sorted([t["token"] for t in e["explanation"]["tokens"]] for e in errors) ==
      sorted([line[0] for line in s] for s in wrong))
for e in errors:
    why = e["explanation"]
    assert [t["gold"] for t in why["tokens"]] == why["other"] != why["labels"]
    # the margin is that of the probabilities, and of the terms
    assert abs(math.log(why["probability"] / why["other_probability"]) - e["margin"]) < 1e-4
    assert abs(why["voters"][0]["log_odds"] - e["margin"]) < 1e-4
print("explained")

rows = [line.rstrip("\n").split("\t") for line in open("desk.txt")]
worst = []
for row in rows:
    p = dict(field.rsplit(":", 1) for field in row[2:])
    if row[0] != row[1]:
        worst.append(math.log(float(p[row[1]]) / float(p[row[0]])))
worst.sort(reverse=True)
got = json.load(open("desk.json"))
print("classifier:", got["wrong"] == len(worst), all(abs(e["margin"] - w) < 1e-6 for e, w in zip(got["errors"], worst[:3], strict=True)))
END
python3 check.py
run eval --errors 3 few.txt
run eval -m m.cau --errors 3 missing.txt
printf 'one\tB-NO\n\n2\tB-NAME\n' >few.txt
caucus eval -q -m m.cau --errors 3 few.txt | head -n 1
