"""A server in a memory cgroup of 512 MB, as in a small container: it stays within it under load.

Needs the right to make a cgroup (version 1 or 2); skipped with a word otherwise. GATELEG_MEMORY_SECONDS makes it longer.
"""

import os
import pathlib
import random
import shlex
import select
import shutil
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.dynamo import Client, Failed  # noqa: E402
from lib.runner import Skip, run_module  # noqa: E402
from lib.server import Server  # noqa: E402
from crash import workload  # noqa: E402
from s3 import crash_test as objects  # noqa: E402

LIMIT = 512 << 20
SECONDS = float(os.environ.get("GATELEG_MEMORY_SECONDS", "4"))
BIG = "x" * 350_000


class MemoryGroup:
    """A cgroup with a bound."""

    def __enter__(self):
        for root, bound, kills in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.oom_control"),
                                   ("/sys/fs/cgroup", "memory.max", "memory.events")):
            path = pathlib.Path(root, f"gateleg-test-{os.getpid()}")
            try:
                path.mkdir()
            except OSError:
                continue
            self.path, self.kills_file = path, path / kills
            try:
                (path / bound).write_text(str(LIMIT))
                return self
            except OSError:
                path.rmdir()
        raise Skip("cannot make a memory cgroup here")

    def kills(self):
        return [line for line in self.kills_file.read_text().splitlines() if line.startswith("oom_kill ") and not line.endswith(" 0")]

    def __exit__(self, *_):
        for _ in range(100):
            try:
                self.path.rmdir()
                return
            except OSError:
                time.sleep(0.1)


def start(group, data):
    """Within the cgroup from its first moment on: the server reads its bound when it starts."""
    binary = os.environ["GATELEG_BIN"]
    with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as script:
        script.write(f'#!/bin/sh\necho $$ >{group.path}/cgroup.procs\nexec {shlex.quote(os.path.abspath(binary))} "$@"\n')
    os.chmod(script.name, 0o700)
    os.environ["GATELEG_BIN"] = script.name
    try:
        return Server(data, s3=True)
    finally:
        os.environ["GATELEG_BIN"] = binary
        os.unlink(script.name)


def resident_mb(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return sum(int(line.split()[1]) >> 10 for line in status.splitlines() if line.startswith("VmRSS"))


def big_writer(server, number, stop, problems):
    client = Client(server.host, server.port, timeout=60)
    chance = random.Random(number)
    try:
        while not stop.is_set():
            key = f"{number}-{chance.randrange(40)}"
            try:
                if chance.random() < 0.3:
                    client.call("Scan", TableName="big", Limit=3)
                else:
                    client.call("PutItem", TableName="big", Item={"pk": {"S": key}, "v": {"S": key + BIG[:chance.randrange(len(BIG))]}})
            except Failed as error:
                if error.status != 503:
                    raise
    except Exception as error:  # noqa: shown by the test
        problems.append(repr(error))
    finally:
        client.close()


def test_load():
    """T7: under a mixed load of small and large items and objects it is not killed, and loses nothing"""
    data = tempfile.mkdtemp(prefix="gateleg-memory-")
    with MemoryGroup() as group:
        server = start(group, data)
        client = Client(server.host, server.port)
        workload.create_table(client)
        client.call("CreateTable", TableName="big", BillingMode="PAY_PER_REQUEST",
                    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
        assert objects.call(server.s3_url, "PUT", "/crash")[0] == 200
        workers, writers = workload.make_workers(1), [objects.Writer(number) for number in range(4)]
        stop, problems = threading.Event(), []
        for worker in workers:
            worker.start_round(server.host, server.port)
        for writer in writers:
            writer.start(server.s3_url)
        large = [threading.Thread(target=big_writer, args=(server, number, stop, problems)) for number in range(12)]
        for thread in large:
            thread.start()
        time.sleep(SECONDS)
        alive, resident = server.alive(), resident_mb(server)
        stop.set()
        for thread in large:
            thread.join(120)
        assert alive and not group.kills(), f"killed: {group.kills()}\n" + server.log()[-2000:]
        assert not problems, problems[:3]
        server.kill()
        for worker in [*workers, *writers]:
            worker.thread.join(60)
        server = start(group, data)
        wrong = workload.verify(Client(server.host, server.port), workers)
        wrong += [line for writer in writers for line in writer.check(server.s3_url)]
        assert not wrong, "\n".join(wrong[:20])
        acks = sum(worker.acks for worker in workers) + sum(writer.acknowledged for writer in writers)
        print(f"     counts memory acknowledged={acks} | limit={LIMIT >> 20}MB resident={resident}MB")
        assert server.stop() == 0
    shutil.rmtree(data)


def test_bodies():
    """T7: bodies that would not fit are refused with 503 before they are read, and others go on"""
    data = tempfile.mkdtemp(prefix="gateleg-memory-")
    with MemoryGroup() as group:
        server = start(group, data)
        client = Client(server.host, server.port)
        client.call("CreateTable", TableName="big", BillingMode="PAY_PER_REQUEST",
                    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
        size = 15 << 20
        head = (f"POST / HTTP/1.1\r\nHost: {server.host}:{server.port}\r\nX-Amz-Target: DynamoDB_20120810.BatchWriteItem\r\n"
                f"Content-Length: {size}\r\n\r\n").encode()
        held, waiting, refused = [], [], 0
        # Sixty of these are 900 MB. Each sends all but the last byte, so none is done before all are there.
        for _ in range(60):
            one = socket.create_connection((server.host, server.port))
            one.settimeout(30)
            try:
                one.sendall(head)
                one.sendall(b" " * (size - 1))
            except OSError:
                pass  # refused already
            one.settimeout(0.05)
            try:
                refused += one.recv(200).startswith(b"HTTP/1.1 503")
            except OSError:
                waiting.append(one)
            held.append(one)
            assert server.alive() and not group.kills(), f"killed: {group.kills()}"
        assert client.call("ListTables")["TableNames"] == ["big"]
        # A busy machine may take longer to say so.
        deadline = time.monotonic() + 10
        while refused <= 20 and time.monotonic() < deadline:
            answered, _, _ = select.select(waiting, [], [], 1)
            for one in answered:
                waiting.remove(one)
                try:
                    refused += one.recv(200).startswith(b"HTTP/1.1 503")
                except OSError:
                    pass
        assert refused > 20, f"{refused} were refused"
        for one in held:
            one.close()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                client.call("PutItem", TableName="big", Item={"pk": {"S": "after"}, "v": {"S": BIG}})
                break
            except Failed as error:
                assert error.status == 503, str(error)
                time.sleep(0.1)
        assert client.call("GetItem", TableName="big", Key={"pk": {"S": "after"}})["Item"]
        print(f"     counts memory-bodies refused_bodies={refused} | resident={resident_mb(server)}MB")
        assert server.stop() == 0
    shutil.rmtree(data)


if __name__ == "__main__":
    run_module("__main__")
