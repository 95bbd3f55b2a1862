"""The commands on data: on a stopped server's directory, on a running server, and over the network."""

import contextlib
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from lib.dynamo import Client  # noqa: E402
from lib.runner import run_module  # noqa: E402
from lib.server import Server  # noqa: E402

STORIES = str(ROOT / "systems" / "stories" / "model.yaml")
SHOP = str(ROOT / "tests" / "commands" / "shop.yaml")
ULID = "01JN00000000000000000000A1"
PLACES = ("stopped", "running", "endpoint")
# Nobody's own keys and settings.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
ENVIRONMENT["HOME"] = "/nonexistent"


def run(*args, code=0):
    """Runs the program. Returns what it printed; fails on another exit code."""
    done = subprocess.run([os.environ["GATELEG_BIN"], *args], capture_output=True, text=True, timeout=120,
                          env=ENVIRONMENT, stdin=subprocess.DEVNULL)
    assert done.returncode == code, f"{args}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout if code in (0, 5) else done.stdout + done.stderr


def run_json(*args, code=0):
    return json.loads(run(*args, "--output", "json", code=code))


@contextlib.contextmanager
def folder():
    path = tempfile.mkdtemp(prefix="gateleg-commands-")
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


class Place:
    """A data directory, and the options with which a command reaches it."""

    def __init__(self, kind, data):
        self.kind, self.data, self.server, self.client = kind, data, None, None
        self.start()

    def start(self):
        self.server = Server(data=self.data)
        self.client = Client(self.server.host, self.server.port)

    def stop(self):
        if self.server:
            self.client.close()
            assert self.server.stop() == 0, self.server.log()
            self.server = None

    @contextlib.contextmanager
    def filling(self):
        """A client of the server, which may have to be started for it."""
        if not self.server:
            self.start()
        yield self.client

    def options(self):
        """For a command; a stopped server is stopped now."""
        if self.kind == "stopped":
            self.stop()
        return ["--endpoint", self.server.url] if self.kind == "endpoint" else ["--data", self.data]


@contextlib.contextmanager
def places():
    with folder() as parent:
        made = [Place(kind, os.path.join(parent, kind)) for kind in PLACES]
        try:
            yield made
        finally:
            for place in made:
                place.stop()


def changes(plan):
    return [f"{change['kind']} {change['name']}" for change in plan["changes"]]


def model_with(parent, old, new, name="changed.yaml", source=STORIES):
    text = pathlib.Path(source).read_text()
    assert old in text, old
    path = os.path.join(parent, name)
    pathlib.Path(path).write_text(text.replace(old, new, 1))
    return path


def old_user(name):
    """As a program that knew no indexes and no guards left it."""
    texts = {"PK": f"USER#{name}", "SK": "PROFILE", "kind": "User", "userId": name, "email": f"{name}@x",
             "plan": "pro"}
    return {**{key: {"S": value} for key, value in texts.items()}, "points": {"N": "7"}}


def put(client, table, item):
    client.call("PutItem", TableName=table, Item=item)


def get(client, table, partition, sort):
    return client.call("GetItem", TableName=table, ConsistentRead=True,
                       Key={"PK": {"S": partition}, "SK": {"S": sort}}).get("Item")


def test_help():
    """each command explains itself"""
    for command in (["plan"], ["apply"], ["backfill"], ["fsck"], ["outbox", "list"], ["outbox", "dead"],
                    ["outbox", "retry"], ["scan"], ["set-admin-role"]):
        text = run(*command, "--help")
        for part in ("--data", "--endpoint", "--output", "Exit codes"):
            assert part in text, (command, part, text)
    assert "--store" in run("serve", "--help")


