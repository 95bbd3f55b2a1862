#!/usr/bin/env python3
"""Tells which tests name which row of the systems' specification.

    tools/row_coverage.py            writes build/row-coverage.md, prints a line per system and the rows no test names
    tools/row_coverage.py --strict   the same; exit code 1 if there are such rows

tests/systems/rows.txt lists the rows. A test names one by its id, as in 'MO-O5: approve' or '/patterns/mo-a5',
several as 'MO-A1 to A3' or 'MO-A1, A2'; files under tests/ and src/**/*_test.cc are searched.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = ROOT / "tests" / "systems" / "rows.txt"
REPORT = ROOT / "build" / "row-coverage.md"
SYSTEMS = ["X", "FF", "GA", "MO", "ME", "ST"]
ROW = re.compile(r"^([A-Z]+)-([ARO])(\d+)\s+(\S.*)$")
# An id, and what may follow it: further ids without the system, or only their numbers.
NAMED = re.compile(
    r"\b(X|FF|GA|MO|ME|ST)-([ARO])(\d+)((?:(?:, ?| and | to |\.\.|/|–)(?:(?:X|FF|GA|MO|ME|ST)-)?[ARO]?\d+\b)*)",
    re.IGNORECASE)
NEXT = re.compile(r"(, ?| and | to |\.\.|/|–)(?:([A-Z]+)-)?([ARO])?(\d+)", re.IGNORECASE)
SKIPPED = {"node_modules", "testdata", "__pycache__"}


def read_rows():
    rows = {}
    for number, line in enumerate(ROWS.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = ROW.match(line)
        if not match:
            sys.exit(f"{ROWS.relative_to(ROOT)}:{number}: not a row: {line}")
        system, kind, index, title = match.groups()
        rows[f"{system}-{kind}{index}"] = title
    return rows


def test_files():
    files = [path for path in (ROOT / "tests").rglob("*")
             if path.suffix in {".js", ".py", ".cc", ".sh"} and not SKIPPED & set(path.relative_to(ROOT).parts)]
    files += [path for path in (ROOT / "src").rglob("*_test.cc")]
    return sorted(path for path in files if path.is_file())


def named_in(text):
    found = set()
    for match in NAMED.finditer(text):
        system, kind, index = match.group(1).upper(), match.group(2).upper(), int(match.group(3))
        found.add(f"{system}-{kind}{index}")
        for joint, other_system, other_kind, other in NEXT.findall(match.group(4)):
            first = index + 1
            other_system, other_kind = other_system.upper() or system, other_kind.upper() or kind
            is_range = joint in {" to ", "..", "–"} and (other_system, other_kind) == (system, kind)
            system, kind, index = other_system, other_kind, int(other)
            for each in range(first if is_range else index, index + 1):
                found.add(f"{system}-{kind}{each}")
    return found


def find_coverage(rows):
    coverage = {row: [] for row in rows}
    unknown = set()
    for path in test_files():
        name = path.relative_to(ROOT).as_posix()
        for row in named_in(path.read_text(errors="replace")):
            if row in coverage:
                coverage[row].append(name)
            else:
                unknown.add((row, name))
    return coverage, sorted(unknown)


def write_report(rows, coverage):
    lines = ["# Which tests name which row", "", "| row | what | tests |", "| --- | --- | --- |"]
    lines += [f"| {row} | {title} | {', '.join(coverage[row]) or '**none**'} |" for row, title in rows.items()]
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strict", action="store_true", help="fail if no test names some row")
    arguments = parser.parse_args()
    rows = read_rows()
    coverage, unknown = find_coverage(rows)
    write_report(rows, coverage)
    missing = [row for row in rows if not coverage[row]]
    for system in SYSTEMS:
        mine = [row for row in rows if row.startswith(system + "-")]
        bare = [row for row in mine if not coverage[row]]
        print(f"rows {system:2}: {len(mine) - len(bare):3} of {len(mine):3} named by tests"
              + (f"; none names {', '.join(bare)}" if bare else ""))
    for row, name in unknown:
        print(f"{name} names {row}, which is no row")
    print(f"rows in all: {len(rows) - len(missing)} of {len(rows)}; table in {REPORT.relative_to(ROOT)}")
    return 1 if arguments.strict and missing else 0


if __name__ == "__main__":
    sys.exit(main())
