"""A full disk: writes are refused quickly and clearly, reads go on, and space freed is space used."""

import base64
import hmac
import http.client
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.dynamo import Client, Failed  # noqa: E402
from lib.runner import Skip, run_module  # noqa: E402
from lib.server import Server, StartFailed  # noqa: E402

TABLE = "full"
SIZE_MB = 700
S3_HEADERS = {"Authorization": "AWS4-HMAC-SHA256 Credential=any/20250101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"}
# Compression must not make room behind our back.
PAD = base64.b64encode(random.Random(1).randbytes(75_000)).decode()


class SmallDisk:
    """A tmpfs of its own, with a file by a stranger to fill it."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="gateleg-full-")
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m,mode=0700", "tmpfs", self.path], capture_output=True, text=True)
        if mounted.returncode != 0:
            os.rmdir(self.path)
            raise Skip(f"cannot mount a tmpfs here: {mounted.stderr.strip()}")
        self.data = os.path.join(self.path, "data")
        self.stranger = os.path.join(self.path, "stranger")
        return self

    def free(self):
        stat = os.statvfs(self.path)
        return stat.f_bavail * stat.f_frsize

    def fill(self, leave):
        """Leaves `leave` bytes free."""
        with open(self.stranger, "ab") as file:
            while self.free() > leave:
                try:
                    file.write(bytes(min(1 << 20, max(4096, self.free() - leave))))
                    file.flush()
                except OSError:
                    return

    def empty(self):
        os.unlink(self.stranger)

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.path], check=False)
        os.rmdir(self.path)


def value(number):
    return f"{number:06d}" + PAD[number % 60_000:] + PAD[:number % 60_000]


def put(client, number):
    client.call("PutItem", TableName=TABLE, Item={"pk": {"S": f"k{number}"}, "v": {"S": value(number)}})


def try_put(client, number):
    """The status of a write and how long it took."""
    started = time.monotonic()
    try:
        put(client, number)
        return 200, time.monotonic() - started, None
    except Failed as error:
        return error.status, time.monotonic() - started, error


def start(disk):
    server = Server(disk.data)
    client = Client(server.host, server.port)
    try:
        client.call("CreateTable", TableName=TABLE, BillingMode="PAY_PER_REQUEST",
                    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    except Failed as error:
        if error.type != "ResourceInUseException":
            raise
    return server, client


def check_reads(client, numbers):
    for number in numbers:
        reply = client.call("GetItem", TableName=TABLE, Key={"pk": {"S": f"k{number}"}}, ConsistentRead=True)
        assert reply["Item"]["v"]["S"] == value(number), f"k{number}"


def wait_for_refusal(client, server, first, seconds=60):
    """Writes until one is refused; the refusals must be 503 ServiceUnavailable, and quick."""
    deadline = time.monotonic() + seconds
    acked = []
    while time.monotonic() < deadline:
        number = first + len(acked)
        status, _, error = try_put(client, number)
        if status == 200:
            acked.append(number)
            continue
        assert status == 503, str(error)
        break
    else:
        raise AssertionError("writes are never refused")
    refusals, reads = [], []
    for number in range(40):
        status, took, error = try_put(client, 90_000 + number)
        assert status == 503 and error.type == "ServiceUnavailable", str(error)
        refusals.append(took)
        started = time.monotonic()
        check_reads(client, [0])
        reads.append(time.monotonic() - started)
    # They wait for nothing. What a busy machine adds, it adds to reads in between too.
    refusal, read = sorted(refusals)[20], sorted(reads)[20]
    print(f"     counts disk-full-refusals | refusal={1000 * refusal:.1f}ms read_beside={1000 * read:.1f}ms")
    assert refusal <= max(0.05, 3 * read), f"refusals took {refusal:.3f} s, reads beside them {read:.3f} s"
    assert server.alive()
    return acked


def wait_for_writes(client, server, number):
    started = time.monotonic()
    while time.monotonic() - started < 60:
        try:
            status, _, error = try_put(client, number)
        except (OSError, http.client.HTTPException) as lost:
            time.sleep(0.5)
            how = "lives" if server.alive() else f"ended with {server.process.poll()}"
            raise AssertionError(f"no answer ({lost!r}), the server {how}\n" + server.log()[-3000:]) from lost
        if status == 200:
            print(f"     counts disk-full-again | writes_again={time.monotonic() - started:.1f}s")
            return
        assert status == 503, str(error)
        time.sleep(0.1)
    raise AssertionError("writes do not come back\n" + server.log()[-2000:])


def test_stranger():
    """a stranger fills the disk: 503 at once, reads go on, freed space is used, nothing lost"""
    with SmallDisk() as disk:
        server, client = start(disk)
        for number in range(50):
            put(client, number)
        for leave in (20 << 20, 0):
            disk.fill(leave)
            time.sleep(1.2)
            acked = wait_for_refusal(client, server, 1000 + leave % 7)
            check_reads(client, [*range(50), *acked])
            disk.empty()
            wait_for_writes(client, server, 500)
            check_reads(client, [*range(50), 500, *acked])
            print(f"     counts disk-full filled=1 acknowledged={50 + len(acked)} lost=0")
        assert server.stop() == 0, server.log()[-2000:]
        again, client = start(disk)
        check_reads(client, [*range(50), 500])
        assert again.stop() == 0


def test_own_writes():
    """the server's own writes fill the disk: refused before the last byte, no abort, nothing lost"""
    with SmallDisk() as disk:
        server, client = start(disk)
        acked = []
        for number in range(12_000):
            try:
                status, _, error = try_put(client, number)
            except (OSError, http.client.HTTPException) as lost:
                raise AssertionError(f"after {number} writes: {lost!r}\n" + server.log()[-2000:]) from lost
            if status != 200:
                assert status == 503, str(error)
                break
            acked.append(number)
        else:
            raise AssertionError("1.2 GB went onto a disk of 700 MB")
        assert server.alive()
        # A compaction under way may borrow what is left and gives it back when it ends or fails.
        deadline = time.monotonic() + 20
        while disk.free() == 0 and time.monotonic() < deadline:
            time.sleep(0.2)
        assert server.alive() and disk.free() > 0, server.log()[-2000:]
        check_reads(client, acked[:20] + acked[-20:])
        print(f"     counts disk-full filled=1 acknowledged={len(acked)} lost=0")
        server.kill()
        again, client = start_or_explain(disk)
        if again:
            check_reads(client, acked[:20] + acked[-20:])
            again.kill()


