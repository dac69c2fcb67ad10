# `caucus serve`: the answers to every kind of request are those of `caucus tag`.
PYTHONPATH=$CASE
export PYTHONPATH
caucus serve -m none.cau 2>&1 | grep -q 'built without' && { echo "built without libmicrohttpd"; exit 77; }
caucus train -q --max-iterations 20 -o kitchen.cau "$EXAMPLES/kitchen/train.txt"
caucus train -q --max-iterations 20 --lower --ngrams 2 -o desk.cau "$EXAMPLES/desk/train.txt"
printf 'N\tw=cat:2\ts\nV\tw=sat\n\nN\tw=mat\nV\tw=lay\ts\n\n' >pets.txt
caucus train -q -f crfsuite -o pets.cau pets.txt
cut -f 1 "$EXAMPLES/kitchen/test.txt" >words
cut -f 2 "$EXAMPLES/desk/test.txt" >messages
serve -m kitchen.cau -m desk.cau -m pets.cau
tsv='Content-Type: text/tab-separated-values' plain='Content-Type: text/plain'
json='Content-Type: application/json'

echo "= what is served"
http GET /healthz
http GET /v1/models | sed 's/"features":[0-9]*/"features":N/g'

echo "= the labels of a file, as text"
caucus tag -q -m kitchen.cau --no-label words >want
http POST /v1/tag "$tsv" 'Accept: text/plain' <words | sed '1{/^200$/d}' >got
cmp got want && wc -l <got
caucus tag -q -m desk.cau <messages >want
http POST '/v1/tag?model=desk' "$plain" 'Accept: text/plain' <messages | sed '1d' >got
cut -f 2 got | cmp - want && cut -f 1 got | cmp - messages && wc -l <got

echo "= the same as JSON: labels, probabilities, n-best, segments"
cat >compare.py <<'END'
import json, subprocess, sys
import client

c = client.connect(sys.argv[1])
sentences = [s.split("\n") for s in open("words").read().strip().split("\n\n")]

def tagged(*options):
    out = subprocess.run(["caucus", "tag", "-q", "-m", "kitchen.cau", "--no-label", *options, "words"],
                         capture_output=True, text=True, check=True).stdout
    return [[line.split("\t")[1:] if line[:2] != "# " else [line] for line in s.split("\n")]
            for s in out.strip().split("\n\n")]

def served(options, body=None):
    body = body or json.dumps({"sequences": [[[w] for w in s] for s in sentences]})
    status, _, answer = client.ask(c, "POST", "/v1/tag" + options, body, Content_Type="application/json")
    assert status == 200, answer
    return json.loads(answer)["sequences"]

got, want = served("?probabilities&label-probability"), tagged("-p")
assert len(got) == len(want) == 400
for g, w in zip(got, want):
    assert g["labels"] == [t[0] for t in w]
    for t, line in enumerate(w):
        for name, p in (field.rsplit(":", 1) for field in line[1:]):
            assert abs(g["probabilities"][t][name] - float(p)) < 1e-8
        assert g["label_probabilities"][t] == g["probabilities"][t][g["labels"][t]]
got, want = served("?top=2"), tagged("--top", "2")
for g, w in zip(got, want):
    assert [list(p) for p in g["probabilities"]] == [[f.rsplit(":", 1)[0] for f in t[1:]] for t in w]
got, want = served("?nbest=3"), iter(tagged("-n", "3"))
for g in got:
    for one in g["nbest"]:
        head, *lines = next(want)
        assert abs(float(head[0].split()[2]) - one["probability"]) < 1e-8
        assert [t[0] for t in lines] == one["labels"]
assert next(want, None) is None
got, want = served("?segments&scheme=iob2&sequence-probability"), tagged("--segments", "--scheme", "iob2",
                                                                         "--sequence-probability")
