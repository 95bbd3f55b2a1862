#!/usr/bin/env python3
"""Compares Gateleg with other servers that speak the DynamoDB API, on this machine, and with its own goals.

Every server gets the same items on a fresh folder. Each round runs each workload on each server in turn, with
the others stopped, so that what the machine does meanwhile falls on all alike. Before anything starts, and before each
run, the machine must be quiet, for a bounded time; a run that foreign load disturbed is repeated, and marked if it
stays so. The tables go to stdout, every single run to build/bench/ as JSON.
"""
import argparse
import json
import os
import pathlib
import platform
import shutil
import time

import dynamo
import goals
import growth
import measure
import own
import report
import servers
import systems
import workloads
from measure import OUT, say

HERE = pathlib.Path(__file__).resolve().parent
# What is measured beside the workloads.
PARTS = ("own", "systems-api", "growth")
# What a server does when it has nothing to do, such as putting its files in order, is not part of a run.
SETTLE_SECONDS = 15


def start(name, arguments, loads):
    """Starts and loads a server, and finds out which workloads it can do. It is paused afterwards."""
    say(f"      {name}: start and load {arguments.items:,} items")
    server = servers.Server(name, OUT / "data")
    try:
        server.idle_mib = server.memory_mib()
        if server.is_limit:
            server.can = {workload: workload in workloads.LIMITS for workload in loads}
            server.loaded_mib, server.loaded_disk_mib = server.memory_mib(), 0
            server.pause()
            return server
        client = dynamo.Client(server.url)
        workloads.create_table(client)
        end = time.monotonic() + 60
        while not workloads.table_is_active(client) and time.monotonic() < end:
            time.sleep(0.05)
        began = time.monotonic()
        workloads.load(server.url, arguments.items)
        say(f"      {name}: loaded in {time.monotonic() - began:.1f} s")
        server.can = {}
        for workload, load in loads.items():
            with load.requests.open() as file:
                body = file.readline().rstrip("\n").split("\t")[2]
            status, reply = dynamo.Client(server.url).call(workloads.WORKLOADS[workload][0], body)
            server.can[workload] = status == 200
            if status != 200:
                say(f"      {name}: no {workload}: {status} {json.dumps(reply)[:120]}")
        measure.await_idle(server)
        time.sleep(SETTLE_SECONDS)
        server.loaded_mib, server.loaded_disk_mib = server.memory_mib(), server.disk_mib()
    except BaseException:
        server.stop()
        raise
    server.pause()
    return server


def run_rounds(meter, arguments, running, loads):
    runs = {}
    for number in range(1, arguments.rounds + 1):
        for name, load in loads.items():
            for server in running:
                if not server.can[name]:
                    continue
                result = meter.measure(server, load)
                if result is None:
                    say(f"{server.name} ended during {name}; its output: {server.log}")
                    server.can = dict.fromkeys(loads, False)
                    continue
                runs.setdefault((server.name, name), []).append(result)
                measure.tell(number, arguments.rounds, name, server.name, result)
    return runs


def compare(meter, arguments, names, record):
    """The workloads on every server, and what else is asked of ours."""
    loads = {name: workloads.prepare(name, arguments.items, OUT / "requests") for name in names}
    running, runs = [], {}
    try:
        for label in arguments.servers if names else ():
            running.append(start(label, arguments, loads))
        record["servers"] = {s.name: {"start_ms": s.start_ms, "idle_mib": s.idle_mib, "loaded_mib": s.loaded_mib,
                                      "loaded_disk_mib": s.loaded_disk_mib} for s in running}
        runs = run_rounds(meter, arguments, running, loads)
        if "own" in arguments.parts:
            loads = {name: workloads.prepare(name, arguments.items, OUT / "requests") for name in ("get", "put")}
            record["own"] = own.run(meter, OUT, arguments.items, running, loads)
    finally:
        for server in running:
            server.discard()
    return runs


