"""The first minutes with the AWS command line: what a newcomer types."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.runner import Skip, run_module  # noqa: E402
from lib.server import Server  # noqa: E402

DATA = tempfile.TemporaryDirectory(prefix="gateleg-awscli-")
SERVER = Server(DATA.name, s3=True)
AWS = os.environ.get("GATELEG_AWSCLI", "/usr/bin/aws")
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": DATA.name, "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_DEFAULT_REGION": "us-east-1",
               "AWS_EC2_METADATA_DISABLED": "true", "AWS_PAGER": "", "AWS_MAX_ATTEMPTS": "2", "LC_ALL": "C.UTF-8"}


# Operations by (service, name): those that were answered, and those that the server says it has not.
WALKED = set()
REFUSED = set()


def aws(*arguments, fails=None, service="dynamodb"):
    """Runs `aws dynamodb ...` and gives its JSON; with `fails`, its complaint, which must hold that text."""
    if not os.path.exists(AWS):
        raise Skip(f"{AWS} is not here")
    words = [word if isinstance(word, str) else json.dumps(word) for word in arguments]
    url = SERVER.s3_url if service == "s3api" else SERVER.url
    done = subprocess.run([AWS, service, *words, "--endpoint-url", url, "--output", "json"], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    if fails:
        assert done.returncode != 0 and fails in done.stderr, f"exit code {done.returncode}: {done.stderr}"
        if "(UnknownOperationException)" in done.stderr:
            REFUSED.add((service, arguments[0]))
        return done.stderr
    assert done.returncode == 0, done.stderr
    WALKED.add((service, arguments[0]))
    return json.loads(done.stdout) if done.stdout.strip() else {}


def operations(service):
    """What the command line knows of the service, by the model that it carries."""
    try:
        from awscli.botocore import xform_name
        from awscli.botocore.session import get_session
    except ImportError:  # its first version used the library
        from botocore import xform_name
        from botocore.session import get_session
    return {xform_name(name, "-"): name for name in get_session().get_service_model(service).operation_names}


def until(ask, done):
    """Asks until it is done; gives the last answer."""
    deadline = time.monotonic() + 60
    while True:
        answer = ask()
        if done(answer):
            return answer
        assert time.monotonic() < deadline, answer


def test_create_table():
    """create-table, wait table-exists, describe-table, list-tables"""
    aws("create-table", "--table-name", "Music", "--billing-mode", "PAY_PER_REQUEST",
        "--attribute-definitions", "AttributeName=Artist,AttributeType=S", "AttributeName=Song,AttributeType=S",
        "--key-schema", "AttributeName=Artist,KeyType=HASH", "AttributeName=Song,KeyType=RANGE")
    aws("wait", "table-exists", "--table-name", "Music")
    assert aws("describe-table", "--table-name", "Music")["Table"]["TableStatus"] == "ACTIVE"
    assert aws("list-tables") == {"TableNames": ["Music"]}


def test_put_and_get():
    """put-item, get-item, also with text outside ASCII"""
    aws("put-item", "--table-name", "Music", "--item", {"Artist": {"S": "No One"}, "Song": {"S": "Crème brûlée"}, "Year": {"N": "1999"}})
    reply = aws("get-item", "--table-name", "Music", "--key", {"Artist": {"S": "No One"}, "Song": {"S": "Crème brûlée"}}, "--consistent-read")
    assert reply == {"Item": {"Artist": {"S": "No One"}, "Song": {"S": "Crème brûlée"}, "Year": {"N": "1999"}}}


def test_update():
    """update-item with a condition, and the complaint when it is false"""
    update = ["update-item", "--table-name", "Music", "--key", {"Artist": {"S": "No One"}, "Song": {"S": "Crème brûlée"}},
              "--update-expression", "SET #y = :new", "--condition-expression", "#y = :old", "--expression-attribute-names", {"#y": "Year"},
              "--expression-attribute-values", {":new": {"N": "2000"}, ":old": {"N": "1999"}}, "--return-values", "ALL_NEW"]
    assert aws(*update)["Attributes"]["Year"] == {"N": "2000"}
    aws(*update, fails="(ConditionalCheckFailedException) when calling the UpdateItem operation: The conditional request failed")


def test_batch():
    """batch-write-item and batch-get-item"""
    requests = [{"PutRequest": {"Item": {"Artist": {"S": "Many"}, "Song": {"S": f"s{number:02d}"}}}} for number in range(25)]
    assert aws("batch-write-item", "--request-items", {"Music": requests}) == {"UnprocessedItems": {}}
    got = aws("batch-get-item", "--request-items", {"Music": {"Keys": [{"Artist": {"S": "Many"}, "Song": {"S": "s07"}}]}})
    assert got["Responses"]["Music"] == [{"Artist": {"S": "Many"}, "Song": {"S": "s07"}}]


def test_query():
    """query and scan, the command line's own pagination, --query"""
    query = ["query", "--table-name", "Music", "--key-condition-expression", "Artist = :a", "--expression-attribute-values", {":a": {"S": "Many"}}]
    reply = aws(*query)
    assert (reply["Count"], reply["ScannedCount"]) == (25, 25)
    assert len(aws(*query, "--page-size", "4")["Items"]) == 25
    first = aws(*query, "--max-items", "10")
    assert len(first["Items"]) == 10
    rest = aws(*query, "--starting-token", first["NextToken"])
    assert [item["Song"]["S"] for item in first["Items"] + rest["Items"]] == [f"s{number:02d}" for number in range(25)]
    assert aws("scan", "--table-name", "Music", "--select", "COUNT", "--query", "Count") == 26


