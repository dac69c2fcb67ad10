"""A server as one writes it first: each request is a thread's, and a call of python-crfsuite.

    baseline.py MODEL

The features of the kitchen example are made by its template in Python, for the few patterns that matter; so the
work for each request is less than that of Caucus.
"""
import http.server
import json
import sys
import threading

import pycrfsuite


def features(words):
    """Some of the default features of a word and its neighbours."""
    for t, word in enumerate(words):
        at = lambda k: words[t + k] if 0 <= t + k < len(words) else "_B"
        yield ["U%02d:%s" % (2 + k, at(k)) for k in (-2, -1, 0, 1, 2)] + \
            ["U08:" + word.lower(), "U10:" + word[:1], "U11:" + word[:2], "U14:" + word[-1:], "U15:" + word[-2:]]


own = threading.local()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        words = self.rfile.read(int(self.headers["Content-Length"])).decode().split()
        if not hasattr(own, "tagger"): # a tagger belongs to one thread
            own.tagger = pycrfsuite.Tagger()
            own.tagger.open(sys.argv[1])
        body = json.dumps({"tokens": words, "labels": own.tagger.tag(list(features(words)))}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("serving on http://127.0.0.1:%d" % server.server_port, file=sys.stderr, flush=True)
server.serve_forever()
