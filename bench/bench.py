#!/usr/bin/env python3
"""Compares Gateleg with other servers that speak the DynamoDB API, on this machine.

Every server gets the same items on a fresh folder. Each round runs each workload on each server in turn, with
the others stopped, so that what the machine does meanwhile falls on all alike. Before a run the machine must
be quiet, for a bounded time; a run that foreign load disturbed is repeated, and marked if it stays so.
The table goes to stdout as Markdown, every single run to build/bench/ as JSON.
"""
import argparse
import json
import os
import pathlib
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import time

import servers
import workloads

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "build" / "bench"
QUIET_CORES = 0.25
DISTURBED_CORES = 0.3
TRIES = 3


def say(text):
    print(text, file=sys.stderr, flush=True)


def busy_seconds():
    """CPU seconds that all processes of the machine have used."""
    fields = [int(x) for x in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    user, nice, system, _, _, irq, softirq, _ = fields
    return (user + nice + system + irq + softirq) / servers.TICKS


def await_quiet(limit):
    """Waits until the machine does nothing else. False when it never did in `limit` seconds."""
    end = time.monotonic() + limit
    told = False
    while True:
        before = busy_seconds()
        time.sleep(0.5)
        if (busy_seconds() - before) / 0.5 < QUIET_CORES:
            return True
        if time.monotonic() > end:
            return False
        if not told:
            say(f"        waiting up to {limit} s for a quiet machine")
            told = True


def await_idle(server, limit=15):
    """A server that was stopped may have work left, such as a compaction: that is not the workload's."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        before = server.cpu_seconds()
        time.sleep(0.3)
        if server.cpu_seconds() - before < 0.03:
            return


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def start_wrk(server, name, connections, seconds):
    operation = workloads.WORKLOADS[name][0]
    environment = {**os.environ, "BENCH_REQUESTS": str(OUT / "requests" / f"{name}.jsonl"), "BENCH_TARGET": operation}
    return subprocess.Popen(
        ["wrk", "--threads", "1", "--connections", str(connections), "--duration", f"{seconds}s", "--timeout", "10s",
         "--script", str(HERE / "replay.lua"), server.url],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def result_of(wrk, seconds):
    output, _ = wrk.communicate(timeout=seconds + 60)
    lines = [line for line in output.splitlines() if line.startswith("RESULT ")]
    if not lines:
        raise RuntimeError(f"wrk gave no result:\n{output}")
    result = json.loads(lines[0].removeprefix("RESULT "))
    result["per_second"] = result["requests"] / result["seconds"]
    return result


def run_wrk(server, name, seconds):
    connections = workloads.WORKLOADS[name][2]
    before = busy_seconds(), server.cpu_seconds(), children_seconds(), time.monotonic()
    result = result_of(start_wrk(server, name, connections, seconds), seconds)
    after = busy_seconds(), server.cpu_seconds(), children_seconds(), time.monotonic()
    busy, served, client, wall = (b - a for a, b in zip(before, after))
    result["server_cores"] = served / wall
    result["client_cores"] = client / wall
    result["foreign_cores"] = max(0.0, (busy - served - client) / wall)
    return result


def measure(server, name, arguments):
    """The first undisturbed run of a few, or else the least disturbed one. None when the server ended."""
    best = None
    for attempt in range(1, TRIES + 1):
        quiet = await_quiet(arguments.wait)
        server.resume()
        await_idle(server)
        result = run_wrk(server, name, arguments.seconds)
        if not server.is_alive():
            return None
        server.pause()
        result["disturbed"] = not quiet or result["foreign_cores"] > DISTURBED_CORES
        if best is None or result["foreign_cores"] < best["foreign_cores"]:
            best = result
        if not result["disturbed"]:
            return result
        if attempt < TRIES:
            say(f"        disturbed by {result['foreign_cores']:.2f} cores, again")
    return best


# --- what only our own server is asked ----------------------------------------------------------------------


def measure_mixed(server, seconds):
    """The median of GetItem on 4 connections, alone and beside 32 that put."""
    server.resume()
    await_idle(server)
    alone = result_of(start_wrk(server, "get", 4, seconds), seconds)
    writers = start_wrk(server, "put", 32, seconds + 2)
    time.sleep(1)
    beside = result_of(start_wrk(server, "get", 4, seconds), seconds)
    result_of(writers, seconds)
    server.pause()
    return {"alone_ms": alone["p50_ms"], "beside_ms": beside["p50_ms"]}


def measure_restart(server):
    """How long the first answer takes after a kill -9, with what the runs left behind."""
    server.kill()
    again = servers.Server(server.name, OUT / "data", keep=True)
    again.stop()
    return again.start_ms


def measure_systems():
    """A clean start with all five systems on, and what it takes in memory."""
    server = servers.Server("gateleg-systems", OUT / "data")
    time.sleep(0.5)
    result = {"start_ms": server.start_ms, "idle_mib": server.memory_mib()}
    server.stop()
    return result


def measure_in_process(arguments):
    folder = OUT / "in_process"
    shutil.rmtree(folder, ignore_errors=True)
    done = subprocess.run(
        [HERE.parent / "build/release/bench/in_process", folder, str(arguments.items), str(arguments.seconds)],
        capture_output=True, text=True, check=True)
    shutil.rmtree(folder, ignore_errors=True)
    return json.loads(done.stdout)


def measure_own(arguments, running):
    """After the rounds: the servers of ours that took part are ended by it."""
    own = {"mixed": {}, "restart_ms": {}}
    for server in running:
        if server.name.startswith("gateleg") and server.is_alive():
            say(f"      {server.name}: reads beside writes, restart after a kill")
            await_quiet(arguments.wait)
            own["mixed"][server.name] = measure_mixed(server, arguments.seconds)
            if "memory" not in server.name:
                own["restart_ms"][server.name] = measure_restart(server)
    say("      start with five systems; in process")
    await_quiet(arguments.wait)
    own["systems"] = measure_systems()
    own["in_process"] = measure_in_process(arguments)
    return own


def report_own(own, runs):
    rows = []
    for label, pair in own["mixed"].items():
        rows.append([f"GetItem beside 32 writers, {label}: p50, times its own", f"{pair['beside_ms'] / pair['alone_ms']:.1f}",
                     f"{pair['beside_ms']:.2f} ms against {pair['alone_ms']:.2f} ms"])
    for label, milliseconds in own["restart_ms"].items():
        rows.append([f"restart after kill -9, {label}", f"{milliseconds:,.0f} ms", ""])
    rows.append(["start with all five systems", f"{own['systems']['start_ms']:,.0f} ms",
                 f"{own['systems']['idle_mib']:,.0f} MiB when idle"])
    inside = own["in_process"]
    for what in ("get", "put"):
        rows.append([f"in process: {what}_item of RocksDB's own {what}", f"{inside[what] / inside['raw_' + what]:.0%}",
                     f"{inside[what]:,.0f}/s against {inside['raw_' + what]:,.0f}/s"])
    for name in workloads.LIMITS:
        limit = runs.get(("bare", name))
        for label in ("gateleg-fsync", "gateleg-process"):
            ours = runs.get((label, name))
            if limit and ours:
                rows.append([f"{workloads.WORKLOADS[name][4]}, {label}, of the bare server",
                             f"{median(ours, 'per_second') / median(limit, 'per_second'):.0%}",
                             f"p50 {median(ours, 'p50_ms'):.2f} ms against {median(limit, 'p50_ms'):.2f} ms"])
    return "### Against the limit\n\n" + markdown_table(["", "", ""], rows)


def start(name, arguments, names):
    """Starts and loads a server, and finds out which workloads it can do. It is paused afterwards."""
    say(f"      {name}: start and load {arguments.items} items")
    server = servers.Server(name, OUT / "data")
    try:
        server.idle_mib = server.memory_mib()
        if server.is_limit:
            server.can = {workload: workload in workloads.LIMITS for workload in names}
            server.loaded_mib, server.loaded_disk_mib = server.memory_mib(), 0
            server.pause()
            return server
        client = workloads.Client(server.url)
        workloads.create_table(client)
        end = time.monotonic() + 60
        while not workloads.table_is_active(client) and time.monotonic() < end:
            time.sleep(0.05)
        began = time.monotonic()
        workloads.load(server.url, arguments.items)
        say(f"      {name}: loaded in {time.monotonic() - began:.1f} s")
        server.can = {}
        for workload in names:
            with (OUT / "requests" / f"{workload}.jsonl").open() as file:
                status, reply = workloads.Client(server.url).call(workloads.WORKLOADS[workload][0], file.readline())
            server.can[workload] = status == 200
            if status != 200:
                say(f"      {name}: no {workload}: {status} {json.dumps(reply)[:120]}")
        await_idle(server)
        server.loaded_mib, server.loaded_disk_mib = server.memory_mib(), server.disk_mib()
    except BaseException:
        server.stop()
        raise
    server.pause()
    return server


# --- report ---------------------------------------------------------------------------------------------


def median(runs, field):
    calm = [run for run in runs if not run["disturbed"]] or runs
    return statistics.median(run[field] for run in calm)


def cell(runs):
    if not runs:
        return "none"
    marks = "*" * all(run["disturbed"] for run in runs) + "!" * any(run["bad_status"] + run["bad_socket"] for run in runs)
    return f"{median(runs, 'per_second'):,.0f} ({median(runs, 'p50_ms'):.2f} / {median(runs, 'p99_ms'):.2f}){marks}"


def markdown_table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def report(arguments, names, running, runs):
    labels = [server.name for server in running]
    title = {name: workloads.WORKLOADS[name][4] for name in names}
    parts = [f"### Requests per second (median / 99th percentile in ms), {arguments.items:,} items of 1 KB, "
             f"{arguments.seconds} s, median of {arguments.rounds}"]
    rows = [[title[name], *[cell(runs.get((label, name))) for label in labels]] for name in names]
    for text, field in (("start, ms", "start_ms"), ("memory when idle, MiB", "idle_mib"),
                        ("memory after load, MiB", "loaded_mib"), ("disk after load, MiB", "loaded_disk_mib")):
        rows.append([text, *[f"{getattr(server, field):,.0f}" for server in running]])
    parts.append(markdown_table(["", *labels], rows))

    ours = [label for label in labels if label.startswith("gateleg")]
    rivals = [label for label in labels if label not in ours and label != "bare"]
    if ours and rivals:
        pairs = [(our, rival) for rival in rivals for our in ours]
        rows = [[title[name], *[ratio(runs.get((our, name)), runs.get((rival, name))) for our, rival in pairs]]
                for name in names]
        parts.append("### How many times the rival's requests per second")
        parts.append(markdown_table(["", *[f"{our} / {rival}" for our, rival in pairs]], rows))
    parts.append("`none`: not supported. `*`: other load on the machine. `!`: some requests failed. "
                 "gateleg-fsync answers a write when it is on disk, gateleg-process when the system has it.")
    return "\n\n".join(parts)


def ratio(ours, theirs):
    if not ours or not theirs:
        return ""
    return f"{median(ours, 'per_second') / median(theirs, 'per_second'):.1f}"


def machine():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"cores": os.cpu_count(), "memory_gib": round(memory / 2**30, 1), "kernel": platform.release(),
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="./dev bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=10, help="length of a run (10)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each workload on each server (3)")
    parser.add_argument("--items", type=int, default=100_000, help="items in the table (100000)")
    parser.add_argument("--only", metavar="LIST", help=f"workloads: {','.join(workloads.WORKLOADS)}")
    parser.add_argument("--servers", metavar="LIST", default=",".join(servers.DEFAULT),
                        help=f"of {','.join(servers.SERVERS)} ({','.join(servers.DEFAULT)})")
    parser.add_argument("--with-dynamodb-local", action="store_true",
                        help="also AWS's DynamoDB Local, if its licence allows you (needs java)")
    parser.add_argument("--wait", type=int, default=60, help="longest wait for a quiet machine, s (60)")
    arguments = parser.parse_args()
    arguments.servers = arguments.servers.split(",")
    if arguments.with_dynamodb_local and "dynamodb-local" not in arguments.servers:
        arguments.servers.append("dynamodb-local")
    names = arguments.only.split(",") if arguments.only else list(workloads.WORKLOADS)
    for chosen, known in ((names, workloads.WORKLOADS), (arguments.servers, servers.SERVERS)):
        for name in chosen:
            if name not in known:
                parser.error(f"no '{name}' in {', '.join(known)}")
    if "dynamodb-local" in arguments.servers and not arguments.with_dynamodb_local:
        parser.error("dynamodb-local has a licence of its own: say --with-dynamodb-local")
    return arguments, names


def main():
    arguments, names = parse_arguments()
    if arguments.with_dynamodb_local:
        servers.install_dynamodb_local()
    (OUT / "requests").mkdir(parents=True, exist_ok=True)
    for name in names:
        workloads.prepare(name, arguments.items, OUT / "requests" / f"{name}.jsonl")

    running, runs = [], {}
    try:
        for label in arguments.servers:
            running.append(start(label, arguments, names))
        for number in range(1, arguments.rounds + 1):
            for name in names:
                for server in running:
                    if not server.can[name]:
                        continue
                    result = measure(server, name, arguments)
                    if result is None:
                        say(f"{server.name} ended during {name}; its output: {server.log}")
                        server.can = dict.fromkeys(names, False)
                        continue
                    runs.setdefault((server.name, name), []).append(result)
                    say(f"{number}/{arguments.rounds}   {name:12} {server.name:18} {result['per_second']:9,.0f}/s"
                        f"  p50 {result['p50_ms']:.2f} ms  p99 {result['p99_ms']:.2f} ms")
        text = report(arguments, names, running, runs)
        own = None
        if not arguments.only:
            own = measure_own(arguments, running)
            text += "\n\n" + report_own(own, runs)
    finally:
        for server in running:
            server.stop()
            shutil.rmtree(server.data, ignore_errors=True)

    record = {
        "machine": machine(),
        "settings": {key: value for key, value in vars(arguments).items() if key != "only"},
        "servers": {s.name: {"start_ms": s.start_ms, "idle_mib": s.idle_mib, "loaded_mib": s.loaded_mib,
                             "loaded_disk_mib": s.loaded_disk_mib} for s in running},
        "own": own,
        "runs": [{"server": label, "workload": name, **run} for (label, name), many in runs.items() for run in many],
    }
    path = OUT / f"{record['machine']['time'].replace(':', '')}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")
    say(f"every run: {path.relative_to(HERE.parent)}")
    print(text)


if __name__ == "__main__":
    main()
