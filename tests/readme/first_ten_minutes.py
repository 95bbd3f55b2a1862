#!/usr/bin/env python3
"""Follows "The first ten minutes" of the README to the letter, in a clean clone, as somebody new would.

Every block of code of that section is run in the order of the page: `sh` in one shell that stays open, as in a second
terminal, `python` and `js` as programs beside it. The server of the first block runs in a terminal of its own, until the
text says to stop it with Ctrl-C. A command that fails, and an answer that does not hold what the page promises, is a failed test.

The page's ports are fixed. Where the machine allows it, all of this happens in a network namespace of its own, so that
nothing else can be met on them. GATELEG_README_CLONE names a clone that is built already.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
from tests.lib.runner import run_module  # noqa: E402

SECTION = "The first ten minutes"
BUILD_SECONDS = 2400
BLOCK_SECONDS = 120
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
STOPS_THE_SERVER = "Stop the server with Ctrl-C"

# What a reader of the page expects to see, by a word that only its block has.
EXPECTED = {
    "aws dynamodb get-item --endpoint-url http://127.0.0.1:8000 --table-name shop \\\n    --key '{\"pk\": {\"S\": \"CUSTOMER#ada\"}": ["19.9", '"Count": 1'],
    "Attr(\"pk\").not_exists()": ["ORDER#2026-01-05 open", "ORDER#2026-01-06 open"],
    "TransactWriteItemsCommand": ["paid"],
    "aws s3 presign": ["Signature="],
    "gateleg console": ["/_/login?token="],
    "kill -9": ["CUSTOMER#bob"],
    "gateleg_scope": ["shop"],
    "gateleg check notes.yaml": ["0 errors, 0 warnings"],
    "/v1/notes/tags/walk": ['"text":"Bring a map"', '"items":[', "TAG#walk"],
    "--format cloudformation": ["AWSTemplateFormatVersion"],
    "gateleg apply notes.yaml": ["Stored elsewhere"],
    "--memory --dynamodb 127.0.0.1:0": ["TableNames"],
    "_test/clock": ["2030-01-01T01:00:00"],
}


def section(text):
    """The heading's part of the page as a list of (what the text before the block says, language, code)."""
    start = text.index(f"## {SECTION}\n")
    end = text.index("\n## ", start + 3)
    found, last = [], start
    for match in FENCE.finditer(text, start, end):
        found.append((text[last:match.start()], match.group(1), match.group(2)))
        last = match.end()
    return found


