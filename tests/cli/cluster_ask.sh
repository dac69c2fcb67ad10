# Questions answered at a terminal, by a program, and again after a kill.
cp "$EXAMPLES"/pantry/*.tsv .
cluster() { caucus cluster --chains 2 --burn-in 20 --samples 8 --lag 1 --again 2 "$@" goods.tsv; }

echo "= a person"
asked() { # asked FILE: what the person was shown, without names of items
    sed -n 's/ [0-9]*% of/ N% of/; s/^    [^ ]*  (.*)$/    ITEM  (FEATURES)/; /^caucus\|^[0-9]* of\|^    ITEM\|^y, n/p' "$1"
}
printf 'u\nyes\nperhaps\n N\ns\nu\nn\nq\n' |
    cluster -q --by terminal --ask 9 --answers answers.tsv >report 2>shown
echo "status $?"
asked shown
cut -f 3 answers.tsv
head -n 2 report | grep -o '2 links\|2 questions answered'

echo "= the end of input is the end of questions"
printf 'n\n' | cluster -q --by terminal --ask 3 2>/dev/null | grep -o '; 1 link$\|1 question answered'
cluster --by terminal --ask 3 </dev/null 2>&1 | grep -o '0 links\|caucus: answers are not saved.*'

echo "= a program"
cat >program.py <<'END'
"""Answers by the true classes over two pipes, and kills caucus after the given number of answers."""
import json, subprocess, sys

most = int(sys.argv[1])
classes = dict(line.split() for line in open("classes.tsv"))
caucus = subprocess.Popen(["caucus", "cluster", "--chains", "2", "--burn-in", "20", "--samples", "8",
                           "--lag", "1", "--again", "2", "--by", "json", "-q", *sys.argv[2:], "goods.tsv"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
known, given, rest = set(), 0, []
for line in caucus.stdout:
    if not line.startswith('{"ask":'):
        rest.append(line)
        continue
    q = json.loads(line)
    assert list(q) == ["ask", "of", "a", "b", "together", "a_features", "b_features"], q
    assert 0 <= q["together"] <= 1 and q["a_features"] and q["b_features"], q
    assert (q["a"], q["b"]) not in known, q
    known.add((q["a"], q["b"]))
    if given == most:
        caucus.kill()
        print(f"killed at question {q['ask']} of {q['of']}")
        break
    given += 1
    answer = "yes" if classes[q["a"]] == classes[q["b"]] else "no"
    print(json.dumps({"answer": answer}), file=caucus.stdin, flush=True)
caucus.stdin.close()
caucus.wait()
print(f"{given} answers", *(line for line in rest if "links" in line), end="" if rest else "\n")
END
coarse() { sed 's/48 items.*; \([0-9]* links\)/\1/'; }
python3 program.py 99 --ask 4 | coarse
python3 program.py 99 --ask 4 --json --answers of-json.tsv | grep -c .
wc -l <of-json.tsv

echo "= kill -9, and the same again"
python3 program.py 3 --ask 8 --answers kept.tsv | coarse
wc -l <kept.tsv
cp kept.tsv before.tsv
python3 program.py 99 --ask 8 --answers kept.tsv | coarse
head -n 3 kept.tsv | cmp - before.tsv
sort -u kept.tsv | wc -l
python3 program.py 0 --ask 8 --answers kept.tsv | coarse # all answers are known

echo "= bad answers"
bad() { printf "$1" | cluster -q --by json --ask 2 2>&1 | grep -v '^{"ask"'; }
bad '{"answer":"maybe"}\n'
bad 'yes\n'
bad '{"answer":1}\n'
bad '\n'
printf '' | cluster -q --by json --ask 2 | grep -o '0 links'

echo "= every answer"
printf '{"answer":"%s"}\n' skip undo yes undo no quit | cluster --by json --ask 5 2>notes |
    grep -o '^{"ask":[0-9],"of":[0-9]\|; 1 link$'
grep 'take back' notes
