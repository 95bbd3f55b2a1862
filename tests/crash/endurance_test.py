"""T11: seven tenths of what the server can do, for a while, then with a kill each minute: nothing grows that should not.

Memory, descriptors and threads stay where they were, answers stay as quick, the disk holds at most three times the live data, and
after every kill all is there. GATELEG_ENDURANCE_SECONDS makes it longer; only `./dev soak` runs it.
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib import machine  # noqa: E402
from lib.dynamo import Client, Failed  # noqa: E402
from lib.runner import run_module  # noqa: E402
from lib.server import Server  # noqa: E402

SECONDS = float(os.environ.get("GATELEG_ENDURANCE_SECONDS", "40"))
SEED = int(os.environ.get("GATELEG_CRASH_SEED", "1"))
CLIENTS = 8
KEYS = 2000
PAD = 4000
MEGABYTE = 1 << 20
TABLE = "endurance"


# A stranger on the same machine: a little work and a write to the disk each 20 ms; prints when, and how many milliseconds it took.
CONTROL = """
import hashlib, os, sys, time
file, block = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY, 0o600), bytes(4096)
while os.getppid() == int(sys.argv[2]):
    time.sleep(0.02)
    began = time.monotonic()
    hashlib.sha256(bytes(100_000)).digest()
    os.pwrite(file, block, 0)
    os.fdatasync(file)
    ended = time.monotonic()
    print(ended, (ended - began) * 1000, flush=True)
