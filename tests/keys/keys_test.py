"""Access keys: made, listed and revoked; what each scope allows of every operation; where secrets are, and are not."""

import contextlib
import fnmatch
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")

import boto3  # noqa: E402
import botocore.session  # noqa: E402
from botocore.auth import SigV4Auth  # noqa: E402
from botocore.awsrequest import AWSRequest  # noqa: E402
from botocore.config import Config  # noqa: E402
from botocore.credentials import Credentials  # noqa: E402
from botocore.exceptions import ClientError  # noqa: E402
from botocore.httpsession import URLLib3Session  # noqa: E402

from lib.runner import run_module  # noqa: E402
from lib.server import Server, StartFailed  # noqa: E402

ACCOUNT = "arn:aws:dynamodb:us-east-1:123456789012:table/"
CONFIG = Config(retries={"max_attempts": 0}, connect_timeout=5, read_timeout=20, s3={"addressing_style": "path"})


class Place:
    """A data directory with a master key beside it, not in it."""

    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="gateleg-keys-")
        self.data = os.path.join(self.root, "data")
        self.master = os.path.join(self.root, "config", "master.key")
        self.env = {"GATELEG_KEY_FILE": self.master, "HOME": "/nonexistent"}

    def run(self, *args, code=0):
        done = subprocess.run([os.environ["GATELEG_BIN"], "keys", *args, "--data", self.data], capture_output=True, text=True,
                              timeout=60, env={**os.environ, **self.env}, stdin=subprocess.DEVNULL)
        assert done.returncode == code, f"{args}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def create(self, name, scope="admin"):
        return json.loads(self.run("create", name, "--scope", scope, "--output", "json").stdout)

    def list(self):
        return json.loads(self.run("list", "--output", "json").stdout)

    def serve(self, *args, **options):
        return Server(self.data, args=args, env=self.env, **options)


@contextlib.contextmanager
def place():
    made = Place()
    try:
        yield made
    finally:
        shutil.rmtree(made.root, ignore_errors=True)


@contextlib.contextmanager
def serving(where, *args, **options):
    server = where.serve(*args, **options)
    try:
        yield server
    finally:
        assert server.stop() == 0, server.log()


def client(url, key=None, service="dynamodb"):
    key = key or {"accessKeyId": "local", "secretAccessKey": "local"}
    return boto3.client(service, endpoint_url=url, region_name="us-east-1", config=CONFIG,
                        aws_access_key_id=key["accessKeyId"], aws_secret_access_key=key["secretAccessKey"])


def error_of(action, **request):
    """The code of the error that the call ends with; empty if it does not."""
    try:
        action(**request)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return ""


def send(url, key, target, body):
    """A signed request with any body. Returns the name of its error, or nothing."""
    request = AWSRequest("POST", url, data=body, headers={"X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.0"})
    SigV4Auth(Credentials(key["accessKeyId"], key["secretAccessKey"]), "dynamodb", "us-east-1").add_auth(request)
    reply = URLLib3Session().send(request.prepare())
    return reply, (json.loads(reply.content).get("__type", "").split("#")[-1] if reply.content else "")


def files_under(path):
    return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]


def holds(path, secret):
    found = []
    for name in files_under(path):
        with contextlib.suppress(OSError):  # a socket
            if secret.encode() in pathlib.Path(name).read_bytes():
                found.append(name)
    return found


def test_made_before_the_first_start():
    """a key made before the first start: signatures are asked for, and the key opens both APIs"""
    with place() as where:
        done = where.run("create", "app")
        lines = dict(line.split(" = ") for line in done.stdout.splitlines() if " = " in line)
        key = {"accessKeyId": lines["aws_access_key_id"], "secretAccessKey": lines["aws_secret_access_key"]}
        assert "[app]" in done.stdout and "first key" in done.stderr and "signed" in done.stderr
        assert stat.S_IMODE(os.stat(where.master).st_mode) == 0o600
        with serving(where, s3=True) as server:
            assert "signatures are asked for" in server.log()
            assert error_of(client(server.url).list_tables) == "UnrecognizedClientException"
            wrong = {**key, "secretAccessKey": "x" * 40}
            assert error_of(client(server.url, wrong).list_tables) == "InvalidSignatureException"
            assert client(server.url, key).list_tables()["TableNames"] == []
            assert error_of(client(server.s3_url, service="s3").list_buckets) == "InvalidAccessKeyId"
            assert client(server.s3_url, key, "s3").list_buckets()["Buckets"] == []


