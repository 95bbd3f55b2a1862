#!/usr/bin/env python3
"""Runs the long forms of the reliability tests within a time budget and writes docs/reliability-report.md.

    tests/soak.py run MINUTES [--only PART,..] [--without PART,..] [--report FILE] [--started SECONDS]
    tests/soak.py list-binaries MINUTES [...]     the presets that must be built first, one a line

Each part gets a share of the time that is left and repeats its test, each time with another seed, until that is used up; every
part runs at least once. Tests print lines "counts LABEL name=number .. | name=number ..". What stands before the bar is counted,
and added up over the runs. What stands behind it was measured (a size, a rate, a ratio, a seed): of that the report has the least and
the most of all runs, never a sum. A word before the bar that is no whole number fails the part. A part whose fault never fired has
failed too, whatever else it says. GATELEG_BIN names the server, build/release/gateleg otherwise.

The time counts from --started, so that the build before belongs to it. Fuzzers and the builds with sanitizers are made
meanwhile, at the lowest priority, and used when their turn comes; what is not there by then is left out, and the report says so.
It is written after every part, so that a run that is broken off leaves one too.
"""
import argparse
import datetime
import os
import pathlib
import json
import re
import subprocess
import sys
import time

from run import ROOT, end_group, load_suites, run_logged, sanitizer_options

REPORT = ROOT / "docs" / "reliability-report.md"
PYTHON = "/usr/bin/python3"
NODE = "node --no-warnings"
COUNTS = re.compile(r"^\s*counts (\S+) (.*)$", re.M)
NOTE = re.compile(r"^\s*note (.*)$", re.M)
SUMMARY = re.compile(r"(\d+) passed, (\d+) failed")
UNIT_SUMMARY = re.compile(r"^\[  (PASSED|FAILED)  \] (\d+) tests?[.,]", re.M)
EXECUTED = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
COVERED = re.compile(r"^#\d+\s+\S+\s+cov: (\d+) ", re.M)
MEASURED = re.compile(r"(-?\d+(?:\.\d+)?)(\D*)")
CASE = re.compile(r"^\s*\d+/(\d+) Test\s+#\d+: (\S+) [ .]*(Passed|\*\*\*\S+|Not Run)", re.M)
# What a part that hangs may cost, and what one that has begun may take beyond the end.
LEAST_PATIENCE = 300
# Time left over that is worth another run.
LEAST_REST = 30
FIRST_SEED = int(time.time()) % 1_000_000


class Part:
    """A test, its share of the time, and the counters of which each must be above zero.

    `size` is (variable, seconds a unit takes, least, most): a run is as large as its time allows, within bounds.
    """

    def __init__(self, name, share, command, faults, what, size=None, seed=None, builds=("release",)):
        self.name, self.share, self.command, self.faults, self.what = name, share, command, faults, what
        self.size, self.seed, self.builds = size, seed, builds
        self.runs = self.failures = self.skipped = 0
        self.seconds = 0.0
        self.counts = {}
        self.measured = {}  # name: (least, most, unit)
        self.notes = []
        self.began = False

    def environment(self, number, budget):
        chosen = {}
        if self.size:
            variable, seconds, least, most = self.size
            chosen[variable] = str(max(least, min(most, int(budget / seconds))))
        if self.seed:
            chosen[self.seed] = str(FIRST_SEED + number)
        return chosen

    def add(self, counts):
        for name, value in counts.items():
            self.counts[name] = self.counts.get(name, 0) + value

    def measure(self, values):
        for name, (value, unit) in values.items():
            least, most, _ = self.measured.get(name, (value, value, unit))
            self.measured[name] = (min(least, value), max(most, value), unit)

    def missing(self):
        return [] if self.skipped or not self.began else [name for name in self.faults if not self.fired(name)]

    def fired(self, name):
        return self.counts.get(name) or self.measured.get(name, (0,))[0] > 0

    def failed(self):
        return self.failures + len(self.missing())


