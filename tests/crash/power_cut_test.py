"""The power fails: an ext4 of its own is cut off from its disk while clients write, again and again.

The ioctl that shuts a file system down without flushing its log drops everything that was not synced, as a power cut
does. Every answer that came before the cut must hold; what came without an answer is wholly there or wholly absent.
GATELEG_CUTS and GATELEG_CRASH_SEED change the run.
"""

import fcntl
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.dynamo import Client  # noqa: E402
from lib.runner import Skip, run_module  # noqa: E402
from lib.server import Server, StartFailed  # noqa: E402
from crash import workload  # noqa: E402
from s3 import crash_test as objects  # noqa: E402

CUTS = int(os.environ.get("GATELEG_CUTS", "2"))
SEED = int(os.environ.get("GATELEG_CRASH_SEED", "1"))
BLIND_CUTS = 5
IMAGE_MB = 2048
SHUTDOWN = 0x8004587D  # EXT4_IOC_SHUTDOWN
WITHOUT_LOG_FLUSH = struct.pack("I", 2)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


class Disk:
    """An ext4 in a file, which can lose its power."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="gateleg-power-")
        self.image = os.path.join(self.folder, "image")
        self.path = os.path.join(self.folder, "disk")
        os.mkdir(self.path)
        self.mounted = False
        with open(self.image, "wb") as file:
            file.truncate(IMAGE_MB << 20)
        try:
            made = run("mkfs.ext4", "-q", "-F", self.image)
        except FileNotFoundError:
            made = None
        if made is None or made.returncode != 0:
            self.__exit__(Skip)
            raise Skip("cannot make an ext4 here: " + (made.stderr.strip() if made else "no mkfs.ext4"))
        why = self.mount()
        if why:
            self.__exit__(Skip)
            raise Skip(f"cannot mount an image here: {why}")
        return self

    @property
    def data(self):
        return os.path.join(self.path, "data")

    def mount(self):
        done = run("mount", "-o", "loop", self.image, self.path)
        self.mounted = done.returncode == 0
        return done.stderr.strip() or ("" if self.mounted else "mount failed")

    def unmount(self):
        for _ in range(100):
            done = run("umount", self.path)
            if done.returncode == 0:
                self.mounted = False
                return
            time.sleep(0.1)
        raise AssertionError("the file system stays busy: " + done.stderr.strip())

    def sync(self):
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
            run("sync", "-f", self.path)
        finally:
            os.close(descriptor)

    def cut(self, event):
        """No more reaches the disk from here on. `event` is set before: later answers count as none."""
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            event.set()
            fcntl.ioctl(descriptor, SHUTDOWN, WITHOUT_LOG_FLUSH)
        except OSError as error:
            raise Skip(f"this kernel cannot shut an ext4 down: {error}") from error
        finally:
            os.close(descriptor)

    def power_on(self):
        self.unmount()
        why = self.mount()
        assert self.mounted, f"the file system does not come back: {why}"

    def __exit__(self, kind, *_):
        if self.mounted:
            run("umount", "-l", self.path)
        if kind is None or issubclass(kind, Skip):
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            print(f"     image kept in {self.image}")


class Clients:
    """The clients of the kill test, and some that write objects."""

    def __init__(self):
        self.tables = workload.make_workers(SEED)
        self.objects = [objects.Writer(number) for number in range(3)]

    def create(self, server):
        workload.create_table(Client(server.host, server.port))
        assert objects.call(server.s3_url, "PUT", "/crash")[0] == 200

    def acks(self):
        return sum(worker.acks for worker in self.tables) + sum(writer.acknowledged for writer in self.objects)

    def start(self, server):
        self.event = threading.Event()
        for worker in self.tables:
            worker.cut = self.event
            worker.start_round(server.host, server.port)
        for writer in self.objects:
            writer.cut = self.event
            writer.start(server.s3_url)

    def join(self):
        for worker in [*self.tables, *self.objects]:
            worker.thread.join(60)
            assert not worker.thread.is_alive(), "a client hangs"
        self.event.clear()

    def verify(self, server):
        wrong = workload.verify(Client(server.host, server.port), self.tables)
        return wrong + [f"object {line}" for writer in self.objects for line in writer.check(server.s3_url)]


def write_and_cut(disk, server, clients, chance):
    """Lets clients write until there is something to lose, then cuts. Returns how many answers came."""
    before = clients.acks()
    clients.start(server)
    wanted = before + chance.randrange(200, 1500)
    deadline = time.monotonic() + 90
    while clients.acks() < wanted and time.monotonic() < deadline and server.alive():
        time.sleep(0.01)
    assert server.alive(), "the server ended by itself:\n" + server.log()[-3000:]
    disk.cut(clients.event)
    server.kill()
    clients.join()
    disk.power_on()
    return clients.acks() - before


def test_power_cut():
    """a power cut takes no acknowledged write and no object, and tears none"""
    chance = random.Random(SEED)
    clients = Clients()
    acks = 0
    with Disk() as disk:
        server = Server(disk.data, s3=True)
        clients.create(server)
        for number in range(CUTS):
            got = write_and_cut(disk, server, clients, chance)
            assert got > 0, f"cut {number}: no client had an answer"
            acks += got
            server = Server(disk.data, s3=True)
            wrong = clients.verify(server)
            assert not wrong, f"cut {number}, seed {SEED}:\n" + "\n".join(wrong[:20]) + "\n" + server.log()[-1500:]
        assert server.stop() == 0, server.log()[-2000:]
        print(f"     counts power-cut cuts={CUTS} acknowledged={acks} lost=0 | seed={SEED}")


def test_negative_control():
    """with --durability process a power cut does take something (else this test is blind), but only whole writes"""
    chance = random.Random(SEED)
    for number in range(BLIND_CUTS):
        clients = Clients()
        with Disk() as disk:
            server = Server(disk.data, ["--durability", "process"], s3=True)
            clients.create(server)
            disk.sync()
            write_and_cut(disk, server, clients, chance)
            try:
                server = Server(disk.data, ["--durability", "process"], s3=True)
            except StartFailed as refusal:
                assert refusal.code == 3, f"exit code {refusal.code}\n{refusal.log[-2000:]}"
                print(f"     counts power-cut-control control_cuts={number + 1} control_lost=1")
                return
            wrong = clients.verify(server)
            broken = [text for text in wrong if text.startswith("index ") or "the bank holds" in text]
            assert not broken, f"seed {SEED}:\n" + "\n".join(broken[:20])
            server.kill()
        if wrong:
            print(f"     counts power-cut-control control_cuts={number + 1} control_lost={len(wrong)}")
            return
    raise AssertionError(f"{BLIND_CUTS} cuts without a sync lost nothing: this test would see nothing")


if __name__ == "__main__":
    run_module("__main__")
