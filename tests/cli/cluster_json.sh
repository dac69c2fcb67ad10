# The JSON report: it parses, its keys are those described in docs/clustering.md; and the figures.
cp "$EXAMPLES"/pantry/*.tsv .
page=$CASE/../../docs/clustering.md
cluster() { caucus cluster -q --chains 2 --burn-in 20 --samples 6 --lag 1 --again 1 "$@" goods.tsv; }
cluster --gold classes.tsv --ask 3 --links links.tsv --json >report.json || echo "status $?"
keys() { grep -o '"[a-z_]*":' | sort -u; }
sed -n '/^## The layout of `--json`/,$p' "$page" | keys >described
keys <report.json | comm -3 - described
cat >look.py <<'END'
import json, sys

r = json.load(open("report.json"))
print("format", r["format"], "samples", r["samples"], "links", r["links"], "asked", r["asked"],
      "skipped", r["skipped"])
print("agreed", 0 <= r["agreed"] <= 3, "alpha", r["alpha"] > 0, "loss", r["loss"] >= 0)
print("agree", r["chains"]["agree"] in (True, False))
sizes = {c["cluster"]: c["size"] for c in r["clusters"]}
print("sizes", sum(sizes.values()), all(c["cluster"] == f"c{i + 1}" for i, c in enumerate(r["clusters"])))
print("items", len(r["items"]), all(sum(i["cluster"] == c for i in r["items"]) == n for c, n in sizes.items()))
print("certainties", all(0 <= x["certainty"] <= 1 for x in r["items"] + r["clusters"]))
print("top_features", all(c["top_features"] == sorted(c["top_features"], key=lambda t: -t["score"]) for c in r["clusters"]))
print("curve", [m["links"] for m in r["curve"]], all(0 <= m["v"] <= 1 for m in r["curve"]))
END
python3 look.py
cluster --json --top 0 | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["curve"], r["clusters"][0]["top_features"])'
cluster --json --samples 3 | python3 -c '
import json, sys
print(json.load(sys.stdin)["chains"])' # too few samples to compare the chains

command -v gnuplot >/dev/null || { echo 'no gnuplot'; exit 77; }
cluster --gold classes.tsv --ask 3 --plot curve.svg --plot-members members.svg >/dev/null
for figure in curve.svg members.svg; do
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' $figure &&
        echo "$figure is a picture"
done
grep -o 'V-beta\|homogeneity\|completeness' curve.svg | sort -u
