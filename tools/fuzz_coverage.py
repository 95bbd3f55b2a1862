#!/usr/bin/env python3
"""Branches that the corpora of the fuzzers reach in the sources that they are for (fuzz/covers.txt).

    tools/fuzz_coverage.py BUILD [--missed] [FUZZER..]

BUILD has the fuzzers in their replay form, with clang's coverage. Inputs are those of fuzz/corpus/ and what fuzzers have found
since, in build/fuzz/corpus/. --missed names the lines with a branch that no input takes.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPLAY_SECONDS = 600


def covers():
    """Each fuzzer with its sources."""
    table = {}
    for number, line in enumerate((ROOT / "fuzz/covers.txt").read_text().splitlines(), 1):
        name, colon, files = line.partition("#")[0].strip().partition(":")
        if not name:
            continue
        unknown = [file for file in files.split() if not (ROOT / "src" / file).exists()]
        if not colon or not files.split() or unknown:
            sys.exit(f"fuzz/covers.txt:{number}: {f'no file src/{unknown[0]}' if unknown else 'wants NAME: FILE ..'}")
        table[name] = files.split()
    missing = {path.stem for path in (ROOT / "fuzz").glob("fuzz_*.cc")} ^ set(table)
    if missing:
        sys.exit(f"fuzz/covers.txt: {', '.join(sorted(missing))} should be a fuzzer with a row")
    return table


def replay(build, name):
    """The profile of all inputs."""
    folder = build / "profiles"
    folder.mkdir(exist_ok=True)
    raw, merged = folder / f"{name}.raw", folder / f"{name}.profile"
    inputs = [ROOT / "fuzz/corpus" / name, ROOT / "build/fuzz/corpus" / name]
    path = folder / f"{name}.log"
    with path.open("wb") as log:
        done = subprocess.run([build / "fuzzers" / name, *inputs], check=False, timeout=REPLAY_SECONDS, stdout=log, stderr=log,
                              env={**os.environ, "LLVM_PROFILE_FILE": str(raw)})
    if done.returncode != 0:
        last = path.read_text(errors="replace").splitlines()[-2:]
        sys.exit("\n".join([f"{name} ended with {done.returncode}; {path}:", *last]))
    subprocess.run(["llvm-profdata-14", "merge", "-sparse", raw, "-o", merged], check=True)
    raw.unlink()
    return merged


def measure(build, name, files):
    """What llvm-cov says of each of the files."""
    done = subprocess.run(
        ["llvm-cov-14", "export", f"-instr-profile={replay(build, name)}", "-skip-expansions", build / "fuzzers" / name],
        check=True, capture_output=True, text=True)
    # The compiler's cache makes names relative to the build.
    found = {os.path.normpath(file["filename"]): file for file in json.loads(done.stdout)["data"][0]["files"]}
    missing = [file for file in files if str(ROOT / "src" / file) not in found]
    if missing:
        sys.exit(f"{name} does not link {missing[0]}; see fuzz/covers.txt")
    return [(file, found[str(ROOT / "src" / file)]) for file in files]


def missed_lines(file):
    """Branches are [line, column, line end, column end, taken, not taken, ..]; of templates each instance has its own."""
    taken = {}
    for line, column, _, _, yes, no, *_ in file["branches"]:
        before = taken.get((line, column), (0, 0))
        taken[line, column] = before[0] + yes, before[1] + no
    return sorted({line for (line, _), both in taken.items() if 0 in both})


def percent(covered, count):
    return f"{100 * covered / count:5.1f} %" if count else "  none "


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("fuzzers", nargs="*", metavar="FUZZER")
    parser.add_argument("--missed", action="store_true", help="name the lines")
    arguments = parser.parse_intermixed_args()
    table = covers()
    for name in arguments.fuzzers:
        if name not in table:
            sys.exit(f"no fuzzer {name}; there are {', '.join(table)}")
    print(f"{'fuzzer and source':44} branches")
    for name in arguments.fuzzers or table:
        rows = measure(arguments.build.resolve(), name, table[name])
        covered, count = (sum(file["summary"]["branches"][what] for _, file in rows) for what in ("covered", "count"))
        print(f"{name:44} {percent(covered, count)}  {covered} of {count}")
        for path, file in rows:
            branches = file["summary"]["branches"]
            print(f"    {path:40} {percent(branches['covered'], branches['count'])}  {branches['covered']} of {branches['count']}")
            if arguments.missed and (lines := missed_lines(file)):
                print(f"        {' '.join(map(str, lines))}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
