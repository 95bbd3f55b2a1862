"""Starts a Gateleg server on a free port, parses its ready line, and ends it."""

import atexit
import os
import re
import select
import signal
import subprocess
import tempfile
import time

START_SECONDS = 30
_running = set()


class StartFailed(Exception):
    """The process ended, or gave no ready line. `code` is its exit code or None."""

    def __init__(self, why, code, log):
        super().__init__(f"{why}\n{log}")
        self.code = code
        self.log = log


class Server:
    def __init__(self, data=None, args=(), env=None, http=False, s3=False):
        binary = os.environ.get("GATELEG_BIN")
        if not binary:
            raise SystemExit("GATELEG_BIN is not set: path of the gateleg binary")
        store = ["--data", data] if data else ["--memory"]
        faces = ["--dynamodb", "127.0.0.1:0", "--http", "127.0.0.1:0" if http else "off", "--s3", "127.0.0.1:0" if s3 else "off"]
        self.s3_url = ""
        self._log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [binary, "serve", *store, *faces, *args],
            stdout=subprocess.PIPE, stderr=self._log, stdin=subprocess.DEVNULL,
            env={**os.environ, **(env or {})})
        _running.add(self.process)
        self.url = self._wait_ready()
        self.host, port = re.match(r"https?://([^:/]+):(\d+)", self.url).groups()
        self.port = int(port)

    def _wait_ready(self):
        deadline = time.monotonic() + START_SECONDS
        text = b""
        while time.monotonic() < deadline:
            readable, _, _ = select.select([self.process.stdout], [], [], 0.2)
            if readable:
                chunk = os.read(self.process.stdout.fileno(), 4096)
                if not chunk:
                    break
                text += chunk
                found = re.search(rb"^gateleg ready.*?\bdynamodb=(\S+).*\n", text, re.M)
                if found:
                    s3 = re.search(rb"\bs3=(\S+)", found.group(0))
                    self.s3_url = s3.group(1).decode() if s3 else ""
                    http = re.search(rb"\bhttp=(\S+)", found.group(0))
                    self.http_url = http.group(1).decode() if http else None
                    return found.group(1).decode()
        try:
            code = self.process.wait(timeout=5)
            why = f"exit code {code}"
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code, why = None, "no ready line"
        _running.discard(self.process)
        raise StartFailed(why, code, self.log())

    def log(self):
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace")

    def alive(self):
        return self.process.poll() is None

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        _running.discard(self.process)

    def stop(self, seconds=20):
        """SIGTERM, as a supervisor does. Returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None
        finally:
            _running.discard(self.process)


@atexit.register
def _end_all():
    for process in list(_running):
        if process.poll() is None:
            process.kill()
