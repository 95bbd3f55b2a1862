"""Objects with the AWS command line: mb, cp, ls, sync, presign, rm, rb."""

import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.runner import Skip, run_module  # noqa: E402
from lib.server import Server  # noqa: E402

DATA = tempfile.TemporaryDirectory(prefix="gateleg-s3-awscli-")
HOME = pathlib.Path(DATA.name)
SERVER = Server(str(HOME / "data"), s3=True)
AWS = os.environ.get("GATELEG_AWSCLI", "/usr/bin/aws")
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": DATA.name, "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local",
               "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true", "AWS_PAGER": "", "AWS_MAX_ATTEMPTS": "2",
               "LC_ALL": "C.UTF-8"}


def aws(*words, fails=None):
    if not os.path.exists(AWS):
        raise Skip(f"{AWS} is not here")
    done = subprocess.run([AWS, *words, "--endpoint-url", SERVER.s3_url], env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    if fails:
        assert done.returncode != 0 and fails in done.stderr, f"exit code {done.returncode}: {done.stderr}"
        return done.stderr
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_copy():
    """mb, cp up and down, also in parts, ls"""
    aws("s3", "mb", "s3://cli")
    small, large = HOME / "small.txt", HOME / "large.bin"
    small.write_text("hello")
    large.write_bytes(os.urandom(9 << 20))
    aws("s3", "cp", str(small), "s3://cli/a/ü.txt", "--content-type", "text/plain")
    aws("s3", "cp", str(large), "s3://cli/large.bin")
    aws("s3", "cp", "s3://cli/large.bin", str(HOME / "back.bin"))
    assert (HOME / "back.bin").read_bytes() == large.read_bytes()
    assert "large.bin" in aws("s3", "ls", "s3://cli/") and "ü.txt" in aws("s3", "ls", "s3://cli", "--recursive")
    aws("s3", "cp", "s3://cli/a/ü.txt", "s3://cli/b.txt")
    assert "text/plain" in aws("s3api", "head-object", "--bucket", "cli", "--key", "b.txt")
    aws("s3", "cp", "s3://cli/none", str(HOME / "none"), fails="404")


def test_sync():
    """sync a folder up, again without work, and down"""
    folder = HOME / "site"
    for number in range(12):
        path = folder / f"d{number % 3}" / f"f {number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(number) * 100)
    assert aws("s3", "sync", str(folder), "s3://cli/site", "--no-progress").count("upload:") == 12
    assert aws("s3", "sync", str(folder), "s3://cli/site", "--no-progress") == ""
    aws("s3", "sync", "s3://cli/site", str(HOME / "down"))
    for path in folder.rglob("*.txt"):
        assert (HOME / "down" / path.relative_to(folder)).read_text() == path.read_text()
    (folder / "d0" / "f 0.txt").unlink()
    assert "delete:" in aws("s3", "sync", str(folder), "s3://cli/site", "--delete")


def test_presign():
    """presign gives a URL that works"""
    url = aws("s3", "presign", "s3://cli/b.txt", "--expires-in", "600").strip()
    with urllib.request.urlopen(url, timeout=60) as reply:
        assert reply.read() == b"hello"


def test_remove():
    """rm --recursive and rb"""
    aws("s3", "rb", "s3://cli", fails="BucketNotEmpty")
    aws("s3", "rm", "s3://cli", "--recursive")
    aws("s3", "rb", "s3://cli")
    assert "cli" not in aws("s3", "ls")
    assert SERVER.stop() == 0


if __name__ == "__main__":
    run_module(__name__)
