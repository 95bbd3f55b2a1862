"""kill -9 while clients write to a table with a stream, again and again on one data directory.

The stream tells the table's whole history: every acknowledged write has its one record, each record continues where
the one before it ended, and what the last record of an item shows is the item. GATELEG_CRASH_SEED changes the run.
"""

import http.client
import os
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib.dynamo import Client, Failed  # noqa: E402
from lib.runner import run_module  # noqa: E402
from lib.server import Server  # noqa: E402

SEED = int(os.environ.get("GATELEG_CRASH_SEED", "1"))
ROUNDS = int(os.environ.get("GATELEG_CRASH_ROUNDS", "6"))
WRITERS = 8
KEYS = 5
STREAMS = "DynamoDBStreams_20120810."


class Writer:
    """Puts ever greater numbers under its own keys and knows which were acknowledged."""

    def __init__(self, number):
        self.number, self.last, self.acked = number, 0, {}

    def key(self, number):
        return f"w{self.number}-{number % KEYS}"

    def start(self, server):
        self.thread = threading.Thread(target=self.run, args=(server.host, server.port))
        self.thread.start()

    def run(self, host, port):
        client = Client(host, port)
        try:
            while True:
                self.last += 1
                item = {"pk": {"S": self.key(self.last)}, "n": {"N": str(self.last)}}
                if self.last % 4 == 0:
                    client.call("TransactWriteItems", TransactItems=[{"Put": {"TableName": "log", "Item": item}}])
                else:
                    client.call("PutItem", TableName="log", Item=item)
                self.acked.setdefault(self.key(self.last), []).append(self.last)
        except (OSError, http.client.HTTPException, Failed):
            client.close()


def read_stream(client):
    """The images of every record, by key, in the order of the shards."""
    arn = client.call("DescribeTable", TableName="log")["Table"]["LatestStreamArn"]
    history = {}
    for shard in client.call(STREAMS + "DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]:
        place = client.call(STREAMS + "GetShardIterator", StreamArn=arn, ShardId=shard["ShardId"],
                            ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        while place:
            page = client.call(STREAMS + "GetRecords", ShardIterator=place)
            if not page["Records"]:
                break
            for record in page["Records"]:
                images = record["dynamodb"]
                before, after = (int(images[side]["n"]["N"]) if side in images else None for side in ("OldImage", "NewImage"))
                history.setdefault(images["Keys"]["pk"]["S"], []).append((before, after))
            place = page.get("NextShardIterator")
    return history


def check(client, writers):
    history = read_stream(client)
    items = {item["pk"]["S"]: int(item["n"]["N"]) for item in client.scan("log", ConsistentRead=True)}
    assert set(history) == set(items), set(history) ^ set(items)
    for key, records in history.items():
        before = [None] + [after for _, after in records[:-1]]
        assert [each for each, _ in records] == before, f"{key} does not continue: {records}"
        assert records[-1][1] == items[key], f"{key} ends with {records[-1]}, the item is {items[key]}"
    for writer in writers:
        for key, acked in writer.acked.items():
            told = [after for _, after in history.get(key, [])]
            lost = [number for number in acked if told.count(number) != 1]
            assert not lost, f"{key}: acknowledged {lost} are not once in {told}"
    return sum(len(records) for records in history.values())


def test_kill():
    """after kill -9 the stream has each acknowledged write once, and agrees with the table"""
    data = tempfile.mkdtemp(prefix="gateleg-streams-")
    chance = random.Random(SEED)
    writers = [Writer(number) for number in range(WRITERS)]
    records = 0
    try:
        for round_number in range(ROUNDS):
            server = Server(data, [])
            client = Client(server.host, server.port)
            if round_number == 0:
                client.call("CreateTable", TableName="log", BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
            records = check(client, writers)
            for writer in writers:
                writer.start(server)
            time.sleep(chance.uniform(0.2, 1.5))
            assert server.alive(), "the server ended by itself:\n" + server.log()[-3000:]
            server.kill()
            for writer in writers:
                writer.thread.join(30)
                assert not writer.thread.is_alive(), "a client hangs"
            client.close()
        server = Server(data, [])
        records = check(Client(server.host, server.port), writers)
        assert server.stop() == 0, server.log()[-2000:]
        print(f"     counts streams kills={ROUNDS} records={records}")
        assert records > 0
        shutil.rmtree(data)
    except BaseException:
        print(f"     data kept in {data}")
        raise


if __name__ == "__main__":
    run_module(__name__)
