"""Damage to the files of a stopped server is never silent.

Whatever an fsync has acknowledged is either there or its loss is told: the start is refused with exit
code 3, naming the file and the flag that accepts the loss. A torn last write is no loss: it opens.
"""

import os
import pathlib
import shutil
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.dynamo import Client, Failed  # noqa: E402
from lib.runner import Skip, run_module  # noqa: E402
from lib.server import Server, StartFailed  # noqa: E402

TABLE = "damage"
ITEMS = 1500
ACCEPT = "--accept-data-loss"


def fill(data, items=ITEMS, size=300, stop=False):
    """A data directory with acknowledged items, of a server that was killed (or stopped)."""
    server = Server(data)
    client = Client(server.host, server.port)
    client.call("CreateTable", TableName=TABLE, BillingMode="PAY_PER_REQUEST",
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    for number in range(items):
        client.call("PutItem", TableName=TABLE, Item=item(number, size))
    # The high-water mark is written each second.
    time.sleep(1.5)
    if stop:
        assert server.stop() == 0
    else:
        server.kill()


def item(number, size=300):
    return {"pk": {"S": f"k{number}"}, "v": {"S": f"{number:08d}" * (size // 8)}}


def newest_wal(data):
    logs = [path for path in pathlib.Path(data).rglob("*.log") if path.name[:-4].isdigit() and path.stat().st_size > 0]
    assert logs, "no write-ahead log in the data directory"
    return max(logs, key=lambda path: int(path.stem))


def records_end(wal):
    """Where its last record ends, but for zeros of its own: with fsync there is room behind it, which reads as zeros."""
    return len(wal.read_bytes().rstrip(b"\0"))


def flip(path, offset, bit=3):
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ (1 << bit)]))


def there(server):
    client = Client(server.host, server.port)
    return {each["pk"]["S"]: each for each in client.scan(TABLE, ConsistentRead=True)}


def expect_all(data, count=ITEMS, size=300):
    server = Server(data)
    found = there(server)
    assert found == {f"k{n}": item(n, size) for n in range(count)}, f"{len(found)} of {count} items"
    assert server.stop() == 0


def told(faults=1):
    """One more damage that was not hidden, in the line that `./dev soak` adds up."""
    print(f"     counts corruption damages={faults}")


def expect_refusal(data, path):
    try:
        server = Server(data)
    except StartFailed as refusal:
        assert refusal.code == 3, f"exit code {refusal.code}\n{refusal.log[-1500:]}"
        assert path.name in refusal.log, f"does not name {path.name}\n{refusal.log[-1500:]}"
        assert ACCEPT in refusal.log, f"does not name {ACCEPT}\n{refusal.log[-1500:]}"
        told()
        return
    found = len(there(server))
    server.kill()
    raise AssertionError(f"started silently with {found} of {ITEMS} acknowledged items")


class Folder:
    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="gateleg-damage-")
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def accept_loss(data):
    server = Server(data, [ACCEPT])
    found = there(server)
    assert all(each == item(int(key[1:])) for key, each in found.items()), "what is left is right"
    client = Client(server.host, server.port)
    client.call("PutItem", TableName=TABLE, Item={"pk": {"S": "after"}})
    assert server.stop() == 0
    server = Server(data)
    assert "after" in there(server), "the accepted loss is accepted once and for all"
    assert server.stop() == 0


def test_untouched():
    """a killed server starts again with everything (the control for the tests below)"""
    with Folder() as data:
        fill(data)
        expect_all(data)