def test_transaction():
    """transact-write-items and transact-get-items"""
    put = [{"Put": {"TableName": "Music", "Item": {"Artist": {"S": "Tx"}, "Song": {"S": name}}, "ConditionExpression": "attribute_not_exists(Artist)"}} for name in "ab"]
    aws("transact-write-items", "--transact-items", put)
    aws("transact-write-items", "--transact-items", put, fails="specific reasons [ConditionalCheckFailed, ConditionalCheckFailed]")
    got = aws("transact-get-items", "--transact-items", [{"Get": {"TableName": "Music", "Key": {"Artist": {"S": "Tx"}, "Song": {"S": "b"}}}}])
    assert got["Responses"] == [{"Item": {"Artist": {"S": "Tx"}, "Song": {"S": "b"}}}]


def test_statements():
    """execute-statement, batch-execute-statement, execute-transaction"""
    aws("execute-statement", "--statement", "INSERT INTO Music VALUE {'Artist': 'Ql', 'Song': 'one', 'n': 1}")
    reply = aws("execute-statement", "--statement", "SELECT n FROM Music WHERE Artist = ? AND n = 1", "--parameters", [{"S": "Ql"}])
    assert reply["Items"] == [{"n": {"N": "1"}}]
    read = {"Statement": "SELECT n FROM Music WHERE Artist = 'Ql' AND Song = 'one'"}
    assert aws("batch-execute-statement", "--statements", [read])["Responses"] == [{"TableName": "Music", "Item": {"n": {"N": "1"}}}]
    aws("execute-transaction", "--transact-statements", [{"Statement": "DELETE FROM Music WHERE Artist = 'Ql' AND Song = 'one' AND n = 1"}])
    aws("execute-statement", "--statement", "nonsense", fails="Statement wasn't well formed, can't be processed")


def test_table_settings():
    """update-time-to-live, tag-resource, describe-limits, describe-endpoints"""
    aws("update-time-to-live", "--table-name", "Music", "--time-to-live-specification", "Enabled=true,AttributeName=expires")
    assert aws("describe-time-to-live", "--table-name", "Music")["TimeToLiveDescription"]["AttributeName"] == "expires"
    arn = aws("describe-table", "--table-name", "Music")["Table"]["TableArn"]
    aws("tag-resource", "--resource-arn", arn, "--tags", "Key=team,Value=blue")
    assert aws("list-tags-of-resource", "--resource-arn", arn)["Tags"] == [{"Key": "team", "Value": "blue"}]
    aws("untag-resource", "--resource-arn", arn, "--tag-keys", "team")
    assert aws("list-tags-of-resource", "--resource-arn", arn)["Tags"] == []
    assert aws("describe-limits")["AccountMaxReadCapacityUnits"] > 0
    assert aws("describe-endpoints")["Endpoints"][0]["Address"] in SERVER.url


def test_errors():
    """complaints name the error and the operation"""
    aws("get-item", "--table-name", "Nope", "--key", {"a": {"S": "b"}}, fails="(ResourceNotFoundException) when calling the GetItem operation: Requested resource not found")
    aws("put-item", "--table-name", "Music", "--item", {"Artist": {"S": "x"}}, fails="Missing the key Song in the item")


