#!/bin/sh
# The machinery of reproduce/ on a tiny paper with generated data, and the committed pages of all papers: each must
# be the page of its committed results.
set -u

command -v python3 >/dev/null || exit 77
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
result=0

export CAUCUS="${CAUCUS_BUILD:-$root/build}/caucus" CAUCUS_DATA="$work/data" CAUCUS_CACHE="$work/cache"
export REPRODUCE="$root/reproduce"
mkdir "$work/data" "$work/tiny"
cp "$root/tests/reproduce/run" "$root/tests/reproduce/paper.json" "$work/tiny"
cd "$work/tiny" || exit 2

fail() {
    echo "FAILED: $*"
    result=1
}

# runs NAMES OPTIONS...: runs the paper and checks which runs it did.
runs() {
    expected=$1
    shift
    ./run "$@" 2>"$work/log" || { cat "$work/log"; fail "run $*"; }
    done=$(sed -n "s/^$(basename "$PWD"): //p" "$work/log" | tr '\n' ' ')
    [ "$done" = "${expected:+$expected }" ] || fail "run $*: did '$done', not '$expected'"
}

# refuses TEXT OPTIONS...: the paper must fail with this text.
refuses() {
    expected=$1
    shift
    ./run "$@" 2>"$work/log" && fail "run $* succeeded"
    grep -q "$expected" "$work/log" || { cat "$work/log"; fail "run $*: no '$expected'"; }
}

# page TEXT: a line of the page has this text.
page() {
    grep -qF -- "$1" page.md || { cat page.md; fail "the page has no '$1'"; }
}

awk 'BEGIN { for (i = 0; i < 40; i++) printf "the DT B-NP\n%s NN I-NP\nruns VB %s\n\n", "w" i % 7, i % 3 ? "O" : "B-NP" }' \
    >"$work/data/train.txt"
head -40 "$work/data/train.txt" >"$work/data/test.txt"

refuses 'is not the file that .* describes'
runs "" --checksums
runs "seed-1" --only seed-1
page "Not run yet: seed-2, seed-3, pair."
page "- 1 runs are done."
page "**not run yet**"
runs "seed-2 seed-3 pair"
runs ""
page "## Claims of the paper: 2 met, 1 not testable"
sed -n 3p page.md | grep -qF -- "- A weak penalty against a strong one: no significant difference, " ||
    { cat page.md; fail "the page does not begin with what is found"; }
page "- The mean against 100: worse, "
page "**not testable**: the paper does not name its machine"
page "| seed-{seed} | 3 of 3 |"
runs "" --check
grep -qF '"caucus eval --json --resamples 100 --against strong.tagged --against seed-1/test.tagged weak.tagged"' \
    results/pair.json || { cat results/pair.json; fail "a command names files by other names"; }

# A page, a figure or results that do not belong together.
cp page.md kept.md
echo "F1 is 100." >>page.md
refuses 'page.md is not the page of these results' --check
mv kept.md page.md
sed -i 's/"f1": [0-9.]*/"f1": 12.5/' results/seed-2.json
refuses 'page.md is not the page of these results' --check
if command -v gnuplot >/dev/null; then refuses 'is not the figure of these results' --check; fi
runs "seed-2" --only seed-2 --again
runs "" --check
touch results/seed-9.json
refuses 'seed-9.json belongs to no run' --check
rm results/seed-9.json
sed -i 's,--against strong,--against /strong,' results/pair.json
refuses 'pair.json names a folder of one machine' --check
sed -i 's,--against /strong,--against strong,' results/pair.json
runs "" --check

# A changed option repeats its run; changed data repeat all; runs of two commits are named.
sed -i 's/"l2": \[0.1, 10\]/"l2": [0.1, 20]/' paper.json
runs "pair"
sed -i 's/"commit": "[^"]*"/"commit": "0123456789"/' results/pair.json
runs "" --page
page "The runs are of 2 versions of the program"
runs "pair" --outdated
head -36 "$work/data/train.txt" >"$work/data/test.txt"
refuses 'is not the file that .* describes' --again
runs "" --checksums
runs "seed-1 seed-2 seed-3 pair"

