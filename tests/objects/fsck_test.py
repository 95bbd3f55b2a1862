"""`gateleg fsck-objects` on directories as crashes and lost files leave them."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.runner import run_module  # noqa: E402

GATELEG = os.environ["GATELEG_BIN"]
SECONDS = 120


class Data:
    """A data directory whose object store holds one orphan body of 4 bytes."""

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="gateleg-fsck-"))
        self.orphan = self.path / "objects" / "ab" / ("ab" + "0" * 30)
        self.orphan.parent.mkdir(parents=True)
        self.orphan.write_bytes(b"lost")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def fsck(self, *options):
        return run("--data", str(self.path), *options)


def run(*options):
    return subprocess.run([GATELEG, "fsck-objects", *options], capture_output=True, text=True, timeout=SECONDS)


def test_report():
    """an orphan is reported and left alone"""
    with Data() as data:
        result = data.fsck("--output", "json")
        assert result.returncode == 0, result.stderr
        report = json.loads(result.stdout)
        assert report["orphans"] == 1 and report["orphanBytes"] == 4, report
        assert report["orphansRemoved"] == 0 and report["missing"] == 0, report
        assert data.orphan.exists()


def test_repair():
    """--repair removes it, and then there is none"""
    with Data() as data:
        result = data.fsck("--repair")
        assert result.returncode == 0, result.stderr
        assert "1 orphan bodies of 4 bytes, 1 removed" in result.stdout, result.stdout
        assert not data.orphan.exists()
        assert json.loads(data.fsck("--output", "json").stdout)["orphans"] == 0


def test_unfinished_upload():
    """what an upload had written when the server died is removed"""
    with Data() as data:
        part = data.path / "objects" / "incoming" / ("1" * 32)
        part.parent.mkdir()
        part.write_bytes(b"half")
        assert data.fsck().returncode == 0
        assert not part.exists()


def test_no_store():
    """a directory without objects is wrong usage"""
    with tempfile.TemporaryDirectory() as empty:
        result = run("--data", empty)
        assert result.returncode == 2, result
        assert "no object store" in result.stderr, result.stderr


def test_worker_refuses_text():
    """the thumbnail worker ends quietly on what is no image"""
    result = subprocess.run([GATELEG, "thumbnail-worker", "64", str(1 << 30), "20"], input=b"<html>",
                            capture_output=True, timeout=SECONDS)
    assert result.returncode == 1, result
    assert result.stdout == b"", result


if __name__ == "__main__":
    run_module("__main__")
