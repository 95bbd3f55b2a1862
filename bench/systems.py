"""The systems API beside the same DynamoDB calls sent raw: a page of an access pattern, and credits consumed.

Both go to one server, over HTTP, to the same items of membership. The raw calls are those the operation itself makes,
as somebody would send them who had written the operation in a program of their own; they are sent without waiting
for each other, so the comparison favours them.
"""
import base64
import hashlib
import hmac
import http.client
import json
import random
import time
import urllib.parse

import dynamo
import measure
import servers
import workloads

TABLE = "gg_core"
MEMBERS = 2_000
LEDGER = 40
PAGE = 20
PREPARED = 20_000
JSON = {"Content-Type": "application/json"}


def token(subject, *roles):
    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    signed = b".".join(part(json.dumps(one).encode()) for one in (
        {"alg": "HS256", "typ": "JWT"}, {"sub": subject, "roles": roles, "exp": int(time.time()) + 86_400}))
    signature = hmac.new(servers.JWT_SECRET.encode(), signed, hashlib.sha256).digest()
    return (signed + b"." + part(signature)).decode()


def bearer(subject, *roles):
    return {"Authorization": f"Bearer {token(subject, *roles)}"}


def member(number):
    return f"member-{number:06}"


class Api:
    """Membership's API; one kept-alive connection."""

    def __init__(self, url):
        address = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)

    def call(self, method, path, headers, body=None):
        self.connection.request(method, f"/v1/membership{path}", body and json.dumps(body), {**headers, **JSON})
        reply = self.connection.getresponse()
        text = reply.read()
        if reply.status not in (200, 201):
            raise RuntimeError(f"{method} {path} answered {reply.status}: {text[:300]}")
        return json.loads(text)


def consume_body(number):
    return {"userId": member(number), "amount": 1, "reason": "a benchmark"}


def fill(server, members=MEMBERS, ledger=LEDGER):
    """Members with a lot of credits, and a ledger of entries such as the operation writes."""
    api, dynamodb = Api(server.http_url), dynamo.Client(server.url)
    admin, service = bearer("the-admin", "admin"), bearer("the-service", "service")
    for number in range(members):
        api.call("POST", "/admin/credits/grant", {**admin, "Idempotency-Key": f"grant-{number}"},
                 {"userId": member(number), "amount": 1_000_000, "reason": "a benchmark"})
    api.call("POST", "/credits/consume", {**service, "Idempotency-Key": "sample"}, consume_body(0))
    sample = entries(dynamodb, 0)[-1]
    for number in range(members):
        items = []
        for at in range(ledger):
            moment, unique = f"2025-01-01T00:{at // 60:02}:{at % 60:02}.000Z", f"01JGF{number:07}{at:014}"
            items.append({**sample, "PK": {"S": f"USER#{member(number)}"}, "SK": {"S": f"CREDITS#TXN#{moment}#{unique}"},
                          "createdAt": {"S": moment}, "txnId": {"S": unique}})
        for start in range(0, ledger, workloads.BATCH):
            workloads.write_batch(dynamodb, items[start:start + workloads.BATCH], TABLE)


def entries(dynamodb, number, prefix="CREDITS#TXN#"):
    return dynamodb.expect("Query", lots_query(number, prefix))["Items"]


def lots_query(number, prefix="CREDITS#LOT#"):
    """What of a member begins so."""
    return {"TableName": TABLE, "KeyConditionExpression": "#h = :h AND begins_with(#r, :low)",
            "ExpressionAttributeNames": {"#h": "PK", "#r": "SK"}, "ConsistentRead": True,
            "ExpressionAttributeValues": {":h": {"S": f"USER#{member(number)}"}, ":low": {"S": prefix}}}


# --- one request each: method, path, body, headers ---


def page(number):
    return "GET", f"/v1/membership/credits/ledger?limit={PAGE}", "", bearer(member(number), "user")


def raw(operation, body):
    return "POST", "/", json.dumps(body, separators=(",", ":")), {**dynamo.HEADERS, **dynamo.target(operation)}


def raw_page(number):
    # One more than the page tells whether there is another.
    return raw("Query", {**lots_query(number, "CREDITS#TXN#"), "ConsistentRead": False, "ScanIndexForward": False,
                         "Limit": PAGE + 1})


def consume(number, service=bearer("the-service", "service")):
    return ("POST", "/v1/membership/credits/consume", json.dumps(consume_body(number), separators=(",", ":")),
            {**JSON, **service, "Idempotency-Key": "~run-unique~"})


