#!/usr/bin/env python3
"""Counts the instructions of one request of each kind under callgrind, and compares them with a budget.

Instructions are the same whatever else the machine does, so this can fail a build where a time cannot. The whole
server is counted, from the socket to the store, without the kernel. bench/instructions.json is the budget: 5 % more
than it fails, 15 % for operations of the systems API. A better figure is written down with --write; so is a worse one,
with the reason in the commit.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import dynamo
import servers
import systems
import workloads

HERE = pathlib.Path(__file__).resolve().parent
BUDGET = HERE / "instructions.json"
ALLOWED = 1.05
# With systems on, threads of the server look for work now and then: more of it on a slow machine.
SYSTEM_ALLOWED = 1.15
ITEMS = 500
WARM = 60
COUNTED = 300
KINDS = ("get", "put", "update", "query", "query-index", "transact")
# Of the systems API, and the same calls sent raw.
SYSTEM_KINDS = ("page", "page-raw", "consume", "consume-raw")
MEMBERS = 20
SYSTEM_COUNTED = 120
PATIENCE = 150


class Counted:
    """A server under callgrind, on a fresh folder, with one thread for connections."""

    def __init__(self, program, folder, *options):
        self.folder = folder
        port, http = servers.free_port(), servers.free_port()
        self.url, self.http_url = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{http}"
        self.log = folder / "log"
        faces = ["--http", f"127.0.0.1:{http}", *options] if options else ["--http", "off"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts", program, "serve",
                 "--dynamodb", f"127.0.0.1:{port}", *faces, "--s3", "off", "--data", str(folder / "data"),
                 "--durability", "process", "--threads", "1"],
                cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "GATELEG_JWT_SECRET": servers.JWT_SECRET})
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                self.client = dynamo.Client(self.url)
                if self.client.call("ListTables", {})[0] == 200:
                    return
            except OSError:
                time.sleep(0.1)
        raise SystemExit(f"the server did not start:\n{self.log.read_text(errors='replace')}")

    def load(self):
        workloads.create_table(self.client)
        while not workloads.table_is_active(self.client):
            time.sleep(0.05)
        orders = workloads.Orders(ITEMS, "load")
        for customer in range(orders.customers):
            for start in range(0, workloads.ORDERS_PER_CUSTOMER, workloads.BATCH):
                items = [orders.item(customer, start + n) for n in range(workloads.BATCH)]
                workloads.write_batch(self.client, items)

    def load_members(self):
        systems.fill(self, MEMBERS)
        client = self.client
        self.lots = [systems.entries(client, number, "CREDITS#LOT#")[0] for number in range(MEMBERS)]

    def control(self, what):
        subprocess.run(["callgrind_control", what, str(self.process.pid)], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=PATIENCE, check=True)

    def dump(self):
        """The instructions since the last zero."""
        before = set(self.folder.glob("counts*"))
        self.control("--dump")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for file in set(self.folder.glob("counts*")) - before:
                found = re.search(r"^(?:totals|summary): (\d+)", file.read_text(errors="replace"), re.MULTILINE)
                if found:
                    self.last_dump = file
                    return int(found.group(1))
            time.sleep(0.05)
        raise SystemExit("callgrind wrote no counts")

    def count(self, kind):
        operation, make = workloads.WORKLOADS[kind][:2]
        orders = workloads.Orders(ITEMS, kind)
        bodies = [json.dumps(make(orders), separators=(",", ":")) for _ in range(WARM + COUNTED)]
        return self.count_calls([lambda body=body: self.client.expect(operation, body) for body in bodies])

    def count_calls(self, calls):
        for call in calls[:WARM]:
            call()
        self.control("--zero")
        for call in calls[WARM:]:
            call()
        return self.dump() // (len(calls) - WARM)

    def count_system(self, kind):
        """One operation of the systems API, or the raw calls it stands for."""
        choose = random.Random(kind)
        connection = systems.Sender(self.url if kind.endswith("-raw") else self.http_url)
        calls = []
        for at in range(WARM + SYSTEM_COUNTED):
            number = choose.randrange(MEMBERS)
            parts = systems.OPERATIONS[kind](number, self.lots[number])
            calls.append(lambda parts=parts, at=at: [connection.send(one, f"{kind}-{at:012}"[-12:]) for one in parts])
        return self.count_calls(calls)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def measure(program, kinds, keep):
    """`keep` is a folder for what callgrind wrote, for callgrind_annotate."""
    counts = {}
    for group, options, fill in (
            (KINDS, (), Counted.load),
            (SYSTEM_KINDS, ("--systems", "membership"), Counted.load_members)):
        wanted = [kind for kind in group if kind in kinds]
        if not wanted:
            continue
        folder = pathlib.Path(tempfile.mkdtemp(prefix="gateleg-instructions-"))
        server = Counted(program, folder, *options)
        try:
            fill(server)
            for kind in wanted:
                counts[kind] = server.count(kind) if group is KINDS else server.count_system(kind)
                if keep:
                    shutil.copy(server.last_dump, pathlib.Path(keep) / f"callgrind.{kind}")
        finally:
            server.stop()
            shutil.rmtree(folder, ignore_errors=True)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="make what is counted now the budget")
    parser.add_argument("--only", metavar="LIST", help=f"of {','.join([*KINDS, *SYSTEM_KINDS])}")
    parser.add_argument("--keep", metavar="FOLDER", help="leave callgrind's files there, as callgrind.KIND")
    arguments = parser.parse_args()
    kinds = arguments.only.split(",") if arguments.only else [*KINDS, *SYSTEM_KINDS]
    program = os.path.abspath(os.environ.get("GATELEG_BIN", HERE.parent / "build/release/gateleg"))
    try:
        counts = measure(program, kinds, arguments.keep)
    except (OSError, subprocess.SubprocessError) as reason:
        print(f"skip instructions (valgrind cannot be used here: {reason})\n1 passed, 0 failed")
        return 0
    if arguments.write:
        BUDGET.write_text(json.dumps({**json.loads(BUDGET.read_text()), **counts}, indent=2) + "\n")
        print(BUDGET.read_text(), end="")
        return 0
    budget = json.loads(BUDGET.read_text())
    failed = 0
    for kind, count in counts.items():
        most = budget.get(kind, 0)
        allowed = ALLOWED if kind in KINDS else SYSTEM_ALLOWED
        good = count <= most * allowed
        failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {kind}: {count:,} instructions, budget {most:,} ({count / max(most, 1):.1%})")
    print(f"{len(counts) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