def test_bit_in_the_middle():
    """one bit flipped in the middle of the log: refused with exit code 3; accepted with the flag"""
    with Folder() as data:
        fill(data)
        wal = newest_wal(data)
        flip(wal, records_end(wal) // 2)
        expect_refusal(data, wal)
        expect_refusal(data, wal)
        accept_loss(data)


def test_bit_near_the_end():
    """one bit flipped ten records before the end, in the last block: refused"""
    with Folder() as data:
        fill(data)
        wal = newest_wal(data)
        flip(wal, records_end(wal) - 4500)
        expect_refusal(data, wal)


def test_zeroed_block():
    """4 KB of zeros in the middle of the log: refused"""
    with Folder() as data:
        fill(data)
        wal = newest_wal(data)
        with open(wal, "r+b") as file:
            file.seek(records_end(wal) // 3)
            file.write(bytes(4096))
        expect_refusal(data, wal)


def test_shortened():
    """a log cut at 60 %: refused, for the high-water mark knows more"""
    with Folder() as data:
        fill(data)
        wal = newest_wal(data)
        os.truncate(wal, records_end(wal) * 6 // 10)
        expect_refusal(data, wal)


def test_zeroed_end():
    """the last records read as zeros, as the room behind them: refused, for the high-water mark knows more"""
    with Folder() as data:
        fill(data)
        wal = newest_wal(data)
        end = records_end(wal)
        assert wal.stat().st_size > end, "the log has room"
        with open(wal, "r+b") as file:
            file.seek(end - 3000)
            file.write(bytes(3000))
        expect_refusal(data, wal.parent)


def test_room():
    """what happens to the room behind the last record takes nothing away"""
    with Folder() as data:
        fill(data)
        wal = newest_wal(data)
        end, size = records_end(wal), wal.stat().st_size
        assert size > end, "the log has room"
        flip(wal, (end + size) // 2)
        expect_all(data)
    with Folder() as data:
        fill(data)
        wal = newest_wal(data)
        os.truncate(wal, records_end(wal) + 64)
        expect_all(data)


def test_deleted():
    """the live log deleted: refused"""
    with Folder() as data:
        fill(data)
        wal = newest_wal(data)
        wal.unlink()
        try:
            server = Server(data)
        except StartFailed as refusal:
            assert refusal.code == 3 and ACCEPT in refusal.log, f"exit code {refusal.code}\n{refusal.log[-1500:]}"
            told()
            return
        found = len(there(server))
        server.kill()
        raise AssertionError(f"started silently with {found} of {ITEMS} acknowledged items")


def test_torn_tail():
    """a torn last record, or zeros behind the end: starts with everything"""
    for tail in (struct.pack("<IHB", 0x12345678, 2000, 1) + b"x" * 900, bytes(4096), b"\xff" * 13):
        with Folder() as data:
            fill(data, 300)
            with open(newest_wal(data), "ab") as file:
                file.write(tail)
            expect_all(data, 300)


def test_manifest():
    """CURRENT or MANIFEST damaged: refused with a clear error, bytes untouched"""
    for pattern, damage in (("CURRENT", b"MANIFEST-999999\n"), ("MANIFEST-*", None)):
        with Folder() as data:
            fill(data, 200, stop=True)
            [path] = list(pathlib.Path(data).rglob(pattern))[:1]
            if damage:
                path.write_bytes(damage)
            else:
                flip(path, path.stat().st_size // 2)
            try:
                server = Server(data)
            except StartFailed as refusal:
                assert refusal.code and refusal.code > 0, f"exit code {refusal.code}\n{refusal.log[-1500:]}"
                continue
            found = len(there(server))
            server.kill()
            assert found == 200, f"{pattern}: started silently with {found} of 200 items"


def test_corrupt_block():
    """row 40: a corrupt block gives 500 to those who touch it, right data to others, no path in the reply"""
    count, size = 420, 390_000
    with Folder() as data:
        fill(data, count, size, stop=True)
        tables = sorted(pathlib.Path(data).rglob("*.sst"), key=lambda path: path.stat().st_size)
        tables += sorted(pathlib.Path(data).rglob("*.blob"), key=lambda path: path.stat().st_size)
        if not tables or max(path.stat().st_size for path in tables) < 100_000:
            raise Skip("no table file was written")
        path = max(tables, key=lambda each: each.stat().st_size)
        for tenth in range(1, 9):
            flip(path, path.stat().st_size * tenth // 10)
        server = Server(data)
        client = Client(server.host, server.port)
        good = bad = 0
        for number in range(count):
            try:
                reply = client.call("GetItem", TableName=TABLE, Key={"pk": {"S": f"k{number}"}}, ConsistentRead=True)
                assert reply["Item"] == item(number, size), f"k{number}: wrong data came back"
                good += 1
            except Failed as error:
                assert (error.status, error.type) == (500, "InternalServerError"), str(error)
                assert data not in str(error.body) and ".sst" not in str(error.body), "the reply tells a path"
                bad += 1
        assert bad > 0, "the damage was never seen"
        assert good > 0 and server.alive()
        told(8)
        server.kill()


if __name__ == "__main__":
    run_module("__main__")