def test_running_server():
    """the first key of a running server closes it at once; revoked, it opens nothing any more"""
    with place() as where, serving(where) as server:
        assert client(server.url).list_tables()["TableNames"] == []
        assert where.list() == {"required": False, "keys": []}
        key = where.create("app", "read; write:Orders")
        assert key["first"] and key["scope"] == "read;write:Orders"
        assert error_of(client(server.url).list_tables) == "UnrecognizedClientException"
        mine = client(server.url, key)
        assert mine.list_tables()["TableNames"] == []
        other = where.create("other")
        assert not other["first"]
        listed = where.list()
        assert [(each["accessKeyId"], each["name"], each["scope"]) for each in listed["keys"]] == [
            (key["accessKeyId"], "app", "read;write:Orders"), (other["accessKeyId"], "other", "admin")]
        assert "lastUsed" in listed["keys"][0] and "lastUsed" not in listed["keys"][1]
        for shown in (where.run("list").stdout, json.dumps(listed)):
            assert key["secretAccessKey"] not in shown and key["accessKeyId"] in shown
        where.run("revoke", key["accessKeyId"])
        assert error_of(mine.list_tables) == "UnrecognizedClientException"
        assert client(server.url, other).list_tables()["TableNames"] == []
        left = where.run("revoke", other["accessKeyId"]).stdout
        assert "No key is left" in left and "still asked for" in left
        assert error_of(client(server.url).list_tables) == "UnrecognizedClientException", "the gate must stay closed"
        assert where.list() == {"required": True, "keys": []}
        assert client(server.url, where.create("again")).list_tables()["TableNames"] == []
        assert key["secretAccessKey"] not in server.log() and other["secretAccessKey"] not in server.log()


def test_secrets_at_rest():
    """keys outlive a restart and kill -9; no file of the data directory or of a backup holds a secret"""
    with place() as where:
        server = where.serve()
        keys = [where.create(name) for name in ("one", "two")]
        client(server.url, keys[0]).list_tables()
        where.run("revoke", keys[1]["accessKeyId"])
        server.kill()
        backup = os.path.join(where.root, "backup")
        with serving(where) as server:
            assert client(server.url, keys[0]).list_tables()["TableNames"] == []
            assert error_of(client(server.url, keys[1]).list_tables) == "UnrecognizedClientException"
            subprocess.run([os.environ["GATELEG_BIN"], "backup", backup, "--data", where.data], check=True, capture_output=True)
        master = pathlib.Path(where.master).read_text().strip()
        for secret in (keys[0]["secretAccessKey"], keys[1]["secretAccessKey"], master):
            assert holds(where.data, secret) == [] and holds(backup, secret) == []
        used = where.list()["keys"][0]
        assert used["accessKeyId"] == keys[0]["accessKeyId"] and "lastUsed" in used
        # The copy has the sealed keys, and is worth nothing without the master key.
        where.data = backup
        with serving(where) as server:
            assert client(server.url, keys[0]).list_tables()["TableNames"] == []
        os.rename(where.master, where.master + ".away")
        assert refused(where).count("master key that opens them is missing") == 1


def refused(where, *args):
    try:
        where.serve(*args).stop()
    except StartFailed as failed:
        assert failed.code == 2, failed
        return failed.log
    raise AssertionError("it started")


def test_master_key():
    """a missing, wrong, open or misplaced master key is refused at start, and says what to do"""
    with place() as where:
        key = where.create("app")
        kept = where.master + ".kept"
        shutil.copy(where.master, kept)
        os.remove(where.master)
        log = refused(where)
        assert "is missing" in log and where.master in log and "--key-file" in log, log
        pathlib.Path(where.master).write_text("0" * 64 + "\n")
        os.chmod(where.master, 0o600)
        assert "sealed with another master key" in refused(where)
        pathlib.Path(where.master).write_text("no key\n")
        assert "is no master key" in refused(where)
        os.chmod(where.master, 0o640)
        assert "chmod 600" in refused(where)
        os.remove(where.master)
        inside = os.path.join(where.data, "master.key")
        shutil.copy(kept, inside)
        assert "lies in the data directory" in refused(where, "--key-file", inside)
        os.remove(inside)
        with serving(where, "--key-file", kept) as server:
            assert client(server.url, key).list_tables()["TableNames"] == []
        # A row that was bent.
        rows = os.path.join(where.data, "keys")
        text = pathlib.Path(rows).read_text()
        shutil.copy(kept, where.master)
        pathlib.Path(rows).write_text(text.replace("\tadmin\t", "\tread\t"))
        assert "was changed outside of Gateleg" in refused(where)
        pathlib.Path(rows).write_text(text[:-20])
        assert "restore the file from a backup" in refused(where)