def parts():
    crash = f"{PYTHON} tests/crash"
    seed = "GATELEG_CRASH_SEED"
    return [
        Part("kill", 18, f"{crash}/kill_test.py test_kill", ["kills", "acknowledged"],
             "`kill -9` under sixteen writing clients", ("GATELEG_CRASH_ROUNDS", 2.5, 5, 40), seed),
        Part("objects-kill", 4, f"{PYTHON} tests/s3/crash_test.py", ["kills", "acknowledged"],
             "`kill -9` during uploads of objects", ("GATELEG_CRASH_ROUNDS", 1.5, 4, 20), seed),
        Part("power", 18, f"{crash}/power_cut_test.py", ["cuts", "acknowledged", "control_lost"],
             "an ext4 cut off from its disk under load", ("GATELEG_CUTS", 3, 2, 20), seed),
        Part("io-fault", 6, f"{crash}/io_fault_test.py",
             ["io_faults", "sync_faults", "write_faults", "rename_faults", "open_faults", "close_faults", "read_faults", "acknowledged"],
             "a call to the disk that fails", ("GATELEG_IO_FAULTS", 4, 8, 60), seed),
        Part("corruption", 5, f"{crash}/corruption_test.py", ["damages"], "damaged files of a stopped server"),
        Part("disk-full", 7, f"{crash}/disk_full_test.py", ["filled"], "a disk that fills up, and space that comes back"),
        Part("backup", 5, f"{crash}/backup_test.py", ["backups", "flipped", "kills"], "backups under load, damaged ones, and kills in the middle",
             ("GATELEG_BACKUPS", 6, 2, 12), seed),
        Part("streams", 2, f"{crash}/stream_test.py", ["kills"], "`kill -9` while streams are written and read", ("GATELEG_CRASH_ROUNDS", 2, 5, 40), seed),
        Part("clock", 2, f"{crash}/clock_test.py", ["jumps"], "a wall clock that jumps"),
        Part("memory", 3, f"{crash}/memory_test.py", ["acknowledged", "refused_bodies"], "load in a memory cgroup of 512 MB",
             ("GATELEG_MEMORY_SECONDS", 2, 4, 30)),
        Part("consistency", 18, f"{NODE} tests/consistency/main.js T1",
             ["kills", "histories", "transactions", "transfers", "rounds", "names"],
             "what concurrent clients saw, checked for any order that explains it", ("GATELEG_CONSISTENCY_SCALE", 30, 1, 10), "GATELEG_CONSISTENCY_SEED"),
        Part("model", 4, f"{NODE} tests/model/main.js", ["operations"], "random operations compared with a naive model",
             ("GATELEG_MODEL_OPS", 0.002, 4000, 100_000), "GATELEG_MODEL_SEED"),
        Part("images", 6, "build/asan/tests/storage_test --gtest_filter=PowerLossTest.*",
             ["images", "files_torn", "files_dropped", "files_back", "renames_undone"],
             "what a power cut at any call could have left on the disk", ("GATELEG_IMAGES", 0.5, 100, 1000), seed, ("asan",)),
        Part("nth-fault", 6, "GATELEG_ALL_FAULTS=1 build/asan/tests/storage_test --gtest_filter=*NthFaultTest*", ["store_faults"],
             "every call to the disk of a store's life fails in turn", builds=("asan",)),
        Part("endurance", 12, f"{crash}/endurance_test.py", ["kills", "acknowledged"], "seven tenths of capacity, then a kill a minute",
             ("GATELEG_ENDURANCE_SECONDS", 1.3, 20, 7200), seed),
        Part("network", 7, f"{NODE} tests/network/main.js",
             ["idle", "heads", "refused_at_once", "refused_by_age", "most_idle", "made_room"], "overload, connections, slow clients",
             ("GATELEG_NETWORK_SCALE", 40, 1, 10)),
        Part("readme", 4, f"{PYTHON} tests/readme/first_ten_minutes.py", ["blocks"],
             "the README's first ten minutes, followed to the letter in a clean clone"),
        Part("fuzz", 10, None, ["executions"], "libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer", builds=("fuzz",)),
        Part("tsan", 16, None, ["passed"], "unit and property tests, as far as the time goes suites too, under ThreadSanitizer, with new random cases", builds=("tsan",)),
    ]