def raw_consume(number, lot):
    """The calls of one consumption: was it answered before, its lots, its membership, the change with its answer."""
    user = {"S": f"USER#{member(number)}"}
    record = {"PK": {"S": "IDEMP#the-service#POST /credits/consume#~run-unique~"}, "SK": {"S": "META"}}
    now, unique = "2026-01-01T00:00:00.000Z", "01JGF00000000~run-unique~0"
    parts = {"L": [{"M": {"expiry": {"N": "9999999999"}, "lotId": lot["lotId"], "amount": {"N": "1"}}}]}
    entry = {"txnId": {"S": unique}, "createdAt": {"S": now}, "kind": {"S": "consume"}, "amount": {"N": "-1"},
             "balanceAfter": {"N": "999999"}, "reason": {"S": "a benchmark"}, "lots": parts}
    one = {":one": {"N": "1"}}
    return [
        raw("GetItem", {"TableName": TABLE, "Key": record, "ConsistentRead": True}),
        raw("Query", lots_query(number)),
        raw("GetItem", {"TableName": TABLE, "Key": {"PK": user, "SK": {"S": f"PROFILE#{member(number)}"}}, "ConsistentRead": True}),
        *[raw("Query", lots_query(number, prefix))
          for prefix in ("CREDITS#BALANCE", "FOUNDER#", f"PROFILE#{member(number)}", "SUBSCRIPTION#")],
        raw("GetItem", {"TableName": TABLE, "Key": {"PK": user, "SK": {"S": "CREDITS#BALANCE"}}, "ConsistentRead": True}),
        raw("TransactWriteItems", {"TransactItems": [
            {"Update": {
                "TableName": TABLE, "Key": {"PK": user, "SK": {"S": "CREDITS#BALANCE"}},
                "UpdateExpression": "SET balance = balance - :one, updatedAt = :now REMOVE expiresAt",
                "ConditionExpression": "attribute_exists(PK) AND balance >= :one",
                "ExpressionAttributeValues": {**one, ":now": {"S": now}}}},
            {"Update": {
                "TableName": TABLE, "Key": {"PK": user, "SK": lot["SK"]},
                "UpdateExpression": "SET remaining = remaining - :one",
                "ConditionExpression": "attribute_exists(PK) AND remaining >= :one AND "
                                       "(attribute_not_exists(expiresAt) OR expiresAt > :now)",
                "ExpressionAttributeValues": {**one, ":now": {"N": "1767225600"}}}},
            {"Put": {"TableName": TABLE, "ConditionExpression": "attribute_not_exists(PK)",
                     "Item": {"PK": user, "SK": {"S": f"CREDITS#TXN#{now}#{unique}"}, "type": {"S": "LedgerEntry"}, **entry}}},
            {"Put": {"TableName": TABLE, "ConditionExpression": "attribute_not_exists(PK)", "Item": {
                **record, "hash": {"S": "0" * 64}, "status": {"N": "200"}, "created": {"BOOL": True},
                "answer": {"M": {"entry": {"M": entry}, "balance": {"N": "999999"}}}, "ttl": {"N": "1767312000"}}}},
        ]}),
    ]


# name: the requests of one operation, of the member with that number and lot
OPERATIONS = {
    "page": lambda number, _: [page(number)],
    "page-raw": lambda number, _: [raw_page(number)],
    "consume": lambda number, _: [consume(number)],
    "consume-raw": raw_consume,
}


class Sender:
    """Sends such requests one after the other; one kept-alive connection."""

    def __init__(self, url):
        address = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)

    def send(self, request, unique):
        """`unique` has twelve characters."""
        method, path, body, headers = request
        body, headers = (json.loads(json.dumps(one).replace("~run-unique~", unique)) for one in (body, headers))
        self.connection.request(method, path, body or None, headers)
        reply = self.connection.getresponse()
        text = reply.read()
        if reply.status != 200:
            raise RuntimeError(f"{method} {path} answered {reply.status}: {text[:300]}")


def prepare(server, folder, members=MEMBERS, prepared=PREPARED):
    """The four loads. `server` is filled."""
    choose = random.Random("systems")
    numbers = [choose.randrange(members) for _ in range(prepared)]
    dynamodb = dynamo.Client(server.url)
    lots = {number: entries(dynamodb, number, "CREDITS#LOT#")[0] for number in range(members)}

    loads = []
    for name, make in OPERATIONS.items():
        path = folder / f"{name}.tsv"
        with path.open("w") as file:
            # Consumptions differ by their keys, which are put in when they are sent.
            for number in numbers if name.startswith("page") else numbers[:members]:
                for method, place, body, headers in make(number, lots[number]):
                    file.write("\t".join([method, place, body, *dynamo.lines_of(headers)]) + "\n")
        face = "url" if name.endswith("-raw") else "http_url"
        loads.append(measure.Load(name, path, face=face, calls=len(make(0, lots[0]))))
    return loads


def run(meter, rounds, folder):
    """Results of the four loads by name."""
    server = servers.Server("gateleg-systems-process", folder / "data")
    try:
        measure.say(f"      systems API: {MEMBERS:,} members with {LEDGER} entries each")
        fill(server)
        loads = prepare(server, folder / "requests")
        server.pause()
        return meter.alternate(rounds, [(server, load) for load in loads])
    finally:
        server.discard()
