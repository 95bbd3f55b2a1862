"""The table, its items, and the requests of each workload.

One table of orders: 50 a customer, 1 KB each as DynamoDB counts, with an index by day that holds whole items.
Three quarters of an item are random letters, so that a compressing engine has no easy time.
"""
import json
import random
import string
import threading

import measure
from dynamo import HEADERS, Client, lines_of, target

TABLE = "bench_orders"
INDEX = "by_day"
ORDERS_PER_CUSTOMER = 50
PREPARED = 20_000
# As many as there are items, so that a server which keeps what was asked for cannot do with a few of them.
READS = 100_000
LOADERS = 4
BATCH = 25


class Orders:
    """Makes items and requests over `count` items; the same seed makes the same ones."""

    def __init__(self, count, seed):
        self.customers = max(3, count // ORDERS_PER_CUSTOMER)
        self.random = random.Random(seed)
        self.noise = "".join(self.random.choices(string.ascii_letters + string.digits, k=1 << 16))

    def key(self, customer, order):
        return {"pk": {"S": f"customer#{customer:06}"}, "sk": {"S": f"order#{order:06}"}}

    def any_key(self):
        return self.key(self.random.randrange(self.customers), self.random.randrange(ORDERS_PER_CUSTOMER))

    def day(self, number):
        return {"S": f"day#{number % self.customers:06}"}

    def item(self, customer, order):
        start = self.random.randrange(len(self.noise) - 768)
        number = customer * ORDERS_PER_CUSTOMER + order
        return {
            **self.key(customer, order),
            # 31 shares no factor with the usual customer counts: a day gets orders of 50 customers.
            "day": self.day(customer + 31 * order),
            "placed": {"S": f"2026-01-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z#{number:09}"},
            "version": {"N": "1"},
            "total": {"N": f"{self.random.randrange(100, 99999) / 100:.2f}"},
            "paid": {"BOOL": True},
            "labels": {"SS": ["express", "gift", "insured"]},
            "ship_to": {"M": {"name": {"S": f"Customer {customer}"}, "street": {"S": f"{order} Harbour Road"},
                              "city": {"S": "Rotterdam"}, "floor": {"N": str(order % 9)}}},
            "lines": {"L": [{"M": {"sku": {"S": f"sku-{number % 997}"}, "count": {"N": "2"}}},
                            {"M": {"sku": {"S": f"sku-{number % 499}"}, "count": {"N": "1"}}}]},
            "note": {"S": self.noise[start:start + 768]},
        }

    def any_item(self):
        return self.item(self.random.randrange(self.customers), self.random.randrange(ORDERS_PER_CUSTOMER))

    # --- one request body each ---

    def get(self):
        return {"TableName": TABLE, "Key": self.any_key()}

    def put(self):
        return {"TableName": TABLE, "Item": self.any_item()}

    def raise_version(self, key, condition):
        return {
            "TableName": TABLE, "Key": key, "UpdateExpression": "SET #version = #version + :one",
            "ConditionExpression": condition, "ExpressionAttributeNames": {"#version": "version"},
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }

    def update(self):
        return self.raise_version(self.any_key(), "attribute_exists(pk) AND #version >= :one")

    def query(self):
        return {"TableName": TABLE, "Limit": 20, "KeyConditionExpression": "pk = :customer",
                "ExpressionAttributeValues": {":customer": self.any_key()["pk"]}}

    def query_index(self):
        return {"TableName": TABLE, "IndexName": INDEX, "Limit": 20, "KeyConditionExpression": "#day = :day",
                "ExpressionAttributeNames": {"#day": "day"},
                "ExpressionAttributeValues": {":day": self.day(self.random.randrange(self.customers))}}

    def transact(self):
        first, second, third = self.random.sample(range(self.customers), 3)
        order = self.random.randrange(ORDERS_PER_CUSTOMER)
        return {"TransactItems": [
            {"Update": self.raise_version(self.key(first, order), "attribute_exists(pk)")},
            {"Update": self.raise_version(self.key(second, order), "attribute_exists(pk)")},
            {"Put": {"TableName": TABLE, "Item": self.item(third, order)}},
        ]}

    def batch(self):
        customer = self.random.randrange(self.customers)
        chosen = self.random.sample(range(ORDERS_PER_CUSTOMER), BATCH)
        return {"RequestItems": {TABLE: [{"PutRequest": {"Item": self.item(customer, order)}} for order in chosen]}}


# name: (operation, maker, connections, how many to prepare, what the table calls it)
WORKLOADS = {
    "get": ("GetItem", Orders.get, 16, READS, "GetItem"),
    "put": ("PutItem", Orders.put, 16, PREPARED, "PutItem"),
    "update": ("UpdateItem", Orders.update, 16, PREPARED, "UpdateItem with a condition"),
    "query": ("Query", Orders.query, 16, PREPARED, "Query of 20 items"),
    "query-index": ("Query", Orders.query_index, 16, PREPARED, "Query of 20 items, index"),
    "transact": ("TransactWriteItems", Orders.transact, 16, PREPARED, "TransactWriteItems, 3 items"),
    "batch": ("BatchWriteItem", Orders.batch, 16, PREPARED // 25, "BatchWriteItem, 25 items"),
    "get-one": ("GetItem", Orders.get, 1, PREPARED, "GetItem, 1 connection"),
    "put-256": ("PutItem", Orders.put, 256, PREPARED, "PutItem, 256 connections"),
    "put-one": ("PutItem", Orders.put, 1, PREPARED, "PutItem, 1 connection"),
}


# What the bare server can be compared in: its answer has the size of an item.
LIMITS = ("get", "put", "get-one")


def prepare(name, count, folder):
    """Writes the workload's requests for a table of `count` items; how they are sent."""
    operation, make, connections, how_many, _ = WORKLOADS[name]
    orders = Orders(count, seed=name)
    return write_load(name, folder, (make(orders) for _ in range(how_many)), operation, connections=connections)


def write_load(name, folder, bodies, operation, **how):
    """Requests of one DynamoDB operation with these bodies; `how` goes to the load."""
    path = folder / f"{name}.tsv"
    with path.open("w") as file:
        for body in bodies:
            file.write(f"POST\t/\t{json.dumps(body, separators=(',', ':'))}\n")
    return measure.Load(name, path, lines_of({**HEADERS, **target(operation)}), **how)


def create_table(client):
    def text(name):
        return {"AttributeName": name, "AttributeType": "S"}

    def keys(partition, sort):
        return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]

    client.expect("CreateTable", {
        "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [text(name) for name in ("pk", "sk", "day", "placed")],
        "KeySchema": keys("pk", "sk"),
        "GlobalSecondaryIndexes": [
            {"IndexName": INDEX, "KeySchema": keys("day", "placed"), "Projection": {"ProjectionType": "ALL"}}],
    })


def table_is_active(client):
    table = client.expect("DescribeTable", {"TableName": TABLE})["Table"]
    indexes = table.get("GlobalSecondaryIndexes", [])
    return table["TableStatus"] == "ACTIVE" and all(i.get("IndexStatus", "ACTIVE") == "ACTIVE" for i in indexes)


def load(url, count):
    """Writes every order once. Raises when a request fails."""
    customers = Orders(count, seed="load").customers
    failures = []

    def work(which):
        orders = Orders(count, seed=f"load {which}")
        client = Client(url)
        try:
            for customer in range(which, customers, LOADERS):
                for start in range(0, ORDERS_PER_CUSTOMER, BATCH):
                    write_batch(client, [orders.item(customer, start + n) for n in range(BATCH)])
        except Exception as failure:  # pylint: disable=broad-except  # handed to the caller below
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(which,)) for which in range(LOADERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def write_batch(client, items, table=TABLE):
    pending = [{"PutRequest": {"Item": item}} for item in items]
    for _ in range(100):
        reply = client.expect("BatchWriteItem", {"RequestItems": {table: pending}})
        pending = reply.get("UnprocessedItems", {}).get(table, [])
        if not pending:
            return
    raise RuntimeError("BatchWriteItem left items unprocessed a hundred times")
