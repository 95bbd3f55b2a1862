"""T3: the disk fails at the Nth call: sync (of directories too), write (after half of it, or with nothing written), rename, open,
close, read, with EIO or ENOSPC, once or from then on.

A preloaded library (failing_disk.c) lets one call of the server fail. Whatever it answers with 200 after that must be on the
disk; it may answer 500 or 503, or end, but neither hang nor crash; and when the disk is well again everything that was
acknowledged is there. GATELEG_IO_FAULTS and GATELEG_CRASH_SEED change the run.
"""

import errno
import mmap
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.dynamo import Client  # noqa: E402
from lib.runner import Skip, run_module  # noqa: E402
from lib.server import Server, StartFailed  # noqa: E402
from crash import workload  # noqa: E402
from s3 import crash_test as objects  # noqa: E402

FAULTS = int(os.environ.get("GATELEG_IO_FAULTS", "8"))
SEED = int(os.environ.get("GATELEG_CRASH_SEED", "1"))
KINDS = {"sync": 1, "write": 2, "rename": 4, "open": 8, "close": 16, "read": 32}
RARE = ("rename", "open", "close", "read")  # under load: files are made at a flush, and few are read
AND_LATER = 1000
HANG_SECONDS = 90
GIVES_UP = "the store has failed; no write is accepted any more"


