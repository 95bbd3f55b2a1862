"""kill -9 in the middle of uploads: each object is the whole old one, the whole new one, or none.

GATELEG_CRASH_ROUNDS and GATELEG_CRASH_SEED change the run.
"""

import hashlib
import http.client
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.runner import run_module  # noqa: E402
from lib.server import Server  # noqa: E402

ROUNDS = int(os.environ.get("GATELEG_CRASH_ROUNDS", "12"))
SEED = int(os.environ.get("GATELEG_CRASH_SEED", "1"))
AUTHORIZATION = "AWS4-HMAC-SHA256 Credential=any/20250101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
SIZES = [10, 5_000, 200_000, 3_000_000]


def call(url, method, path, body=None):
    where = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
    try:
        connection.request(method, path, body=body, headers={"Authorization": AUTHORIZATION})
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read()
    finally:
        connection.close()


def content(name, version):
    """What version N of an object holds: its own seed, so that any mixture shows."""
    chance = random.Random(f"{name}/{version}")
    return chance.randbytes(SIZES[version % len(SIZES)])


class Writer:
    """Writes and deletes its own objects one after the other, and remembers what was acknowledged."""

    def __init__(self, number):
        self.number = number
        self.version = 0
        self.known = {}     # name: version that was acknowledged last, None for deleted
        self.pending = {}   # name: what a request without an answer may have made of it
        self.acknowledged = 0
        self.thread = None
        self.cut = None     # an Event: set just before the disk is cut off; answers after it promise nothing

    def start(self, url):
        self.thread = threading.Thread(target=self.run, args=(url,), daemon=True)
        self.thread.start()

    def run(self, url):
        chance = random.Random(f"{SEED}/{self.number}/{self.version}")
        while True:
            self.version += 1
            name = f"w{self.number}-{chance.randrange(4)}"
            deletes = chance.random() < 0.15
            self.pending[name] = None if deletes else self.version
            try:
                if deletes:
                    status, _, _ = call(url, "DELETE", f"/crash/{name}")
                else:
                    status, _, _ = call(url, "PUT", f"/crash/{name}", content(name, self.version))
            except (OSError, http.client.HTTPException):
                return
            if self.cut and (status >= 500 or self.cut.is_set()):
                return
            assert status in (200, 204), status
            self.known[name] = self.pending.pop(name)
            self.acknowledged += 1

    def check(self, url):
        wrong = []
        for name in sorted(set(self.known) | set(self.pending)):
            status, headers, body = call(url, "GET", f"/crash/{name}")
            allowed = [self.known.get(name)] + ([self.pending[name]] if name in self.pending else [])
            found = [v for v in allowed if (status == 404 if v is None else status == 200 and body == content(name, v))]
            if not found:
                wrong.append(f"{name}: status {status}, {len(body)} bytes, allowed versions {allowed}")
                continue
            if status == 200 and headers["ETag"] != f'"{hashlib.md5(body).hexdigest()}"':
                wrong.append(f"{name}: ETag {headers['ETag']}")
            self.known[name] = found[0]
            self.pending.pop(name, None)
        return wrong


def listed(url):
    status, _, body = call(url, "GET", "/crash?list-type=2")
    assert status == 200
    return set(re.findall(r"<Key>(.*?)</Key>", body.decode()))


def test_kill():
    """objects are whole or not there, whenever the server dies"""
    data = tempfile.mkdtemp(prefix="gateleg-s3-crash-")
    chance = random.Random(SEED)
    writers = [Writer(number) for number in range(8)]
    for number in range(ROUNDS):
        server = Server(data, s3=True)
        if number == 0:
            assert call(server.s3_url, "PUT", "/crash")[0] == 200
        wrong = [line for writer in writers for line in writer.check(server.s3_url)]
        assert not wrong, f"round {number}, seed {SEED}, {data}:\n" + "\n".join(wrong[:20])
        there = {name for writer in writers for name, version in writer.known.items() if version is not None}
        assert listed(server.s3_url) == there
        for writer in writers:
            writer.start(server.s3_url)
        time.sleep(chance.uniform(0.05, 1.5))
        assert server.alive(), server.log()[-3000:]
        server.kill()
        for writer in writers:
            writer.thread.join(60)
            assert not writer.thread.is_alive(), "a client hangs"
    server = Server(data, s3=True)
    wrong = [line for writer in writers for line in writer.check(server.s3_url)]
    assert not wrong, "\n".join(wrong[:20])
    acknowledged = sum(writer.acknowledged for writer in writers)
    assert acknowledged > 0
    print(f"     counts objects-kill kills={ROUNDS} acknowledged={acknowledged} lost=0 | seed={SEED}")
    assert server.stop() == 0, server.log()[-2000:]
    shutil.rmtree(data)


if __name__ == "__main__":
    run_module(__name__)