def test_survives_kill():
    """kill -9 and restart: everything is there"""
    global SERVER
    SERVER.kill()
    SERVER = Server(DATA.name, s3=True)
    assert aws("scan", "--table-name", "Music", "--query", "Count") == 28
    assert aws("describe-time-to-live", "--table-name", "Music")["TimeToLiveDescription"]["AttributeName"] == "expires"


def test_streams():
    """update-table with a stream, then aws dynamodbstreams"""
    reply = aws("update-table", "--table-name", "Music", "--stream-specification", "StreamEnabled=true,StreamViewType=NEW_IMAGE")
    arn = reply["TableDescription"]["LatestStreamArn"]
    aws("put-item", "--table-name", "Music", "--item", {"Artist": {"S": "Late"}, "Song": {"S": "Comer"}})
    assert aws("list-streams", "--table-name", "Music", service="dynamodbstreams")["Streams"][0]["StreamArn"] == arn
    described = aws("describe-stream", "--stream-arn", arn, service="dynamodbstreams")["StreamDescription"]
    assert described["StreamStatus"] == "ENABLED"
    records = []
    for shard in described["Shards"]:
        place = aws("get-shard-iterator", "--stream-arn", arn, "--shard-id", shard["ShardId"], "--shard-iterator-type", "TRIM_HORIZON",
                    service="dynamodbstreams")["ShardIterator"]
        records += aws("get-records", "--shard-iterator", place, service="dynamodbstreams")["Records"]
        if records:
            break
    assert [each["dynamodb"]["NewImage"]["Song"]["S"] for each in records] == ["Comer"]