def test_plan_and_apply():
    """plan shows what apply does: tables, indexes one by one, time to live; nothing is dropped unasked"""
    with places() as all_places, folder() as parent:
        indexed = model_with(parent, "  ttl:  ttl\n", "  ttl:  ttl\n  indexes:\n    byLabel: { key: { label: S } }\n"
                                                      "    byRank: { key: { label: S, rank: N }, project: keys }\n")
        for place in all_places:
            plan = run_json("plan", STORIES, *place.options(), code=5)
            assert changes(plan) == ["create-table stories", "enable-ttl ttl"], plan
            assert run_json("apply", STORIES, *place.options())["applied"]
            assert "fits the model" in run("plan", STORIES, *place.options())

            with place.filling() as client:
                for number in range(30):
                    put(client, "stories", {"PK": {"S": f"P{number}"}, "SK": {"S": "x"}, "label": {"S": "l"}})
            plan = run_json("plan", indexed, *place.options(), code=5)
            assert changes(plan) == ["add-index byLabel", "add-index byRank"], plan
            assert "add index byRank" in run("apply", indexed, *place.options())
            assert run_json("plan", indexed, *place.options())["fits"]
            with place.filling() as client:
                found = client.call("Query", TableName="stories", IndexName="byLabel", Select="COUNT",
                                    KeyConditionExpression="label = :l", ExpressionAttributeValues={":l": {"S": "l"}})
                assert found["Count"] == 30, found
                ttl = client.call("DescribeTimeToLive", TableName="stories")["TimeToLiveDescription"]
                assert ttl["AttributeName"] == "ttl", ttl

            # The old model again: its plan leaves the indexes alone unless it may drop them.
            plan = run_json("plan", STORIES, *place.options())
            assert plan["fits"] and len(plan["notes"]) == 2, plan
            plan = run_json("plan", STORIES, "--allow-drop", *place.options(), code=5)
            assert changes(plan) == ["drop-index byLabel", "drop-index byRank"], plan
            run("apply", STORIES, "--allow-drop", *place.options())
            plan = run_json("plan", STORIES, *place.options())
            assert plan["fits"] and not plan["notes"], plan


def test_plan_of_a_new_directory():
    """plan makes no directory, apply does; a wrong model is refused with its place"""
    with folder() as parent:
        data = os.path.join(parent, "new")
        assert "create table stories" in run("plan", STORIES, "--data", data, code=5)
        assert not os.path.exists(data)
        assert "no such directory" in run("fsck", STORIES, "--data", data, code=2)
        run("apply", STORIES, "--data", data)
        run("plan", STORIES, "--data", data)
        broken = model_with(parent, "USER#{userId}#STORY#{id}", "USER#{userId}#STORY#{nothing}")
        assert "changed.yaml:" in run("plan", broken, "--data", data, code=2)
        run("plan", STORIES, "--data", data, "--endpoint", "http://127.0.0.1:1", code=2)
        run("plan", STORIES, "--endpoint", "ftp://x", code=2)


def test_a_table_that_is_another_one():
    """a table with another key is in the way, and apply changes nothing"""
    with places() as all_places:
        for place in all_places:
            with place.filling() as client:
                client.call("CreateTable", TableName="stories", BillingMode="PAY_PER_REQUEST",
                            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
                            AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}])
            plan = run_json("plan", STORIES, *place.options(), code=5)
            assert "exists with the key PK S, but the model says PK S, SK S" in plan["obstacles"][0], plan
            assert "nothing was changed" in run("apply", STORIES, *place.options(), code=1)


def test_backfill_and_fsck():
    """backfill rewrites old items, by parts if asked, and fsck agrees"""
    with places() as all_places, folder() as parent:
        for place in all_places:
            run("apply", SHOP, *place.options())
            with place.filling() as client:
                for number in range(12):
                    put(client, "shop", old_user(f"u{number}"))
            report = run_json("fsck", SHOP, *place.options(), code=5)
            kinds = {finding["kind"] for finding in report["findings"]}
            assert kinds == {"stale key", "missing row"}, report
            assert report["findings"][0]["key"]["PK"]["S"], report

            dry = run_json("backfill", SHOP, "all", "--dry-run", *place.options())
            assert (dry["position"]["changed"], dry["position"]["rows"]) == (12, 12), dry
            assert run_json("fsck", SHOP, *place.options(), code=5)["found"] == report["found"]

            cursor = os.path.join(parent, f"cursor-{place.kind}")
            part = ["backfill", SHOP, "User", "--cursor", cursor, "--page", "5", "--max-items", "5"]
            first = run_json(*part, *place.options(), code=5)["position"]
            assert first["changed"] == 5 and not first["finished"], first
            assert "not to shop all" in run("backfill", SHOP, "all", "--cursor", cursor, *place.options(), code=1)
            for _ in range(20):
                if not os.path.exists(cursor):
                    break
                done = subprocess.run([os.environ["GATELEG_BIN"], *part, *place.options()], capture_output=True,
                                      text=True, timeout=120, env=ENVIRONMENT)
                assert done.returncode in (0, 5), done
            assert not os.path.exists(cursor)
            assert "0 findings" in run("fsck", SHOP, *place.options())
            again = run_json("backfill", SHOP, "all", *place.options())["position"]
            assert (again["changed"], again["rows"]) == (0, 0), again
            with place.filling() as client:
                item = get(client, "shop", "USER#u3", "PROFILE")
                assert item["GSI1SK"]["S"] == "00000007#u3", item
    run("backfill", SHOP, "Nobody", code=2)


