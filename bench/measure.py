"""One run of a load against a server, on a machine that does nothing else meanwhile."""
import dataclasses
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import time

import servers

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "build" / "bench"
QUIET_CORES = 0.25
DISTURBED_CORES = 0.3
TRIES = 3


@dataclasses.dataclass
class Load:
    """Prepared requests (see replay.lua) and how they are sent."""

    name: str
    requests: pathlib.Path
    headers: tuple = ()
    connections: int = 16
    face: str = "url"  # which address of the server: url (DynamoDB) or http_url (systems API)
    calls: int = 1  # how many requests are one operation
    random_below: int = 1


def say(text):
    print(text, file=sys.stderr, flush=True)


def busy_seconds():
    """CPU seconds that all processes of the machine have used."""
    fields = [int(x) for x in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    user, nice, system, _, _, irq, softirq, _ = fields
    return (user + nice + system + irq + softirq) / servers.TICKS


def busy_cores(seconds):
    before = busy_seconds()
    time.sleep(seconds)
    return (busy_seconds() - before) / seconds


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


def start_wrk(server, load, seconds, connections=None):
    environment = {
        **os.environ, "BENCH_REQUESTS": str(load.requests), "BENCH_HEADERS": "\n".join(load.headers),
        "BENCH_RUN": f"{random.randrange(10_000):04}", "BENCH_RANDOM": str(load.random_below)}
    return subprocess.Popen(
        ["wrk", "--threads", "1", "--connections", str(connections or load.connections), "--duration", f"{seconds}s",
         "--timeout", "10s", "--script", str(HERE / "replay.lua"), getattr(server, load.face)],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def result_of(wrk, seconds, calls=1):
    output, _ = wrk.communicate(timeout=seconds + 60)
    lines = [line for line in output.splitlines() if line.startswith("RESULT ")]
    if not lines:
        raise RuntimeError(f"wrk gave no result:\n{output}")
    result = json.loads(lines[0].removeprefix("RESULT "))
    result["per_second"] = result["requests"] / result["seconds"] / calls
    return result


class Meter:
    """How long a run is, and how long one waits for a quiet machine. `noisy` measures in any case, and says so."""

    def __init__(self, seconds, wait, noisy):
        self.seconds, self.wait, self.noisy = seconds, wait, noisy

    def await_quiet(self):
        """Waits until the machine does nothing else. False when it never did."""
        if self.noisy:
            return busy_cores(0.2) < QUIET_CORES
        end = time.monotonic() + self.wait
        told = False
        while busy_cores(0.5) >= QUIET_CORES:
            if time.monotonic() > end:
                return False
            if not told:
                say(f"        waiting up to {self.wait} s for a quiet machine")
                told = True
        return True

    def require_quiet(self):
        """Before anything is started: figures of a busy machine are not worth the time they take."""
        if self.await_quiet():
            return
        if not self.noisy:
            raise SystemExit(f"bench: other processes keep {busy_cores(1):.1f} cores of this machine busy. Figures would "
                             "mislead: end them, wait longer with --wait, or say --noisy to measure in any case.")
        say("bench: this machine is busy with other things; the figures are good for trying the harness, no more")

    def run(self, server, load):
        before = busy_seconds(), server.cpu_seconds(), children_seconds(), time.monotonic()
        result = result_of(start_wrk(server, load, self.seconds), self.seconds, load.calls)
        after = busy_seconds(), server.cpu_seconds(), children_seconds(), time.monotonic()
        busy, served, client, wall = (b - a for a, b in zip(before, after))
        result["server_cpu_us"] = served / max(result["requests"], 1) * load.calls * 1e6  # of one operation
        result["server_cores"] = served / wall
        result["client_cores"] = client / wall
        result["foreign_cores"] = max(0.0, (busy - served - client) / wall)
        return result

    def measure(self, server, load):
        """The first undisturbed run of a few, or else the least disturbed one. None when the server ended."""
        best = None
        for attempt in range(1, TRIES + 1):
            quiet = self.await_quiet()
            server.resume()
            await_idle(server)
            result = self.run(server, load)
            if not server.is_alive():
                return None
            server.pause()
            result["disturbed"] = not quiet or result["foreign_cores"] > DISTURBED_CORES
            if best is None or result["foreign_cores"] < best["foreign_cores"]:
                best = result
            if not result["disturbed"] or self.noisy:
                return result
            if attempt < TRIES:
                say(f"        disturbed by {result['foreign_cores']:.2f} cores, again")
        return best

    def alternate(self, rounds, pairs):
        """Runs [(server, load), ..] in turn, `rounds` times. Their lists of results by the load's name."""
        results = {load.name: [] for _, load in pairs}
        for number in range(1, rounds + 1):
            for server, load in pairs:
                result = self.measure(server, load)
                if result is None:
                    raise RuntimeError(f"{server.name} ended during {load.name}; its output: {server.log}")
                results[load.name].append(result)
                tell(number, rounds, load.name, server.name, result)
        return results


def tell(number, rounds, load, server, result):
    bad = result["bad_status"] + result["bad_socket"]
    say(f"{number}/{rounds}   {load:22} {server:18} {result['per_second']:9,.0f}/s  p50 {result['p50_ms']:.2f} ms  "
        f"p99 {result['p99_ms']:.2f} ms{f'  {bad} failed' if bad else ''}")
