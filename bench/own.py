"""What only our own server is asked: reads beside writes, starts, memory, the store without HTTP."""
import json
import shutil
import statistics
import subprocess
import time

import measure
import servers

STARTS = 5


def measure_mixed(meter, server, loads):
    """The median of GetItem on 4 connections, alone and beside 32 that put."""
    seconds = meter.seconds
    server.resume()
    measure.await_idle(server)
    alone = measure.result_of(measure.start_wrk(server, loads["get"], seconds, 4), seconds)
    writers = measure.start_wrk(server, loads["put"], seconds + 2, 32)
    time.sleep(1)
    beside = measure.result_of(measure.start_wrk(server, loads["get"], seconds, 4), seconds)
    measure.result_of(writers, seconds)
    server.pause()
    return {"alone_ms": alone["p50_ms"], "beside_ms": beside["p50_ms"]}


def measure_restart(server):
    """How long the first answer takes after a kill -9, with what the runs left behind."""
    server.kill()
    again = servers.Server(server.name, server.data.parent, keep=True)
    again.stop()
    return again.start_ms


def measure_systems(folder):
    """A clean start with all five systems on, and what it takes in memory. The median of a few."""
    starts, memory = [], []
    for _ in range(STARTS):
        server = servers.Server("gateleg-systems", folder / "data")
        time.sleep(0.5)
        starts.append(server.start_ms)
        memory.append(server.memory_mib())
        server.discard()
    return {"start_ms": statistics.median(starts), "idle_mib": statistics.median(memory)}


def measure_in_process(meter, folder, items):
    data = folder / "in_process"
    shutil.rmtree(data, ignore_errors=True)
    done = subprocess.run(
        [servers.ROOT / "build/release/bench/in_process", data, str(items), str(meter.seconds)],
        capture_output=True, text=True, check=True)
    shutil.rmtree(data, ignore_errors=True)
    return json.loads(done.stdout)


def run(meter, folder, items, running, loads):
    """After the rounds: the servers of ours that took part are ended by it."""
    own = {"mixed": {}, "restart_ms": {}}
    for server in running:
        if server.name.startswith("gateleg") and server.is_alive():
            measure.say(f"      {server.name}: reads beside writes, restart after a kill")
            meter.await_quiet()
            own["mixed"][server.name] = measure_mixed(meter, server, loads)
            if "memory" not in server.name:
                own["restart_ms"][server.name] = measure_restart(server)
    measure.say("      start with five systems; in process")
    meter.await_quiet()
    own["systems"] = measure_systems(folder)
    own["in_process"] = measure_in_process(meter, folder, items)
    return own