def test_fsck_repair():
    """fsck --repair puts right what the model decides and leaves the rest"""
    with places() as all_places:
        for place in all_places:
            run("apply", SHOP, *place.options())
            with place.filling() as client:
                put(client, "shop", old_user("a"))
                stray = {"S": "UNIQUE#EMAIL#gone@x"}
                put(client, "shop", {"PK": stray, "SK": stray, "ownerId": {"S": "gone"}})
            report = run_json("fsck", SHOP, "--repair", *place.options())
            assert report["repaired"] == {"items": 1, "rows": 1, "orphans": 1}, report
            run("fsck", SHOP, *place.options())
            with place.filling() as client:
                put(client, "shop", {"PK": {"S": "WHAT"}, "SK": {"S": "IS THIS"}})
            text = run("fsck", SHOP, "--repair", *place.options(), code=5)
            assert "unknown item" in text and "1 findings left" in text, text


def test_outbox():
    """outbox lists rows that wait and that were given up, and gives them another try"""
    day = time.strftime("%Y%m%d", time.gmtime())
    with places() as all_places:
        for place in all_places:
            run("apply", SHOP, *place.options())
            with place.filling() as client:
                put(client, "shop", {
                    "PK": {"S": f"OUTBOXDEAD#{day}"}, "SK": {"S": ULID}, "kind": {"S": "mail"},
                    "payload": {"M": {"to": {"S": "a@x"}}}, "attempts": {"N": "9"},
                    "nextAttemptAt": {"S": "2025-03-01T00:00:00.000Z"},
                    "createdAt": {"S": "2025-03-01T00:00:00.000Z"}})
            assert run_json("outbox", "list", SHOP, *place.options()) == {"rows": []}
            rows = run_json("outbox", "dead", SHOP, *place.options())["rows"]
            assert [(row["id"], row["attempts"]) for row in rows] == [(ULID, 9)], rows
            assert "mail" in run("outbox", "dead", SHOP, *place.options())
            assert "no row" in run("outbox", "retry", SHOP, "01JN00000000000000000000ZZ", *place.options(), code=1)
            run("outbox", "retry", SHOP, *place.options(), code=2)
            assert run_json("outbox", "retry", SHOP, ULID, *place.options()) == {"retried": 1}
            assert run_json("outbox", "dead", SHOP, *place.options()) == {"rows": []}
            rows = run_json("outbox", "list", SHOP, *place.options())["rows"]
            assert [(row["id"], row["attempts"]) for row in rows] == [(ULID, 0)], rows
            assert rows[0]["payload"] == {"M": {"to": {"S": "a@x"}}}, rows


ROLES = """
model: { name: club, path: /club }
table: { name: club, key: { PK: S, SK: S }, marker: kind }
entities:
  User:
    keys: { PK: "USER#{userId}", SK: META }
    attributes: { userId: string!, role: { enum: [user, moderator, admin], default: user } }
  Session:
    keys: { PK: "SESSION#{sessionId}", SK: METADATA }
    attributes: { sessionId: string!, userId: string! }
operations:
  setRoleBySession:
    allow: internal
    input: { sessionId: Session.sessionId, role: User.role }
    read: { s: "Session($sessionId)" }
    require: { SessionNotFound: "$s.userId <> null" }
    write:
      - { update: "User($s.userId)", copy: [role] }
      - { put: Audit, set: { action: "'setRole'", target: $s.userId, after: $role } }
"""


