#!/usr/bin/env python3
"""Counts the instructions of one request of each kind under callgrind, and compares them with a budget.

Instructions are the same whatever else the machine does, so this can fail a build where a time cannot. The whole
server is counted, from the socket to the store, without the kernel. bench/instructions.json is the budget: 5 % more
than it fails. A better figure is written down with --write; so is a worse one, with the reason in the commit.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import servers
import workloads

HERE = pathlib.Path(__file__).resolve().parent
BUDGET = HERE / "instructions.json"
ALLOWED = 1.05
ITEMS = 500
WARM = 60
COUNTED = 300
KINDS = ("get", "put", "update", "query", "query-index", "transact")
PATIENCE = 60


class Counted:
    """A server under callgrind, on a fresh folder, with one thread for connections."""

    def __init__(self, program, folder):
        self.folder = folder
        port = servers.free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts", program, "serve",
                 "--dynamodb", f"127.0.0.1:{port}", "--http", "off", "--s3", "off", "--data", str(folder / "data"),
                 "--durability", "process", "--threads", "1"],
                cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                self.client = workloads.Client(self.url)
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
                    return int(found.group(1))
            time.sleep(0.05)
        raise SystemExit("callgrind wrote no counts")

    def count(self, kind):
        operation, make = workloads.WORKLOADS[kind][:2]
        orders = workloads.Orders(ITEMS, kind)
        bodies = [json.dumps(make(orders), separators=(",", ":")) for _ in range(WARM + COUNTED)]
        for body in bodies[:WARM]:
            self.client.expect(operation, body)
        self.control("--zero")
        for body in bodies[WARM:]:
            self.client.expect(operation, body)
        return self.dump() // COUNTED

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def measure(program):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gateleg-instructions-"))
    server = Counted(program, folder)
    try:
        server.load()
        return {kind: server.count(kind) for kind in KINDS}
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="make what is counted now the budget")
    arguments = parser.parse_args()
    program = os.path.abspath(os.environ.get("GATELEG_BIN", HERE.parent / "build/release/gateleg"))
    try:
        counts = measure(program)
    except (OSError, subprocess.SubprocessError) as reason:
        print(f"skip instructions (valgrind cannot be used here: {reason})\n1 passed, 0 failed")
        return 0
    if arguments.write:
        BUDGET.write_text(json.dumps(counts, indent=2) + "\n")
        print(BUDGET.read_text(), end="")
        return 0
    budget = json.loads(BUDGET.read_text())
    failed = 0
    for kind, count in counts.items():
        good = count <= budget[kind] * ALLOWED
        failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {kind}: {count:,} instructions, budget {budget[kind]:,} ({count / budget[kind]:.1%})")
    print(f"{len(counts) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
