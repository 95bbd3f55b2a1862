"""The servers that are compared: how each is started, paused, watched and ended."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

import dynamo

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = ROOT / "bench" / "node_modules"
SIMULATOR = ROOT / "build" / "bench" / "dynamodb-local"
SIMULATOR_VERSION = "2.9.30"
TICKS = os.sysconf("SC_CLK_TCK")
START_SECONDS = 60
# Signs the tokens of those who call the systems API.
JWT_SECRET = "the secret of a benchmark, 32 bytes or more"


def program():
    return os.environ.get("GATELEG_BIN", ROOT / "build/release/gateleg")


def gateleg(*options):
    return lambda port, data, _: [
        program(), "serve", "--dynamodb", f"127.0.0.1:{port}", "--http", "off", "--s3", "off",
        *(options if "--memory" in options else ("--data", data, *options))]


def dynoxide(port, data, _):
    binary = MODULES / "@dynoxide/linux-x64/dynoxide"
    return [binary, "serve", "--host", "127.0.0.1", "--port", port, "--db-path", data / "dynoxide.db"]


def dynoxide_memory(port, data, http):
    return dynoxide(port, data, http)[:-2]


def dynalite(port, data, _):
    return ["node", MODULES / "dynalite/cli.js", "--host", "127.0.0.1", "--port", port, "--path", data,
            "--createTableMs", "0", "--deleteTableMs", "0"]


def dynamodb_local(port, data, _):
    home = SIMULATOR / "node_modules/amplify-dynamodb-simulator/emulator"
    return ["java", f"-Djava.library.path={home / 'DynamoDBLocal_lib'}", "-jar", home / "DynamoDBLocal.jar",
            "-port", port, "-sharedDb", "-dbPath", data]


def all_systems(*options):
    return lambda port, data, http: [
        program(), "serve", "--dynamodb", f"127.0.0.1:{port}", "--http", f"127.0.0.1:{http}", "--s3", "off",
        "--data", data, "--systems", "all", *options]


def bare(port, *_):
    return [ROOT / "build/release/bench/bare_server", port, "1"]


# name: how its command line is made. Those with -memory keep nothing on disk; bare is no rival but the limit.
SERVERS = {
    "bare": bare,
    "gateleg-fsync": gateleg("--durability", "fsync"),
    "gateleg-process": gateleg("--durability", "process"),
    "gateleg-memory": gateleg("--memory"),
    "dynoxide": dynoxide,
    "dynoxide-memory": dynoxide_memory,
    "dynalite": dynalite,
    "dynamodb-local": dynamodb_local,
}
# What is measured by itself, beside no rival.
OWN = {
    "gateleg-systems": all_systems(),
    "gateleg-systems-process": all_systems("--durability", "process"),
    **{f"gateleg-growth{which}": gateleg("--durability", "process") for which in ("", "-one", "-all")},
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


def versions():
    """What is compared, each with its version."""
    ours = subprocess.run([program(), "--version"], capture_output=True, text=True, check=False).stdout.split()
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True,
                            check=False).stdout.strip()
    found = {"gateleg": " ".join([*ours[-1:], f"({commit})" if commit else ""]).strip()}
    for name, folder in (("dynoxide", "@dynoxide/linux-x64"), ("dynalite", "dynalite")):
        package = MODULES / folder / "package.json"
        if package.exists():
            found[name] = json.loads(package.read_text())["version"]
    return found


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
        http = free_port()
        self.url, self.http_url = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{http}"
        command = [str(part) for part in {**SERVERS, **OWN}[name](port, self.data, http)]
        self.log = folder / f"{name}.log"
        began = time.monotonic()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, cwd=self.data, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env={**os.environ, "GATELEG_JWT_SECRET": JWT_SECRET})
        self._await_answer(began)
        self.start_ms = (time.monotonic() - began) * 1000

    def _await_answer(self, began):
        while time.monotonic() - began < START_SECONDS:
            if self.process.poll() is not None:
                break
            try:
                if dynamo.Client(self.url).call("ListTables", {})[0] == 200:
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

    def memory_mib(self, field="VmRSS"):
        """VmRSS is what it has now, VmHWM the most it ever had."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
        return 0.0

    def disk_mib(self):
        return sum(f.stat().st_blocks * 512 for f in self.data.rglob("*") if f.is_file()) / 1048576

    def discard(self):
        self.stop()
        shutil.rmtree(self.data, ignore_errors=True)

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
