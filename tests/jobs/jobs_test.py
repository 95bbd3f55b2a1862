"""Outbox, deliveries and jobs of a small model (tests/runtime/parcels.yaml) through the sockets."""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import pathlib
import re
import shutil
import socket
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.dynamo import Client  # noqa: E402
from lib.runner import run_module  # noqa: E402
from lib.server import Server, StartFailed  # noqa: E402

MODEL = str(pathlib.Path(__file__).resolve().parent.parent / "runtime" / "parcels.yaml")
SECRET = "a secret of at least thirty-two bytes"
PATIENCE = 60


def eventually(what, why=""):
    """The first true answer of `what`."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = what()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"did not happen in {PATIENCE} s: {why}")


class Provider:
    """Stands in for whoever takes deliveries: keeps the requests, answers as told, or holds them."""

    def __init__(self, status=200, answer=None):
        self.status, self.answer = status, answer or {}
        self.requests = []
        self.release = threading.Event()
        self.release.set()
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                provider.requests.append((self.path, dict(self.headers), json.loads(body)))
                provider.release.wait(PATIENCE)
                text = json.dumps(provider.answer).encode()
                with contextlib.suppress(OSError):
                    self.send_response(provider.status)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def variables(self, name):
        return {f"GATELEG_{name}_URL": f"http://127.0.0.1:{self.port}/hook",
                "GATELEG_OUTBOUND_ALLOW": f"127.0.0.1:{self.port}"}

    def keys(self):
        return [headers.get("Idempotency-Key") for _, headers, _ in list(self.requests)]

    def close(self):
        self.release.set()
        self._server.shutdown()
        self._server.server_close()


class World:
    """A data directory, and a server on it that can be killed and started again."""

    def __init__(self):
        self.data = tempfile.mkdtemp(prefix="gateleg-jobs-")
        self.server = None

    def start(self, env=None, args=()):
        self.server = Server(self.data, ["--model", MODEL, *args],
                             {"GATELEG_JWT_SECRET": SECRET, "GATELEG_OUTBOX_POLL": "PT0.1S", **(env or {})}, http=True)
        self.dynamo = Client(self.server.host, self.server.port)
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.server and self.server.alive():
            self.server.kill()
        shutil.rmtree(self.data, ignore_errors=True)

    def call(self, method, path, body=None, roles=None, user="root"):
        """(status, answer)"""
        request = urllib.request.Request(self.server.http_url + "/v1/parcels" + path, method=method)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if roles is not None:
            request.add_header("Authorization", "Bearer " + token(user, roles))
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
                return reply.status, json.loads(reply.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def register(self, name):
        status, answer = self.call("POST", "/items", {"id": name, "owner": "ann"})
        assert status == 201, answer

    def send(self, name, kind, payload):
        status, answer = self.call("POST", f"/items/{name}/send", {"kind": kind, "payload": payload})
        assert status == 200, answer

    def rows(self, prefix):
        return [item for item in self.dynamo.scan("parcels", ConsistentRead=True)
                if item["PK"]["S"].startswith(prefix)]

    def parcel(self, name):
        status, answer = self.call("GET", f"/items/{name}")
        assert status == 200, answer
        return answer


def token(user, roles):
    def encode(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=")
    claims = {"sub": user, "roles": roles, "exp": int(time.time()) + 3600}
    text = encode(b'{"alg":"HS256","typ":"JWT"}') + b"." + encode(json.dumps(claims).encode())
    return (text + b"." + encode(hmac.new(SECRET.encode(), text, hashlib.sha256).digest())).decode()


def test_commit_then_kill():
    """X-R11: a row whose server was killed before it had a target is delivered after the restart"""
    with World() as world:
        world.start()
        world.register("p1")
        world.send("p1", "parcel-call", {"id": "p1", "token": "tok"})
        row = world.rows("OUTBOX#")[0]
        assert row["attempts"]["N"] == "0" and "leaseOwner" not in row, row
        world.server.kill()
        provider = Provider(answer={"request_id": "r-9"})
        world.start(provider.variables("PARCEL_CALL"))
        done = eventually(lambda: world.rows("OUTBOXDONE#"), world.server.log())[0]
        assert provider.keys() == [row["SK"]["S"]]
        assert provider.requests[0][2]["payload"] == {"id": "p1", "token": "tok"}, provider.requests
        assert done["SK"] == row["SK"] and int(done["ttl"]["N"]) > time.time() + 29 * 86400, done
        assert done["payload"] == {"M": {"id": {"S": "p1"}}}, "the token is erased"
        assert not world.rows("OUTBOX#")
        assert world.parcel("p1")["tracking"] == "r-9"
        assert world.server.stop() == 0, world.server.log()
        provider.close()


def test_kill_during_delivery():
    """X-R11: killed while the receiver works: delivered again under the same key, without waiting for a lease"""
    with World() as world:
        provider = Provider(answer={"request_id": "r-1"})
        provider.release.clear()
        world.start(provider.variables("PARCEL_CALL"))
        world.register("p1")
        world.send("p1", "parcel-call", {"id": "p1"})
        eventually(lambda: provider.requests, world.server.log())
        world.server.kill()
        provider.release.set()
        world.start(provider.variables("PARCEL_CALL"))
        eventually(lambda: world.rows("OUTBOXDONE#"), world.server.log())
        keys = provider.keys()
        assert len(keys) == 2 and len(set(keys)) == 1, keys
        assert world.parcel("p1")["tracking"] == "r-1"
        provider.close()


def test_stop_during_delivery():
    """SIGTERM in the middle of a delivery ends the server, and the attempt does not count"""
    with World() as world:
        provider = Provider()
        provider.release.clear()
        world.start(provider.variables("ALERT"))
        world.register("p1")
        world.send("p1", "alert", {})
        eventually(lambda: provider.requests, world.server.log())
        assert world.server.stop(PATIENCE) == 0, world.server.log()
        world.start()
        row = world.rows("OUTBOX#")[0]
        assert row["attempts"]["N"] == "0" and "leaseOwner" not in row, row
        provider.close()


def test_dead_letter():
    """X-R11: after the last attempt a row is dead, and its system hears of it"""
    with World() as world:
        provider = Provider(status=500)
        world.start({**provider.variables("PARCEL_CALL"), "GATELEG_OUTBOX_ATTEMPTS": "3",
                     "GATELEG_OUTBOX_BACKOFF": "PT0.1S"})
        world.register("p1")
        world.send("p1", "parcel-call", {"id": "p1"})
        dead = eventually(lambda: world.rows("OUTBOXDEAD#"), world.server.log())[0]
        assert dead["attempts"]["N"] == "3" and dead["lastError"]["S"] == "the answer was 500", dead
        assert re.fullmatch(r"OUTBOXDEAD#\d{8}", dead["PK"]["S"]), dead
        assert provider.keys() == [dead["SK"]["S"]] * 3
        assert world.parcel("p1")["state"] == "lost"
        assert not world.rows("OUTBOX#")
        provider.close()


def test_private_targets():
    """row 51: a private address that GATELEG_OUTBOUND_ALLOW does not list is not called"""
    with World() as world:
        provider = Provider()
        variables = provider.variables("ALERT")
        variables["GATELEG_OUTBOUND_ALLOW"] = f"127.0.0.1:{provider.port % 65535 + 1}"
        world.start(variables)
        world.register("p1")
        world.send("p1", "alert", {})
        row = eventually(lambda: [row for row in world.rows("OUTBOX#") if row["attempts"]["N"] != "0"],
                         world.server.log())[0]
        assert "no public address" in row["lastError"]["S"], row
        assert not provider.requests
        provider.close()


def test_spool():
    """Mails go into the spool, one file each, and their tokens do not stay in the table"""
    with World() as world:
        spool = pathlib.Path(world.data) / "spool"
        world.start({"GATELEG_SMTP_URL": f"spool:{spool}", "GATELEG_PUBLIC_URL": "https://example.com"})
        world.register("p1")
        world.send("p1", "verify-mail", {"email": "ann@example.com", "token": "t0k3n"})
        done = eventually(lambda: world.rows("OUTBOXDONE#"), world.server.log())[0]
        text = (spool / (done["SK"]["S"] + ".eml")).read_text()
        assert "To: ann@example.com\n" in text and "token=t0k3n" in text, text
        assert "t0k3n" not in json.dumps(world.rows("OUTBOX")), "the token is erased"
        assert [path.name for path in spool.iterdir()] == [done["SK"]["S"] + ".eml"]


class MailServer:
    """As much of SMTP as a delivery needs; keeps (sender, recipient, text)."""

    def __init__(self):
        self.mails = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError), connection, connection.makefile("rwb", buffering=0) as stream:
            stream.write(b"220 ready\r\n")
            sender = recipient = ""
            for line in stream:
                word = line.strip().upper()
                if word.startswith(b"MAIL"):
                    sender = line.decode().strip()
                elif word.startswith(b"RCPT"):
                    recipient = line.decode().strip()
                elif word == b"DATA":
                    stream.write(b"354 go on\r\n")
                    text = b""
                    for part in stream:
                        if part == b".\r\n":
                            break
                        text += part
                    self.mails.append((sender, recipient, text.decode()))
                elif word == b"QUIT":
                    stream.write(b"221 bye\r\n")
                    return
                stream.write(b"250 ok\r\n")

    def close(self):
        self._socket.close()


def test_smtp():
    """Mails go to a mail server"""
    with World() as world:
        mails = MailServer()
        world.start({"GATELEG_SMTP_URL": f"smtp://127.0.0.1:{mails.port}", "GATELEG_MAIL_FROM": "post@example.com",
                     "GATELEG_OUTBOUND_ALLOW": f"127.0.0.1:{mails.port}"})
        world.register("p1")
        world.send("p1", "mail", {"to": "ann@example.com", "subject": "Hello", "text": "A line\n.\nanother"})
        eventually(lambda: world.rows("OUTBOXDONE#"), world.server.log())
        sender, recipient, text = mails.mails[0]
        assert "<post@example.com>" in sender and "<ann@example.com>" in recipient, mails.mails
        assert "Subject: Hello\r\n" in text and "A line\r\n..\r\nanother" in text, text
        mails.close()


def test_scheduler():
    """A job with `every` runs by itself, and again after a restart"""
    with World() as world:
        world.start()
        world.register("p1")
        eventually(lambda: world.parcel("p1")["state"] == "old", world.server.log())
        assert world.parcel("p1")["runs"] == 1
        world.server.kill()
        world.start()
        world.register("p2")
        eventually(lambda: world.parcel("p2")["state"] == "old", world.server.log())
        assert world.parcel("p1")["runs"] == 1
        entry = eventually(lambda: [row for row in world.rows("SCHEDULE#") if "finishedAt" in row])[0]
        assert entry["PK"]["S"] == "SCHEDULE#age-all" and entry["SK"]["S"] == "META", entry
        assert world.server.stop() == 0, world.server.log()


def test_run_once():
    """X-H6: a job runs by its route, judged like any other; under a test clock only so"""
    with World() as world:
        world.start(args=["--test-clock"])
        for number in range(3):
            world.register(f"p{number}")
        assert world.call("POST", "/tasks/age", {})[0] == 401
        assert world.call("POST", "/tasks/age", {}, ["user"])[0] == 403
        status, answer = world.call("POST", "/tasks/age", {"dryRun": True}, ["admin"])
        assert (status, answer) == (200, {"scanned": 3, "changed": 3, "skipped": 0, "done": True, "cursor": None}), answer
        assert world.parcel("p0")["state"] == "fresh"
        status, answer = world.call("POST", "/tasks/age", None, ["admin"])
        assert (status, answer["changed"], answer["done"]) == (200, 3, True), answer
        status, answer = world.call("POST", "/tasks/age", {}, ["admin"])
        assert (answer["changed"], answer["skipped"]) == (0, 3), answer
        status, answer = world.call("POST", "/tasks/lose/ann", {}, ["admin"])
        assert (status, answer["scanned"], answer["changed"]) == (200, 3, 3), answer
        status, answer = world.call("POST", "/tasks/lose/ann", {}, ["admin"])
        assert (answer["changed"], answer["skipped"], answer["failed"]) == (0, 3, 3), answer
        for body, code in (({"cursor": "x"}, "InvalidCursor"), ({"dryRun": 1}, "ValidationFailed"),
                           ({"cursor": 1}, "ValidationFailed"), ({"colour": 1}, "UnknownField"),
                           ({"owner": "bob"}, "UnknownField")):
            status, answer = world.call("POST", "/tasks/lose/ann", body, ["admin"])
            assert (status, answer["error"]["code"]) == (400, code), (body, answer)
        assert not world.rows("SCHEDULE#")
        with urllib.request.urlopen(world.server.http_url + "/openapi.json", timeout=PATIENCE) as reply:
            document = json.loads(reply.read())
        assert "post" in document["paths"]["/v1/parcels/tasks/age"]
        assert "JobReport" in document["components"]["schemas"]


def test_bad_configuration():
    """A variable that cannot be used ends the start with its name"""
    with World() as world:
        try:
            world.start({"GATELEG_OUTBOUND_ALLOW": "localhost"})
        except StartFailed as failed:
            assert failed.code == 2 and "GATELEG_OUTBOUND_ALLOW" in failed.log, failed.log
        else:
            raise AssertionError("it started")


if __name__ == "__main__":
    run_module("__main__")
