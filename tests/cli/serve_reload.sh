# Models are loaded again when their files change, and the server stops, without losing a request.
PYTHONPATH=$CASE
export PYTHONPATH
caucus serve -m none.cau 2>&1 | grep -q 'built without' && { echo "built without libmicrohttpd"; exit 77; }
for label in A B; do
    printf '%s\tone two\n%s\tthree\n%s2\tfour\n' $label $label $label >$label.txt
    caucus train -q -f text -o $label.cau $label.txt
done
cp A.cau m.cau
cat >load.py <<'END'
"""Sends requests without a pause until the file `done` appears; counts the answers by status and label."""
import collections, os, sys, threading
import client

seen, lock = collections.Counter(), threading.Lock()

def work():
    c = client.connect(sys.argv[1])
    while not os.path.exists("done"):
        try:
            status, _, body = client.ask(c, "POST", "/v1/tag", b"three", Content_Type="text/plain",
                                         Accept="text/plain")
            what = status, body.decode()
        except Exception as error:
            what = type(error).__name__
        with lock:
            seen[what] += 1

threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(seen))
END
# loaded N: waits until the model has been loaded N times.
loaded() {
    until http GET /metrics | grep -q "^caucus_$1 $2\$"; do sleep 0.1; done
}

serve -m m.cau --access-log log
python3 load.py "$url" >seen &
load=$!
echo "= renamed over"
cp B.cau new && mv new m.cau
loaded reloads_total 1
echo three | http POST /v1/tag 'Content-Type: text/plain' 'Accept: text/plain'
echo "= overwritten in place by a model, and by damage"
cat A.cau >m.cau
loaded reloads_total 2
echo three | http POST /v1/tag 'Content-Type: text/plain' 'Accept: text/plain'
head -c 700 B.cau >m.cau
loaded reload_failures_total 1
echo three | http POST /v1/tag 'Content-Type: text/plain' 'Accept: text/plain'
echo "= removed"
rm m.cau
echo three | http POST /v1/tag 'Content-Type: text/plain' 'Accept: text/plain'
echo "= SIGHUP: the model and the log"
cp B.cau m.cau
loaded reloads_total 3
mv log old.log
kill -HUP $server
loaded reloads_total 4
http GET /v1/models | tail -n 1
sleep 0.6
[ -s log ] && echo "a new log"
touch done
wait $load
cat seen

echo "= stopping answers what has begun"
rm done
cat >slow.py <<'END'
"""A request that is still being sent when the server is asked to stop; new connections are refused."""
import os, signal, socket, sys, time, urllib.parse

url, server = urllib.parse.urlsplit(sys.argv[1]), int(sys.argv[2])
s = socket.create_connection((url.hostname, url.port), timeout=10)
s.sendall(b"POST /v1/tag HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nth")
time.sleep(0.5)
os.kill(server, signal.SIGTERM)
time.sleep(0.7)
try:
    socket.create_connection((url.hostname, url.port), timeout=2)
    print("a new connection")
except ConnectionError:
    print("no new connection")
s.sendall(b"ree")
got = b""
while True:
    part = s.recv(65536)
    if not part:
        break
    got += part
print(got[:15].decode(), b"Connection: close" in got, got.split(b"\r\n\r\n")[1].decode().strip())
END
python3 slow.py "$url" $server
wait $server
echo "server: status $?"
sed 's/[0-9]*; Ctrl/PORT; Ctrl/' served
echo "= a second signal does not wait"
serve -m m.cau
python3 - "$url" $server <<'END'
import os, signal, socket, sys, time, urllib.parse
url, server = urllib.parse.urlsplit(sys.argv[1]), int(sys.argv[2])
s = socket.create_connection((url.hostname, url.port))
s.sendall(b"POST /v1/tag HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nth")
time.sleep(0.5)
os.kill(server, signal.SIGTERM)
time.sleep(0.5)
os.kill(server, signal.SIGINT)
print("closed", s.recv(10))
END
wait $server
echo "server: status $?"
