"""What the program is made of is written down, and the release build is hardened."""

import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.runner import Skip, run_module  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCUMENT = "docs/dependencies.md"


def listed():
    """Rows of the tables: name -> (version, licence, what for)."""
    rows = {}
    for line in (ROOT / DOCUMENT).read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 4 and cells[0] != "Package" and not cells[0].startswith("---"):
            rows[cells[0]] = cells[1:]
    return rows


def debian_packages():
    """The words of packages_of in ./dev, asked of the function itself."""
    text = (ROOT / "dev").read_text()
    function = re.search(r"^packages_of\(\) \{.*?^\}", text, re.M | re.S).group(0)
    groups = re.findall(r"^        (\w+)\)", function, re.M)
    assert "build" in groups and "test" in groups, groups
    script = function + "\nfor group in " + " ".join(groups) + '; do packages_of "$group"; done'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def npm_packages():
    """Name -> the package.json that asks for it."""
    found = {}
    skip = {"node_modules", "build", ".git"}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in skip]
        if "package.json" in files:
            path = pathlib.Path(folder, "package.json")
            content = json.loads(path.read_text())
            for kind in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
                found.update({name: path.relative_to(ROOT) for name in content.get(kind, {})})
    return found


def test_debian():
    """every Debian package that ./dev installs is in the list, with version, licence and purpose"""
    rows = listed()
    missing = sorted(debian_packages() - rows.keys())
    assert not missing, f"{DOCUMENT} does not list {', '.join(missing)}"


def test_npm():
    """every npm package that a package.json asks for is in the list"""
    rows = listed()
    missing = sorted(f"{name} ({path})" for name, path in npm_packages().items() if name not in rows)
    assert not missing, f"{DOCUMENT} does not list {', '.join(missing)}"


def test_complete():
    """no row lacks a version, a licence or a purpose, and none is for something that is gone"""
    rows = listed()
    assert len(rows) > 30, len(rows)
    empty = [name for name, cells in rows.items() if not all(cells)]
    assert not empty, empty
    gone = sorted(rows.keys() - debian_packages() - npm_packages().keys() - {"Node.js"})
    assert not gone, f"{DOCUMENT} lists {', '.join(gone)}, which nothing asks for"


def test_bad_inputs():
    """every row of tests/bad_input/rows.txt is named by a test"""
    rows = dict(line.split(maxsplit=1) for line in (ROOT / "tests/bad_input/rows.txt").read_text().splitlines() if line[:1].isdigit())
    assert list(rows) == [str(number) for number in range(1, 55)], list(rows)
    files = [path for path in (ROOT / "tests").rglob("*") if path.suffix in (".js", ".py") and "node_modules" not in path.parts]
    named = set()
    for path in files:
        # A title of a test, and nothing else, counts.
        for title in re.findall(r"""(?:\btest\(\s*['"`]|^\s+\"\"\")([^\n]*)""", path.read_text(), re.M):
            named.update(re.findall(r"\brow (\d+)\b", title))
    assert not (missing := [f"{number} {what}" for number, what in rows.items() if number not in named]), missing
    assert not named - rows.keys(), f"no such row: {sorted(named - rows.keys())}"


def test_hardened():
    """the release build: position independent, relocations read-only, no executable stack, checked calls"""
    binary = os.environ.get("GATELEG_BIN")
    assert binary, "GATELEG_BIN is not set"
    try:
        show = lambda flag: subprocess.run(["readelf", flag, "-W", binary], capture_output=True, text=True, check=True).stdout  # noqa: E731
        dynamic, segments, symbols = show("-d"), show("-l"), show("--dyn-syms")
    except FileNotFoundError as error:
        raise Skip("no readelf here") from error
    if "__asan_init" in symbols or "__tsan_init" in symbols:
        raise Skip("a build with sanitizers")
    assert re.search(r"FLAGS_1.*\bPIE\b", dynamic), "not position independent"
    assert "BIND_NOW" in dynamic and "GNU_RELRO" in segments, "relocations stay writable"
    [stack] = [line for line in segments.splitlines() if "GNU_STACK" in line]
    assert "RWE" not in stack.split(), "the stack is executable"
    assert "__stack_chk_fail" in symbols, "no stack protector"
    assert re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")), "no fortified calls"
    assert not re.search(r"\(R(UN)?PATH\)", dynamic), "libraries are searched in a folder of the builder"


if __name__ == "__main__":
    run_module("__main__")