def test_set_admin_role():
    """set-admin-role finds the user of a session, sets the role and leaves an audit row"""
    with places() as all_places, folder() as parent:
        model = os.path.join(parent, "club.yaml")
        pathlib.Path(model).write_text(ROLES)
        for place in all_places:
            run("apply", model, *place.options())
            with place.filling() as client:
                put(client, "club", {"PK": {"S": "USER#u1"}, "SK": {"S": "META"}, "kind": {"S": "User"},
                                     "userId": {"S": "u1"},
                                     "role": {"S": "user"}})
                put(client, "club", {"PK": {"S": "SESSION#s1"}, "SK": {"S": "METADATA"}, "sessionId": {"S": "s1"},
                                     "userId": {"S": "u1"}})
            assert "has the role admin" in run("set-admin-role", "s1", "admin", "--model", model, *place.options())
            assert "SessionNotFound" in run("set-admin-role", "s2", "admin", "--model", model, *place.options(), code=1)
            run("set-admin-role", "s1", "king", "--model", model, *place.options(), code=2)
            assert "no operation setRoleBySession" in run(
                "set-admin-role", "s1", "admin", "--model", STORIES, *place.options(), code=1)
            with place.filling() as client:
                assert get(client, "club", "USER#u1", "META")["role"]["S"] == "admin"
                audits = [item for item in client.scan("club") if item["PK"]["S"].startswith("AUDIT#")]
                assert [item["actor"]["S"] for item in audits] == ["set-admin-role"], audits


