"""The first minutes with boto3: tables, items, queries, transactions, batches, paginators, waiters."""

import os
import pathlib
import sys
import tempfile
from decimal import Decimal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")

import boto3  # noqa: E402
from boto3.dynamodb.conditions import Attr, Key  # noqa: E402
from botocore.config import Config  # noqa: E402
from botocore.exceptions import ClientError  # noqa: E402

from lib.runner import run_module  # noqa: E402
from lib.server import Server  # noqa: E402

OPTIONS = {"region_name": "us-east-1", "aws_access_key_id": "local", "aws_secret_access_key": "local",
           "config": Config(retries={"max_attempts": 0}, connect_timeout=5, read_timeout=20)}
DATA = tempfile.TemporaryDirectory(prefix="gateleg-boto3-")
SERVER = Server(DATA.name)


def client():
    return boto3.client("dynamodb", endpoint_url=SERVER.url, **OPTIONS)


def resource():
    return boto3.resource("dynamodb", endpoint_url=SERVER.url, **OPTIONS)


def expect(code, action, **request):
    try:
        action(**request)
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
        return error.response
    raise AssertionError(f"{code} expected")


def test_create_table():
    """create_table, the table_exists waiter, describe_table, list_tables"""
    dynamo = client()
    dynamo.create_table(
        TableName="music", BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "artist", "KeyType": "HASH"}, {"AttributeName": "song", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("artist", "song", "genre")],
        GlobalSecondaryIndexes=[{"IndexName": "byGenre", "Projection": {"ProjectionType": "ALL"},
                                 "KeySchema": [{"AttributeName": "genre", "KeyType": "HASH"}, {"AttributeName": "song", "KeyType": "RANGE"}]}])
    dynamo.get_waiter("table_exists").wait(TableName="music", WaiterConfig={"Delay": 1, "MaxAttempts": 20})
    assert dynamo.describe_table(TableName="music")["Table"]["TableStatus"] == "ACTIVE"
    assert dynamo.list_tables()["TableNames"] == ["music"]


def test_items():
    """put_item, get_item, update_item, delete_item with wire values"""
    dynamo = client()
    key = {"artist": {"S": "Acme"}, "song": {"S": "Happy Day"}}
    dynamo.put_item(TableName="music", Item={**key, "year": {"N": "1999"}, "raw": {"B": b"\x00\xff"}, "tags": {"SS": ["a", "b"]}})
    item = dynamo.get_item(TableName="music", Key=key)["Item"]
    assert item["year"] == {"N": "1999"} and item["raw"]["B"] == b"\x00\xff" and sorted(item["tags"]["SS"]) == ["a", "b"]
    reply = dynamo.update_item(TableName="music", Key=key, UpdateExpression="ADD plays :one", ReturnValues="UPDATED_NEW",
                               ExpressionAttributeValues={":one": {"N": "1"}})
    assert reply["Attributes"] == {"plays": {"N": "1"}}
    old = dynamo.delete_item(TableName="music", Key=key, ReturnValues="ALL_OLD")["Attributes"]
    assert old["plays"] == {"N": "1"}
    assert "Item" not in dynamo.get_item(TableName="music", Key=key)


def test_resource():
    """the resource API: Decimal, sets, nested values, conditions"""
    table = resource().Table("music")
    item = {"artist": "Decimals", "song": "One", "price": Decimal("12.340"), "big": Decimal("12345678901234567890.123456789"), "none": None,
            "nested": {"list": [Decimal(1), {"deep": True}], "set": {"x", "y"}, "numbers": {Decimal("1.5"), Decimal(2)}}}
    table.put_item(Item=item)
    assert table.get_item(Key={"artist": "Decimals", "song": "One"})["Item"] == item
    table.update_item(Key={"artist": "Decimals", "song": "One"}, UpdateExpression="SET price = price - :p",
                      ConditionExpression=Attr("price").gte(Decimal(10)), ExpressionAttributeValues={":p": Decimal("2.34")})
    assert table.get_item(Key={"artist": "Decimals", "song": "One"})["Item"]["price"] == Decimal("10")
    reply = expect("ConditionalCheckFailedException", table.put_item, Item=item, ConditionExpression=Attr("artist").not_exists())
    assert reply["ResponseMetadata"]["HTTPStatusCode"] == 400


