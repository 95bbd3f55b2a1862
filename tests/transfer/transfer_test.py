"""Items out of tables and into them: export data, import data, clone. Stopped, running, over the network; killed and resumed."""

import base64
import contextlib
import csv
import decimal
import gzip
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import boto3
from boto3.dynamodb.types import TypeDeserializer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from lib.dynamo import Client, Failed  # noqa: E402
from lib.runner import run_module  # noqa: E402
from lib.server import Server  # noqa: E402

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
ENVIRONMENT["HOME"] = "/nonexistent"
KEYS = {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "BillingMode": "PAY_PER_REQUEST"}
BINARY = base64.b64encode(bytes(range(256))).decode()
ODD = {  # all ten types, and what is easily spoilt on the way
    "pk": {"S": "odd, \"quoted\"\nand é中😀"}, "sk": {"N": "-1234567890.1234567890123456789012345678"},
    "small": {"N": "0." + "0" * 90 + "1"}, "b": {"B": BINARY}, "yes": {"BOOL": True}, "nothing": {"NULL": True},
    "ss": {"SS": ["a", "b,c"]}, "ns": {"NS": ["1", "99999999999999999999999999999999999999"]}, "bs": {"BS": [BINARY, "AA=="]},
    "list": {"L": [{"S": ""}, {"N": "1"}, {"L": []}, {"M": {}}]}, "map": {"M": {"deep": {"M": {"S": {"S": "S"}}}}}, "empty": {"S": ""},
}