def test_bad_words():
    """names, scopes, durations and ids that are none are refused by name, on a stopped and on a running server"""
    with place() as where:
        def check():
            for args, wanted in ((["create", "a b"], "name: 'a b'"), (["create", "a", "--scope", "reads"], "scope: 'reads' is not read"),
                                 (["create", "a", "--scope", "read:"], "names no table"), (["create", "a", "--scope", ""], "scope: is empty")):
                assert wanted in where.run(*args, code=1).stderr, args
            for args in (["create", "a", "--expires", "1y"], ["create", "a", "--expires", "-1d"], ["create", "a", "--expires", "0d"], ["create"], []):
                where.run(*args, code=2)
        check()
        assert not os.path.exists(where.data) or os.listdir(where.data) == []
        where.run("list", code=2)
        with serving(where):
            check()
            assert "there is no key GLKX" in where.run("revoke", "GLKX", code=1).stderr
            assert where.list() == {"required": False, "keys": []}
            made = json.loads(where.run("create", "short", "--expires", "90d", "--output", "json").stdout)
            assert made["accessKeyId"] in where.run("list").stdout and "expires" in where.list()["keys"][0]
        with_file = os.path.join(where.root, "credentials")
        pathlib.Path(with_file).write_text("[ci]\naws_access_key_id = CI\naws_secret_access_key = s\ngateleg_scope = everything\n")
        os.chmod(with_file, 0o600)
        assert "credentials:4: gateleg_scope: 'everything' is not read, write or admin" in refused(where, "--credentials", with_file)
        pathlib.Path(with_file).write_text("[ci]\naws_access_key_id = CI\naws_secret_access_key = s\ngateleg_scope = read:Orders\n")
        with serving(where, "--credentials", with_file) as server:
            ci = client(server.url, {"accessKeyId": "CI", "secretAccessKey": "s"})
            assert error_of(ci.describe_table, TableName="Orders") == "ResourceNotFoundException"
            assert error_of(ci.describe_table, TableName="Users") == "AccessDeniedException"
            assert client(server.url, made).list_tables()["TableNames"] == []
            assert "--credentials" in where.run("revoke", "CI", code=1).stderr


# --- every operation under every scope --------------------------------------------------------------------------------

KEY = {"pk": {"S": "a"}}
# Of each operation: a request that harms nothing even where it is allowed, and what it does, under the names of policies.
READ, WRITE, ADMIN = "read", "write", "admin"


