"""T9: `gateleg backup` while sixteen clients write, and what a restore makes of it.

A backup is one moment: the bank is whole, every index is the projection of its table, and each client's keys are as they were
after one of its own writes between the start and the end of the backup. A restore answers the same; one flipped bit in any file
makes it refuse and name the file; a server that is killed in mid-backup leaves earlier backups as they were.
GATELEG_BACKUPS and GATELEG_CRASH_SEED change the run.
"""

import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.dynamo import Client  # noqa: E402
from lib.runner import run_module  # noqa: E402
from lib.server import Server  # noqa: E402
from crash import workload  # noqa: E402

BACKUPS = int(os.environ.get("GATELEG_BACKUPS", "2"))
SEED = int(os.environ.get("GATELEG_CRASH_SEED", "1"))
PATIENCE = 240


def command(*words):
    return subprocess.run([os.environ["GATELEG_BIN"], *words], capture_output=True, text=True, timeout=PATIENCE)


def backup(data, target):
    done = command("backup", target, "--data", data)
    assert done.returncode == 0, done.stderr
    assert os.path.exists(os.path.join(target, "BACKUP")) and not os.path.exists(target + ".partial")


def digest_of_files(folder):
    """Names and contents of everything in it."""
    whole = hashlib.sha256()
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file():
            whole.update(f"{path.relative_to(folder)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def remember_writes(worker):
    """Keeps every state that the worker's keys have had, the last of them perhaps not acknowledged."""
    worker.log = []
    intend = worker.intend

    def noting(changes):
        worker.log.append(dict(changes))
        intend(changes)
    worker.intend = noting


def check_moment(worker, found, first, last):
    """Its keys must be as they were after some number of writes between `first` and `last`."""
    state = {}
    for changes in worker.log[:first]:
        state.update(changes)
    mine = {key for changes in worker.log for key in changes}
    there = {key: int(found[key]["ver"]["N"]) for key in mine if key in found}
    whole = lambda: {key: version for key, version in state.items() if version is not None} == there  # noqa: E731
    fits = whole()
    for changes in worker.log[first:last]:
        if fits:
            break
        if isinstance(worker, workload.BatchWriter):
            # A batch is not one write: some of its items may be there before others.
            state.update({key: version for key, version in changes.items() if there.get(key) == version})
            fits = whole()
        state.update(changes)
        fits = fits or whole()
    wrong = [] if fits else [f"client {worker.number}: no moment between writes {first} and {last} explains what is there"]
    wrong += [f"{key}: other content" for key, version in there.items() if found[key] != worker.item(key, version)]
    return wrong


def read_everything(data):
    """All items by key, complaints of the indexes and the bank, and a digest of the answers."""
    server = Server(data)
    client = Client(server.host, server.port, timeout=60)
    try:
        items = client.scan(workload.TABLE, ConsistentRead=True)
        found = {(item["pk"]["S"], item["sk"]["S"]): item for item in items}
        wrong = workload.check_indexes(client, found)
        money = [int(item["money"]["N"]) for key, item in found.items() if key[0] == "bank"]
        if sum(money) != workload.ACCOUNTS * workload.START_MONEY or min(money) < 0:
            wrong.append(f"the bank holds {sum(money)}, lowest account {min(money)}")
        answers = [items, client.scan(workload.TABLE, IndexName="byGroup"), client.call("DescribeTable", TableName=workload.TABLE)]
        return found, wrong, hashlib.sha256(json.dumps(answers, sort_keys=True).encode()).hexdigest()
    finally:
        client.close()
        assert server.stop() == 0, server.log()[-2000:]


class Folder:
    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="gateleg-backup-")
        return lambda *names: os.path.join(self.path, *names)

    def __exit__(self, kind, *_):
        if kind is None:
            shutil.rmtree(self.path, ignore_errors=True)
        else:
            print(f"     data kept in {self.path}")


def start_writers(data, workers):
    server = Server(data)
    client = Client(server.host, server.port)
    workload.create_table(client)
    client.close()
    for worker in workers:
        remember_writes(worker)
        worker.start_round(server.host, server.port)
    return server


def join(workers):
    for worker in workers:
        worker.thread.join(60)
        assert not worker.thread.is_alive() and not worker.problem, worker.problem or "a client hangs"