"""


class Control:
    """What others on the machine do to any process: the same work again and again, beside the load."""

    def __init__(self, folder):
        self.told = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([sys.executable, "-c", CONTROL, os.path.join(folder, "control"), str(os.getpid())], stdout=self.told)

    def stop(self):
        """(when, milliseconds), as Load has them."""
        self.process.kill()
        self.process.wait()
        self.told.seek(0)
        return [tuple(map(float, line.split())) for line in self.told.read().splitlines() if line.count(" ") == 1]


class Load:
    """Clients that overwrite a fixed set of keys, each its own share, at a rate; latencies by second."""

    def __init__(self, server, rate=None):
        self.address = (server.host, server.port)
        self.rate, self.stopped = rate, threading.Event()
        self.done, self.problems = [], []  # (when, milliseconds)
        self.threads = [threading.Thread(target=self.run, args=(number,), daemon=True) for number in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def run(self, number):
        client = Client(*self.address, timeout=60)
        chance = random.Random(f"{SEED}-{number}")
        next_at = time.monotonic()
        try:
            while not self.stopped.is_set():
                if self.rate:
                    next_at = max(next_at + CLIENTS / self.rate, time.monotonic() - 1)
                    time.sleep(max(0, next_at - time.monotonic()))
                key = f"{number}-{chance.randrange(KEYS // CLIENTS)}"
                began = time.monotonic()
                if chance.random() < 0.5:
                    client.call("GetItem", TableName=TABLE, Key={"pk": {"S": key}})
                else:
                    version = chance.randrange(1 << 30)
                    client.call("PutItem", TableName=TABLE, Item={"pk": {"S": key}, "g": {"S": f"g{version % 50}"}, "n": {"N": str(version)},
                                                                 "pad": {"S": chance.randbytes(PAD // 2).hex()}})
                ended = time.monotonic()
                self.done.append((ended, (ended - began) * 1000))
        except Failed as error:
            self.problems.append(repr(error))
        except Exception as error:  # noqa: a killed server ends the round
            self.problems.append(f"gone {error!r}")
        finally:
            client.close()

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(90)
            assert not thread.is_alive(), "a client hangs"


def numbers(server):
    process = pathlib.Path(f"/proc/{server.process.pid}")
    times = {"processor": machine.process_seconds(server.process.pid), "busy": machine.busy_seconds(), "own": machine.own_seconds()}
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines() if ":" in line)
    return {"memory": int(status["VmRSS"].split()[0]) * 1024, "threads": int(status["Threads"]), "files": len(os.listdir(process / "fd")),
            **times}


def between(samples, low, high):
    """The first and the last sample of a stretch of time."""
    inside = [each for each in samples if low <= each[0] <= high]
    return inside[0], inside[-1]


def disk_bytes(data):
    return sum(path.stat().st_size for path in pathlib.Path(data).rglob("*") if path.is_file())


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] if values else 0


def slope_per_minute(samples):
    """Least squares over (seconds, bytes)."""
    count = len(samples)
    mean_t, mean_b = sum(t for t, _ in samples) / count, sum(b for _, b in samples) / count
    spread = sum((t - mean_t) ** 2 for t, _ in samples)
    return 60 * sum((t - mean_t) * (b - mean_b) for t, b in samples) / spread if spread else 0


def test_endurance():
    """T11: at seven tenths of capacity nothing grows, and kills in between lose nothing"""
    data = tempfile.mkdtemp(prefix="gateleg-endurance-")
    server = Server(data)
    client = Client(server.host, server.port)
    client.call("CreateTable", TableName=TABLE, BillingMode="PAY_PER_REQUEST",
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")],
                GlobalSecondaryIndexes=[{"IndexName": "byG", "Projection": {"ProjectionType": "KEYS_ONLY"},
                                         "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}])
    load = Load(server)
    time.sleep(max(3, SECONDS * 0.1))
    load.stop()
    assert not load.problems, load.problems[:3]
    capacity = len(load.done) / max(3, SECONDS * 0.1)
    steady = SECONDS * 0.5
    beside = tempfile.mkdtemp(prefix="gateleg-control-")
    control = Control(beside)
    load = Load(server, capacity * 0.7)
    began = time.monotonic()
    samples = []
    while time.monotonic() - began < steady:
        time.sleep(min(1, steady / 20))
        samples.append((time.monotonic() - began, numbers(server), disk_bytes(data)))
    load.stop()
    assert not load.problems, load.problems[:3]
    late = [each for each in samples if each[0] > steady * 0.4]
    slope = slope_per_minute([(t, each["memory"]) for t, each, _ in late])
    spread = (steady * 0.6) / 60
    files, threads = [[each[name] for _, each, _ in late] for name in ("files", "threads")]
    strangers = control.stop()
    shutil.rmtree(beside)
    part = lambda series, low: [ms for when, ms in series if low <= (when - began) / steady < low + 0.25]  # noqa: E731
    first, last = (percentile(part(load.done, low), 0.99) for low in (0.1, 0.75))
    control_first, control_last = (percentile(part(strangers, low), 0.99) for low in (0.1, 0.75))
    # Slower than before, but no more so than a stranger, is the machine's doing. That a server which eats more and more slows down
    # strangers too is what the processor time of a request tells.
    slower = max(1, control_last / max(control_first, 0.01))
    costs, foreign = [], []
    for low in (0.1, 0.75):
        (t0, a, _), (t1, b, _) = between(samples, low * steady, (low + 0.25) * steady)
        answered = sum(t0 <= when - began < t1 for when, _ in load.done)
        costs.append((b["processor"] - a["processor"]) * 1000 / max(1, answered))
        spent = b["busy"] - a["busy"] - (b["processor"] - a["processor"]) - (b["own"] - a["own"])
        foreign.append(100 * spent / (t1 - t0) / os.cpu_count())
    described = client.call("DescribeTable", TableName=TABLE)["Table"]
    live = described["TableSizeBytes"] + sum(index["IndexSizeBytes"] for index in described["GlobalSecondaryIndexes"])
    disk = percentile([bytes_ for _, _, bytes_ in late], 0.5)
    kills = 0
    deadline = time.monotonic() + SECONDS * 0.4
    acknowledged = len(load.done)
    while kills == 0 or time.monotonic() < deadline:
        load = Load(server, capacity * 0.7)
        time.sleep(min(60, SECONDS * 0.15))
        server.kill()
        load.stop()
        acknowledged += len(load.done)
        assert all(text.startswith("gone") for text in load.problems), load.problems[:3]
        kills += 1
        server = Server(data)
        client = Client(server.host, server.port)
        items = {item["pk"]["S"]: item for item in client.scan(TABLE, ConsistentRead=True)}
        entries = {item["pk"]["S"]: item["g"] for item in client.scan(TABLE, IndexName="byG")}
        assert {key: item["g"] for key, item in items.items()} == entries, "the index is not the projection of its table"
    print(f"     counts endurance kills={kills} acknowledged={acknowledged} | capacity={capacity:.0f}/s slope={slope / MEGABYTE:.2f}MB/min "
          f"p99_first={first:.1f}ms p99_last={last:.1f}ms control_first={control_first:.1f}ms control_last={control_last:.1f}ms "
          f"processor_first={costs[0]:.2f}ms processor_last={costs[1]:.2f}ms foreign={max(foreign):.0f}% "
          f"disk={disk / max(1, live):.2f}x files={max(files)} threads={max(threads)}")
    if last > max(1.5 * first, 50):
        print(f"     note p99 went from {first:.1f} to {last:.1f} ms while other work used {foreign[0]:.0f} and then {foreign[1]:.0f} % of the machine; "
              f"a stranger's went from {control_first:.1f} to {control_last:.1f} ms")
    # In a short run a memtable that fills looks like growth; what is left of it over the hours is the slope.
    assert slope * spread < max(MEGABYTE * spread, 96 * MEGABYTE), f"memory grows by {slope / MEGABYTE:.1f} MB a minute"
    assert max(files) - min(files) <= 8 and max(threads) - min(threads) <= 2, (files, threads)
    assert last <= max(1.5 * first * slower, 50), f"p99 went from {first:.1f} to {last:.1f} ms, a stranger's from {control_first:.1f} to {control_last:.1f}"
    assert costs[1] <= 2 * costs[0] + 0.05, f"a request went from {costs[0]:.2f} to {costs[1]:.2f} ms of the processor"
    # A store of a few megabytes is mostly its log: at most two memtables of 64 MB wait to be sorted.
    assert disk <= 3 * live + 160 * MEGABYTE, f"{disk} bytes on disk for {live} live ones"
    assert server.stop() == 0
    shutil.rmtree(data)


if __name__ == "__main__":
    run_module("__main__")