def numbers(text):
    """What a counts line counted, and what it measured. Raises ValueError for a word that is neither."""
    counted, measured = {}, {}
    before, _, behind = text.partition("|")
    for word in before.split():
        name, _, value = word.partition("=")
        if not value.isdigit():
            raise ValueError(f"{word} is no count; what was measured stands behind a bar")
        counted[name] = int(value)
    for word in behind.split():
        name, _, value = word.partition("=")
        found = MEASURED.fullmatch(value)
        if not found:
            raise ValueError(f"{word} is no number with a unit")
        if name != "seed":
            measured[name] = (float(found[1]), found[2])
    return counted, measured


def summary(text):
    """Passed and failed, of a suite or of a unit test's program; what ends without saying so has failed."""
    found = SUMMARY.findall(text)
    if found:
        return tuple(map(int, found[-1]))
    unit = {state: int(count) for state, count in UNIT_SUMMARY.findall(text)}
    return (unit.get("PASSED", 0), unit.get("FAILED", 0)) if unit else (0, 1)


def run_once(part, number, budget, binary):
    environment = {"GATELEG_BIN": binary, **sanitizer_options(), **part.environment(number, budget)}
    code, log = run_logged(f"soak-{part.name}-{number}", part.command, max(LEAST_PATIENCE * 2, budget * 2), environment)
    text = log.read_text(errors="replace")
    for _, line in COUNTS.findall(text):
        try:
            counted, measured = numbers(line)
            part.add(counted)
            part.measure(measured)
        except ValueError as wrong:
            part.failures += 1
            part.notes.append(f"{log.relative_to(ROOT)}: {wrong}")
    # What a test says of itself and the machine, such as a measurement it had to repeat.
    part.notes += sorted(set(NOTE.findall(text)) - set(part.notes))
    passed, failed = summary(text)
    if failed or (code != 0 and not failed):
        part.failures += max(1, failed)
        part.notes.append(f"failed with seed {FIRST_SEED + number}: {log.relative_to(ROOT)}")
    elif not passed:
        part.skipped += 1
        part.notes.append(next((line.strip() for line in text.splitlines() if line.startswith("skip")), "skipped"))
    return bool(passed)


def run_repeated(part, budget, binary):
    began = time.monotonic()
    longest = 0.0
    while True:
        started = time.monotonic()
        useful = run_once(part, part.runs, budget, binary)
        part.runs += 1
        longest = max(longest, time.monotonic() - started)
        # Another run must fit; a machine that cannot run this one will not do so the next time.
        if not useful or time.monotonic() - began + longest > budget:
            return


def run_fuzzers(part, budget):
    programs = sorted(path for path in (ROOT / "build/fuzz/fuzzers").glob("*") if os.access(path, os.X_OK))
    if not programs:
        part.failures += 1
        part.notes.append("no fuzzer in build/fuzz/fuzzers: ./dev build fuzz")
    each = max(2, int(budget / max(1, len(programs))) - 1)
    for program in programs:
        grown, kept = ROOT / "build/fuzz/corpus" / program.name, ROOT / "fuzz/corpus" / program.name
        crashes = ROOT / "build/fuzz/crashes"
        for folder in (grown, crashes):
            folder.mkdir(parents=True, exist_ok=True)
        command = [str(program), f"-max_total_time={each}", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1",
                   f"-artifact_prefix={crashes}/{program.name}-", str(grown), *([str(kept)] if kept.is_dir() else [])]
        code, log = run_logged(f"soak-{program.name}", command, each * 3 + 120, {"ASAN_OPTIONS": "detect_leaks=1"})
        part.runs += 1
        text = log.read_text(errors="replace")
        executed = sum(map(int, EXECUTED.findall(text)))
        part.add({"executions": executed, program.name: executed})
        if covered := COVERED.findall(text):
            part.measure({f"{program.name}_edges": (float(covered[-1]), "")})
        if code != 0:
            part.failures += 1
            part.notes.append(f"{program.name}: {log.relative_to(ROOT)}")


