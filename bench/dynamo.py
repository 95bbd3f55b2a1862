"""DynamoDB requests over HTTP, as those who load and start servers send them."""
import http.client
import json
import time
import urllib.parse

# Servers close connections that are idle for longer: ours after 75 s.
KEPT_SECONDS = 30
HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": "AWS4-HMAC-SHA256 Credential=bench/20260101/us-east-1/dynamodb/aws4_request, "
                     "SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=" + "0" * 64,
}


def target(operation):
    return {"X-Amz-Target": f"DynamoDB_20120810.{operation}"}


def lines_of(headers):
    return tuple(f"{name}: {value}" for name, value in headers.items())


class Client:
    """One kept-alive connection; not for two threads at a time."""

    def __init__(self, url):
        address = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        self.used_at = time.monotonic()

    def call(self, operation, body):
        if time.monotonic() - self.used_at > KEPT_SECONDS:
            self.connection.close()  # the next request opens it anew
        text = body if isinstance(body, str) else json.dumps(body)
        headers = {**HEADERS, **target(operation)}
        self.connection.request("POST", "/", text, headers)
        reply = self.connection.getresponse()
        answer = json.loads(reply.read() or b"{}")
        self.used_at = time.monotonic()
        return reply.status, answer

    def expect(self, operation, body):
        status, reply = self.call(operation, body)
        if status != 200:
            raise RuntimeError(f"{operation} answered {status}: {json.dumps(reply)[:300]}")
        return reply
