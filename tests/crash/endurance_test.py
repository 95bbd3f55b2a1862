"""T11: seven tenths of what the server can do, for a while, then with a kill each minute: nothing grows that should not.

Memory, descriptors and threads stay where they were, answers stay as quick, the disk holds at most three times the live data, and
after every kill all is there. GATELEG_ENDURANCE_SECONDS makes it longer; only `./dev soak` runs it.
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
from lib.runner import run_module  # noqa: E402
from lib.server import Server  # noqa: E402

SECONDS = float(os.environ.get("GATELEG_ENDURANCE_SECONDS", "40"))
SEED = int(os.environ.get("GATELEG_CRASH_SEED", "1"))
CLIENTS = 8
KEYS = 2000
PAD = 4000
MEGABYTE = 1 << 20
TABLE = "endurance"


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
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines() if ":" in line)
    return {"memory": int(status["VmRSS"].split()[0]) * 1024, "threads": int(status["Threads"]), "files": len(os.listdir(process / "fd"))}


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
    quarters = [[ms for when, ms in load.done if low <= (when - began) / steady < low + 0.25] for low in (0.1, 0.75)]
    first, last = (percentile(quarter, 0.99) for quarter in quarters)
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
    print(f"     counts endurance kills={kills} acknowledged={acknowledged} capacity={capacity:.0f} slope={slope / MEGABYTE:.2f}MB/min "
          f"p99={first:.1f}/{last:.1f}ms disk={disk / max(1, live):.2f}x files={min(files)}-{max(files)} threads={min(threads)}-{max(threads)}")
    # In a short run a memtable that fills looks like growth; what is left of it over the hours is the slope.
    assert slope * spread < max(MEGABYTE * spread, 96 * MEGABYTE), f"memory grows by {slope / MEGABYTE:.1f} MB a minute"
    assert max(files) - min(files) <= 8 and max(threads) - min(threads) <= 2, (files, threads)
    assert last <= max(1.5 * first, 50), f"p99 went from {first:.1f} to {last:.1f} ms"
    # A store of a few megabytes is mostly its log: at most two memtables of 64 MB wait to be sorted.
    assert disk <= 3 * live + 160 * MEGABYTE, f"{disk} bytes on disk for {live} live ones"
    assert server.stop() == 0
    shutil.rmtree(data)


if __name__ == "__main__":
    run_module("__main__")