def ask(server, method, path, body=None, token=None):
    """A call of the gallery: its status and what it answered."""
    headers = {"Content-Type": "application/json"} if body is not None else {}
    if token:
        headers["Authorization"] = "Bearer " + token
    request = urllib.request.Request(server.http_url + "/v1/gallery" + path, method=method, headers=headers,
                                     data=None if body is None else json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def sign_up(server, name):
    """The token and the session's id of a new user of the gallery."""
    status, answer = ask(server, "POST", "/auth/signup", {
        "email": f"{name}@example.com", "username": name, "password": "correct horse battery"})
    assert status == 201, answer
    status, sessions = ask(server, "GET", "/auth/sessions", token=answer["token"])
    assert status == 200 and len(sessions["items"]) == 1, sessions
    return answer["token"], sessions["items"][0]["sessionId"]


def test_set_admin_role_in_the_gallery():
    """set-admin-role makes the gallery's first administrator, running or stopped, and never takes the last one away"""
    def start():
        return Server(data=data, http=True, args=["--systems", "gallery"])

    with folder() as parent:
        data = os.path.join(parent, "data")
        server = start()
        try:
            ann, ann_session = sign_up(server, "ann")
            bob, bob_session = sign_up(server, "bob")
            assert ask(server, "GET", "/admin/audit", token=ann)[0] == 403
            assert "has the role admin" in run("set-admin-role", ann_session, "admin", "--data", data)
            assert "already had the role admin" in run("set-admin-role", ann_session, "admin", "--data", data)
            status, audit = ask(server, "GET", "/admin/audit", token=ann)
            assert status == 200 and [row["actor"] for row in audit["items"]] == ["set-admin-role"], audit
            text = run("set-admin-role", ann_session, "user", "--data", data, code=1)
            assert text.strip() == ("gateleg: LastAdmin: this user is the only administrator. "
                                    "Make somebody else one first."), text
            text = run("set-admin-role", "nobody", "admin", "--data", data, code=1)
            assert text.startswith("gateleg: SessionNotFound: there is no session of that id") \
                and text.count("SessionNotFound") == 1, text
        finally:
            server.stop()
        assert run_json("set-admin-role", bob_session, "admin", "--data", data)["changed"]
        assert "has the role user" in run("set-admin-role", ann_session, "user", "--data", data)
        assert "LastAdmin" in run("set-admin-role", bob_session, "moderator", "--data", data, code=1)
        server = start()
        try:
            assert ask(server, "GET", "/admin/audit", token=ann)[0] == 403
            assert ask(server, "GET", "/admin/audit", token=bob)[0] == 200
        finally:
            server.stop()


def test_scan():
    """scan prints items as lines, and with --infer a model that fits every one of them"""
    with places() as all_places, folder() as parent:
        for place in all_places:
            run("apply", SHOP, *place.options())
            with place.filling() as client:
                for n in range(4):
                    put(client, "shop", old_user(f"u{n}"))
            lines = run("scan", "shop", *place.options()).splitlines()
            assert sorted(json.loads(line)["userId"]["S"] for line in lines) == ["u0", "u1", "u2", "u3"], lines
            assert len(run("scan", "shop", "--most", "2", *place.options()).splitlines()) == 2
            draft = run("scan", "shop", "--infer", *place.options())
            assert '"PK": "USER#{userId}", "SK": "PROFILE"' in draft, draft
            model = os.path.join(parent, "draft.yaml")
            pathlib.Path(model).write_text(draft)
            assert "4 items read, 0 findings" in run("fsck", model, *place.options())
            assert "no table nowhere" in run("scan", "nowhere", *place.options(), code=1)


def test_the_socket():
    """the socket is its owner's alone, goes with the server, and one left by a killed server is no harm"""
    with folder() as parent:
        # Longer than the address of a socket may be.
        data = os.path.join(parent, "d" * 100, "data")
        os.makedirs(os.path.dirname(data))
        socket = os.path.join(data, "admin.sock")
        server = Server(data=data)
        try:
            mode = os.stat(socket).st_mode
            assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600, oct(mode)
            run("apply", STORIES, "--data", data)
            client = Client(server.host, server.port)
            assert client.call("ListTables")["TableNames"] == ["stories"]
            client.close()
        finally:
            server.kill()
        assert os.path.exists(socket)
        run("plan", STORIES, "--data", data)
        server = Server(data=data)
        try:
            run("plan", STORIES, "--data", data)
        finally:
            code = server.stop()
        assert code == 0 and not os.path.exists(socket)


def test_a_server_that_asks_for_signatures():
    """the socket needs no keys where the network does"""
    with folder() as parent:
        keys = os.path.join(parent, "keys.ini")
        pathlib.Path(keys).write_text("[app]\naws_access_key_id = app\naws_secret_access_key = secret-of-the-app\n")
        os.chmod(keys, 0o600)
        data = os.path.join(parent, "data")
        server = Server(data=data, args=["--credentials", keys])
        try:
            run("apply", STORIES, "--data", data)
            text = run("plan", STORIES, "--endpoint", server.url, code=1)
            assert "credentials" in text, text
            ENVIRONMENT.update(AWS_ACCESS_KEY_ID="app", AWS_SECRET_ACCESS_KEY="secret-of-the-app")
            run("plan", STORIES, "--endpoint", server.url)
        finally:
            ENVIRONMENT.pop("AWS_ACCESS_KEY_ID", None)
            ENVIRONMENT.pop("AWS_SECRET_ACCESS_KEY", None)
            server.stop()


def test_copies_of_a_data_directory():
    """backup of a running and of a stopped server, restore, and what is refused"""
    with folder() as parent:
        data, first, second, again = (os.path.join(parent, name) for name in ("data", "first", "second", "again"))
        key = {"AttributeName": "pk", "KeyType": "HASH"}
        server = Server(data=data)
        client = Client(server.host, server.port)
        try:
            client.call("CreateTable", TableName="things", KeySchema=[key], BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
            for number in range(200):
                client.call("PutItem", TableName="things", Item={"pk": {"S": f"k{number}"}, "v": {"S": "x" * 1000}})
            made = run_json("backup", first, "--data", data)
            assert made["rows"] > 200 and made["bytes"] > 200_000, made
            client.call("PutItem", TableName="things", Item={"pk": {"S": "later"}})
            assert "not an empty directory" in run("backup", first, "--data", data, code=1)
        finally:
            client.close()
            code = server.stop()
        assert code == 0, server.log()
        assert not os.path.exists(first + ".partial")
        run("backup", second, "--data", data)
        assert "compared after writing" in run("restore", first, "--data", again)
        assert "not an empty directory" in run("restore", first, "--data", data, code=1)
        run("backup", os.path.join(parent, "x"), "--data", os.path.join(parent, "nowhere"), code=2)
        for directory, count in ((again, 200), (second, 201)):
            server = Server(data=directory)
            client = Client(server.host, server.port)
            try:
                assert len(client.scan("things")) == count
            finally:
                client.close()
                server.stop()


run_module(__name__)