class Builds:
    """Builds that go on behind the tests, one after the other, at the lowest priority."""

    def __init__(self, presets):
        chain = []
        for preset in presets:
            done, failed = self.stamp("built", preset), self.stamp("failed", preset)
            done.unlink(missing_ok=True)
            failed.unlink(missing_ok=True)
            groups = "build test fuzz" if preset == "fuzz" else "build test"
            chain.append(f"(./dev setup {groups} && JOBS=${{JOBS:-1}} ./dev build {preset} && touch {done}) || touch {failed}")
        self.process = None
        if chain:
            (ROOT / "build" / "test-logs").mkdir(parents=True, exist_ok=True)
            self.log = (ROOT / "build" / "test-logs" / "soak-builds.log").open("wb")
            self.process = subprocess.Popen(["nice", "-n", "19", "bash", "-c", "; ".join(chain)], cwd=ROOT, stdin=subprocess.DEVNULL,
                                            stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)

    @staticmethod
    def stamp(state, preset):
        return ROOT / "build" / f".soak-{state}-{preset}"

    def is_there(self, preset):
        return self.stamp("built", preset).exists()

    def has_failed(self, preset):
        return self.stamp("failed", preset).exists()

    def wait(self, preset, seconds):
        """Whether the build is there, after at most so long."""
        deadline = time.monotonic() + seconds
        while not self.is_there(preset):
            if self.has_failed(preset) or time.monotonic() > deadline:
                return self.is_there(preset)
            time.sleep(1)
        return True

    def stop(self):
        if self.process and self.process.poll() is None:
            end_group(self.process)
            self.process.wait()


def run_tsan(part, budget):
    """As many of the tests as the time allows, in any order; what it cuts short has neither passed nor failed."""
    deadline = time.monotonic() + budget
    scale = int(os.environ.get("SOAK", "1"))
    preset = json.loads((ROOT / "CMakePresets.json").read_text())["testPresets"][0]["environment"]
    environment = {name: value.replace("${sourceDir}", str(ROOT)) for name, value in preset.items()}
    environment["RC_PARAMS"] = f"seed={FIRST_SEED} max_success={200 * scale}"
    command = ["ctest", "--test-dir", "build/tsan", "--parallel", str(os.cpu_count()), "--schedule-random", "--output-on-failure"]
    code, log = run_logged("soak-tsan-unit", command, max(60, budget * 0.7), environment)
    cases = CASE.findall(log.read_text(errors="replace"))
    bad = [name for _, name, result in cases if result != "Passed" and result != "***Skipped"]
    part.runs += 1
    part.add({"passed": len(cases) - len(bad)})
    if bad or not cases or (code not in (0, None) and not bad):
        part.failures += max(1, len(bad))
        part.notes.append(f"{', '.join(bad[:10]) or 'ctest failed'}: {log.relative_to(ROOT)}")
    elif code is None:
        part.notes.append(f"{len(cases)} of {cases[0][0]} tests ran in the time")
    # The suites that otherwise talk to a server under AddressSanitizer.
    for suite in load_suites():
        left = deadline - time.monotonic()
        if suite["binary"] != "asan" or left < 60:
            continue
        environment = {"GATELEG_BIN": str(ROOT / "build/tsan/gateleg"), **sanitizer_options()}
        code, log = run_logged(f"soak-tsan-{suite['name']}", suite["command"], left, environment)
        if code is None:
            continue
        passed, failed = summary(log.read_text(errors="replace"))
        part.runs += 1
        part.add({"passed": passed})
        if code != 0 or failed:
            part.failures += max(1, failed)
            part.notes.append(f"{suite['name']}: {log.relative_to(ROOT)}")