def test_under_load():
    """T9: backups under load are one moment each, and a restore answers the same"""
    workers = workload.make_workers(SEED)
    with Folder() as folder:
        server = start_writers(folder("data"), workers)
        windows = []
        for number in range(BACKUPS):
            time.sleep(0.7)
            first = [max(0, len(worker.log) - 1) for worker in workers]
            before = sum(worker.acks for worker in workers)
            backup(folder("data"), folder(f"copy{number}"))
            windows.append((first, [len(worker.log) for worker in workers], sum(worker.acks for worker in workers) - before))
        server.kill()
        join(workers)
        assert any(during > 0 for _, _, during in windows), "nobody wrote during a backup"
        controls = 0
        for number, (first, last, _) in enumerate(windows):
            kept = digest_of_files(folder(f"copy{number}"))
            done = command("restore", folder(f"copy{number}"), "--data", folder(f"restored{number}"))
            assert done.returncode == 0, done.stderr
            assert digest_of_files(folder(f"copy{number}")) == kept, "a restore changed the backup"
            found, wrong, digest = read_everything(folder(f"restored{number}"))
            for worker, begin, end in zip(workers, first, last):
                wrong += check_moment(worker, found, begin, end)
            assert not wrong, f"backup {number} (seed {SEED}):\n" + "\n".join(wrong[:20])
            # The check sees a lost item and one of a later moment. One that was written meanwhile may rightly be missing.
            touched = {key for changes in workers[0].log[first[0]:last[0]] for key in changes}
            for key in [key for key in found if key[0] == "c0" and key not in touched][:1]:
                assert check_moment(workers[0], {name: item for name, item in found.items() if name != key}, first[0], last[0])
                later = {**found, key: workers[0].item(key, workers[0].version + 1)}
                assert check_moment(workers[0], later, first[0], last[0])
                controls += 1
            assert read_everything(folder(f"copy{number}"))[2] == digest, "the backup and what was restored from it differ"
        assert controls, "no key of the first client was left alone during a backup"
        print(f"     counts backup backups={BACKUPS} acknowledged={sum(worker.acks for worker in workers)} "
              f"during={sum(during for _, _, during in windows)} lost=0")


def test_flipped_bits():
    """T9: one flipped bit in any file of a backup makes restore refuse and name it"""
    chance = random.Random(SEED)
    workers = workload.make_workers(SEED)
    flipped = 0
    with Folder() as folder:
        server = start_writers(folder("data"), workers)
        time.sleep(0.5)
        backup(folder("data"), folder("copy"))
        server.kill()
        join(workers)
        files = [path for path in sorted(pathlib.Path(folder("copy")).rglob("*")) if path.is_file() and path.stat().st_size]
        assert {"BACKUP", "FORMAT", "MARK", "CURRENT"} <= {path.name for path in files} and any(path.suffix == ".sst" for path in files)
        for path in files:
            whole = path.read_bytes()
            at = chance.randrange(len(whole))
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1:])
            done = command("restore", folder("copy"), "--data", folder("refused"))
            assert done.returncode == 3 and str(path) in done.stderr, f"{path} at {at}: {done.returncode}\n{done.stderr}"
            assert not os.path.exists(folder("refused")) and not os.path.exists(folder("refused.partial"))
            path.write_bytes(whole)
            flipped += 1
        lost = next(path for path in files if path.suffix == ".sst")
        whole = lost.read_bytes()
        lost.unlink()
        assert str(lost) in command("restore", folder("copy"), "--data", folder("refused")).stderr
        lost.write_bytes(whole)
        assert command("restore", folder("copy"), "--data", folder("restored")).returncode == 0
        print(f"     counts backup-bits flipped={flipped}")


def test_killed_in_the_middle():
    """T9: a server that is killed in mid-backup leaves the backup before as it was, and the next one works"""
    workers = workload.make_workers(SEED)
    killed = 0
    with Folder() as folder:
        server = start_writers(folder("data"), workers)
        client = Client(server.host, server.port)
        # Enough rows that a backup takes a while.
        for number in range(40):
            client.call("BatchWriteItem", RequestItems={workload.TABLE: [
                {"PutRequest": {"Item": {"pk": {"S": f"fill{number}"}, "sk": {"S": f"{n}"}, "pad": {"S": "x" * 40_000}}}}
                for n in range(25)]})
        client.close()
        backup(folder("data"), folder("first"))
        kept = digest_of_files(folder("first"))
        for number in range(8):
            copying = subprocess.Popen([os.environ["GATELEG_BIN"], "backup", folder("second"), "--data", folder("data")],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            deadline = time.monotonic() + 30
            while not os.path.isdir(folder("second.partial", "db")) and copying.poll() is None and time.monotonic() < deadline:
                time.sleep(0.002)
            server.kill()
            _, problem = copying.communicate(timeout=60)
            if not os.path.exists(folder("second")):
                assert copying.returncode == 1 and problem, (copying.returncode, problem)
                killed += 1
                break
            shutil.rmtree(folder("second"))
            server = Server(folder("data"))
        assert killed, "no backup was caught in the middle"
        join(workers)
        assert digest_of_files(folder("first")) == kept
        server = Server(folder("data"))
        refused = command("backup", folder("second"), "--data", folder("data"))
        assert refused.returncode == 1 and "second.partial" in refused.stderr, refused.stderr
        shutil.rmtree(folder("second.partial"))
        backup(folder("data"), folder("second"))
        assert server.stop() == 0
        for name in ("first", "second"):
            assert command("restore", folder(name), "--data", folder(name + "-restored")).returncode == 0
            _, wrong, _ = read_everything(folder(name + "-restored"))
            assert not wrong, wrong[:20]
        print(f"     counts backup-kill kills={killed}")


if __name__ == "__main__":
    run_module("__main__")
