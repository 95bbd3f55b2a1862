#!/usr/bin/env python3
"""Runs checks, unit tests and black-box suites, and sums them up.

    tests/run.py run [NAME...]              all, or those named; the last line is "N passed, N failed"
    tests/run.py list-binaries [NAME...]    the presets that must be built first, one a line

The names are `checks`, `unit`, and those of tests/suites.json, a list of
    {"name": .., "command": "..", "timeout_seconds": N, "binary": "asan" or "release", "alone": true}
Two suites run at a time, for they wait more than they compute; one that is `alone` (if it is not, the member is left
out) has the machine to itself. A suite's command runs from the repository's root, with GATELEG_BIN naming the server to start, and ends
with a line "N passed, N failed". Its output goes to build/test-logs/NAME.log.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "test-logs"
SUMMARY = re.compile(r"(\d+) passed, (\d+) failed")
HEARTBEAT_SECONDS = 15
TAIL_LINES = 60
CHECK_SECONDS = 300
UNIT_SECONDS = 1800
LANES = 2


def log_tail(path, lines=TAIL_LINES):
    return path.read_text(errors="replace").splitlines()[-lines:]


def last_line(path):
    tail = [line for line in log_tail(path, 5) if line.strip()]
    return tail[-1].strip()[:90] if tail else "no output yet"


def end_group(process):
    """Ends what is left of a command: a server that its suite forgot must not disturb the next one."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
        except ProcessLookupError:
            return
        time.sleep(0.5)


def run_logged(name, command, seconds, environment=None):
    """Runs a command with its output in a log. Returns (exit code or None when out of time, log's path)."""
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / f"{name}.log"
    began = time.monotonic()
    with path.open("wb") as log:
        process = subprocess.Popen(
            command, shell=isinstance(command, str), cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT, start_new_session=True, env={**os.environ, **(environment or {})})
        code = None
        try:
            while code is None and time.monotonic() - began < seconds:
                left = seconds - (time.monotonic() - began)
                try:
                    code = process.wait(timeout=max(0.1, min(HEARTBEAT_SECONDS, left)))
                except subprocess.TimeoutExpired:
                    print(f"    {name}: {time.monotonic() - began:.0f} s: {last_line(path)}", flush=True)
        finally:
            end_group(process)
            process.wait()
    if code is None:
        with path.open("a") as log:
            log.write(f"\nstopped: more than {seconds} s\n")
    return code, path


class Report:
    """What ran and how it went; suites add to it from two threads."""

    def __init__(self):
        self.rows = []
        self.lock = threading.Lock()

    def add(self, name, passed, failed, began, log=None):
        seconds = time.monotonic() - began
        with self.lock:
            self.rows.append((name, passed, failed, seconds))
            print(f"{'FAIL' if failed else 'ok':4}  {name}: {passed} passed, {failed} failed, {seconds:.1f} s", flush=True)
            if failed and log:
                print(f"---- the end of {log.relative_to(ROOT)}")
                print("\n".join(log_tail(log)))
                print("----", flush=True)

    def finish(self):
        print(f"\n{'suite':24} {'passed':>7} {'failed':>7} {'seconds':>8}")
        for name, passed, failed, seconds in self.rows:
            print(f"{name:24} {passed:7} {failed:7} {seconds:8.1f}")
        passed = sum(row[1] for row in self.rows)
        failed = sum(row[2] for row in self.rows)
        print(f"{passed} passed, {failed} failed", flush=True)
        return 1 if failed or not passed else 0


def tracked(*patterns):
    # A clone that belongs to another user is still this repository: the check must not stumble over it.
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True,
        check=True, text=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


def checks():
    yield "layers", [sys.executable, "tools/check_layers.py"]
    yield "format", ["clang-format-14", "--dry-run", "-Werror", *tracked("*.h", "*.cc")]
    scripts = ["dev", ".ci/run", *tracked("*.sh")]
    yield "shellcheck", ["shellcheck", *[name for name in scripts if (ROOT / name).exists()]]


def run_checks(report):
    for name, command in checks():
        began = time.monotonic()
        code, log = run_logged(f"check-{name}", command, CHECK_SECONDS)
        report.add(f"check: {name}", int(code == 0), int(code != 0), began, log)


def count_cases(path):
    """The cases of a JUnit file as (passed, failed); one that did not run has failed, unless it is disabled."""
    passed = failed = 0
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        if case.get("status") == "run":
            passed += 1
        elif case.get("status") != "disabled":
            failed += 1
            print(f"    failed: {case.get('name')}")
    return passed, failed