for g, (head, *w) in zip(got, want):
    assert abs(float(head[0].split()[1]) - g["probability"]) < 1e-8
    assert [(s["begin"], round(s["probability"], 7)) for s in g["segments"]] == \
        [(t, round(float(line[1]), 7)) for t, line in enumerate(w) if line[1] != "_"]
    for s in g["segments"]:
        assert g["labels"][s["begin"]] == "B-" + s["type"] and s["begin"] < s["end"]
assert served("?decode=posterior")[5]["labels"] == [t[0] for t in tagged("--decode", "posterior")[5]]
print("400 sentences agree")
END
python3 compare.py "$url" || cat served

echo "= sentences and forced labels"
echo '2 cups of flour' | http POST '/v1/tag' "$plain"
echo '{"tokens":["2","cups",{"cells":["of"],"label":"B-NAME"},"flour"]}' | http POST /v1/tag "$json"
printf '2\t?\ncups\tB-NAME|O\n' | http POST '/v1/tag?forced' "$tsv"
printf '2\tB-NAME\ncups\tB-NAME\n' | http POST '/v1/tag' "$tsv"

echo "= features and texts"
echo '{"tokens":[{"features":{"w=cat":2,"s":1}},["w=sat","new"]]}' | http POST '/v1/tag?model=pets' "$json"
echo '{"tokens":[{"features":["pay"]}]}' | http POST "/v1/tag?model=desk" "$json"
echo '{"tokens":["Is the library open?",{"text":"Pay a fine"}]}' |
    http POST '/v1/tag?model=desk' "$json"

echo "= the interface is as docs/openapi.json says"
cat >interface.py <<'END'
import json, sys
import client

c, api = client.connect(sys.argv[1]), json.load(open(sys.argv[2]))
schemas = api["components"]["schemas"]

