"""A server in a memory cgroup of 512 MB, as in a small container: it stays within it under load.

Needs the right to make a cgroup (version 1 or 2); skipped with a word otherwise. GATELEG_MEMORY_SECONDS makes it longer.
"""

import os
import pathlib
import random
import shutil
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
    """A cgroup with a bound; move() puts a process into it."""

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

    def move(self, pid):
        (self.path / "cgroup.procs").write_text(str(pid))

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
    server = Server(data, ["--cache-mb", "64"], s3=True)
    group.move(server.process.pid)
    return server


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
    """under a mixed load of small and large items and objects it is not killed, and loses nothing"""
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
        print(f"     counts memory limit={LIMIT >> 20}MB resident={resident}MB acknowledged={acks}")
        assert server.stop() == 0
    shutil.rmtree(data)


if __name__ == "__main__":
    run_module("__main__")