def test_what_tools_ask():
    """describe-continuous-backups and other questions of tools"""
    status = aws("describe-continuous-backups", "--table-name", "Music")["ContinuousBackupsDescription"]
    assert status["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "DISABLED"
    assert aws("list-global-tables") == {"GlobalTables": []}
    assert aws("describe-contributor-insights", "--table-name", "Music")["ContributorInsightsStatus"] == "DISABLED"
    assert aws("describe-kinesis-streaming-destination", "--table-name", "Music")["KinesisDataStreamDestinations"] == []
    aws("update-continuous-backups", "--table-name", "Music", "--point-in-time-recovery-specification", "PointInTimeRecoveryEnabled=true")
    aws("update-contributor-insights", "--table-name", "Music", "--contributor-insights-action", "ENABLE")
    assert aws("list-contributor-insights", "--table-name", "Music")["ContributorInsightsSummaries"][0]["ContributorInsightsStatus"] == "ENABLED"
    assert aws("describe-table-replica-auto-scaling", "--table-name", "Music")["TableAutoScalingDescription"]["Replicas"] == []
    aws("list-exports")
    aws("list-imports")


def test_backups():
    """create-backup, describe-backup, list-backups, restore-table-from-backup, delete-backup"""
    arn = aws("create-backup", "--table-name", "Music", "--backup-name", "first")["BackupDetails"]["BackupArn"]
    for _ in range(60):
        details = aws("describe-backup", "--backup-arn", arn)["BackupDescription"]["BackupDetails"]
        if details["BackupStatus"] == "AVAILABLE":
            break
    assert [each["BackupName"] for each in aws("list-backups", "--table-name", "Music")["BackupSummaries"]] == ["first"]
    aws("restore-table-from-backup", "--target-table-name", "Again", "--backup-arn", arn)
    aws("wait", "table-exists", "--table-name", "Again")
    assert aws("scan", "--table-name", "Again", "--query", "Count") == aws("scan", "--table-name", "Music", "--query", "Count")
    aws("delete-table", "--table-name", "Again")
    aws("delete-backup", "--backup-arn", arn)


def test_exports_and_imports():
    """export-table-to-point-in-time, import-table, and what tells of them"""
    arn = aws("describe-table", "--table-name", "Music")["Table"]["TableArn"]
    aws("create-bucket", "--bucket", "exports", service="s3api")
    aws("update-continuous-backups", "--table-name", "Music", "--point-in-time-recovery-specification", "PointInTimeRecoveryEnabled=true")
    job = aws("export-table-to-point-in-time", "--table-arn", arn, "--s3-bucket", "exports", "--s3-prefix", "music")["ExportDescription"]["ExportArn"]
    done = until(lambda: aws("describe-export", "--export-arn", job)["ExportDescription"], lambda each: each["ExportStatus"] != "IN_PROGRESS")
    assert done["ExportStatus"] == "COMPLETED", done
    assert done["ItemCount"] == aws("scan", "--table-name", "Music", "--query", "Count")
    assert [each["ExportArn"] for each in aws("list-exports", "--table-arn", arn)["ExportSummaries"]] == [job]
    folder = done["ExportManifest"].rsplit("/", 1)[0]
    job = aws("import-table", "--s3-bucket-source", f"S3Bucket=exports,S3KeyPrefix={folder}/data/", "--input-format", "DYNAMODB_JSON",
              "--input-compression-type", "GZIP", "--table-creation-parameters",
              {"TableName": "Imported", "BillingMode": "PAY_PER_REQUEST",
               "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("Artist", "Song")],
               "KeySchema": [{"AttributeName": "Artist", "KeyType": "HASH"}, {"AttributeName": "Song", "KeyType": "RANGE"}]})["ImportTableDescription"]["ImportArn"]
    done = until(lambda: aws("describe-import", "--import-arn", job)["ImportTableDescription"], lambda each: each["ImportStatus"] != "IN_PROGRESS")
    assert (done["ImportStatus"], done["ErrorCount"]) == ("COMPLETED", 0), done
    assert [each["ImportArn"] for each in aws("list-imports")["ImportSummaryList"]] == [job]
    assert aws("scan", "--table-name", "Imported", "--query", "Count") == done["ImportedItemCount"] > 20
    aws("delete-table", "--table-name", "Imported")


def test_resource_policies():
    """put-resource-policy, get-resource-policy, delete-resource-policy, of command lines that have them"""
    if "put-resource-policy" not in operations("dynamodb"):
        raise Skip("this command line has none")
    arn = aws("describe-table", "--table-name", "Music")["Table"]["TableArn"]
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Principal": "*", "Action": "dynamodb:*", "Resource": arn}]}
    aws("put-resource-policy", "--resource-arn", arn, "--policy", policy)
    assert json.loads(aws("get-resource-policy", "--resource-arn", arn)["Policy"]) == policy
    aws("delete-resource-policy", "--resource-arn", arn)
    aws("get-resource-policy", "--resource-arn", arn, fails="(PolicyNotFoundException)")


def test_what_is_not_here():
    """operations without a counterpart are refused, in words"""
    aws("create-global-table", "--global-table-name", "Music", "--replication-group", "RegionName=eu-west-1", fails="no global tables")
    aws("update-global-table", "--global-table-name", "Music", "--replica-updates", "Create={RegionName=eu-west-1}", fails="no global tables")
    aws("update-global-table-settings", "--global-table-name", "Music", fails="no global tables")
    aws("describe-global-table", "--global-table-name", "Music", fails="(GlobalTableNotFoundException)")
    aws("describe-global-table-settings", "--global-table-name", "Music", fails="(GlobalTableNotFoundException)")
    aws("update-table-replica-auto-scaling", "--table-name", "Music", fails="no replicas")
    aws("restore-table-to-point-in-time", "--source-table-name", "Music", "--target-table-name", "Past", fails="a backup can be restored")
    for verb in ("enable", "disable", "update"):
        if f"{verb}-kinesis-streaming-destination" not in operations("dynamodb"):
            continue
        aws(f"{verb}-kinesis-streaming-destination", "--table-name", "Music", "--stream-arn", "arn:aws:kinesis:us-east-1:123456789012:stream/some",
            fails="no Kinesis destinations")


def test_delete():
    """delete-item, delete-table, wait table-not-exists"""
    old = aws("delete-item", "--table-name", "Music", "--key", {"Artist": {"S": "Tx"}, "Song": {"S": "a"}}, "--return-values", "ALL_OLD")
    assert old["Attributes"]["Song"] == {"S": "a"}
    aws("delete-table", "--table-name", "Music")
    aws("wait", "table-not-exists", "--table-name", "Music")
    assert aws("list-tables") == {"TableNames": []}
    assert SERVER.stop() == 0


def test_every_operation():
    """every operation that the command line has was called; those that are refused are named among the differences"""
    told = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "differences-from-dynamodb.md").read_text()
    # Answered with an error that says there is no such global table.
    without = {("dynamodb", "describe-global-table"), ("dynamodb", "describe-global-table-settings")}
    for service in ("dynamodb", "dynamodbstreams"):
        for name, operation in operations(service).items():
            if (service, name) in REFUSED | without:
                assert f"`{operation}`" in told, f"{operation} is refused, and docs/differences-from-dynamodb.md does not say so"
            else:
                assert (service, name) in WALKED, f"{service} {name} was not called"


if __name__ == "__main__":
    run_module("__main__")