def test_all_faces():
    """row 41: on a full disk objects and the systems API refuse writes clearly too, and go on reading"""
    secret = "a secret that only this test knows, 32+ bytes"
    with SmallDisk() as disk:
        server = Server(disk.data, ["--systems", "stories"], env={"GATELEG_JWT_SECRET": secret}, http=True, s3=True)
        assert request(server.s3_url, "PUT", "/full", S3_HEADERS)[0] == 200
        assert request(server.s3_url, "PUT", "/full/kept", S3_HEADERS, b"kept")[0] == 200
        headers = {"Authorization": "Bearer " + token(secret), "Content-Type": "application/json"}
        status, body = request(server.http_url, "POST", "/v1/stories", headers, b'{"title":"kept"}')
        assert status == 201, body
        disk.fill(0)
        deadline = time.monotonic() + 30
        while request(server.http_url, "POST", "/v1/stories", headers, b'{"title":"more"}')[0] == 201:
            assert time.monotonic() < deadline, "writes are never refused"
            time.sleep(0.1)
        status, body = request(server.http_url, "POST", "/v1/stories", headers, b'{"title":"more"}')
        assert status in (503, 507) and b'"code"' in body, f"{status} {body}"
        status, body = request(server.s3_url, "PUT", "/full/more", S3_HEADERS, b"x" * 200_000)
        assert status in (503, 507) and b"<Code>" in body, f"{status} {body}"
        for what in (disk.path.encode(), b"No space"):
            assert what not in body, "the reply tells too much"
        status, body = request(server.s3_url, "GET", "/full/kept", S3_HEADERS)
        assert (status, body) == (200, b"kept"), f"{status} {body}"
        status, body = request(server.http_url, "GET", "/v1/stories", headers)
        assert status == 200 and b'"kept"' in body, f"{status} {body}"
        assert server.alive()
        disk.empty()
        deadline = time.monotonic() + 30
        while request(server.s3_url, "PUT", "/full/more", S3_HEADERS, b"x")[0] != 200:
            assert time.monotonic() < deadline, "objects do not come back\n" + server.log()[-2000:]
            time.sleep(0.1)
        # Tables and objects are two stores; each sees by itself that there is room again.
        while request(server.http_url, "POST", "/v1/stories", headers, b'{"title":"again"}')[0] != 201:
            assert time.monotonic() < deadline, "stories do not come back\n" + server.log()[-2000:]
            time.sleep(0.1)
        print("     counts disk-full filled=1")
        assert server.stop() == 0, server.log()[-2000:]


def request(url, method, path, headers, body=None):
    where = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
    try:
        connection.request(method, path, body=body, headers=headers)
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


def token(secret):
    encode = lambda value: base64.urlsafe_b64encode(value).rstrip(b"=")  # noqa: E731
    claims = json.dumps({"sub": "writer", "roles": ["user"], "exp": int(time.time()) + 7200}).encode()
    signed = encode(b'{"alg":"HS256","typ":"JWT"}') + b"." + encode(claims)
    return (signed + b"." + encode(hmac.new(secret.encode(), signed, "sha256").digest())).decode()


def start_or_explain(disk):
    try:
        return start(disk)
    except StartFailed as refusal:
        assert refusal.code and refusal.code > 0 and "space" in refusal.log.lower(), str(refusal)[-2000:]
        return None, None


def test_full_at_start():
    """full at start: reads are served or the reason is told, no abort; after freeing it works"""
    with SmallDisk() as disk:
        server, client = start(disk)
        for number in range(30):
            put(client, number)
        server.kill()
        disk.fill(0)
        try:
            server = Server(disk.data)
            client = Client(server.host, server.port)
            check_reads(client, range(30))
            status, _, error = try_put(client, 100)
            assert status == 503, str(error)
            disk.empty()
            wait_for_writes(client, server, 100)
            assert server.stop() == 0
        except StartFailed as refusal:
            assert refusal.code and refusal.code > 0 and "space" in refusal.log.lower(), str(refusal)[-2000:]
            disk.empty()
            server, client = start(disk)
            check_reads(client, range(30))
            put(client, 100)
            assert server.stop() == 0


if __name__ == "__main__":
    run_module("__main__")