def test_batch_writer():
    """batch_writer, batch_get_item"""
    dynamo = resource()
    table = dynamo.Table("music")
    with table.batch_writer(overwrite_by_pkeys=["artist", "song"]) as batch:
        for number in range(130):
            batch.put_item(Item={"artist": "Batch", "song": f"s{number:03d}", "genre": f"g{number % 2}", "n": number})
        batch.delete_item(Key={"artist": "Batch", "song": "s129"})
    keys = [{"artist": "Batch", "song": f"s{number:03d}"} for number in range(60, 130)]
    got = dynamo.batch_get_item(RequestItems={"music": {"Keys": keys, "ConsistentRead": True}})
    assert len(got["Responses"]["music"]) == 69 and got["UnprocessedKeys"] == {}


def test_query():
    """query with Key and Attr, on the table and on an index"""
    table = resource().Table("music")
    reply = table.query(KeyConditionExpression=Key("artist").eq("Batch") & Key("song").between("s010", "s020"), ScanIndexForward=False)
    assert [item["song"] for item in reply["Items"]] == [f"s{number:03d}" for number in range(20, 9, -1)]
    reply = table.query(IndexName="byGenre", KeyConditionExpression=Key("genre").eq("g1") & Key("song").begins_with("s00"), FilterExpression=Attr("n").gt(3))
    assert [int(item["n"]) for item in reply["Items"]] == [5, 7, 9]


def test_paginators():
    """paginators of query, scan and list_tables"""
    dynamo = client()
    pages = dynamo.get_paginator("query").paginate(TableName="music", KeyConditionExpression="artist = :a", ExpressionAttributeValues={":a": {"S": "Batch"}},
                                                   PaginationConfig={"PageSize": 7})
    assert [item["song"]["S"] for page in pages for item in page["Items"]] == [f"s{number:03d}" for number in range(129)]
    items = [item for page in dynamo.get_paginator("scan").paginate(TableName="music", PaginationConfig={"PageSize": 10}) for item in page["Items"]]
    assert len(items) == 130 and len({(item["artist"]["S"], item["song"]["S"]) for item in items}) == 130
    names = [name for page in dynamo.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 1}) for name in page["TableNames"]]
    assert names == ["music"]


def test_transactions():
    """transact_write_items, transact_get_items, the reasons of a cancelled one"""
    dynamo = client()
    put = [{"Put": {"TableName": "music", "Item": {"artist": {"S": "Tx"}, "song": {"S": name}}, "ConditionExpression": "attribute_not_exists(artist)"}} for name in "ab"]
    dynamo.transact_write_items(TransactItems=put, ClientRequestToken="token-1")
    dynamo.transact_write_items(TransactItems=put, ClientRequestToken="token-1")
    reply = expect("TransactionCanceledException", dynamo.transact_write_items, TransactItems=put)
    assert [reason["Code"] for reason in reply["CancellationReasons"]] == ["ConditionalCheckFailed"] * 2
    got = dynamo.transact_get_items(TransactItems=[{"Get": {"TableName": "music", "Key": {"artist": {"S": "Tx"}, "song": {"S": name}}}} for name in "bza"])
    assert [response.get("Item", {}).get("song") for response in got["Responses"]] == [{"S": "b"}, None, {"S": "a"}]