class Terminal:
    """A shell that keeps its directory, variables and background jobs from one block to the next."""

    def __init__(self, folder, environment):
        self.process = subprocess.Popen(
            ["bash"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.text, self.changed = "", threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            with self.changed:
                self.text += line
                self.changed.notify_all()

    def type(self, code):
        self.process.stdin.write(code)
        self.process.stdin.flush()

    def wait_for(self, pattern, seconds, start=0):
        until = time.monotonic() + seconds
        with self.changed:
            while not (found := re.compile(pattern, re.M).search(self.text, start)):
                left = until - time.monotonic()
                if left <= 0 or (self.process.poll() is not None and not self.changed.wait(0.5)):
                    raise AssertionError(f"no {pattern!r} in {seconds} s:\n{self.text[start:][-3000:]}")
                self.changed.wait(min(left, 1))
            return found

    def run(self, code):
        """Runs a block and returns what it printed. Each of its commands must succeed."""
        start = len(self.text)
        # The trap sees every simple command of the block; a pipe's last command counts, as for a person.
        self.type("failed=0; trap 'failed=$?' ERR\n" + code + "\ntrap - ERR; echo; echo \"block done: $failed\"\n")
        found = self.wait_for(r"^block done: (\d+)$", BLOCK_SECONDS, start)
        printed = self.text[start:found.start()]
        assert found.group(1) == "0", f"a command ended with {found.group(1)}:\n{code}\n{printed}"
        return printed

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


class Reader:
    """Somebody who has the page open and two terminals."""

    def __init__(self, clone):
        self.clone = clone
        # A new user has none of the settings of whoever runs this, and no colours or pager.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "GATELEG_", "CCACHE_"))}
        self.environment = {**kept, "AWS_PAGER": "", "AWS_EC2_METADATA_DISABLED": "true"}
        self.server = self.shell = None

    def begin(self):
        self.server = Terminal(self.clone, self.environment)
        self.shell = Terminal(self.clone, self.environment)

    def start_server(self, code):
        self.server.type("exec " + code)
        self.server.wait_for(r"^gateleg ready", BUILD_SECONDS)
        return self.server.text

    def stop_server(self):
        os.killpg(self.server.process.pid, signal.SIGINT)
        assert self.server.process.wait(60) == 0, f"the server ended badly:\n{self.server.text[-2000:]}"

    def run(self, language, code):
        if language == "sh":
            return self.shell.run(code)
        if language == "python":
            return self.shell.run(f"/usr/bin/python3 - <<'PROGRAM'\n{code}PROGRAM\n")
        if language == "js":
            folder = self.clone / "js"
            folder.mkdir(exist_ok=True)
            if not (folder / "node_modules").exists():
                # The package that the page installs is one of those the suites have.
                (folder / "node_modules").symlink_to(ROOT / "tests" / "node_modules")
            (folder / "shop.mjs").write_text(code)
            return self.shell.run("node js/shop.mjs\n")
        raise AssertionError(f"the page has a block in {language}, which this test cannot run")

    def open(self, address):
        return self.shell.run(f"curl -fsS '{address}'\n")

    def end(self):
        for terminal in (self.server, self.shell):
            if terminal:
                terminal.end()


def clone_and_build():
    given = os.environ.get("GATELEG_README_CLONE")
    if given:
        return pathlib.Path(given)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gateleg-readme-")) / "gateleg"
    subprocess.run(["git", "-c", "safe.directory=*", "clone", "-q", str(ROOT), str(folder)], check=True)
    # What `./dev run` would do first; done before, for a namespace has no way to the packages.
    subprocess.run(["./dev", "build"], cwd=folder, check=True, timeout=BUILD_SECONDS)
    return folder


def own_network(clone):
    """Starts this program again with a loopback interface of its own, if the machine allows that."""
    if os.environ.get("GATELEG_README_NETWORK"):
        return
    possible = subprocess.run(["unshare", "-n", "ip", "link", "set", "lo", "up"], capture_output=True, check=False)
    if possible.returncode == 0:
        os.environ.update(GATELEG_README_NETWORK="own", GATELEG_README_CLONE=str(clone))
        os.execvp("unshare", ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, *sys.argv])


def test_first_ten_minutes():
    """the README's first ten minutes work by copy and paste in a clean clone"""
    clone = clone_and_build()
    own_network(clone)
    reader = Reader(clone)
    shutil.rmtree(clone / "gateleg-data", ignore_errors=True)
    blocks = section((clone / "README.md").read_text())
    seen = set()
    try:
        reader.begin()
        for before, language, code in blocks:
            if STOPS_THE_SERVER in before:
                reader.stop_server()
            printed = reader.start_server(code) if code.startswith("./dev run") else reader.run(language, code)
            for mark, wanted in EXPECTED.items():
                if mark in code:
                    seen.add(mark)
                    if "presign" in mark:
                        assert "# Gateleg" in reader.open(printed.split()[-1])
                    for word in wanted:
                        assert word in printed, f"no {word!r} after:\n{code}\n{printed[-3000:]}"
    finally:
        reader.end()
    assert seen == set(EXPECTED), f"the page no longer has: {sorted(set(EXPECTED) - seen)}"
    print(f"counts readme blocks={len(blocks)} checked={len(seen)}")


if __name__ == "__main__":
    run_module("__main__")
