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
RESTART_SECONDS = 5


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
        print(f"     {ROUNDS} kills, {acks} acknowledged requests, slowest start {max(fsync, process):.2f} s")
        shutil.rmtree(data)
    except BaseException:
        print(f"     data kept in {data}")
        raise


if __name__ == "__main__":
    run_module("__main__")
