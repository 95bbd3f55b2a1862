"""kill -9 under sixteen writing clients, again and again on one data directory.

No acknowledged write may be lost or changed, one without an answer is wholly there or wholly absent,
and every index is the projection of its table. GATELEG_CRASH_ROUNDS and GATELEG_CRASH_SEED change the run.
"""

import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.dynamo import Client  # noqa: E402
from lib.runner import run_module  # noqa: E402
from lib.server import Server  # noqa: E402
from crash import workload  # noqa: E402

ROUNDS = int(os.environ.get("GATELEG_CRASH_ROUNDS", "30"))
SEED = int(os.environ.get("GATELEG_CRASH_SEED", "1"))
RESTART_SECONDS = 25  # a bound for a starved machine; the slowest is printed


def run_rounds(data, workers, rounds, durability, chance, first):
    slowest = 0
    for number in range(rounds):
        started = time.monotonic()
        server = Server(data, ["--durability", durability])
        client = Client(server.host, server.port)
        if first and number == 0:
            workload.create_table(client)
        client.call("ListTables")
        slowest = max(slowest, time.monotonic() - started)
        wrong = workload.verify(client, workers)
        assert not wrong, f"round {number} ({durability}, seed {SEED}):\n" + "\n".join(wrong[:20]) + "\n" + server.log()[-1500:]
        for worker in workers:
            worker.start_round(server.host, server.port)
        time.sleep(chance.uniform(0.05, 3.0))
        assert server.alive(), "the server ended by itself:\n" + server.log()[-3000:]
        server.kill()
        for worker in workers:
            worker.thread.join(30)
            assert not worker.thread.is_alive(), "a client hangs"
        client.close()
    assert slowest < RESTART_SECONDS, f"a start took {slowest:.1f} s"
    server = Server(data, ["--durability", durability])
    wrong = workload.verify(Client(server.host, server.port), workers)
    assert not wrong, "\n".join(wrong[:20])
    assert server.stop() == 0, server.log()[-2000:]
    return slowest


class FakeTable:
    """Answers scans from a dict; `broken` names an index that has lost an entry."""

    NEEDS = {"byGroup": ("grp", "ver"), "keysOnly": ("grp",), "byVersion": ("ver",)}

    def __init__(self, items, broken=None):
        self.items, self.broken = items, broken

    def scan(self, _table, IndexName=None, **_):
        if IndexName is None:
            return list(self.items.values())
        entries = [item for item in self.items.values() if all(name in item for name in self.NEEDS[IndexName])]
        if IndexName == "keysOnly":
            entries = [{name: item[name] for name in ("pk", "sk", "grp")} for item in entries]
        return entries[1:] if IndexName == self.broken else entries

    def call(self, *_, **__):
        return {}


def complaints(damage=None, broken=None):
    workers = workload.make_workers(1)
    single, transaction = workers[0], workers[8]
    items = {("bank", f"a{n}"): {"pk": {"S": "bank"}, "sk": {"S": f"a{n}"}, "money": {"N": str(workload.START_MONEY)}}
             for n in range(workload.ACCOUNTS)}
    single.acked = {("c0", "k1"): 3}
    transaction.acked = {("t8-0-0", "m0"): 2, ("t8-0-1", "m1"): 2}
    for worker in (single, transaction):
        items.update({key: worker.item(key, version) for key, version in worker.acked.items()})
    if damage:
        damage(items, single, transaction)
    return workload.verify(FakeTable(items, broken), workers)


def test_checker():
    """the checker sees a lost write, a changed one, a torn transaction, a stale index, a ghost, missing money"""
    def tear(items, _, transaction):
        transaction.pending = {key: 4 for key in transaction.acked}
        items[("t8-0-0", "m0")] = transaction.item(("t8-0-0", "m0"), 4)

    assert complaints() == []
    assert complaints(lambda items, *_: items.pop(("c0", "k1")))
    assert complaints(lambda items, *_: items[("c0", "k1")].update(pad={"S": "other"}))
    assert any("torn" in text for text in complaints(tear))
    assert complaints(lambda items, single, _: items.update({("c0", "z"): single.item(("c0", "z"), 1)}))
    assert complaints(lambda items, *_: items[("bank", "a1")].update(money={"N": "999"}))
    for index in FakeTable.NEEDS:
        assert any(index in text for text in complaints(broken=index)), index


def test_kill():
    """kill -9 under load: no acknowledged write is lost, none is torn, indexes agree"""
    data = tempfile.mkdtemp(prefix="gateleg-crash-")
    chance = random.Random(SEED)
    workers = workload.make_workers(SEED)
    try:
        fsync = run_rounds(data, workers, ROUNDS * 4 // 5, "fsync", chance, True)
        process = run_rounds(data, workers, ROUNDS - ROUNDS * 4 // 5, "process", chance, False)
        acks = sum(worker.acks for worker in workers)
        quiet = [worker.number for worker in workers if worker.acks == 0]
        assert not quiet, f"clients {quiet} never had an answer"
        print(f"     counts kill kills={ROUNDS} acknowledged={acks} lost=0 | seed={SEED}")
        print(f"     slowest start {max(fsync, process):.2f} s")
        shutil.rmtree(data)
    except BaseException:
        print(f"     data kept in {data}")
        raise


if __name__ == "__main__":
    run_module("__main__")