# A repeated run notes whether its results are the same, and keeps them.
runs "seed-1" --verify --only seed-1
page "One run was repeated with commit"
page "all numbers but the seconds are the same."
sed -i 's/"f1": [0-9.]*/"f1": 12.5/' results/seed-2.json
runs "seed-2" --verify --only seed-2
page "numbers of seed-2 differ."
grep -q '"f1": 12.5' results/seed-2.json || fail "--verify has changed results"
runs "" --check
runs "seed-2" --again --only seed-2

# Models are made once: without its JSON a run reads them again.
rm results/seed-1.json
grep -c . "$work/cache/tiny/seed-1/model.cau.made" >/dev/null || fail "no model is kept"
touch -d 2000-01-01 "$work/cache/tiny/seed-1/model.cau"
runs "seed-1"
[ -n "$(find "$work/cache/tiny/seed-1/model.cau" ! -newermt 2000-01-02)" ] || fail "a model was trained twice"

# A run of another paper with the same options and data is taken over.
mkdir ../other && cp run ../other && sed 's/"seed": \[1, 2, 3\]/"seed": [1, 4]/' paper.json >../other/paper.json
cd ../other || exit 2
runs "seed-1 is seed-1 of tiny" --only seed-1
page "| seed-{seed} | 1 of 2 |"
grep -q '"taken": "tiny: seed-1"' results/seed-1.json || fail "the JSON does not say where its results are from"
cd ../tiny || exit 2

# The statistics.
python3 - <<'END' || fail "statistics"
import math, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["REPRODUCE"])
from manifest import holm, t_effect, t_tail
assert holm([.01, .04, .03]) == [.03, .06, .06], holm([.01, .04, .03])
assert holm([.9, .8]) == [1, 1] and holm([]) == []
assert abs(t_tail(2.776445, 4) - .05) < 1e-6 and abs(t_tail(12.7062, 1) - .05) < 1e-6
assert abs(t_tail(1.959964, 100000) - .05) < 1e-5 and t_tail(0, 3) == 1
e = t_effect([1, 2, 3, 4, 5])
assert abs(e["low"] - 1.036757) < 1e-4 and abs(e["high"] - 4.963243) < 1e-4 and abs(e["p"] - .013245) < 1e-4, e
assert t_effect([2.0])["p"] is None and t_effect([1, 1])["p"] == 0
END

# Runs of several papers that have the same options and data have the same results, whatever the commit.
python3 - "$root"/reproduce/*/results/*.json <<'END' || fail "two runs differ"
import json, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["REPRODUCE"])
from manifest import differences, essence
first, result = {}, 0
for path in sys.argv[1:]:
    with open(path) as f:
        record = json.load(f)
    same, one = first.setdefault(essence(record), (path, record))
    for place in differences(one["results"], record["results"]):
        print("%s and %s differ in %s" % (same, path, place))
        result = 1
sys.exit(result)
END

# A paper without results has a page, and a reader may close the list early.
mkdir -p "$work/none/docs"
cp -r "$root/reproduce" "$work/none" && rm -r "$work"/none/reproduce/*/results
for run in "$work"/none/reproduce/*/run; do
    "$run" --page 2>"$work/log" || { cat "$work/log"; fail "a page without results, by $run"; }
    "$run" --list 2>"$work/log" | true
    [ ! -s "$work/log" ] || { cat "$work/log"; fail "the list, by $run"; }
done

# The committed pages.
unset CAUCUS_CACHE
for paper in "$root"/reproduce/*/paper.json; do
    if [ -f "$paper" ]; then "$(dirname "$paper")/run" --check || fail "$paper"; fi
done
exit $result
