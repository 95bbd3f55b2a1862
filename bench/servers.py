"""The servers that are compared: how each is started, paused, watched and ended."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

import workloads

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = ROOT / "bench" / "node_modules"
SIMULATOR = ROOT / "build" / "bench" / "dynamodb-local"
SIMULATOR_VERSION = "2.9.30"
TICKS = os.sysconf("SC_CLK_TCK")
START_SECONDS = 60


def gateleg(*options):
    return lambda port, data: [
        ROOT / "build/release/gateleg", "serve", "--dynamodb", f"127.0.0.1:{port}", "--http", "off", "--s3", "off",
        *(options if "--memory" in options else ("--data", data, *options))]


def dynoxide(port, data):
    program = MODULES / "@dynoxide/linux-x64/dynoxide"
    return [program, "serve", "--host", "127.0.0.1", "--port", port, "--db-path", data / "dynoxide.db"]


def dynoxide_memory(port, _):
    return dynoxide(port, pathlib.Path())[:-2]


def dynalite(port, data):
    return ["node", MODULES / "dynalite/cli.js", "--host", "127.0.0.1", "--port", port, "--path", data,
            "--createTableMs", "0", "--deleteTableMs", "0"]


def dynamodb_local(port, data):
    home = SIMULATOR / "node_modules/amplify-dynamodb-simulator/emulator"
    return ["java", f"-Djava.library.path={home / 'DynamoDBLocal_lib'}", "-jar", home / "DynamoDBLocal.jar",
            "-port", port, "-sharedDb", "-dbPath", data]


def all_systems(port, data):
    return [ROOT / "build/release/gateleg", "serve", "--dynamodb", f"127.0.0.1:{port}", "--http", "127.0.0.1:0",
            "--s3", "off", "--data", data, "--systems", "all"]


def bare(port, _):
    return [ROOT / "build/release/bench/bare_server", port, "1"]


# name: how its command line is made. Those with -memory keep nothing on disk; bare is no rival but the limit.
SERVERS = {
    "bare": bare,
    "gateleg-fsync": gateleg("--durability", "fsync"),
    "gateleg-process": gateleg("--durability", "process"),
    "gateleg-memory": gateleg("--memory"),
    "gateleg-systems": all_systems,
    "dynoxide": dynoxide,
    "dynoxide-memory": dynoxide_memory,
    "dynalite": dynalite,
    "dynamodb-local": dynamodb_local,
}
DEFAULT = ["bare", "gateleg-fsync", "gateleg-process", "dynoxide", "dynalite"]


def install_dynamodb_local():
    """DynamoDB Local's licence ties its use to an AWS account: it comes only when it is asked for by name."""
    if not shutil.which("java"):
        raise SystemExit("bench: --with-dynamodb-local needs java")
    if not (SIMULATOR / "node_modules").exists():
        SIMULATOR.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["npm", "install", "--prefix", SIMULATOR, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund",
             "--loglevel=error", f"amplify-dynamodb-simulator@{SIMULATOR_VERSION}"],
            check=True, stdin=subprocess.DEVNULL)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A running server in a process group of its own, on a fresh folder."""

    def __init__(self, name, folder, keep=False):
        """`keep` starts it on what is in its folder."""
        self.name = name
        self.is_limit = name == "bare"
        self.data = folder / name
        if not keep:
            shutil.rmtree(self.data, ignore_errors=True)
        self.data.mkdir(parents=True, exist_ok=True)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        command = [str(part) for part in SERVERS[name](port, self.data)]
        self.log = folder / f"{name}.log"
        began = time.monotonic()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, cwd=self.data, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self._await_answer(began)
        self.start_ms = (time.monotonic() - began) * 1000

    def _await_answer(self, began):
        while time.monotonic() - began < START_SECONDS:
            if self.process.poll() is not None:
                break
            try:
                if workloads.Client(self.url).call("ListTables", {})[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.001)
        self.stop()
        tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-10:])
        raise RuntimeError(f"{self.name} did not start:\n{tail}")

    def pause(self):
        os.killpg(self.process.pid, signal.SIGSTOP)

    def resume(self):
        os.killpg(self.process.pid, signal.SIGCONT)

    def is_alive(self):
        return self.process.poll() is None

    def cpu_seconds(self):
        if not self.is_alive():
            return 0.0
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory_mib(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        return 0.0

    def disk_mib(self):
        return sum(f.stat().st_blocks * 512 for f in self.data.rglob("*") if f.is_file()) / 1048576

    def kill(self):
        self.resume()
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.is_alive():
            self.resume()
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
