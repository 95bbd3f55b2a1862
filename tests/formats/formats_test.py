"""T8: data directories of every released format are opened, verified and written; a newer one is refused and left as it is.

The archives beside this file were made by the release that wrote the format first, one of a server that was stopped and one of a
server that was killed; the JSON file says what they hold. `formats_test.py make FORMAT` makes them for a new format; those that are there are
never made again.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from lib.dynamo import Client  # noqa: E402
from lib.runner import run_module  # noqa: E402
from lib.server import Server, StartFailed  # noqa: E402
from s3.crash_test import call as call_objects  # noqa: E402

MOST_BYTES = 2 << 20
OBJECTS = {"small": b"a small object", "empty": b"", "large": bytes(range(256)) * 1200}


def archives():
    return sorted(HERE.glob("format-*.tar.gz"))


def fill(server):
    """Something of everything that a data directory may hold."""
    client = Client(server.host, server.port)
    key = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
    client.call("CreateTable", TableName="orders", BillingMode="PAY_PER_REQUEST", KeySchema=key,
                AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind} for name, kind in (("pk", "S"), ("sk", "N"), ("status", "S"), ("total", "N"))],
                GlobalSecondaryIndexes=[{"IndexName": "byStatus", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["total"]},
                                         "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}],
                LocalSecondaryIndexes=[{"IndexName": "byTotal", "Projection": {"ProjectionType": "ALL"},
                                        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "total", "KeyType": "RANGE"}]}],
                StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}, Tags=[{"Key": "team", "Value": "shop"}])
    client.call("CreateTable", TableName="binary", BillingMode="PAY_PER_REQUEST", KeySchema=key[:1],
                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "B"}])
    client.call("UpdateTimeToLive", TableName="orders", TimeToLiveSpecification={"AttributeName": "until", "Enabled": True})
    for number in range(120):
        item = {"pk": {"S": f"customer-{number % 7}"}, "sk": {"N": str(number * 1.5 - 20)}, "total": {"N": str(number ** 3)},
                "lines": {"L": [{"M": {"name": {"S": f"thing {number}"}, "count": {"N": "1"}}}, {"NULL": True}, {"BOOL": number % 2 == 0}]},
                "tags": {"SS": ["a", f"t{number}"]}, "counts": {"NS": ["1", str(number + 2)]}, "bytes": {"B": "AAEC/w=="},
                "text": {"S": "naïve \u0000 \"quoted\" 漢字"}}
        if number % 3:
            item["status"] = {"S": "open" if number % 2 else "done"}
        if number % 10 == 0:
            item["until"] = {"N": "4102444800"}
        client.call("PutItem", TableName="orders", Item=item)
    for number in range(0, 120, 9):
        client.call("DeleteItem", TableName="orders", Key={"pk": {"S": f"customer-{number % 7}"}, "sk": {"N": str(number * 1.5 - 20)}})
    client.call("TransactWriteItems", ClientRequestToken="a-token-of-the-format-test", TransactItems=[
        {"Put": {"TableName": "binary", "Item": {"pk": {"B": value}, "n": {"N": "1E-130"}}}} for value in ("AA==", "/w==", "AP8=")])
    arn = client.call("CreateBackup", TableName="orders", BackupName="kept")["BackupDetails"]["BackupArn"]
    while client.call("DescribeBackup", BackupArn=arn)["BackupDescription"]["BackupDetails"]["BackupStatus"] != "AVAILABLE":
        time.sleep(0.05)
    if server.s3_url:
        assert call_objects(server.s3_url, "PUT", "/kept")[0] == 200
        for name, body in OBJECTS.items():
            assert call_objects(server.s3_url, "PUT", f"/kept/{name}", body)[0] == 200
    client.close()


def everything(server):
    """What the server says of it, without what depends on the moment or is random."""
    client = Client(server.host, server.port)
    answers = {}
    for table in client.call("ListTables")["TableNames"]:
        described = client.call("DescribeTable", TableName=table)["Table"]
        indexes = [index["IndexName"] for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes") for index in described.get(kind, [])]
        answers[table] = {
            "count": described["ItemCount"], "bytes": described["TableSizeBytes"], "keys": described["KeySchema"], "indexes": sorted(indexes),
            "stream": described.get("StreamSpecification"), "ttl": client.call("DescribeTimeToLive", TableName=table)["TimeToLiveDescription"],
            "tags": client.call("ListTagsOfResource", ResourceArn=described["TableArn"])["Tags"],
            "items": client.scan(table, ConsistentRead=True), "entries": {name: client.scan(table, IndexName=name) for name in sorted(indexes)}}
        if described.get("LatestStreamArn"):
            answers[table]["records"] = "read"
            read_records(client, described["LatestStreamArn"])
    backups = client.call("ListBackups")["BackupSummaries"]
    answers["backups"] = [(each["BackupName"], each["TableName"], each["BackupStatus"]) for each in backups]
    client.close()
    answers["objects"] = {name: hashlib.sha256(call_objects(server.s3_url, "GET", f"/kept/{name}")[2]).hexdigest() for name in OBJECTS}
    return json.loads(json.dumps(answers))


def read_records(client, arn):
    """Records may be past their day by now: the stream must be readable, whatever it still holds."""
    streams = "DynamoDBStreams_20120810."
    shards = client.call(streams + "DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]
    for shard in shards:
        start = client.call(streams + "GetShardIterator", StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        client.call(streams + "GetRecords", ShardIterator=start)


def digest(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}


class Unpacked:
    def __init__(self, archive):
        self.archive = archive

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="gateleg-format-")
        with tarfile.open(self.archive) as archive:
            archive.extractall(self.folder)
        data = os.path.join(self.folder, "data")
        os.chmod(data, 0o700)
        return data

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)


def test_opened():
    """T8: directories of every format are opened, hold what they held, are written and opened again"""
    assert len(archives()) >= 2, "the archives are gone"
    for archive in archives():
        assert archive.stat().st_size <= MOST_BYTES, archive
        expected = json.loads(pathlib.Path(re.sub(r"-\w+\.tar\.gz$", ".json", str(archive))).read_text())
        with Unpacked(archive) as data:
            server = Server(data, s3=True)
            found = everything(server)
            assert found == expected, f"{archive.name}: {[name for name in expected if found.get(name) != expected[name]]}"
            client = Client(server.host, server.port)
            client.call("PutItem", TableName="orders", Item={"pk": {"S": "new"}, "sk": {"N": "1"}, "status": {"S": "open"}})
            arn = client.call("ListBackups")["BackupSummaries"][0]["BackupArn"]
            client.call("RestoreTableFromBackup", TargetTableName="restored", BackupArn=arn)
            deadline = time.monotonic() + 60
            while client.call("DescribeTable", TableName="restored")["Table"]["TableStatus"] != "ACTIVE" and time.monotonic() < deadline:
                time.sleep(0.05)
            restored = client.scan("restored", ConsistentRead=True)
            assert sorted(map(json.dumps, restored)) == sorted(map(json.dumps, expected["orders"]["items"]))
            client.call("DeleteTable", TableName="restored")
            server.kill()
            server = Server(data, s3=True)
            client = Client(server.host, server.port)
            assert client.call("GetItem", TableName="orders", Key={"pk": {"S": "new"}, "sk": {"N": "1"}}).get("Item")
            client.call("DeleteItem", TableName="orders", Key={"pk": {"S": "new"}, "sk": {"N": "1"}})
            assert everything(server) == expected, archive.name
            assert server.stop() == 0, server.log()[-2000:]
    print(f"     counts formats opened={len(archives())}")


def test_newer():
    """T8: a newer format is refused with both numbers and exit code 4, and no byte of it changes"""
    refused = 0
    for archive in archives():
        for where in ("FORMAT", "objects/meta/FORMAT"):
            with Unpacked(archive) as data:
                file = pathlib.Path(data, where)
                line = file.read_text()
                current = int(re.search(r"(\d+)\n$", line).group(1))
                newer = 987
                file.write_text(line.replace(str(current), str(newer)))
                before = digest(data)
                try:
                    Server(data, s3=True).kill()
                    raise AssertionError(f"{archive.name} {where}: opened a newer format")
                except StartFailed as refusal:
                    assert refusal.code == 4, f"{where}: exit code {refusal.code}\n{refusal.log}"
                    assert str(newer) in refusal.log and re.search(r"format \d+; use a newer", refusal.log), refusal.log
                after = digest(data)
                if where == "FORMAT":
                    assert after == before, "a refused directory was changed"
                else:
                    # The database beside the objects had been opened by then; what is newer must be as it was.
                    names = [name for name in before if name.startswith("objects/")]
                    assert [after.get(name) for name in names] == [before[name] for name in names], "refused objects were changed"
                refused += 1
    assert refused, "the archives are gone"
    print(f"     counts formats-newer refused={refused}")


def make(number):
    for state in ("stopped", "killed"):
        base = HERE / f"format-{number}-{state}"
        if pathlib.Path(f"{base}.tar.gz").exists():
            raise SystemExit(f"{base}.tar.gz is there; what was released is never made again")
        folder = tempfile.mkdtemp(prefix="gateleg-format-")
        data = os.path.join(folder, "data")
        server = Server(data, s3=True)
        fill(server)
        expected = everything(server)
        assert server.stop() == 0 if state == "stopped" else server.kill() is None
        for name in ("admin.sock", "LOCK"):
            pathlib.Path(data, name).unlink(missing_ok=True)
        with tarfile.open(f"{base}.tar.gz", "w:gz") as archive:
            archive.add(data, "data", filter=lambda info: info.replace(uid=0, gid=0, uname="", gname="", deep=False))
        (HERE / f"format-{number}.json").write_text(json.dumps(expected, sort_keys=True, separators=(",", ":")) + "\n")
        shutil.rmtree(folder)


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(int(sys.argv[2]))
    else:
        run_module("__main__")