def build_library(folder):
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "g++", "clang-14"))), None)
    if not compiler:
        raise Skip("no C compiler here")
    built = os.path.join(folder, "failing_disk.so")
    source = pathlib.Path(__file__).with_name("failing_disk.c")
    done = subprocess.run([compiler, "-x", "c", "-O1", "-shared", "-fPIC", "-o", built, source, "-ldl"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return built


class Control:
    """The words shared with the server: which calls count, how many came, at which to fail, with what."""

    def __init__(self, path):
        with open(path, "wb") as file:
            file.write(bytes(32))
        self.file = open(path, "r+b")
        self.words = mmap.mmap(self.file.fileno(), 32)

    def set(self, kind=0, at=0, error=0):
        self.words[:] = struct.pack("=4q", kind, 0, 0, error)
        self.words[16:24] = struct.pack("=q", at)

    def calls(self):
        return struct.unpack("=4q", self.words[:])[1]


class FailingDisk:
    def __enter__(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="gateleg-fault-"))
        self.data = os.path.join(self.folder, "data")
        self.library = build_library(self.folder)
        self.control = Control(os.path.join(self.folder, "control"))
        return self

    def start(self):
        return Server(self.data, s3=True, env={
            "LD_PRELOAD": self.library, "FAILING_DISK": os.path.join(self.folder, "control"), "FAILING_FOLDER": self.data})

    def __exit__(self, kind, *_):
        if kind is None or issubclass(kind, Skip):
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            print(f"     data kept in {self.data}")


def acks(workers, writers):
    return sum(worker.acks for worker in workers) + sum(writer.acknowledged for writer in writers)


def wait_until(holds, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.01)
    return False


class Never:
    """Objects' clients take 5xx for an answer that promises nothing when they have an event; it never comes."""

    def is_set(self):
        return False


def run_fault(disk, server, workers, writers, kind, error, at):
    """Lets the at-th call fail under load. Returns the exit code of a server that ended, or None."""
    for worker in workers:
        worker.start_round(server.host, server.port)
    for writer in writers:
        writer.start(server.s3_url)
    before = acks(workers, writers)
    assert wait_until(lambda: acks(workers, writers) > before + 20 or not server.alive(), HANG_SECONDS), "no answers at all"
    disk.control.set(KINDS[kind], at, error)
    wait_until(lambda: disk.control.calls() >= at or not server.alive(), 3 if kind in RARE else 30)
    # What it does after the fault is to be seen too.
    wait_until(lambda: not server.alive(), 0.5)
    # Nobody knows what a disk has kept that failed: the process must end by itself.
    if GIVES_UP in server.log():
        assert wait_until(lambda: not server.alive(), HANG_SECONDS), "it goes on with a store that has failed"
    code = server.process.poll()
    if code is None:
        server.kill()
    for worker in [*workers, *writers]:
        worker.thread.join(HANG_SECONDS)
        assert not worker.thread.is_alive(), "a client hangs: a request had no answer"
    return code


def test_faults():
    """T3: a call that fails under load: never a crash, never a hang, never an acknowledged write that is not there"""
    chance = random.Random(SEED)
    workers, writers = workload.make_workers(SEED), [objects.Writer(number) for number in range(2)]
    for writer in writers:
        writer.cut = Never()
    fired = {kind: 0 for kind in KINDS}
    ended = 0
    with FailingDisk() as disk:
        server = disk.start()
        workload.create_table(Client(server.host, server.port))
        assert objects.call(server.s3_url, "PUT", "/crash")[0] == 200
        for number in range(FAULTS):
            kind = ("sync", "write", "open", "sync", "close", "write", "read", "rename")[number % 8]
            error = (errno.EIO if kind in ("close", "read") else chance.choice([errno.EIO, errno.ENOSPC])) + chance.choice([0, AND_LATER])
            at = 1 if kind in RARE else chance.choice([1, 2, 3, 5, 10, 20])
            what = f"fault {number} (seed {SEED}): {kind} call {at} fails with {error}"
            code = run_fault(disk, server, workers, writers, kind, error, at)
            assert code is None or code in (0, 1), f"{what}: exit code {code}\n{server.log()[-3000:]}"
            fired[kind] += disk.control.calls() >= at
            ended += code is not None
            disk.control.set()
            server = disk.start()
            wrong = workload.verify(Client(server.host, server.port), workers)
            wrong += [f"object {line}" for writer in writers for line in writer.check(server.s3_url)]
            assert not wrong, f"{what}:\n" + "\n".join(wrong[:20]) + "\n" + server.log()[-1500:]
        assert server.stop() == 0, server.log()[-2000:]
        total = acks(workers, writers)
    told = " ".join(f"{kind}_faults={count}" for kind, count in fired.items())
    print(f"     counts io-fault io_faults={sum(fired.values())} {told} server_ended={ended} acknowledged={total} lost=0 | seed={SEED}")
    assert fired["sync"] and fired["write"], f"faults that fired: {fired}"


def test_start():
    """T3: a call that fails during a start: it says so and ends, or it works; the next start has everything"""
    with FailingDisk() as disk:
        server = disk.start()
        client = Client(server.host, server.port)
        workload.create_table(client)
        server.kill()
        chance = random.Random(SEED)
        refused = 0
        fired = {kind: 0 for kind in KINDS}
        for number in range(max(12, FAULTS)):
            kind = list(KINDS)[number % len(KINDS)]
            at = chance.choice([1, 2, 3, 4, 6, 9]) + (number // 12) % 7
            disk.control.set(KINDS[kind], at, errno.EIO)
            try:
                server = disk.start()
                server.kill()
            except StartFailed as refusal:
                assert refusal.code in (1, 2, 3), f"{kind} call {at}: exit code {refusal.code}\n{refusal.log[-2000:]}"
                refused += 1
            fired[kind] += disk.control.calls() >= at
            disk.control.set()
            server = disk.start()
            items = Client(server.host, server.port).scan(workload.TABLE, ConsistentRead=True)
            assert len(items) == workload.ACCOUNTS, f"{kind} call {at}: {len(items)} items"
            server.kill()
        told = " ".join(f"{kind}_faults={count}" for kind, count in fired.items())
        print(f"     counts io-fault-start io_faults={sum(fired.values())} {told} refused={refused}")
        assert all(fired.values()), f"faults that fired: {fired}"


if __name__ == "__main__":
    run_module("__main__")