def run_built(part, budget, builds):
    """A part that needs a build of its own."""
    preset = part.builds[0]
    waited = time.monotonic()
    if not builds.wait(preset, budget * 0.75):
        if builds.has_failed(preset):
            part.failures += 1
            part.notes.append(f"the build {preset} failed: build/test-logs/soak-builds.log")
            return
        part.skipped += 1
        part.notes.append(f"left out: the build {preset} was not there in time, build/test-logs/soak-builds.log")
        return
    left = max(30, budget - (time.monotonic() - waited))
    if part.command is None:
        (run_fuzzers if part.name == "fuzz" else run_tsan)(part, left)
    else:
        run_repeated(part, left, str(ROOT / "build" / preset / "gateleg"))


def machine():
    memory = next(int(line.split()[1]) >> 20 for line in pathlib.Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemTotal"))
    release = {}
    for line in pathlib.Path("/etc/os-release").read_text().splitlines():
        name, _, value = line.partition("=")
        release[name] = value.strip('"')
    return f"{os.cpu_count()} cores, {memory} GiB, {release.get('PRETTY_NAME', 'Linux')}, kernel {os.uname().release}"


def git(*words):
    done = subprocess.run(["git", "-c", "safe.directory=*", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip()


def counters(part):
    """Each fault and how often it fired first, then whatever else was counted."""
    shown = [name for name in dict.fromkeys([*part.faults, *sorted(part.counts)]) if name in part.counts]
    words = [f"{name.replace('_', ' ')} {part.counts[name]:,}" for name in shown]
    for name, (least, most, unit) in sorted(part.measured.items()):
        words.append(f"{name.replace('_', ' ')} {least:,g}{f' to {most:,g}' if most != least else ''}{unit}")
    return ", ".join(words) or "none"


def source(binary):
    commit = git("rev-parse", "--short=12", "HEAD") + (" with changes" if git("status", "--porcelain", "--untracked-files=no", ".", ":!docs/reliability-report.md") else "")
    return f"tests of {commit}; the server is a build given by GATELEG_BIN" if binary else commit


def report_text(chosen, minutes, seconds):
    total = {}
    for part in chosen:
        for name in {*part.faults, *part.counts}:
            total[name] = total.get(name, 0) + part.counts.get(name, 0)
    count = lambda name: f"{total[name]:,}" if name in total else "not part of this run"  # noqa: E731
    left_out = [part.name for part in parts() if part.name not in [each.name for each in chosen]]
    failed = sum(part.failed() for part in chosen)
    lines = [
        "# Reliability report", "",
        "Written by `./dev soak`, which runs the long forms of the tests in [tests/](../tests/README.md) with new seeds. A part whose",
        "fault never fired has failed.", "",
        "| | |", "| --- | --- |",
        f"| Date | {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC |",
        f"| Source | {source(os.environ.get('GATELEG_BIN'))} |",
        f"| Machine | {machine()} |",
        f"| Time | {seconds / 60:.1f} minutes, of {minutes:g} asked for |",
        f"| Kills (`kill -9`) | {count('kills')} |",
        f"| Power cuts | {count('cuts')} |",
        f"| Calls to the disk that failed, of a server and of a store | {count('io_faults')}, {count('store_faults')} |",
        f"| Images of a disk after a power cut | {count('images')} |",
        f"| Damaged files | {count('damages')} |",
        f"| Full disks | {count('filled')} |",
        f"| Jumps of the clock | {count('jumps')} |",
        f"| Backups under load, and flipped bits in them | {count('backups')}, {count('flipped')} |",
        f"| Acknowledged requests | {count('acknowledged')} |",
        f"| Histories checked for linearizability | {count('histories')} |",
        f"| Transactions checked for cycles | {count('transactions')} |",
        f"| Fuzz executions | {count('executions')} |",
        f"| Acknowledged writes that were lost | {total.get('lost', 0)} |",
        f"| **Findings** | **{failed}** |",
        *([f"| Left out | {', '.join(left_out)} |"] if left_out else []), "",
        "| Part | What | Runs | Seconds | Counted | Failed |", "| --- | --- | ---: | ---: | --- | ---: |",
    ]
    for part in chosen:
        if not part.began:
            continue
        lines.append(f"| {part.name} | {part.what} | {part.runs} | {part.seconds:.0f} | {counters(part)} | {part.failed()} |")
    notes = [f"- {part.name}: {note}" for part in chosen for note in part.notes]
    notes += [f"- {part.name}: {name} stayed at zero" for part in chosen for name in part.missing()]
    if notes:
        lines += ["", "## Notes", "", *notes]
    if not all(part.began for part in chosen):
        lines += ["", f"Not reached: {', '.join(part.name for part in chosen if not part.began)}."]
    lines += ["", f"Seeds start at {FIRST_SEED}; the nth run of a part has the seed n above it, counted from zero.", ""]
    return "\n".join(lines)


def run_part(part, budget, builds, binary):
    started = time.monotonic()
    part.began = True
    print(f"...   {part.name}: {budget:.0f} s", flush=True)
    if part.builds[0] != "release":
        run_built(part, budget, builds)
    else:
        run_repeated(part, budget, binary or str(ROOT / "build/release/gateleg"))
    part.seconds += time.monotonic() - started
    state = "FAIL" if part.failed() else "skip" if part.skipped else "ok"
    print(f"{state:4}  {part.name}: {part.runs} runs, {part.seconds:.0f} s, {counters(part)}", flush=True)
    for note in part.notes:
        print(f"      {note}", flush=True)


def choose(arguments):
    known = parts()
    names = [part.name for part in known]
    for name in filter(None, [*arguments.only.split(","), *arguments.without.split(",")]):
        if name not in names:
            sys.exit(f"no part {name}; there are {', '.join(names)}")
    only, without = [list(filter(None, text.split(","))) for text in (arguments.only, arguments.without)]
    return [part for part in known if (not only or part.name in only) and part.name not in without]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["run", "list-binaries"])
    parser.add_argument("minutes", type=float, nargs="?", default=120)
    parser.add_argument("--only", default="", metavar="PART,..")
    parser.add_argument("--without", default="", metavar="PART,..")
    parser.add_argument("--report", default=str(REPORT), metavar="FILE")
    parser.add_argument("--started", type=float, default=time.time(), metavar="SECONDS", help="when it began, since the epoch")
    arguments = parser.parse_intermixed_args()
    chosen = choose(arguments)
    binary = os.environ.get("GATELEG_BIN")
    if arguments.action == "list-binaries":
        # The others are made while these tests run.
        print("" if binary else "release")
        return 0

    began = time.monotonic() - max(0, time.time() - arguments.started)
    deadline = began + arguments.minutes * 60
    builds = Builds(list(dict.fromkeys(part.builds[0] for part in chosen if part.builds[0] != "release")))
    try:
        for number, part in enumerate(chosen):
            budget = max(1, deadline - time.monotonic()) * part.share / sum(each.share for each in chosen[number:])
            run_part(part, budget, builds, binary)
            pathlib.Path(arguments.report).write_text(report_text(chosen, arguments.minutes, time.monotonic() - began))
        # The last part may not need its share: the run is as long as it was told.
        if (left := deadline - time.monotonic()) > LEAST_REST:
            run_part(chosen[0], left, builds, binary)
            pathlib.Path(arguments.report).write_text(report_text(chosen, arguments.minutes, time.monotonic() - began))
    finally:
        builds.stop()
    failed = sum(part.failed() for part in chosen)
    print(f"report: {arguments.report}")
    print(f"{len(chosen) - sum(bool(part.failed()) for part in chosen)} passed, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