def check(value, schema, place):
    """Every key of the value is in the schema, and every key that the schema requires in the value."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
    if isinstance(value, list):
        for item in value:
            check(item, schema["items"], place + "[]")
    elif isinstance(value, dict) and "properties" in schema:
        assert set(schema.get("required", [])) <= set(value) <= set(schema["properties"]), (place, value)
        for key, item in value.items():
            check(item, schema["properties"][key], place + "." + key)

samples = {"top": "2", "nbest": "2", "decode": "posterior", "scheme": "iob2", "model": "kitchen", "against": "?+B-NAME"}
for path, methods in api["paths"].items():
    for method, operation in methods.items():
        arguments = [p["name"] for p in operation.get("parameters", [])] or [None]
        for name in arguments:
            address = path + (f"?{name}={samples.get(name, '')}" if name else "")
            status, headers, body = client.ask(c, method.upper(), address, b"2 cups" if method == "post" else None,
                                               Content_Type="text/plain")
            kind = headers["Content-Type"].split(";")[0]
            if status != 200:
                print(address, status, json.loads(body)["error"])
                continue
            content = operation["responses"]["200"].get("content")
            if content and kind == "application/json":
                check(json.loads(body), content[kind]["schema"], path)
        print(method, path, *filter(None, arguments))
END
python3 interface.py "$url" "$CASE/../../docs/openapi.json"

echo "= the reasons are those of inspect"
printf '4\ncloves\n' >two
caucus inspect --explain "$(cat two)" --no-label --json kitchen.cau >want
http POST /v1/explain "$tsv" <two | sed '1{/^200$/d}' | cmp - want
printf '?\tw=cat:2\ts\n?\ta:b' >two
caucus inspect --explain '?	w=cat:2	s
?	a\:b' --format crfsuite --json pets.cau >want
echo '{"tokens":[{"features":{"w=cat":2,"s":1}},["a:b"]]}' | http POST '/v1/explain?model=pets' "$json" |
    sed '1{/^200$/d}' | cmp - want
caucus inspect --explain 'Pay a fine' --json desk.cau >want
echo 'Pay a fine' | http POST '/v1/explain?model=desk' "$plain" | sed '1{/^200$/d}' | cmp - want

echo "= bad requests"
cat >bad.py <<'END'
import re, sys
import client

PLAIN, TSV, JSON = "text/plain", "text/tab-separated-values; charset=utf-8", "application/json"
c = client.connect(sys.argv[1])
for body, path, type in [
    (b"", "/v1/tag", PLAIN),
    (b"x", "/v1/tag", "image/png"),
    (b"x", "/v1/tag?model=../kitchen", PLAIN),
    (b"x", "/v1/tag?drop=U*", PLAIN),
    (b"x", "/v1/tag?nbest=x", PLAIN),
    (b"x", "/v1/tag?nbest=101", PLAIN),
    (b"x", "/v1/tag?scheme=no", PLAIN),
    (b"x", "/v1/tag?nbest=2&decode=posterior", PLAIN),
    (b"x", "/v1/tag?nbest=2%0asegments", PLAIN),
    (b"2 cups\n", "/v1/tag?model=pets", PLAIN),
    (b"2 cups\n", "/v1/tag?model=desk", TSV),
    (b"a\n\na\tb\tc\n", "/v1/tag", TSV),
    (b"a\tO\nb\tNO\n", "/v1/tag?forced", TSV),
    (b"a\0b", "/v1/tag", PLAIN),
    (b"a \xff b", "/v1/tag", PLAIN),
    (b"a \xff b", "/v1/tag?model=desk", PLAIN),
    (b'{"tokens":["2"', "/v1/tag", JSON),
    (b'{"tokens":["\xff"]}', "/v1/tag", JSON),
    (b'{"tokens":["2"],"nbest":2}', "/v1/tag", JSON),
    (b'{"tokens":[]}', "/v1/tag", JSON),
    (b'{"sequences":[["2"],[]]}', "/v1/tag", JSON),
    (b'{"sequences":[["2"],"2"]}', "/v1/tag", JSON),
    (b'{"tokens":["2",3]}', "/v1/tag", JSON),
    (b'{"tokens":["2",["a",5]]}', "/v1/tag", JSON),
    (b'{"tokens":["2",["a","b"]]}', "/v1/tag", JSON),
    (b'{"tokens":[{"cells":["2"],"text":"x"}]}', "/v1/tag", JSON),
    (b'{"tokens":[{"text":"x"}]}', "/v1/tag", JSON),
    (b'{"tokens":[{"cells":"x"}]}', "/v1/tag", JSON),
    (b'{"tokens":[{"features":{"a":"b"}}]}', "/v1/tag?model=pets", JSON),
    (b'{"tokens":[{"features":{"a":1e999}}]}', "/v1/tag?model=pets", JSON),
    (b'{"tokens":[{"cells":["2"],"label":"NO"}]}', "/v1/tag", JSON),
    (b'{"tokens":[{"text":"2","label":"O"},"2"]}', "/v1/tag?model=desk", JSON),
    (b"a b", "/v1/explain?against=?", PLAIN),
    (b"a b", "/v1/explain?nbest=2", PLAIN),
    (b"a\nb", "/v1/explain", PLAIN),
    (b'{"tokens":[""]}', "/v1/explain", JSON),
    (b'{"tokens":["a\\tb"]}', "/v1/explain", JSON),
    (b"[]", "/v1/tag", JSON),
    (b"[" * 100000, "/v1/tag", JSON),
]:
    status, _, answer = client.ask(c, "POST", path, body, Content_Type=type)
    print(status, re.sub("(malformed JSON).*", r"\1\"}", answer.decode().strip()))
for method, path in [("GET", "/v1/tag"), ("POST", "/v1/models"), ("DELETE", "/"), ("GET", "/none"),
                     ("GET", "/../../etc/passwd"), ("HEAD", "/v1/models")]:
    status, headers, answer = client.ask(c, method, path)
    print(status, answer.decode().strip())
END
python3 bad.py "$url"
stop_server
cat served | sed 's/:[0-9]*;/:PORT;/'