def machine():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    models = [line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
              if line.startswith("model name")]
    return {"cores": os.cpu_count(), "processor": models[0] if models else platform.machine(),
            "memory_gib": round(memory / 2**30, 1), "kernel": platform.release(),
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="./dev bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=10, help="length of a run (10)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each workload on each server (3)")
    parser.add_argument("--items", type=int, default=100_000, help="items in the table (100000)")
    parser.add_argument("--only", metavar="LIST", help=f"of {','.join([*workloads.WORKLOADS, *PARTS])}")
    parser.add_argument("--servers", metavar="LIST", default=",".join(servers.DEFAULT),
                        help=f"of {','.join(servers.SERVERS)} ({','.join(servers.DEFAULT)})")
    parser.add_argument("--growth", metavar="ITEMS", type=int, nargs="?", const=growth.DEFAULT_ITEMS,
                        help=f"also what becomes of the speed with many items ({growth.DEFAULT_ITEMS}), long partitions (a tenth "
                             "of that), 200 tables, 8 indexes; loads for minutes, a few GB on the disk")
    parser.add_argument("--with-dynamodb-local", action="store_true",
                        help="also AWS's DynamoDB Local, if its licence allows you (needs java)")
    parser.add_argument("--wait", type=int, default=60, help="longest wait for a quiet machine, s (60)")
    parser.add_argument("--noisy", action="store_true", help="measure on a machine that is busy with other things")
    parser.add_argument("--output", choices=("markdown", "json"), default="markdown",
                        help="the tables, or everything that was measured (markdown)")
    arguments = parser.parse_args()
    arguments.servers = arguments.servers.split(",")
    if arguments.with_dynamodb_local and "dynamodb-local" not in arguments.servers:
        arguments.servers.append("dynamodb-local")
    chosen = arguments.only.split(",") if arguments.only else [*workloads.WORKLOADS, "own", "systems-api"]
    for names, known in ((chosen, [*workloads.WORKLOADS, *PARTS]), (arguments.servers, servers.SERVERS)):
        for name in names:
            if name not in known:
                parser.error(f"no '{name}' in {', '.join(known)}")
    if "growth" in chosen and arguments.growth is None:
        arguments.growth = growth.DEFAULT_ITEMS
    if arguments.growth is not None and arguments.growth < 10 * growth.CHUNK:
        parser.error(f"--growth: at least {10 * growth.CHUNK} items")
    arguments.parts = [part for part in PARTS if part in chosen or (part == "growth" and arguments.growth)]
    if "dynamodb-local" in arguments.servers and not arguments.with_dynamodb_local:
        parser.error("dynamodb-local has a licence of its own: say --with-dynamodb-local")
    return arguments, [name for name in chosen if name in workloads.WORKLOADS]


def main():
    arguments, names = parse_arguments()
    if arguments.with_dynamodb_local:
        servers.install_dynamodb_local()
    meter = measure.Meter(arguments.seconds, arguments.wait, arguments.noisy)
    meter.require_quiet()
    (OUT / "requests").mkdir(parents=True, exist_ok=True)
    record = {"machine": machine(), "versions": servers.versions(), "workloads": names, "servers": {},
              "settings": {key: value for key, value in vars(arguments).items() if key not in ("only", "output")}}
    try:
        runs = compare(meter, arguments, names, record)
        if "systems-api" in arguments.parts:
            record["systems_api"] = systems.run(meter, arguments.rounds, OUT)
        if "growth" in arguments.parts:
            record["growth"] = growth.run(meter, arguments.rounds, OUT, arguments.growth)
    finally:
        shutil.rmtree(OUT / "data", ignore_errors=True)
    record["runs"] = [{"server": label, "workload": name, **run} for (label, name), many in runs.items() for run in many]
    record["goals"] = [dict(zip(("work", "goal", "measured", "met"), row)) for row in goals.Goals(record, runs).compute()]
    path = OUT / f"{record['machine']['time'].replace(':', '')}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")
    say(f"every run: {path.relative_to(HERE.parent)}")
    print(json.dumps(record, indent=1) if arguments.output == "json" else report.markdown(record, runs))


if __name__ == "__main__":
    main()
