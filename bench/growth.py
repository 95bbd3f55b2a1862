"""What becomes of the speed when there is more of everything: items, items in a partition, tables, indexes.

Items are small here, about 200 bytes as DynamoDB counts, so that ten million of them load in minutes and lie in a few
gigabytes; items of 1 KB are what the other workloads have. Only the puts into indexes use 1 KB. Everything is asked of
Gateleg with durability process; no rival takes part.
"""
import multiprocessing
import random
import string
import time

import dynamo
import measure
import servers
import workloads

SMALL = 100_000
PER_PARTITION = 50
SHORT_PARTITION = 10
TABLES = 200
INDEXES = 8
CHUNK = 10_000
LOADERS = 2
LINES = 2_000  # prepared requests; the keys in them are random numbers put in when they are sent
NOISE = "".join(random.Random("growth").choices(string.ascii_letters + string.digits, k=1 << 16))
DEFAULT_ITEMS = 10_000_000
WARM_SECONDS = 60


def create(client, table, indexes=0):
    def keys(partition, sort):
        return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]

    names = ["pk", "sk", *[f"g{n}" for n in range(indexes)]]
    request = {
        "TableName": table, "BillingMode": "PAY_PER_REQUEST", "KeySchema": keys("pk", "sk"),
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names],
    }
    if indexes:
        request["GlobalSecondaryIndexes"] = [
            {"IndexName": f"by_g{n}", "KeySchema": keys(f"g{n}", "sk"), "Projection": {"ProjectionType": "ALL"}}
            for n in range(indexes)]
    client.expect("CreateTable", request)
    while client.expect("DescribeTable", {"TableName": table})["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(0.02)


def put_text(number, per_partition):
    """One item as a part of a BatchWriteItem. `number` counts through the table."""
    start = number * 7919 % (len(NOISE) - 160)
    return (f'{{"PutRequest":{{"Item":{{"pk":{{"S":"p#{number // per_partition:08}"}},'
            f'"sk":{{"S":"i#{number % per_partition:08}"}},"version":{{"N":"1"}},'
            f'"note":{{"S":"{NOISE[start:start + 160]}"}}}}}}}}')


def load_chunk(job):
    url, table, per_partition, begin, end = job
    client = dynamo.Client(url)
    for start in range(begin, end, workloads.BATCH):
        numbers = range(start, min(start + workloads.BATCH, end))
        puts = ",".join(put_text(number, per_partition) for number in numbers)
        reply = client.expect("BatchWriteItem", f'{{"RequestItems":{{"{table}":[{puts}]}}}}')
        if reply.get("UnprocessedItems"):
            raise RuntimeError("BatchWriteItem left items unprocessed")
    return end - begin


def load(url, table, count, per_partition=PER_PARTITION):
    """Items 0 to `count` of a table, with a word about how far it is now and then."""
    jobs = [(url, table, per_partition, begin, min(begin + CHUNK, count)) for begin in range(0, count, CHUNK)]
    began = told = time.monotonic()
    done = 0
    # Not forked: a copy of this process would hold what it has open.
    with multiprocessing.get_context("spawn").Pool(LOADERS) as pool:
        for loaded in pool.imap_unordered(load_chunk, jobs):
            done += loaded
            now = time.monotonic()
            if now - told > 5:
                rate = done / (now - began)
                measure.say(f"      {table}: {done:,} of {count:,} items, {rate:,.0f}/s, "
                            f"{(count - done) / rate:,.0f} s to go")
                told = now


def requests(name, folder, operation, bodies, below):
    return workloads.write_load(name, folder, bodies, operation, random_below=below)


def gets(name, folder, tables, partitions, per_partition=PER_PARTITION):
    return requests(name, folder, "GetItem", (
        {"TableName": tables[n % len(tables)],
         "Key": {"pk": {"S": "p#~random~"}, "sk": {"S": f"i#{n % per_partition:08}"}}}
        for n in range(LINES)), partitions)


def queries(name, folder, table, partition, sort, limit, below):
    """Pages that begin at a sort key."""
    return requests(name, folder, "Query", (
        {"TableName": table, "Limit": limit, "KeyConditionExpression": "pk = :p AND sk >= :s",
         "ExpressionAttributeValues": {":p": {"S": partition}, ":s": {"S": sort}}} for _ in range(LINES)), below)


def puts(name, folder, table):
    """New items of 1 KB, with the attributes of every index."""
    def item(number):
        start = number * 7919 % (len(NOISE) - 800)
        return {"pk": {"S": "p#~random~"}, "sk": {"S": "i#~run-unique~"}, "note": {"S": NOISE[start:start + 800]},
                **{f"g{n}": {"S": f"g{n}#{number * (n + 3) % 9973:06}"} for n in range(INDEXES)}}

    return requests(name, folder, "PutItem", ({"TableName": table, "Item": item(n)} for n in range(LINES)), 10_000)


def warm(server, loads):
    """Reads the large tables until their files are in memory, as on a server that has been asked for a while. Some machines give up
    what nobody reads within seconds, and what is measured would be their disk."""
    measure.say(f"      growth: reading for {WARM_SECONDS} s")
    large = [load for load in loads if load.name.endswith(("-many", "-long"))]
    for load in large:
        measure.result_of(measure.start_wrk(server, load, WARM_SECONDS // len(large)), WARM_SECONDS)


def measure_sizes(meter, rounds, folder, items):
    """Few items and many; short partitions and a long one; without indexes and with eight. One server."""
    server = servers.Server("gateleg-growth", folder / "data")
    try:
        client = dynamo.Client(server.url)
        long_partition = max(items // 10, SHORT_PARTITION)
        short = SMALL // SHORT_PARTITION
        for table, count, per_partition in (
                ("few", min(SMALL, items), PER_PARTITION), ("many", items, PER_PARTITION),
                ("short", short * SHORT_PARTITION, SHORT_PARTITION), ("long", long_partition, long_partition)):
            create(client, table)
            measure.say(f"      growth: {count:,} items into the table {table}")
            load(server.url, table, count, per_partition)
        for indexes in (0, INDEXES):
            create(client, f"indexes-{indexes}", indexes)
        measure.await_idle(server, 120)
        loaded_disk = server.disk_mib()
        out = folder / "requests"
        loads = []
        for table, count in (("few", min(SMALL, items)), ("many", items)):
            partitions = count // PER_PARTITION
            loads.append(gets(f"growth-get-{table}", out, [table], partitions))
            loads.append(queries(f"growth-query-{table}", out, table, "p#~random~", "i#", 20, partitions))
        loads.append(queries("growth-page-short", out, "short", "p#~random~", "i#", SHORT_PARTITION, short))
        loads.append(queries("growth-page-long", out, "long", "p#00000000", "i#~random~", SHORT_PARTITION,
                             long_partition - SHORT_PARTITION + 1))
        loads += [puts(f"growth-put-{n}", out, f"indexes-{n}") for n in (0, INDEXES)]
        warm(server, loads)
        server.pause()
        results = meter.alternate(rounds, [(server, load) for load in loads])
        return results, {"disk_mib": loaded_disk, "peak_mib": server.memory_mib("VmHWM")}
    finally:
        server.discard()


def measure_tables(meter, rounds, folder):
    """As many items in one table and in 200, each in a server of its own."""
    running = []
    try:
        for name, count in (("one", 1), ("all", TABLES)):
            server = servers.Server(f"gateleg-growth-{name}", folder / "data")
            running.append(server)
            client = dynamo.Client(server.url)
            tables = [f"table-{n:03}" for n in range(count)]
            measure.say(f"      growth: {SMALL:,} items into {count} tables")
            for table in tables:
                create(client, table)
                for begin in range(0, SMALL // count, CHUNK):
                    load_chunk((server.url, table, PER_PARTITION, begin, min(begin + CHUNK, SMALL // count)))
            measure.await_idle(server, 60)
            server.loaded_mib = server.memory_mib()
            server.load = gets(f"growth-tables-{name}", folder / "requests", tables, SMALL // count // PER_PARTITION)
            server.pause()
        results = meter.alternate(rounds, [(server, server.load) for server in running])
        return results, {"one_table_mib": running[0].loaded_mib, "all_tables_mib": running[1].loaded_mib}
    finally:
        for server in running:
            server.discard()


def run(meter, rounds, folder, items):
    results, facts = measure_sizes(meter, rounds, folder, items)
    more, others = measure_tables(meter, rounds, folder)
    return {"items": items, "runs": {**results, **more}, **facts, **others}

