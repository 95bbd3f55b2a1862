#!/usr/bin/env python3
"""Compares Gateleg's object store with npm's s3rver: objects of 1 KB, 1 MB and 100 MB, put and got.

Rounds alternate between the servers, so that what the machine does meanwhile falls on both alike; the best round
of each counts. Gateleg runs as it does by default: an answer to a PUT means that the object is on the disk. s3rver
syncs nothing. The table goes to stdout as Markdown.
"""
import argparse
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from servers import MODULES, ROOT, free_port

HERE = pathlib.Path(__file__).resolve().parent
OUT = ROOT / "build" / "bench" / "objects"
LARGE = 100 << 20
CONNECTIONS = 16


def gateleg(*options):
    return lambda port, data: [
        os.environ.get("GATELEG_BIN", ROOT / "build/release/gateleg"), "serve", "--dynamodb", "off", "--http", "off",
        "--s3", f"127.0.0.1:{port}", "--data", data, *options]


def s3rver(port, data):
    return ["node", MODULES / "s3rver/bin/s3rver.js", "--address", "127.0.0.1", "--port", port, "--directory", data,
            "--silent", "--allow-mismatched-signatures"]


SERVERS = {"gateleg": gateleg(), "gateleg-process": gateleg("--durability", "process"), "s3rver": s3rver}


def headers():
    date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    scope = f"S3RVER/{date[:8]}/us-east-1/s3/aws4_request"
    return {"Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
                             f"Signature={'0' * 64}",
            "X-Amz-Date": date, "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD"}


class Server:
    def __init__(self, name):
        data = OUT / name
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir(parents=True, mode=0o700)
        self.name = name
        self.port = free_port()
        with (OUT / f"{name}.log").open("wb") as log:
            self.process = subprocess.Popen(
                [str(word) for word in SERVERS[name](self.port, data)], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        for _ in range(600):
            try:
                if self.send("PUT", "/bench", b"")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise SystemExit(f"{name} did not start: see {OUT / name}.log")

    def send(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, body, {**headers(), **({"Content-Length": str(len(body))} if body is not None else {})})
        reply = connection.getresponse()
        got = 0
        while piece := reply.read(1 << 20):
            got += len(piece)
        connection.close()
        return reply.status, got

    def small(self, method, size, keys, seconds):
        signed = headers()
        environment = {**os.environ, "BENCH_METHOD": method, "BENCH_BYTES": str(size), "BENCH_KEYS": str(keys),
                       "BENCH_AUTH": signed["Authorization"], "BENCH_DATE": signed["X-Amz-Date"]}
        done = subprocess.run(
            ["wrk", "--threads", "1", "--connections", str(CONNECTIONS), "--duration", f"{seconds}s", "--timeout", "30s",
             "--script", str(HERE / "objects.lua"), f"http://127.0.0.1:{self.port}"],
            env=environment, capture_output=True, text=True, check=True, timeout=seconds + 60)
        line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))
        result = json.loads(line.removeprefix("RESULT "))
        if result["errors"] * 100 > result["requests"]:
            raise SystemExit(f"{self.name} {method} {size}: {result['errors']} errors in {result['requests']} requests")
        return result["requests"] / result["seconds"]

    def large(self, method):
        body = b"x" * LARGE if method == "PUT" else None
        began = time.monotonic()
        status, got = self.send(method, "/bench/large", body)
        assert status == 200 and (method == "PUT" or got == LARGE), (status, got)
        return LARGE / 1e6 / (time.monotonic() - began)

    def memory_mb(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) // 1024 for line in text.splitlines() if line.startswith("VmHWM"))

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=int, default=4, help="of each run (4)")
    options.add_argument("--rounds", type=int, default=3, help="runs of each (3)")
    options.add_argument("--servers", default="gateleg,gateleg-process,s3rver", help="which, by commas")
    arguments = options.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    names = arguments.servers.split(",")
    running = {name: Server(name) for name in names}
    rows = {}
    try:
        for number in range(arguments.rounds):
            for name, server in running.items():
                print(f"round {number + 1}: {name}", file=sys.stderr, flush=True)
                measured = [
                    ("put 1 KB (objects/s)", server.small("PUT", 1024, 1000, arguments.seconds)),
                    ("get 1 KB (objects/s)", server.small("GET", 1024, 100, arguments.seconds)),
                    ("put 1 MB (objects/s)", server.small("PUT", 1 << 20, 20, arguments.seconds)),
                    ("get 1 MB (objects/s)", server.small("GET", 1 << 20, 10, arguments.seconds)),
                    ("put 100 MB (MB/s)", server.large("PUT")),
                    ("get 100 MB (MB/s)", server.large("GET")),
                ]
                for what, value in measured:
                    rows.setdefault(what, {}).setdefault(name, []).append(value)
        memory = {name: server.memory_mb() for name, server in running.items()}
    finally:
        for server in running.values():
            server.stop()
    print("| | " + " | ".join(names) + " |\n|---|" + "---:|" * len(names))
    for what, by_name in rows.items():
        print(f"| {what} | " + " | ".join(f"{max(by_name[name]):,.0f}" for name in names) + " |")
    print("| peak memory (MB) | " + " | ".join(str(memory[name]) for name in names) + " |")
    shutil.rmtree(OUT, ignore_errors=True)


if __name__ == "__main__":
    main()