def test_statements():
    """execute_statement page by page, batch_execute_statement, execute_transaction"""
    dynamo = client()
    dynamo.execute_statement(Statement="INSERT INTO music VALUE {'artist': ?, 'song': 'one', 'plays': 1}", Parameters=[{"S": "Ql"}])
    dynamo.batch_execute_statement(Statements=[{"Statement": f"INSERT INTO music VALUE {{'artist': 'Ql', 'song': 's{number}'}}"} for number in range(9)])
    reply = dynamo.query(TableName="music", KeyConditionExpression="artist = :a", ExpressionAttributeValues={":a": {"S": "Ql"}})
    songs = [item["song"]["S"] for item in reply["Items"]]
    found, more = [], {}
    while True:
        page = dynamo.execute_statement(Statement="SELECT song FROM music WHERE artist = 'Ql'", Limit=4, **more)
        found += [item["song"]["S"] for item in page["Items"]]
        if "NextToken" not in page:
            break
        more = {"NextToken": page["NextToken"]}
    assert found == songs and len(found) == 10
    expect("DuplicateItemException", dynamo.execute_statement, Statement="INSERT INTO music VALUE {'artist': 'Ql', 'song': 'one'}")
    reply = expect("TransactionCanceledException", dynamo.execute_transaction, TransactStatements=[
        {"Statement": "UPDATE music SET plays = plays + 1 WHERE artist = 'Ql' AND song = 'one'"},
        {"Statement": "INSERT INTO music VALUE {'artist': 'Ql', 'song': 's1'}"}])
    assert [reason["Code"] for reason in reply["CancellationReasons"]] == ["None", "DuplicateItem"]
    gone = [{"Statement": f"DELETE FROM music WHERE artist = 'Ql' AND song = '{song}' RETURNING ALL OLD *"} for song in songs]
    replies = dynamo.batch_execute_statement(Statements=gone)["Responses"]
    assert [each["Item"]["song"]["S"] for each in replies] == songs


def test_errors():
    """errors carry code, message and request id; botocore checks the CRC32 of replies"""
    dynamo = client()
    reply = expect("ResourceNotFoundException", dynamo.get_item, TableName="nope", Key={"a": {"S": "b"}})
    assert reply["Error"]["Message"] == "Requested resource not found"
    assert reply["ResponseMetadata"]["RequestId"]
    expect("ValidationException", dynamo.put_item, TableName="music", Item={"artist": {"S": "no song"}})
    headers = dynamo.list_tables()["ResponseMetadata"]["HTTPHeaders"]
    assert headers["x-amz-crc32"].isdigit()


def test_survives_kill():
    """kill -9 and restart: everything is there"""
    global SERVER
    before = sorted(map(repr, resource().Table("music").scan(ConsistentRead=True)["Items"]))
    resource().Table("music").put_item(Item={"artist": "Last", "song": "word"})
    SERVER.kill()
    SERVER = Server(DATA.name)
    table = resource().Table("music")
    assert table.get_item(Key={"artist": "Last", "song": "word"})["Item"] == {"artist": "Last", "song": "word"}
    table.delete_item(Key={"artist": "Last", "song": "word"})
    after = sorted(map(repr, table.scan(ConsistentRead=True)["Items"]))
    assert len(before) == len(after) == 132
    assert table.query(IndexName="byGenre", Select="COUNT", KeyConditionExpression=Key("genre").eq("g0"))["Count"] == 65


def test_streams():
    """a table with a stream, and its records through the streams client"""
    dynamo = client()
    dynamo.create_table(TableName="log", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
    for number in ("1", "2"):
        dynamo.put_item(TableName="log", Item={"pk": {"S": "a"}, "n": {"N": number}})
    streams = boto3.client("dynamodbstreams", endpoint_url=SERVER.url, **OPTIONS)
    (found,) = streams.list_streams(TableName="log")["Streams"]
    records = []
    for shard in streams.describe_stream(StreamArn=found["StreamArn"])["StreamDescription"]["Shards"]:
        place = streams.get_shard_iterator(StreamArn=found["StreamArn"], ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
        records += streams.get_records(ShardIterator=place["ShardIterator"])["Records"]
    assert [each["eventName"] for each in records] == ["INSERT", "MODIFY"]
    assert records[1]["dynamodb"]["OldImage"] == {"pk": {"S": "a"}, "n": {"N": "1"}}
    expect("ValidationException", streams.get_records, ShardIterator="nonsense")
    dynamo.delete_table(TableName="log")


def test_delete_table():
    """delete_table and the table_not_exists waiter; SIGTERM ends the server with exit code 0"""
    dynamo = client()
    dynamo.delete_table(TableName="music")
    dynamo.get_waiter("table_not_exists").wait(TableName="music", WaiterConfig={"Delay": 1, "MaxAttempts": 20})
    assert dynamo.list_tables()["TableNames"] == []
    assert SERVER.stop() == 0


if __name__ == "__main__":
    run_module("__main__")
