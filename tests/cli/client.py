"""A client for tests of `caucus serve`.

    client.py URL METHOD PATH [HEADER: VALUE]... [< BODY]    prints the status and the body
"""
import http.client
import sys
import urllib.parse


def connect(url, timeout=20):
    parts = urllib.parse.urlsplit(url)
    return http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)


def ask(connection, method, path, body=None, **headers):
    """The status, the headers and the body of the answer to a request."""
    connection.request(method, path, body,
                       {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


if __name__ == "__main__":
    url, method, path, *headers = sys.argv[1:]
    given = dict(header.split(": ", 1) for header in headers)
    status, got, body = ask(connect(url), method, path,
                            sys.stdin.buffer.read() if method == "POST" else None, **given)
    print(status)
    sys.stdout.flush()
    sys.stdout.buffer.write(body)