def run_unit(report, arguments):
    began = time.monotonic()
    cases = LOGS / "unit.xml"
    cases.unlink(missing_ok=True)
    command = ["ctest", "--preset", arguments.preset, "--parallel", str(arguments.jobs), "--no-tests=error",
               "--output-junit", str(cases)]
    environment = {}
    if arguments.soak:
        # The preset's fixed seed is for ordinary runs: here each property draws many more, new cases.
        seed = int(time.time())
        print(f"    property tests: seed {seed}", flush=True)
        settings = f"seed={seed} max_success={500 * arguments.soak}"
        command = ["env", f"RC_PARAMS={settings}", "ctest", "--test-dir", f"build/{arguments.preset}", *command[3:],
                   "--output-on-failure"]
        preset = json.loads((ROOT / "CMakePresets.json").read_text())["testPresets"][0]["environment"]
        environment = {name: value.replace("${sourceDir}", str(ROOT)) for name, value in preset.items()}
    code, log = run_logged("unit", command, UNIT_SECONDS * max(1, arguments.soak), environment)
    passed, failed = count_cases(cases) if cases.exists() else (0, 1)
    if code != 0 and not failed:
        failed = 1
    report.add("unit", passed, failed, began, log)


def run_suite(report, suite, arguments):
    began = time.monotonic()
    name = suite["name"]
    preset = arguments.preset if suite["binary"] == "asan" else suite["binary"]
    binary = ROOT / "build" / preset / "gateleg"
    if not binary.exists():
        print(f"    {name}: no {binary.relative_to(ROOT)}")
        report.add(name, 0, 1, began)
        return
    environment = {"GATELEG_BIN": str(binary), **sanitizer_options()}
    seconds = suite["timeout_seconds"] * max(1, arguments.soak)
    code, log = run_logged(name, suite["command"], seconds, environment)
    # The last line counts; a server or a runner may have printed a warning after it.
    found = [match for match in map(SUMMARY.search, log_tail(log, 5)) if match]
    passed, failed = map(int, found[-1].groups()) if found else (0, 1)
    # A suite may skip all it has, if it says so; one that ran nothing has failed.
    skipped = any(line.startswith("skip") for line in log.read_text(errors="replace").splitlines())
    if (code != 0 or not (passed or skipped)) and not failed:
        failed = 1
    report.add(name, passed, failed, began, log)


def print_row_coverage():
    """Which rows of the systems' specification tests name: worth knowing, never a failure."""
    print(flush=True)
    subprocess.run([sys.executable, "tools/row_coverage.py"], cwd=ROOT, stdin=subprocess.DEVNULL, check=False)


def sanitizer_options():
    return {
        "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "TSAN_OPTIONS": f"suppressions={ROOT / 'tools' / 'tsan.supp'}",
    }


def load_suites():
    path = ROOT / "tests" / "suites.json"
    suites = json.loads(path.read_text()) if path.exists() else []
    for suite in suites:
        missing = {"name", "command", "timeout_seconds", "binary"} - suite.keys()
        if missing:
            sys.exit(f"{path}: {suite.get('name', suite)} lacks {', '.join(sorted(missing))}")
        if suite["binary"] not in ("asan", "release"):
            sys.exit(f"{path}: {suite['name']}: binary is 'asan' or 'release', not '{suite['binary']}'")
    return suites


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["run", "list-binaries"])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--preset", default="asan", help="the build that stands for 'asan' (asan)")
    parser.add_argument("--soak", type=int, default=0, help="scale of the longer forms (0: ordinary run)")
    arguments = parser.parse_intermixed_args()

    suites = load_suites()
    known = ["checks", "unit", *[suite["name"] for suite in suites]]
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        sys.exit(f"no suite {', '.join(unknown)}; there are {', '.join(known)}")
    wanted = arguments.names or known
    chosen = [suite for suite in suites if suite["name"] in wanted]

    if arguments.action == "list-binaries":
        builds = [suite["binary"] for suite in chosen] + ["asan"] * ("unit" in wanted)
        presets = sorted({arguments.preset if build == "asan" else build for build in builds})
        print("\n".join(presets))
        return 0

    report = Report()

    def take(name, step, *rest):
        began = time.monotonic()
        print(f"...   {name}", flush=True)
        try:
            step(report, *rest)
        except Exception as failure:  # pylint: disable=broad-except  # the others still run, and the sum is printed
            print(f"    {name}: {failure!r}")
            report.add(name, 0, 1, began)

    if "checks" in wanted and not arguments.soak:
        take("checks", run_checks)
    if "unit" in wanted:
        take("unit", run_unit, arguments)
    for suite in chosen:
        if suite.get("alone"):
            take(suite["name"], run_suite, suite, arguments)
    with concurrent.futures.ThreadPoolExecutor(LANES) as lanes:
        for suite in chosen:
            if not suite.get("alone"):
                lanes.submit(take, suite["name"], run_suite, suite, arguments)
    if not suites:
        print("      no tests/suites.json: no black-box suite ran")
    if not arguments.names and not arguments.soak:
        print_row_coverage()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
