# Limits and access of `caucus serve`: large bodies, slow clients, a full queue, wrong hosts, tokens.
PYTHONPATH=$CASE
export PYTHONPATH
caucus serve -m none.cau 2>&1 | grep -q 'built without' && { echo "built without libmicrohttpd"; exit 77; }
caucus train -q --max-iterations 10 -o m.cau "$EXAMPLES/kitchen/train.txt"

echo "= wrong usage"
printf 'short\n' >weak
printf '0123456789abcdef\nsecond line\n' >token
run serve
run serve -m none.cau
run serve -m weak
run serve -m m.cau -m ./m.cau
run serve -m m.cau --host 0.0.0.0
run serve -m m.cau --host 0.0.0.0 --token-file weak
run serve -m m.cau --host no.such.host.invalid 2>&1 | sed 's/invalid: .*/invalid: REASON/'
run serve -m m.cau --port 70000
run serve -m m.cau --access-log /nowhere/log
run serve -m m.cau extra

echo "= a port that is taken"
serve -m m.cau
run serve -m m.cau --port "${url##*:}" 2>&1 | sed 's/[0-9]*: Addr/PORT: Addr/; s/--port [0-9][0-9]*/--port N/'

echo "= other hosts and origins"
cat >hosts.py <<'END'
import sys
import client
c = client.connect(sys.argv[1])
port = sys.argv[1].rsplit(":", 1)[1]
for headers in [dict(Host="localhost:" + port), dict(Host="evil.example:" + port),
                dict(Host="localhost.evil.example"), dict(Host="127.0.0.1.evil.example"),
                dict(Host="localhost:" + port, Origin="http://localhost:" + port),
                dict(Host="localhost:" + port, Origin="http://evil.example"),
                dict(Host="localhost:" + port, Origin="null")]:
    status, _, body = client.ask(c, "GET", "/v1/models", **headers)
    print({k: v.replace(port, "PORT") for k, v in headers.items()}, status,
          body.decode().strip() if status != 200 else "")
END
python3 hosts.py "$url"
stop_server

echo "= a token"
serve -m m.cau --token-file token
cat >token.py <<'END'
import sys
import client
c = client.connect(sys.argv[1])
for path in ["/healthz", "/v1/models", "/metrics", "/"]:
    for given in [None, "Bearer 0123456789abcdef", "bearer 0123456789abcdef", "Bearer 0123456789abcdeg",
                  "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "Bearer ", "Basic x", ""]:
        headers = dict(Authorization=given) if given is not None else {}
        status, got, body = client.ask(c, "GET", path, Host="somewhere.example", **headers)
        print(status, end=" ")
        assert (status == 401) == (got["WWW-Authenticate"] == "Bearer")
    print(path)
END
python3 token.py "$url"
stop_server

echo "= bodies that are too large, and requests that are none"
serve -m m.cau --max-body 1000 --max-time 0.6 --max-connections 50 --access-log log
cat >broken.py <<'END'
import random, socket, sys, time, urllib.parse
import client

url = urllib.parse.urlsplit(sys.argv[1])
plain = dict(Content_Type="text/plain")

def raw(data, wait=5, whole=False):
    """What the server answers to these bytes, and whether it closes the connection."""
    s = socket.create_connection((url.hostname, url.port), timeout=wait)
    got, closed = b"", False
    try:
        s.sendall(data)
        while True:
            part = s.recv(65536)
            if not part:
                closed = True
                break
            got += part
            if got.endswith(b"}\n") and not whole:
                break
    except TimeoutError:
        pass
    except ConnectionError:
        closed = True
    s.close()
    return got[9:12].decode(), closed

c = client.connect(sys.argv[1])
print(client.ask(c, "POST", "/v1/tag", b"a " * 500, **plain)[0], "1000 bytes")
status, _, body = client.ask(c, "POST", "/v1/tag", b"a " * 501, **plain)
print(status, body.decode().strip())
c = client.connect(sys.argv[1])
chunks = (b"a " * 100 for _ in range(6))
status, _, body = client.ask(c, "POST", "/v1/tag", chunks, **plain)
print(status, body.decode().strip())
head = b"POST /v1/tag HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
print(raw(head + b"Content-Length: 99999999999\r\n\r\na"), "a body of 100 GB")
print(raw(head + b"Content-Length: 99999999999999999999999\r\n\r\na")[0], "no length")
print(raw(head + b"Content-Length: 4\r\nConnection: close\r\n\r\na b\n", whole=True), "closed when asked to")
print(raw(b"GET /healthz HTTP/1.0\r\n\r\n"), "HTTP/1.0")
print(raw(b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 100000 + b"\r\n\r\n")[0], "large headers")
print(raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n")[1], "a TLS greeting is closed")
two = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2
s = socket.create_connection((url.hostname, url.port), timeout=5)
s.sendall(two)
got = b""
while got.count(b"}\n") < 2:
    got += s.recv(65536)
print(got.count(b"200 OK"), "answers to two requests at once")

# A client that sends a byte now and then, and one that sends nothing, are cut off.
for name, first, every in [("headers", b"GET /heal", b"t"), ("body", head + b"Content-Length: 900\r\n\r\n", b"a "),
                           ("nothing", b"", b"")]:
    s = socket.create_connection((url.hostname, url.port), timeout=0.1)
    begin, closed = time.time(), False
    try:
        s.sendall(first)
        while time.time() - begin < 8 and not closed:
            if every:
                s.sendall(every)
            try:
                closed = s.recv(1000) == b""
            except TimeoutError:
                pass
    except ConnectionError:
        closed = True
    print(name, "closed", closed, "in time", time.time() - begin < 6)

# Random damage: whatever comes, the server still answers.
random.seed(1)
whole = head + b"Content-Length: 15\r\n\r\n2 cups of flour"
for _ in range(300):
    data = bytearray(whole)
    for _ in range(random.randint(1, 8)):
        data[random.randrange(len(data))] = random.randrange(256)
    raw(bytes(data[:random.randrange(1, len(data) + 1)]), wait=0.01)
c = client.connect(sys.argv[1])
print(client.ask(c, "GET", "/healthz")[0], "after damaged requests")
END
python3 broken.py "$url"
python3 -c '
import json
lines = [json.loads(line) for line in open("log")]
print("the log has lines of JSON:", len(lines) > 5, sorted(lines[0]))'
stop_server

echo "= a full queue"
serve -m m.cau --threads 1 --max-queue 2
cat >queue.py <<'END'
import collections, sys, threading
import client

body = b"2 cups of flour and " * 5000
seen, lock = collections.Counter(), threading.Lock()

def one():
    status, headers, answer = client.ask(client.connect(sys.argv[1], 60), "POST", "/v1/tag?nbest=20", body,
                                         Content_Type="text/plain")
    with lock:
        seen[status] += 1
        if status == 503:
            assert headers["Retry-After"] == "1"
            seen[answer.decode().strip()] += 1

threads = [threading.Thread(target=one) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print("some are answered:", seen[200] > 0, "and some refused:", seen[503] > 0, "all of them:", seen[200] + seen[503])
print([k for k in seen if isinstance(k, str) and "waiting" in k])
END
python3 queue.py "$url"
http GET /metrics | grep -c '^caucus_requests_total{path="/v1/tag",code="503"} [1-9]'
stop_server
