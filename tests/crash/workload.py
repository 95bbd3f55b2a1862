"""Sixteen writing clients, what they were promised, and the check after a crash.

Every key belongs to one client, which keeps for it the last acknowledged state and, while a write is
under way or ended without an answer, the intended one. After a crash each must be one of the two.
"""

import http.client
import random
import threading
import uuid
import zlib

from lib.dynamo import Client, Failed

TABLE = "crash"
ACCOUNTS = 20
START_MONEY = 1000
NO_ANSWER = (OSError, http.client.HTTPException)


class TooLate(OSError):
    """The answer came when the disk had already been cut off: it promises nothing."""


def create_table(client):
    client.call("CreateTable", TableName=TABLE, BillingMode="PAY_PER_REQUEST",
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
                AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind}
                                      for name, kind in (("pk", "S"), ("sk", "S"), ("grp", "S"), ("ver", "N"))],
                GlobalSecondaryIndexes=[
                    {"IndexName": "byGroup", "Projection": {"ProjectionType": "ALL"},
                     "KeySchema": [{"AttributeName": "grp", "KeyType": "HASH"}, {"AttributeName": "ver", "KeyType": "RANGE"}]},
                    {"IndexName": "keysOnly", "Projection": {"ProjectionType": "KEYS_ONLY"},
                     "KeySchema": [{"AttributeName": "grp", "KeyType": "HASH"}]}],
                LocalSecondaryIndexes=[
                    {"IndexName": "byVersion", "Projection": {"ProjectionType": "ALL"},
                     "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "ver", "KeyType": "RANGE"}]}])
    for number in range(ACCOUNTS):
        client.call("PutItem", TableName=TABLE, Item={"pk": {"S": "bank"}, "sk": {"S": f"a{number}"}, "money": {"N": str(START_MONEY)}})


def make_item(key, version, seed):
    """The one item that this key has at this version: any mix of two versions shows."""
    pad = random.Random(f"{key}{version}{seed}").randbytes(40 + version * 37 % 700).hex()
    item = {"pk": {"S": key[0]}, "sk": {"S": key[1]}, "ver": {"N": str(version)}, "pad": {"S": pad},
            "crc": {"N": str(zlib.crc32(pad.encode()))}}
    if version % 5:
        item["grp"] = {"S": f"g{version % 7}"}
    return item


class Worker:
    """One client. acked: key -> version or None (absent). pending: key -> version or None."""

    def __init__(self, number, seed):
        self.number, self.random = number, random.Random(f"{seed}-{number}")
        self.acked, self.pending = {}, {}
        self.acks = 0
        self.version = 0
        self.problem = None
        self.cut = None  # an Event: set just before the disk is cut off

    def start_round(self, host, port):
        self.thread = threading.Thread(target=self._run, args=(host, port), daemon=True)
        self.thread.start()

    def _run(self, host, port):
        client = Client(host, port)
        try:
            while True:
                self.step(client)
                self.acks += 1
        except NO_ANSWER:
            pass
        except Failed as error:
            # 500 and 503 leave the outcome open, as no answer does; anything else is a fault.
            if error.status < 500:
                self.problem = repr(error)
        except Exception as error:  # noqa: shown by the checker
            self.problem = repr(error)
        finally:
            client.close()

    def intend(self, changes):
        self.pending = changes

    def acknowledge(self):
        if self.cut and self.cut.is_set():
            raise TooLate
        self.acked.update(self.pending)
        self.pending = {}

    def item(self, key, version):
        return make_item(key, version, self.number)

    def settle(self, found):
        """Takes what is there after a restart; returns complaints."""
        wrong = []
        for key in set(self.acked) | set(self.pending):
            allowed = [self.acked.get(key)] + ([self.pending[key]] if key in self.pending else [])
            item = found.get(key)
            version = int(item["ver"]["N"]) if item else None
            if version not in allowed:
                wrong.append(f"{key}: version {version}, allowed {allowed}")
            elif item and item != self.item(key, version):
                wrong.append(f"{key}: version {version} has other content")
            self.acked[key] = version
        return wrong

    def finish(self, found, client):
        wrong = self.settle(found)
        self.pending = {}
        return wrong


class SingleWriter(Worker):
    def step(self, client):
        key = (f"c{self.number}", f"k{self.random.randrange(40)}")
        self.version += 1
        kind = self.random.random()
        old = self.acked.get(key)
        address = {"pk": {"S": key[0]}, "sk": {"S": key[1]}}
        if kind < 0.2:
            self.intend({key: None})
            client.call("DeleteItem", TableName=TABLE, Key=address)
        elif kind < 0.6 or old is None:
            self.intend({key: self.version})
            client.call("PutItem", TableName=TABLE, Item=self.item(key, self.version))
        else:
            item = self.item(key, self.version)
            self.intend({key: self.version})
            sets = {name: item[name] for name in ("ver", "pad", "crc", "grp") if name in item}
            client.call("UpdateItem", TableName=TABLE, Key=address,
                        UpdateExpression="SET " + ", ".join(f"#{name} = :{name}" for name in sets)
                        + ("" if "grp" in sets else " REMOVE #grp"),
                        ConditionExpression="#ver = :old",
                        ExpressionAttributeNames={"#" + name: name for name in {*sets, "grp"}},
                        ExpressionAttributeValues={**{":" + name: value for name, value in sets.items()}, ":old": {"N": str(old)}})
        self.acknowledge()


class TransactionWriter(Worker):
    """Writes all items of a group to one version, and counts transactions in a row of its own."""

    def __init__(self, number, seed):
        super().__init__(number, seed)
        self.count, self.open = 0, None

    def step(self, client):
        group = self.random.randrange(6)
        size = 2 + (group * 3 + self.number) % 8
        self.version += 1
        version = None if self.random.random() < 0.15 else self.version
        keys = [(f"t{self.number}-{group}-{n % 3}", f"m{n}") for n in range(size)]
        actions = []
        for key in keys:
            address = {"pk": {"S": key[0]}, "sk": {"S": key[1]}}
            actions.append({"Delete": {"TableName": TABLE, "Key": address}} if version is None
                           else {"Put": {"TableName": TABLE, "Item": self.item(key, version)}})
        actions.append({"Update": {"TableName": TABLE, "Key": {"pk": {"S": "counter"}, "sk": {"S": f"t{self.number}"}},
                                   "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}})
        self.intend({key: version for key in keys})
        self.open = {"TransactItems": actions, "ClientRequestToken": str(uuid.UUID(int=self.random.getrandbits(128)))}
        client.call("TransactWriteItems", **self.open)
        self.acknowledge()
        self.count += 1
        self.open = None

    def finish(self, found, client):
        versions = {int(found[key]["ver"]["N"]) if key in found else None for key in self.pending}
        wrong = [f"transaction of t{self.number} is torn: {versions}"] if len(versions) > 1 else []
        wrong += self.settle(found)
        if self.open:
            # The same token again: done once, whether or not the first try had come through.
            client.call("TransactWriteItems", **self.open)
            self.acknowledge()
            self.count += 1
            self.open = None
        self.pending = {}
        row = client.call("GetItem", TableName=TABLE, ConsistentRead=True,
                          Key={"pk": {"S": "counter"}, "sk": {"S": f"t{self.number}"}}).get("Item")
        counted = int(row["n"]["N"]) if row else 0
        if counted != self.count:
            wrong.append(f"t{self.number} counted {counted} transactions, {self.count} were made")
        return wrong


class BatchWriter(Worker):
    def step(self, client):
        self.version += 1
        slots = self.random.sample(range(120), 25)
        changes = {(f"b{self.number}-{n % 5}", f"k{n}"): None if self.random.random() < 0.2 else self.version for n in slots}
        self.intend(changes)
        requests = [{"DeleteRequest": {"Key": {"pk": {"S": key[0]}, "sk": {"S": key[1]}}}} if version is None
                    else {"PutRequest": {"Item": self.item(key, version)}} for key, version in changes.items()]
        while requests:
            reply = client.call("BatchWriteItem", RequestItems={TABLE: requests})
            requests = reply.get("UnprocessedItems", {}).get(TABLE, [])
        self.acknowledge()


class Banker(Worker):
    def step(self, client):
        source, target = self.random.sample(range(ACCOUNTS), 2)
        amount = str(self.random.randrange(1, 50))
        change = [(source, "SET money = money - :a", {"ConditionExpression": "money >= :a"}), (target, "SET money = money + :a", {})]
        try:
            client.call("TransactWriteItems", TransactItems=[
                {"Update": {"TableName": TABLE, "Key": {"pk": {"S": "bank"}, "sk": {"S": f"a{account}"}}, "UpdateExpression": expression,
                            "ExpressionAttributeValues": {":a": {"N": amount}}, **more}} for account, expression, more in change])
        except Failed as error:
            if error.type != "TransactionCanceledException":
                raise


def make_workers(seed):
    return ([SingleWriter(n, seed) for n in range(8)] + [TransactionWriter(n, seed) for n in range(8, 12)]
            + [BatchWriter(n, seed) for n in range(12, 14)] + [Banker(n, seed) for n in range(14, 16)])


def check_indexes(client, found):
    """Each index must be the projection of the table, both ways."""
    wrong = []
    for index, needs, keep in (("byGroup", ("grp", "ver"), None), ("keysOnly", ("grp",), {"pk", "sk", "grp"}), ("byVersion", ("ver",), None)):
        expected = {key: ({name: value for name, value in item.items() if keep is None or name in keep})
                    for key, item in found.items() if all(name in item for name in needs)}
        entries = client.scan(TABLE, IndexName=index)
        got = {(item["pk"]["S"], item["sk"]["S"]): item for item in entries}
        if len(got) != len(entries):
            wrong.append(f"index {index} holds {len(entries) - len(got)} entries twice")
        for key in expected.keys() | got.keys():
            if expected.get(key) != got.get(key):
                wrong.append(f"index {index} at {key}: {'missing' if key not in got else 'extra' if key not in expected else 'stale'}")
    return wrong


def verify(client, workers):
    found = {(item["pk"]["S"], item["sk"]["S"]): item for item in client.scan(TABLE, ConsistentRead=True)}
    wrong = check_indexes(client, found)
    money = [int(item["money"]["N"]) for key, item in found.items() if key[0] == "bank"]
    if sum(money) != ACCOUNTS * START_MONEY or min(money) < 0:
        wrong.append(f"the bank holds {sum(money)}, lowest account {min(money)}")
    known = {key for worker in workers for key in {**worker.acked, **worker.pending}}
    wrong += [f"{key}: nobody wrote this" for key in found if key not in known and key[0] not in ("bank", "counter")]
    for worker in workers:
        if worker.problem:
            wrong.append(f"client {worker.number}: {worker.problem}")
            worker.problem = None
        wrong += worker.finish(found, client)
    return wrong