def start(*args, cwd=None):
    return subprocess.Popen([os.environ["GATELEG_BIN"], *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=ENVIRONMENT, stdin=subprocess.DEVNULL, cwd=cwd)


def run(*args, code=0, cwd=None):
    """Runs the program. Returns stdout, or all it printed if it is to fail."""
    process = start(*args, cwd=cwd)
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, f"{args}: exit code {process.returncode}\n{out}{err}"
    return out if code in (0, 5) else out + err


def events(*args, code=0, cwd=None):
    return [json.loads(line) for line in run(*args, "--output", "json", code=code, cwd=cwd).splitlines()]


@contextlib.contextmanager
def folder():
    path = tempfile.mkdtemp(prefix="gateleg-transfer-")
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def serving(data=None, args=()):
    server = Server(data=data, args=args)
    client = Client(server.host, server.port)
    try:
        yield server, client
    finally:
        client.close()
        server.stop()


def item(n, text="x"):
    return {"pk": {"S": f"p{n % 97}"}, "sk": {"N": str(n)}, "text": {"S": text}}


def fill(client, table, count, text="x", create=True):
    if create:
        client.call("CreateTable", TableName=table, **KEYS)
    for at in range(0, count, 25):
        client.call("BatchWriteItem", RequestItems={table: [
            {"PutRequest": {"Item": item(n, text)}} for n in range(at, min(at + 25, count))]})


def plain(value):
    """An item as something that can be compared, whatever the order of sets."""
    return json.dumps({name: {kind: sorted(v) if kind in ("SS", "NS", "BS") else v for kind, v in typed.items()}
                       for name, typed in value.items()}, sort_keys=True)


def as_boto3(typed_map):
    """Binaries as bytes, which boto3 makes of the JSON before it deserialises."""
    raw = {"B": base64.b64decode, "BS": lambda texts: [base64.b64decode(text) for text in texts]}
    return {name: {kind: raw.get(kind, lambda same: same)(value) for kind, value in typed.items()} for name, typed in typed_map.items()}


def scan(client, table):
    found, start_key = [], None
    while True:
        page = client.call("Scan", TableName=table, ConsistentRead=True, **({"ExclusiveStartKey": start_key} if start_key else {}))
        found += page["Items"]
        start_key = page.get("LastEvaluatedKey")
        if not start_key:
            return sorted(map(plain, found))


def export_folder(path):
    (found,) = pathlib.Path(path, "AWSDynamoDB").iterdir()
    return found


def data_lines(path):
    lines = []
    for line in (path / "manifest-files.json").read_text().splitlines():
        entry = json.loads(line)
        raw = (path / "data" / entry["dataFileS3Key"].rsplit("/", 1)[1]).read_bytes()
        assert base64.b64encode(hashlib.md5(raw).digest()).decode() == entry["md5Checksum"], entry
        assert hashlib.md5(raw).hexdigest() == entry["etag"], entry
        these = gzip.decompress(raw).decode().splitlines()
        assert len(these) == entry["itemCount"], entry
        lines += these
    return lines


def test_help_and_wrong_usage():
    """help has both forms, and what is mistyped is answered with what to type"""
    for command in (["export", "data"], ["import", "data"], ["clone"]):
        text = run(*command, "--help")
        for part in ("--data", "--endpoint", "--output", "--resume", "Exit codes"):
            assert part in text, (command, part, text)
    assert "data" in run("export", "--help") and "data" in run("import", "--help")
    assert "gateleg export data TABLE --format csv" in run("export", "Orders", "--format", "csv", code=2)
    assert "FILE is required" in run("export", code=2)
    assert "--format is required" in run("export", "stories", code=2)
    assert '"TableName": "stories"' in run("export", "stories", "--format", "createtable")
    with folder() as parent:
        assert "no such directory" in run("export", "data", "Tee", "--out", "x", "--data", parent + "/none", code=2)
        assert "no such file" in run("import", "data", "Tee", parent + "/none", cwd=parent, code=1)
        assert "one character" in run("import", "data", "Tee", parent, "--delimiter", "ab", cwd=parent, code=2)
        assert "no rule blur" in run("clone", "--from", parent, "--table", "Tee", "--anonymise", "a=blur", cwd=parent, code=2)
        assert "no import to go on with" in run("import", "data", "Tee", parent, "--resume", cwd=parent, code=2)


def test_round_trip_in_the_layout_of_s3():
    """every type survives, boto3 reads the files, manifests are AWS's; stopped, running, over the network"""
    with folder() as parent:
        data = os.path.join(parent, "data")
        with serving(data) as (server, client):
            fill(client, "Tee", 300)
            client.call("PutItem", TableName="Tee", Item=ODD)
            client.call("UpdateTimeToLive", TableName="Tee", TimeToLiveSpecification={"AttributeName": "gone", "Enabled": True})
            wanted = scan(client, "Tee")
            for kind, options in (("running", ["--data", data]), ("endpoint", ["--endpoint", server.url])):
                out = os.path.join(parent, kind)
                done = events("export", "data", "Tee", "--out", out, *options)[-1]
                assert done["event"] == "done" and done["items"] == 301 and done["readUnits"] > 0, done
                path = export_folder(out)
                assert sorted(p.name for p in path.iterdir()) == [
                    "_started", "data", "manifest-files.json", "manifest-files.md5", "manifest-summary.json",
                    "manifest-summary.md5", "table.json"], list(path.iterdir())
                for name in ("manifest-files", "manifest-summary"):
                    raw = (path / f"{name}.json").read_bytes()
                    assert (path / f"{name}.md5").read_text() == base64.b64encode(hashlib.md5(raw).digest()).decode()
                summary = json.loads((path / "manifest-summary.json").read_text())
                assert summary["itemCount"] == 301 and summary["outputFormat"] == "DYNAMODB_JSON", summary
                assert summary["exportArn"] == f"{summary['tableArn']}/export/{path.name}", summary
                assert summary["manifestFilesS3Key"] == f"AWSDynamoDB/{path.name}/manifest-files.json", summary
                lines = [json.loads(line)["Item"] for line in data_lines(path)]
                assert sorted(map(plain, lines)) == wanted
                (odd,) = [TypeDeserializer().deserialize({"M": as_boto3(one)}) for one in lines if "ss" in one]
                assert odd["sk"] == decimal.Decimal(ODD["sk"]["N"]) and odd["b"].value == bytes(range(256)), odd
                assert odd["ss"] == {"a", "b,c"} and odd["nothing"] is None and odd["map"] == {"deep": {"S": "S"}}, odd
        shutil.rmtree(os.path.join(parent, "running"))
        run("export", "data", "Tee", "--out", os.path.join(parent, "running"), "--data", data)  # stopped
        # Into a directory that is made for it, and over the network into a table of another name.
        target = os.path.join(parent, "target")
        text = run("import", "data", "Tee", os.path.join(parent, "running"), "--create", "--data", target, cwd=parent)
        assert "301 items written" in text, text
        with serving(target) as (server, client):
            assert scan(client, "Tee") == wanted
            ttl = client.call("DescribeTimeToLive", TableName="Tee")["TimeToLiveDescription"]
            assert ttl == {"TimeToLiveStatus": "ENABLED", "AttributeName": "gone"}, ttl
            manifest = str(export_folder(os.path.join(parent, "endpoint")) / "manifest-summary.json")
            assert "no table Yew" in run("import", "data", "Yew", manifest, "--endpoint", server.url, cwd=parent, code=1)
            done = events("import", "data", "Yew", manifest, "--create", "--endpoint", server.url, cwd=parent)[-1]
            assert done["written"] == 301 and scan(client, "Yew") == wanted, done
            # Once more: nothing is doubled; with --no-overwrite nothing is touched.
            client.call("PutItem", TableName="Yew", Item=item(1, "mine"))
            done = events("import", "data", "Yew", manifest, "--no-overwrite", "--data", target, cwd=parent)[-1]
            assert (done["written"], done["existing"]) == (0, 301), done
            assert plain(item(1, "mine")) in scan(client, "Yew")
            run("import", "data", "Yew", manifest, "--data", target, cwd=parent)
            assert scan(client, "Yew") == wanted
        assert not [name for name in os.listdir(parent) if name.endswith(".state")]


def test_damage_is_found():
    """a bit flipped, a file cut or gone, a wrong count, a changed manifest: named, and nothing is written"""
    with folder() as parent:
        data = os.path.join(parent, "data")
        with serving(data) as (_, client):
            fill(client, "Tee", 50)
        out = os.path.join(parent, "out")
        run("export", "data", "Tee", "--out", out, "--data", data, "--segments", "2")
        path = export_folder(out)
        files = sorted((path / "data").iterdir())
        fresh = os.path.join(parent, "fresh")

        def refused(what, name):
            text = run("import", "data", "Tee", out, "--create", "--data", fresh, cwd=parent, code=1)
            assert what in text and name in text, text
            assert not os.path.exists(fresh), "something was written"

        whole = files[0].read_bytes()
        files[0].write_bytes(whole[:30] + bytes([whole[30] ^ 1]) + whole[31:])
        refused("is damaged: its MD5", files[0].name)
        files[0].write_bytes(whole[:-5])
        refused("is damaged", files[0].name)
        files[0].unlink()
        refused("is missing", files[0].name)
        files[0].write_bytes(whole)
        manifest, sums = path / "manifest-files.json", path / "manifest-files.md5"
        text, sum_text = manifest.read_text(), sums.read_text()

        def rewrite(changed):
            manifest.write_text(changed)
            sums.write_text(base64.b64encode(hashlib.md5(changed.encode()).digest()).decode())

        manifest.write_text(text + "\n")
        refused("is damaged", "manifest-files.json")
        rewrite(text.replace('"itemCount":', '"itemCount":1', 1))
        refused("items, and manifest-summary.json says 50", "manifest-files.json")
        entries = [json.loads(line) for line in text.splitlines()]
        entries[0]["itemCount"] -= 1
        entries[1]["itemCount"] += 1
        rewrite("\n".join(map(json.dumps, entries)))
        refused("items, and manifest-files.json says", "data/")
        rewrite(text.replace("md5Checksum", "md5", 1))
        refused("line 1: md5Checksum is missing", "manifest-files.json")
        rewrite(text)
        sums.rename(path / "manifest-files.checksum")  # as AWS's guide calls it
        assert sum_text == (path / "manifest-files.checksum").read_text()
        run("import", "data", "Tee", out, "--create", "--data", fresh, cwd=parent)


def test_json_lines_and_csv():
    """plain JSON, DynamoDB's JSON and CSV out and in again, gzip too, with types of keys kept"""
    with folder() as parent:
        data = os.path.join(parent, "data")
        with serving(data) as (server, client):
            fill(client, "Tee", 60)
            client.call("PutItem", TableName="Tee", Item={k: ODD[k] for k in ("pk", "sk", "empty", "yes", "ns", "nothing")})
            wanted = scan(client, "Tee")
            for name in ("a.jsonl", "a.jsonl.gz", "p.json", "c.csv", "c.csv.gz"):
                kind = {"a": "dynamodb-json", "p": "json", "c": "csv"}[name[0]]
                out = os.path.join(parent, name)
                run("export", "data", "Tee", "--format", kind, "--out", out, "--data", data)
                assert not os.path.exists(out + ".partial")
                assert "exists already" in run("export", "data", "Tee", "--format", kind, "--out", out, "--data", data, code=2)
                client.call("CreateTable", TableName="Copy", **KEYS)
                run("import", "data", "Copy", out, "--data", data, cwd=parent)
                copy = scan(client, "Copy")
                client.call("DeleteTable", TableName="Copy")
                if kind == "dynamodb-json":
                    assert copy == wanted, name
                assert len(copy) == 61, name
            with open(os.path.join(parent, "c.csv"), newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            assert list(rows[0])[:2] == ["pk", "sk"] and len(rows) == 61, rows[0]
            (odd,) = [row for row in rows if row["yes"]]
            assert odd["pk"] == ODD["pk"]["S"] and odd["sk"] == ODD["sk"]["N"] and odd["yes"] == "true", odd
            (odd,) = [row for row in map(json.loads, open(os.path.join(parent, "p.json"), encoding="utf-8")) if "yes" in row]
            assert odd["yes"] is True and odd["nothing"] is None and odd["empty"] == "", odd
            # What ImportTable takes: another delimiter, no header, zstd; and lines as `gateleg scan` prints them.
            pathlib.Path(parent, "h.txt").write_text('a;1;"x;""y"""\r\nb;2;\n\nc;3;""\n')
            client.call("CreateTable", TableName="Hay", **KEYS)
            done = events("import", "data", "Hay", os.path.join(parent, "h.txt"), "--format", "csv", "--delimiter", ";",
                          "--header", "pk,sk,t", "--data", data, cwd=parent)[-1]
            assert done["written"] == 3, done
            assert scan(client, "Hay") == sorted(map(plain, [
                {"pk": {"S": "a"}, "sk": {"N": "1"}, "t": {"S": 'x;"y"'}}, {"pk": {"S": "b"}, "sk": {"N": "2"}},
                {"pk": {"S": "c"}, "sk": {"N": "3"}, "t": {"S": ""}}])), scan(client, "Hay")
            lines = os.path.join(parent, "scan.jsonl")
            pathlib.Path(lines).write_text(run("scan", "Tee", "--data", data))
            if shutil.which("zstd"):
                subprocess.run(["zstd", "-q", "--rm", lines], check=True)
                lines += ".zst"
            client.call("DeleteTable", TableName="Hay")
            client.call("CreateTable", TableName="Hay", **KEYS)
            run("import", "data", "Hay", lines, "--data", data, cwd=parent)
            assert scan(client, "Hay") == wanted


def test_wrong_records():
    """each wrong record is named by file, line and column; --max-errors passes over so many; the rest is resumed"""
    cases = [
        ("j.jsonl", '{"Item":{"pk":{"S":"a"},"sk":{"N":"1"}}}\n{"Item":{"pk":{"S":"b"} "sk":{"N":"2"}}}\n', "j.jsonl:2:25: not valid JSON"),
        ("j.jsonl", '{"Item":{"pk":{"S":"a"},"sk":{"N":"1"},"x":{"N":"1e999"}}}\n', "j.jsonl:1:40: attribute x: "),
        ("j.jsonl", '{"Item":{"pk":{"S":"a"},"sk":{"S":"1"}}}\n', "j.jsonl:1: "),
        ("j.jsonl", '{"Item":{"pk":{"S":"a"}}}\n', "j.jsonl:1: "),
        ("j.jsonl", '{"Item":[1]}\n', "j.jsonl:1:1: Item is not an object"),
        ("j.jsonl", '{"Metadata":{},"Keys":{},"NewImage":{}}\n', "incremental export"),
        ("p.json", '{"pk":"a","sk":1}\n{"pk":"a","sk":1,"sk":2}\n', "p.json:2:"),
        ("c.csv", 'pk,sk\na,1\nb,two\n', "c.csv:3:3: attribute sk: "),
        ("c.csv", 'pk,sk\na,1,2\n', "c.csv:2:5: the record has 3 fields and the header 2"),
        ("c.csv", 'pk,sk\n"a\n,1\n', "c.csv:2:1: the quote that opens here is never closed"),
        ("c.csv", 'pk,sk\n"a"b,1\n', "c.csv:2:4: there is text behind the closing quote"),
        ("c.csv", 'pk,pk\n', "c.csv:1:4: the header names pk twice"),
        ("g.jsonl.gz", gzip.compress(b'{"Item":{"pk":{"S":"a"},"sk":{"N":"1"}}}\n')[:-9], "g.jsonl.gz: "),
    ]
    with folder() as parent, serving(os.path.join(parent, "data")) as (_, client):
        client.call("CreateTable", TableName="Tee", **KEYS)
        options = ["--data", os.path.join(parent, "data")]
        for name, content, wanted in cases:
            path = os.path.join(parent, name)
            pathlib.Path(path).write_bytes(content if isinstance(content, bytes) else content.encode())
            format_of = {"j": "dynamodb-json", "p": "json", "c": "csv", "g": "dynamodb-json"}[name[0]]
            text = run("import", "data", "Tee", path, "--format", format_of, *options, cwd=parent, code=1)
            assert wanted in text, (content, text)
            pathlib.Path(parent, "gateleg-import-Tee.state").unlink(missing_ok=True)
        path = pathlib.Path(parent, "many.jsonl")
        good = [json.dumps({"Item": item(n)}) for n in range(500)]
        path.write_text("\n".join(good[:300] + ["{", '{"Item":{"pk":{"S":"no sort key"}}}'] + good[300:]) + "\n")
        client.call("DeleteTable", TableName="Tee")
        client.call("CreateTable", TableName="Tee", **KEYS)
        assert "many.jsonl:301:" in run("import", "data", "Tee", str(path), *options, cwd=parent, code=1)
        assert "was broken off" in run("import", "data", "Tee", str(path), *options, cwd=parent, code=2)
        assert "many.jsonl:301:" in run("import", "data", "Tee", str(path), "--resume", *options, cwd=parent, code=1)
        assert "many.jsonl:302: " in run("import", "data", "Tee", str(path), "--resume", "--max-errors", "1", *options, cwd=parent, code=1)
        done = events("import", "data", "Tee", str(path), "--resume", "--max-errors", "2", *options, cwd=parent, code=5)[-1]
        assert (done["records"], done["written"], done["failed"]) == (502, 500, 2), done
        assert [problem.rsplit("many.jsonl:", 1)[1][:3] for problem in done["problems"]] == ["302"] or len(done["problems"]) <= 2
        assert scan(client, "Tee") == sorted(map(plain, map(item, range(500))))
        # A key twice in one file: the later one stays, as when they are put one after the other.
        path.write_text("\n".join(json.dumps({"Item": item(1, str(n))}) for n in range(60)))
        run("import", "data", "Tee", str(path), *options, cwd=parent)
        assert plain(item(1, "59")) in scan(client, "Tee")


def killed_when(process, condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.kill()
    process.communicate()


def test_kill_and_resume():
    """kill -9 in the middle of export, import and clone; resumed, nothing is lost or doubled; Ctrl-C likewise"""
    count = 3000
    with folder() as parent:
        data = os.path.join(parent, "data")
        with serving(data) as (server, client):
            fill(client, "Tee", count, "y" * 300)
            wanted = scan(client, "Tee")
            out = os.path.join(parent, "out")
            command = ["export", "data", "Tee", "--out", out, "--rate", "1500", "--data", data]

            def exported():
                with contextlib.suppress(OSError, ValueError):
                    state = json.loads((export_folder(out) / "export-state.json").read_text())
                    return sum(one["items"] for one in state["segments"])
                return 0

            killed_when(start(*command), lambda: exported() >= 500)
            first = exported()
            assert first < count
            # Half a member, as a machine that stops while it writes leaves it.
            for file in (export_folder(out) / "data").iterdir():
                with open(file, "ab") as tail:
                    tail.write(b"\x1f\x8b half")
            assert "broken off" in run(*command, code=1)
            process = start(*command, "--resume")
            while exported() < first + 500:
                assert process.poll() is None, process.communicate()
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
            text = process.communicate(timeout=30)[0]
            assert process.returncode == 5 and "--resume goes on" in text, text
            assert "not finished" in run("import", "data", "Yew", out, "--create", "--data", data, cwd=parent, code=1)
            done = events(*command, "--resume")[-1]
            assert done["items"] == count, done
            lines = [plain(json.loads(line)["Item"]) for line in data_lines(export_folder(out))]
            assert sorted(lines) == wanted

            # Killed while a file was being made of what had been read.
            file = os.path.join(parent, "one.csv")
            shutil.copytree(out, file + ".partial")
            pathlib.Path(file + ".new").write_text("half")
            run("export", "data", "Tee", "--format", "csv", "--out", file, "--resume", "--data", data)
            assert len(list(csv.DictReader(open(file, newline="", encoding="utf-8")))) == count
            assert sorted(os.listdir(parent)) == ["data", "one.csv", "out"], os.listdir(parent)

            command = ["import", "data", "Yew", out, "--create", "--rate", "1500", "--data", data]
            state = pathlib.Path(parent, "gateleg-import-Yew.state")

            def imported():
                with contextlib.suppress(OSError, ValueError):
                    return json.loads(state.read_text())["records"]
                return 0

            killed_when(start(*command, cwd=parent), lambda: imported() >= 500)
            assert imported() < count
            done = events(*command, "--resume", cwd=parent)[-1]
            assert done["records"] == count and done["written"] == count, done
            assert scan(client, "Yew") == wanted and not state.exists()

            target = os.path.join(parent, "target")
            command = ["clone", "--from", server.url, "--table", "Tee", "--rate", "1500", "--data", target]
            state = pathlib.Path(parent, "gateleg-clone-Tee.state")

            def cloned():
                with contextlib.suppress(OSError, ValueError):
                    return sum(one["items"] for one in json.loads(state.read_text())["segments"])
                return 0

            killed_when(start(*command, cwd=parent), lambda: cloned() >= 500)
            assert cloned() < count
            assert "--resume goes on" in run(*command, cwd=parent, code=2)
            done = events(*command, "--resume", cwd=parent)[-1]
            assert (done["items"], done["counted"]) == (count, count), done
        with serving(target) as (_, client):
            assert scan(client, "Tee") == wanted


def test_clone():
    """a table of a server that asks for keys, with indexes, time to live, stream and tags; disguised if wanted"""
    with folder() as parent:
        keys = os.path.join(parent, "keys.ini")
        pathlib.Path(keys).write_text("[app]\naws_access_key_id = app\naws_secret_access_key = secret-of-the-app\n")
        os.chmod(keys, 0o600)
        data, target = os.path.join(parent, "data"), os.path.join(parent, "target")
        with serving(data) as (_, client):
            client.call("CreateTable", TableName="Tee", **{**KEYS, "AttributeDefinitions": KEYS["AttributeDefinitions"] + [
                {"AttributeName": "text", "AttributeType": "S"}]},
                GlobalSecondaryIndexes=[{"IndexName": "byText", "KeySchema": [{"AttributeName": "text", "KeyType": "HASH"}],
                                         "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["email"]}}],
                LocalSecondaryIndexes=[{"IndexName": "local", "KeySchema": [
                    {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "text", "KeyType": "RANGE"}],
                    "Projection": {"ProjectionType": "KEYS_ONLY"}}],
                StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}, Tags=[{"Key": "team", "Value": "blue"}])
            client.call("UpdateTimeToLive", TableName="Tee", TimeToLiveSpecification={"AttributeName": "gone", "Enabled": True})
            fill(client, "Tee", 100, create=False)
            client.call("PutItem", TableName="Tee", Item={**item(7), "email": {"S": "ann.smith7@corp.example"}, "card": {"S": "1234-56 Zé"},
                                                         "inner": {"M": {"phone": {"S": "555"}, "kept": {"N": "1"}}}, "name": {"S": "Ann"}})
            wanted, shape = scan(client, "Tee"), client.call("DescribeTable", TableName="Tee")["Table"]
        with serving(data, ["--credentials", keys]) as (server, _):
            command = ["clone", "--from", server.url, "--table", "Tee", "--data", target]
            assert "credential" in run(*command, cwd=parent, code=1).lower()
            pathlib.Path(parent, "gateleg-clone-Tee.state").unlink(missing_ok=True)
            ENVIRONMENT.update(AWS_ACCESS_KEY_ID="app", AWS_SECRET_ACCESS_KEY="secret-of-the-app")
            try:
                assert "100 items of Tee copied" in run(*command, cwd=parent)
                assert "already; --as names another" in run(*command, cwd=parent, code=1)
                pathlib.Path(parent, "gateleg-clone-Tee.state").unlink(missing_ok=True)
                assert "can only be hashed" in run(*command, "--as", "Dee", "--anonymise", "pk=mask", cwd=parent, code=1)
                rules = ["email=fake", "card=mask", "inner.phone=redact", "name=hash", "pk=hash"]
                run(*command, "--as", "Dee", *[word for rule in rules for word in ("--anonymise", rule)], cwd=parent)
            finally:
                ENVIRONMENT.pop("AWS_ACCESS_KEY_ID")
                ENVIRONMENT.pop("AWS_SECRET_ACCESS_KEY")
        run("clone", "--from", target, "--table", "Tee", "--as", "Vee", "--data", target, cwd=parent)  # within one directory
        with serving(target) as (_, client):
            assert scan(client, "Tee") == wanted and scan(client, "Vee") == wanted
            copy = client.call("DescribeTable", TableName="Tee")["Table"]
            for member in ("KeySchema", "StreamSpecification", "BillingModeSummary"):
                a, b = dict(shape=shape[member]), dict(shape=copy[member])
                if member == "BillingModeSummary":
                    a, b = shape[member]["BillingMode"], copy[member]["BillingMode"]
                assert a == b, (member, a, b)
            for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
                (a,), (b,) = shape[member], copy[member]
                assert [a[name] for name in ("IndexName", "KeySchema", "Projection", "ItemCount")] == [
                    b[name] for name in ("IndexName", "KeySchema", "Projection", "ItemCount")], (a, b)
            assert client.call("ListTagsOfResource", ResourceArn=copy["TableArn"])["Tags"] == [{"Key": "team", "Value": "blue"}]
            assert client.call("DescribeTimeToLive", TableName="Tee")["TimeToLiveDescription"]["AttributeName"] == "gone"
            copies = [json.loads(one) for one in scan(client, "Dee")]
            assert len(copies) == 100 and len({one["pk"]["S"] for one in copies}) == 97
            (odd,) = [one for one in copies if "email" in one]
            assert odd["email"]["S"].endswith("@example.com") and odd["card"]["S"] == "9999-99 xx", odd
            assert odd["inner"] == {"M": {"kept": {"N": "1"}}} and len(odd["name"]["S"]) == 32, odd


def test_budgets():
    """capacity stays within the budget: reads of an export, writes of an import, both of a clone"""
    with folder() as parent:
        data = os.path.join(parent, "data")
        with serving(data) as (server, client):
            fill(client, "Tee", 300, "z" * 3000)  # 3 write units and half a read unit each
            out = os.path.join(parent, "out")
            for command, member, units in (
                    (["export", "data", "Tee", "--out", out, "--max-rcu", "60"], "readUnits", 60),
                    (["import", "data", "Yew", out, "--create", "--max-wcu", "450"], "writeUnits", 450),
                    (["clone", "--from", server.url, "--table", "Tee", "--as", "Vee", "--max-rcu", "60"], "readUnits", 60)):
                began = time.monotonic()
                seen = events(*command, "--data", data, cwd=parent)
                spent = time.monotonic() - began
                used = seen[-1][member]
                assert used > units and used <= units * (spent + 1), (command, used, spent)
                assert spent < 10 * used / units + 10, (command, used, spent)
                assert [one for one in seen[:-1] if one["event"] == "progress" and one["items"] <= 300], seen


def wait_for(client, kind, arn):
    """The description of an export or import that is no longer running."""
    deadline = time.monotonic() + 60
    while True:
        (found,) = client.call(f"Describe{kind}", **{f"{kind}Arn": arn}).values()
        if found[f"{kind}Status"] != "IN_PROGRESS":
            return found
        assert time.monotonic() < deadline, found
        time.sleep(0.05)


def refused(client, name, operation, **request):
    try:
        client.call(operation, **request)
    except Failed as error:
        assert error.type == name, (operation, error)
        return
    raise AssertionError(f"{operation} was not refused with {name}")


def test_exports_and_imports_of_the_api():
    """ExportTableToPointInTime into a bucket, ImportTable out of it, their lists and errors; boto3 reads the objects"""
    with folder() as parent:
        server = Server(data=os.path.join(parent, "data"), s3=True)
        client = Client(server.host, server.port)
        try:
            s3 = boto3.client("s3", endpoint_url=server.s3_url, region_name="us-east-1",
                              aws_access_key_id="local", aws_secret_access_key="local")
            s3.create_bucket(Bucket="exports")
            fill(client, "Tee", 200)
            client.call("PutItem", TableName="Tee", Item=ODD)
            arn = client.call("DescribeTable", TableName="Tee")["Table"]["TableArn"]
            asked = {"TableArn": arn, "S3Bucket": "exports", "S3Prefix": "daily"}
            refused(client, "PointInTimeRecoveryUnavailableException", "ExportTableToPointInTime", **asked)
            client.call("UpdateContinuousBackups", TableName="Tee",
                        PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
            refused(client, "TableNotFoundException", "ExportTableToPointInTime", **{**asked, "TableArn": arn + "x"})
            refused(client, "InvalidExportTimeException", "ExportTableToPointInTime", **asked, ExportTime=time.time() - 86400)
            refused(client, "ValidationException", "ExportTableToPointInTime", **asked, ExportFormat="XML")
            refused(client, "ExportNotFoundException", "DescribeExport", ExportArn=arn + "/export/01234567890123-a1b2c3d4")
            refused(client, "ImportNotFoundException", "DescribeImport", ImportArn=arn + "/import/01234567890123-a1b2c3d4")
            begun = client.call("ExportTableToPointInTime", **asked, ClientToken="once")["ExportDescription"]
            assert begun["ExportStatus"] == "IN_PROGRESS" and begun["ExportArn"].startswith(arn + "/export/"), begun
            again = client.call("ExportTableToPointInTime", **asked, ClientToken="once")["ExportDescription"]
            assert again["ExportArn"] == begun["ExportArn"]
            refused(client, "ExportConflictException", "ExportTableToPointInTime", **{**asked, "S3Prefix": "other"}, ClientToken="once")
            done = wait_for(client, "Export", begun["ExportArn"])
            assert done["ExportStatus"] == "COMPLETED" and done["ItemCount"] == 201 and done["BilledSizeBytes"] > 0, done
            summary = json.loads(s3.get_object(Bucket="exports", Key=done["ExportManifest"])["Body"].read())
            assert summary["itemCount"] == 201 and summary["s3Prefix"] == "daily" and summary["exportArn"] == done["ExportArn"], summary
            files = s3.get_object(Bucket="exports", Key=summary["manifestFilesS3Key"])["Body"].read().decode().splitlines()
            lines = []
            for line in map(json.loads, files):
                found = s3.get_object(Bucket="exports", Key=line["dataFileS3Key"])
                assert found["ETag"].strip('"') == line["etag"], line
                lines += gzip.decompress(found["Body"].read()).decode().splitlines()
            wanted = scan(client, "Tee")
            assert sorted(plain(json.loads(line)["Item"]) for line in lines) == wanted
            sdk = boto3.client("dynamodb", endpoint_url=server.url, region_name="us-east-1",
                               aws_access_key_id="local", aws_secret_access_key="local")
            shown = sdk.describe_export(ExportArn=done["ExportArn"])["ExportDescription"]
            assert shown["EndTime"] >= shown["StartTime"] and shown["ExportManifest"] == done["ExportManifest"], shown
            gone = client.call("ExportTableToPointInTime", **{**asked, "S3Bucket": "nowhere"})["ExportDescription"]["ExportArn"]
            gone = wait_for(client, "Export", gone)
            assert (gone["ExportStatus"], gone["FailureCode"]) == ("FAILED", "S3NoSuchBucket"), gone
            listed = client.call("ListExports", TableArn=arn, MaxResults=1)
            assert [one["ExportArn"] for one in listed["ExportSummaries"]] == [gone["ExportArn"]], listed
            listed = client.call("ListExports", TableArn=arn, MaxResults=1, NextToken=listed["NextToken"])
            assert [one["ExportArn"] for one in listed["ExportSummaries"]] == [done["ExportArn"]], listed

            data = os.path.dirname(summary["manifestFilesS3Key"]) + "/data/"
            asked = {"S3BucketSource": {"S3Bucket": "exports", "S3KeyPrefix": data}, "InputFormat": "DYNAMODB_JSON",
                     "InputCompressionType": "GZIP", "TableCreationParameters": {"TableName": "Yew", **KEYS}}
            begun = client.call("ImportTable", **asked)["ImportTableDescription"]
            assert begun["TableCreationParameters"] == asked["TableCreationParameters"], begun
            done = wait_for(client, "Import", begun["ImportArn"])
            assert (done["ImportStatus"], done["ImportedItemCount"], done["ErrorCount"]) == ("COMPLETED", 201, 0), done
            assert scan(client, "Yew") == wanted
            refused(client, "ResourceInUseException", "ImportTable", **asked)
            s3.put_object(Bucket="exports", Key="csv/a.csv", Body=b"a;1;x\nb;no;x\nc;3;\n")
            csv_import = {"S3BucketSource": {"S3Bucket": "exports", "S3KeyPrefix": "csv/"}, "InputFormat": "CSV",
                          "InputFormatOptions": {"Csv": {"Delimiter": ";", "HeaderList": ["pk", "sk", "t"]}},
                          "TableCreationParameters": {"TableName": "Csv", **KEYS}}
            done = wait_for(client, "Import", client.call("ImportTable", **csv_import)["ImportTableDescription"]["ImportArn"])
            assert (done["ProcessedItemCount"], done["ImportedItemCount"], done["ErrorCount"]) == (3, 2, 1), done
            assert len(scan(client, "Csv")) == 2
            assert len(client.call("ListImports")["ImportSummaryList"]) == 2
            before = client.call("ListExports")
            client.close()
            server.stop()
            server = Server(data=os.path.join(parent, "data"), s3=True)
            client = Client(server.host, server.port)
            assert client.call("ListExports") == before and len(client.call("ListImports")["ImportSummaryList"]) == 2
        finally:
            client.close()
            server.stop()


run_module(__name__)
