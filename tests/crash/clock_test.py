"""The clock of the machine jumps: back, a day ahead, ten years ahead, and back again, with restarts between.

A preloaded library (shifted_clock.c) moves the wall clock of the server alone. Time to live goes by it; nothing else may
depend on its going forward: not data, not ids, not idempotency tokens, not the deadlines of connections.
"""

import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.dynamo import Client, Failed  # noqa: E402
from lib.runner import Skip, run_module  # noqa: E402
from lib.server import Server  # noqa: E402

DAY = 86_400
YEAR = 365 * DAY
TABLE = "clock"
WARNING = "the clock is ahead of the time that has passed"
JUMPS = (0, -DAY, DAY, 10 * YEAR, 0)


def build_library(folder):
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "g++", "clang-14"))), None)
    if not compiler:
        raise Skip("no C compiler here")
    source = pathlib.Path(__file__).with_name("shifted_clock.c")
    built = os.path.join(folder, "shifted_clock.so")
    done = subprocess.run([compiler, "-x", "c", "-O1", "-shared", "-fPIC", "-o", built, source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return built


class ShiftedServer:
    """A server whose clock runs at an offset that can be changed while it runs."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="gateleg-clock-")
        self.library = build_library(self.folder)
        self.data = os.path.join(self.folder, "data")
        self.file = os.path.join(self.folder, "offset")
        self.offset = 0
        self.server = None

    def jump(self, offset):
        self.offset = offset
        with open(self.file, "r+b" if os.path.exists(self.file) else "wb") as file:
            file.write(struct.pack("=q", offset))

    def now(self):
        return int(time.time()) + self.offset

    def start(self, *args):
        self.server = Server(self.data, args, env={"LD_PRELOAD": self.library, "SHIFTED_CLOCK": self.file})
        return Client(self.server.host, self.server.port)

    def stop(self):
        assert self.server.stop() == 0, self.server.log()[-2000:]

    def __enter__(self):
        self.jump(0)
        return self

    def __exit__(self, *_):
        if self.server and self.server.alive():
            self.server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def create_table(client):
    client.call("CreateTable", TableName=TABLE, BillingMode="PAY_PER_REQUEST",
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    client.call("UpdateTimeToLive", TableName=TABLE, TimeToLiveSpecification={"AttributeName": "until", "Enabled": True})


def put(client, key, until=None):
    item = {"pk": {"S": key}}
    if until is not None:
        item["until"] = {"N": str(until)}
    client.call("PutItem", TableName=TABLE, Item=item)


def keys(client):
    return {item["pk"]["S"] for item in client.scan(TABLE, ConsistentRead=True)}


def wait_until(holds, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.1)
    return False


def check_faked(shifted, client):
    """That the server goes by the moved clock at all: it names the time when a table was made."""
    name = f"probe-{uuid.uuid4()}"
    made = client.call("CreateTable", TableName=name, BillingMode="PAY_PER_REQUEST",
                       KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                       AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])["TableDescription"]
    assert abs(made["CreationDateTime"] - shifted.now()) < 3600, f"the clock was not moved: {made['CreationDateTime']}"
    return made["TableId"]


def test_time_to_live():
    """T10: items go when their time has come by a clock that is believed, and a clock that goes back brings none back"""
    with ShiftedServer() as shifted:
        client = shifted.start()
        create_table(client)
        put(client, "never")
        put(client, "in-an-hour", shifted.now() + 3600)
        put(client, "in-two-days", shifted.now() + 2 * DAY)
        put(client, "in-twenty-years", shifted.now() + 20 * YEAR)
        put(client, "long-ago", shifted.now() - 60)
        rest = {"never", "in-an-hour", "in-two-days", "in-twenty-years"}
        assert wait_until(lambda: keys(client) == rest), keys(client)
        shifted.jump(-DAY)
        time.sleep(1.5)
        check_faked(shifted, client)
        assert keys(client) == rest, keys(client)
        for offset in (DAY, 10 * YEAR):
            shifted.jump(offset)
            time.sleep(1.5)
            assert keys(client) == rest, "a clock that jumps ahead takes nothing for an hour"
        assert WARNING in shifted.server.log(), shifted.server.log()[-2000:]
        shifted.jump(0)
        time.sleep(1.5)
        shifted.jump(DAY)
        shifted.stop()
        client = shifted.start()
        time.sleep(1.5)
        assert keys(client) == rest, "nor does a restart make such a clock right"
        assert WARNING in shifted.server.log(), shifted.server.log()[-2000:]
        put(client, "still-now", shifted.now() - 60)
        time.sleep(1)
        assert "still-now" in keys(client), "what has ended since stays as long"
        shifted.stop()
        client = shifted.start("--trust-clock")
        rest.discard("in-an-hour")
        assert wait_until(lambda: keys(client) == rest), f"the operator has said that it is right: {keys(client)}"
        assert WARNING not in shifted.server.log()
        shifted.jump(0)
        time.sleep(1.5)
        assert keys(client) == rest, "a clock that goes back brings nothing back and takes nothing"
        shifted.stop()
        client = shifted.start()
        assert keys(client) == rest, "nor does a restart"
        put(client, "long-ago", shifted.now() - 60)
        assert wait_until(lambda: keys(client) == rest), "and what has ended goes as before"
        shifted.stop()


def test_jumps_with_restarts():
    """back a day, a day and ten years ahead, and back: data stays, ids are new, each start works"""
    with ShiftedServer() as shifted:
        written, ids = set(), []
        for number, offset in enumerate(JUMPS):
            shifted.jump(offset)
            client = shifted.start()
            if number == 0:
                create_table(client)
            assert keys(client) == written, f"after a start at {offset:+d} s"
            for jump in JUMPS:
                # While it runs, too.
                shifted.jump(jump)
                name = f"{number}-{jump}-{len(written)}"
                put(client, name)
                written.add(name)
                assert keys(client) == written
                ids.append(check_faked(shifted, client))
            if number % 2:
                shifted.stop()
            else:
                shifted.server.kill()
        assert len(set(ids)) == len(ids), "an id was given out twice"
        print(f"     counts clock jumps={len(JUMPS) * (len(JUMPS) + 1)} starts={len(JUMPS)}")


def test_tokens():
    """T10: a transaction sent again after the clock went back or ahead happens once, also after a restart"""
    with ShiftedServer() as shifted:
        client = shifted.start()
        create_table(client)
        request = {"ClientRequestToken": str(uuid.uuid4()), "TransactItems": [{"Update": {
            "TableName": TABLE, "Key": {"pk": {"S": "counter"}}, "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}}}}]}
        for number, offset in enumerate((0, 0, -DAY, -DAY, 0, 0)):
            shifted.jump(offset)
            if number % 2:
                shifted.server.kill()
                client = shifted.start()
            client.call("TransactWriteItems", **request)
            item = client.call("GetItem", TableName=TABLE, Key={"pk": {"S": "counter"}}, ConsistentRead=True)["Item"]
            assert item["n"] == {"N": "1"}, f"at {offset:+d} s: {item}"
        time.sleep(1.5)  # it must have seen the clock before
        shifted.jump(DAY)
        assert wait_until(lambda: WARNING in shifted.server.log(), 20), shifted.server.log()[-2000:]
        client.call("TransactWriteItems", **request)
        item = client.call("GetItem", TableName=TABLE, Key={"pk": {"S": "counter"}}, ConsistentRead=True)["Item"]
        assert item["n"] == {"N": "1"}, f"a day ahead: {item}"
        shifted.jump(0)
        other = {**request, "TransactItems": [{"Put": {"TableName": TABLE, "Item": {"pk": {"S": "other"}}}}]}
        try:
            client.call("TransactWriteItems", **other)
            raise AssertionError("another request with the same token was taken")
        except Failed as error:
            assert error.type == "IdempotentParameterMismatchException", str(error)
        shifted.stop()


def test_deadlines():
    """a jump of ten years closes no connection and ends no request: deadlines go by the other clock"""
    with ShiftedServer() as shifted:
        client = shifted.start()
        create_table(client)
        body = b'{"TableName":"clock","Item":{"pk":{"S":"slow"}}}'
        head = (f"POST / HTTP/1.1\r\nHost: {shifted.server.host}:{shifted.server.port}\r\n"
                f"Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\n"
                f"X-Amz-Date: 20250101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 "
                f"Credential=test/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode()
        with socket.create_connection((shifted.server.host, shifted.server.port)) as slow:
            slow.settimeout(30)
            slow.sendall(head[:50])
            shifted.jump(10 * YEAR)
            time.sleep(1.5)
            slow.sendall(head[50:] + body[:5])
            shifted.jump(-DAY)
            time.sleep(1.5)
            slow.sendall(body[5:])
            answer = slow.recv(65536)
            assert answer.startswith(b"HTTP/1.1 200"), answer[:300]
        assert "slow" in keys(client), "the first client's connection still works, and sees it"
        shifted.stop()


if __name__ == "__main__":
    run_module("__main__")