def operations(stream_arn, iterator):
    def one(action, request, table="Orders"):
        return request, [(action, table)]

    orders, arn = {"TableName": "Orders"}, ACCOUNT + "Orders"
    backup = arn + "/backup/01489602797149-73d8d5bc"
    key_schema = [{"AttributeName": "pk", "KeyType": "HASH"}]
    definitions = [{"AttributeName": "pk", "AttributeType": "S"}]
    return {
        "BatchExecuteStatement": ({"Statements": [{"Statement": "SELECT * FROM Orders WHERE pk='a'"}, {"Statement": "SELECT * FROM Users WHERE pk='a'"}]},
                                  [(READ, "Orders"), (READ, "Users")]),
        "BatchGetItem": ({"RequestItems": {"Orders": {"Keys": [KEY]}, "Users": {"Keys": [KEY]}}}, [(READ, "Orders"), (READ, "Users")]),
        "BatchWriteItem": ({"RequestItems": {"Orders": [{"PutRequest": {"Item": KEY}}], "Users": [{"DeleteRequest": {"Key": KEY}}]}},
                           [(WRITE, "Orders"), (WRITE, "Users")]),
        "CreateBackup": one(ADMIN, {**orders, "BackupName": "matrix"}),
        "CreateTable": one(ADMIN, {**orders, "KeySchema": key_schema, "AttributeDefinitions": definitions, "BillingMode": "PAY_PER_REQUEST"}),
        "DeleteBackup": one(ADMIN, {"BackupArn": backup}),
        "DeleteItem": one(WRITE, {**orders, "Key": KEY}),
        "DeleteTable": one(ADMIN, orders),  # protected
        "DescribeBackup": one(READ, {"BackupArn": backup}),
        "DescribeContinuousBackups": one(READ, orders),
        "DescribeContributorInsights": one(READ, orders),
        "DescribeEndpoints": ({}, []),
        "DescribeExport": one(READ, {"ExportArn": arn + "/export/01489602797149-73d8d5bc"}),
        "DescribeImport": one(READ, {"ImportArn": arn + "/import/01489602797149-73d8d5bc"}),
        "ExportTableToPointInTime": ({"TableArn": arn, "S3Bucket": "exports"}, [(ADMIN, "Orders"), (WRITE, "s3:exports")]),
        "ImportTable": ({"S3BucketSource": {"S3Bucket": "exports"}, "InputFormat": "DYNAMODB_JSON",
                         "TableCreationParameters": {**orders, "KeySchema": key_schema, "AttributeDefinitions": definitions, "BillingMode": "PAY_PER_REQUEST"}},
                        [(ADMIN, "Orders"), (READ, "s3:exports")]),
        "DescribeGlobalTable": one(READ, {"GlobalTableName": "Orders"}, "*"),
        "DescribeGlobalTableSettings": one(READ, {"GlobalTableName": "Orders"}, "*"),
        "DescribeKinesisStreamingDestination": one(READ, orders),
        "DescribeLimits": ({}, []),
        "DescribeTable": one(READ, {"TableName": arn}),
        "DescribeTableReplicaAutoScaling": one(READ, orders),
        "DescribeTimeToLive": one(READ, orders),
        "ExecuteStatement": one(WRITE, {"Statement": "DELETE FROM Orders WHERE pk='none'"}),
        "ExecuteTransaction": ({"TransactStatements": [{"Statement": "EXISTS(SELECT * FROM Users WHERE pk='a' AND v='none')"},
                                                       {"Statement": "UPDATE Orders SET v=1 WHERE pk='a'"}]}, [(READ, "Users"), (WRITE, "Orders")]),
        "GetItem": one(READ, {**orders, "Key": KEY}),
        "ListBackups": one(READ, {}, "*"),
        "ListContributorInsights": one(READ, orders),
        "ListExports": one(READ, {"TableArn": arn}),
        "ListGlobalTables": one(READ, {}, "*"),
        "ListImports": one(READ, {}, "*"),
        "ListTables": one(READ, {}, "*"),
        "ListTagsOfResource": one(READ, {"ResourceArn": arn}),
        "PutItem": one(WRITE, {"TableName": arn, "Item": KEY}),
        "Query": one(READ, {**orders, "KeyConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}}),
        "RestoreTableFromBackup": ({"TargetTableName": "Users", "BackupArn": backup}, [(ADMIN, "Users"), (READ, "Orders")]),
        "Scan": one(READ, orders),
        "TagResource": one(ADMIN, {"ResourceArn": arn, "Tags": [{"Key": "a", "Value": "b"}]}),
        "TransactGetItems": ({"TransactItems": [{"Get": {**orders, "Key": KEY}}, {"Get": {"TableName": "Users", "Key": KEY}}]},
                             [(READ, "Orders"), (READ, "Users")]),
        "TransactWriteItems": ({"TransactItems": [{"Put": {**orders, "Item": {"pk": {"S": "b"}}}},
                                                  {"ConditionCheck": {"TableName": "Users", "Key": KEY, "ConditionExpression": "attribute_exists(v)"}}]},
                               [(WRITE, "Orders"), (READ, "Users")]),
        "UntagResource": one(ADMIN, {"ResourceArn": arn, "TagKeys": ["a"]}),
        "UpdateContinuousBackups": one(ADMIN, {**orders, "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False}}),
        "UpdateContributorInsights": one(ADMIN, {**orders, "ContributorInsightsAction": "DISABLE"}),
        "UpdateItem": one(WRITE, {**orders, "Key": KEY, "UpdateExpression": "SET v = :v", "ExpressionAttributeValues": {":v": {"N": "1"}}}),
        "UpdateTable": one(ADMIN, {**orders, "DeletionProtectionEnabled": True}),
        "UpdateTimeToLive": one(ADMIN, {**orders, "TimeToLiveSpecification": {"Enabled": False, "AttributeName": "ttl"}}),
        "DescribeStream": one(READ, {"StreamArn": stream_arn}),
        "GetRecords": one(READ, {"ShardIterator": iterator}),
        "GetShardIterator": one(READ, {"StreamArn": stream_arn, "ShardId": "shardId-" + "0" * 20 + "-00000000", "ShardIteratorType": "LATEST"}),
        "ListStreams": one(READ, orders),
        # Newer than the client that this test has.
        "GetResourcePolicy": one(READ, {"ResourceArn": arn}),
        "PutResourcePolicy": one(ADMIN, {"ResourceArn": arn, "Policy": '{"Statement":{"Effect":"Allow","Resource":"*"}}'}),
        "DeleteResourcePolicy": one(ADMIN, {"ResourceArn": arn}),
    }


SCOPES = ["read", "write", "admin", "read;write", "read:Orders", "write:Orders", "admin:Orders", "read:Users", "write:Users", "admin:Users",
          "read:Ord*,U*", "read:*", "write:Orders;read:Users", "admin:Orders,Users", "admin:*", "read:s3:*", "read:Orders2,orders,rders",
          "admin:Orders;write:s3:exports", "admin:Orders,s3:exp*"]


def scope_allows(scope, action, name):
    """The language once more, read from its description."""
    for grant in scope.split(";"):
        word, _, names = grant.partition(":")
        patterns = names.split(",") if names else ["*", "s3:*"]
        fitting = [pattern for pattern in patterns if pattern.startswith("s3:") == name.startswith("s3:")]
        if word in (action, ADMIN) and any(fnmatch.fnmatchcase(name, pattern) for pattern in fitting):
            return True
    return False


def targets_of(name):
    return ("DynamoDBStreams_20120810." if name in ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams") else "DynamoDB_20120810.") + name


def test_every_operation_under_every_scope():
    """every operation under every scope: what is not allowed is AccessDeniedException, and nothing else is"""
    with place() as where, serving(where) as server:
        root = where.create("root")
        dynamo, streams = client(server.url, root), client(server.url, root, "dynamodbstreams")
        for table in ("Orders", "Users"):
            dynamo.create_table(TableName=table, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                                StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
            protect = json.dumps({"TableName": table, "DeletionProtectionEnabled": True})  # newer than the client
            assert send(server.url, root, "DynamoDB_20120810.UpdateTable", protect)[1] == ""
        stream_arn = dynamo.describe_table(TableName="Orders")["Table"]["LatestStreamArn"]
        shard = streams.describe_stream(StreamArn=stream_arn)["StreamDescription"]["Shards"][0]["ShardId"]
        iterator = streams.get_shard_iterator(StreamArn=stream_arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        table = operations(stream_arn, iterator)
        # Nothing that the server answers is missing above.
        session = botocore.session.get_session()
        for service in ("dynamodb", "dynamodbstreams"):
            for name in session.get_service_model(service).operation_names:
                known = send(server.url, root, targets_of(name), "{}")[1] != "UnknownOperationException"
                assert known == (name in table), f"{name}: add it to operations() above with what it needs"
        allowed = denied = 0
        for scope in SCOPES:
            key = where.create("matrix", scope)
            for name, (request, needs) in table.items():
                reply, code = send(server.url, key, targets_of(name), json.dumps(request))
                may = all(scope_allows(scope, action, of) for action, of in needs)
                assert (code != "AccessDeniedException") == may, f"{scope} {name}: {reply.status_code} {reply.content}"
                assert reply.status_code == 200 or (400 <= reply.status_code < 500), f"{scope} {name}: {reply.content}"
                allowed, denied = allowed + may, denied + (not may)
        assert set(dynamo.list_tables()["TableNames"]) == {"Orders", "Users"}
        assert allowed > 200 and denied > 200
        print(f"counts matrix_allowed={allowed} matrix_denied={denied}", flush=True)


def test_denied_in_aws_words():
    """the error of a denied call: status, type and message"""
    with place() as where, serving(where) as server:
        where.create("root")
        key = where.create("ann", "read:Orders")
        try:
            client(server.url, key).put_item(TableName="Orders", Item=KEY)
        except ClientError as error:
            found = error.response
        assert found["ResponseMetadata"]["HTTPStatusCode"] == 400
        assert found["Error"] == {
            "Code": "AccessDeniedException",
            "Message": "User: arn:aws:iam::123456789012:user/ann is not authorized to perform: dynamodb:PutItem on resource: "
                       "arn:aws:dynamodb:us-east-1:123456789012:table/Orders because no identity-based policy allows the dynamodb:PutItem action"}
        # Tables that hide: in another spelling, and where nobody looks.
        for body in ('{"TableName":"Users","Key":{}}', '{"\\u0054ableName":"Users","Key":{}}', '{"TableName":"Orders","TableName":"Users","Key":{}}',
                     '{"TableName":"Users","TableName":"Orders","Key":{}}', '{"Key":{}}', "{"):
            code = send(server.url, key, "DynamoDB_20120810.GetItem", body)[1]
            assert code in ("AccessDeniedException", "SerializationException"), (body, code)
        for statement in ('SELECT * FROM "Users"', 'SELECT * FROM Users.Orders', '/* FROM Orders */ SELECT * FROM Users', 'SELECT * FROM Orders, Users'):
            code = send(server.url, key, "DynamoDB_20120810.ExecuteStatement", json.dumps({"Statement": statement}))[1]
            assert code == "AccessDeniedException", (statement, code)


def test_buckets():
    """scopes of buckets: objects, buckets themselves, copies from where one may not read"""
    with place() as where, serving(where, s3=True) as server:
        root = client(server.s3_url, where.create("root"), "s3")
        for bucket in ("open", "shut"):
            root.create_bucket(Bucket=bucket)
            root.put_object(Bucket=bucket, Key="k", Body=b"x")
        requests = {
            "get_object": (READ, {"Bucket": "open", "Key": "k"}), "list_objects_v2": (READ, {"Bucket": "open"}),
            "get_bucket_location": (READ, {"Bucket": "open"}), "list_buckets": (READ, {}),
            "put_object": (WRITE, {"Bucket": "open", "Key": "new", "Body": b"y"}), "delete_object": (WRITE, {"Bucket": "open", "Key": "none"}),
            "create_multipart_upload": (WRITE, {"Bucket": "open", "Key": "parts"}),
            "delete_objects": (WRITE, {"Bucket": "open", "Delete": {"Objects": [{"Key": "none"}]}}),
            "delete_bucket": (ADMIN, {"Bucket": "open"}), "create_bucket": (ADMIN, {"Bucket": "open"}),
            "delete_bucket_cors": (ADMIN, {"Bucket": "open"}),
        }
        for scope, allowed in {"read": {READ}, "write": {WRITE}, "read:s3:open": {READ}, "write:s3:o*": {WRITE}, "admin:s3:open": {READ, WRITE, ADMIN},
                               "read:s3:shut": set(), "admin:open": set(), "read:*;write:*": set(), "read:s3:*": {READ}}.items():
            mine = client(server.s3_url, where.create("bucket", scope), "s3")
            for name, (action, request) in requests.items():
                code = error_of(getattr(mine, name), **request)
                may = action in allowed and (request or scope in ("read", "read:s3:*"))
                assert (code != "AccessDenied") == bool(may), (scope, name, code)
        copier = client(server.s3_url, where.create("copier", "write:s3:open;read:s3:open"), "s3")
        copier.copy_object(Bucket="open", Key="copy", CopySource="open/k")
        assert error_of(copier.copy_object, Bucket="open", Key="stolen", CopySource="shut/k") == "AccessDenied"
        assert error_of(copier.copy_object, Bucket="open", Key="stolen", CopySource="/sh%75t/k") == "AccessDenied"
        assert error_of(copier.head_bucket, Bucket="shut") == "403"


if __name__ == "__main__":
    run_module(__name__)
