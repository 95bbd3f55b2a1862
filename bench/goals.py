"""What the server is meant to reach, each goal beside what a run measured."""
import statistics


READS = "gateleg-fsync"  # as it runs by default
PROCESS, FSYNC = "gateleg-process", "gateleg-fsync"
# What the memory of a server may come to, whatever it holds (docs/performance.md says of what it is made).
MEMORY_MIB = 768


def median(runs, field):
    calm = [run for run in runs if not run["disturbed"]] or runs
    return statistics.median(run[field] for run in calm)


class Goals:
    """Rows of [work, goal, measured, met]; `met` is None for what this run did not measure."""

    def __init__(self, record, runs):
        self.record, self.runs = record, runs
        self.own = record.get("own") or {}
        self.rows = []

    def of(self, server, workload, field="per_second"):
        runs = self.runs.get((server, workload))
        return median(runs, field) if runs else None

    def best_rival(self, workload, field="per_second", only=None):
        """Name and figure of the fastest that took part: none of ours, and not the limit."""
        found = [(self.of(name, workload, field), name) for name in self.record["servers"]
                 if name != "bare" and not name.startswith("gateleg") and (only is None or name == only)]
        found = [one for one in found if one[0] is not None]
        if not found:
            return None, ""
        return max(found) if field == "per_second" else min(found)

    def add(self, work, goal, measured, met):
        self.rows.append([work, goal, measured if met is not None else "not measured", met])

    def at_least(self, work, goal, value, least, shown):
        self.add(work, goal, shown(value) if value is not None else "", None if value is None else value >= least)

    def at_most(self, work, goal, value, most, shown):
        self.add(work, goal, shown(value) if value is not None else "", None if value is None else value <= most)

    # --- kinds of goals ---

    def times_rival(self, work, server, workload, least, only=None):
        ours = self.of(server, workload)
        theirs, rival = self.best_rival(workload, only=only)
        ratio = ours / theirs if ours and theirs else None
        whom = "Dynoxide on disk, which syncs" if only else "the best rival"
        self.at_least(work, f"{least} x {whom}", ratio, least,
                      lambda r: f"{r:.1f} x {rival} ({ours:,.0f}/s, {theirs:,.0f}/s)")

    def share(self, work, goal, ours, other, least):
        """At least that share of another figure."""
        ratio = ours / other if ours and other else None
        self.at_least(work, goal, ratio, least, lambda r: f"{r * 100:.0f} % ({ours:,.0f}/s, {other:,.0f}/s)")

    def of_bare(self, work, server, workload, least):
        self.share(work, f">= {least * 100:.0f} % of the bare server", self.of(server, workload), self.of("bare", workload), least)

    # --- the table ---

    def compute(self):
        self.against_rivals()
        self.whole_server()
        self.systems_api()
        self.growth()
        return self.rows

    def against_rivals(self):
        self.times_rival("GetItem", READS, "get", 8)
        self.of_bare("GetItem", READS, "get", 0.7)
        self.times_rival("Query 20 items after writes", READS, "query", 10)
        self.times_rival("Query 20 items of an index after writes", READS, "query-index", 10)
        self.times_rival("PutItem, process", PROCESS, "put", 12)
        self.of_bare("PutItem, process", PROCESS, "put", 0.3)
        self.times_rival("PutItem, fsync, 256 connections", FSYNC, "put-256", 20, only="dynoxide")
        self.share("PutItem, fsync, 256 connections", ">= 75 % of process mode", self.of(FSYNC, "put-256"),
                   self.of(PROCESS, "put-256"), 0.75)
        self.times_rival("UpdateItem with condition and counter, process", PROCESS, "update", 15)
        self.times_rival("TransactWriteItems, 3 items, process", PROCESS, "transact", 20)
        self.times_rival("TransactWriteItems, 3 items, fsync", FSYNC, "transact", 15)
        ours, bare = self.of(READS, "get-one", "p50_ms"), self.of("bare", "get-one", "p50_ms")
        theirs, rival = self.best_rival("get-one", "p50_ms")
        self.at_least("GetItem, 1 connection, p50", "a half of the best rival's", theirs / ours if ours and theirs else None, 2,
                      lambda r: f"1/{r:.1f} of {rival} ({ours:.3f} ms, {theirs:.3f} ms)")
        self.at_most("GetItem, 1 connection, p50", "<= 1.5 x the bare server's", ours / bare if ours and bare else None, 1.5,
                     lambda r: f"{r:.2f} x ({ours:.3f} ms, {bare:.3f} ms)")

    def whole_server(self):
        mixed = self.own.get("mixed", {}).get(FSYNC)
        self.at_most("GetItem beside 32 connections that put, fsync, p50", "<= 3 x its own without them",
                     mixed and mixed["beside_ms"] / mixed["alone_ms"], 3,
                     lambda r: f"{r:.1f} x ({mixed['beside_ms']:.2f} ms, {mixed['alone_ms']:.2f} ms)")
        systems = self.own.get("systems", {})
        self.at_most("clean start to first answer, five systems", "<= 50 ms", systems.get("start_ms"), 50,
                     lambda v: f"{v:.0f} ms")
        self.at_most("idle memory, five systems", "<= 40 MB", systems.get("idle_mib"), 40 * 1e6 / 2**20,
                     lambda v: f"{v * 2**20 / 1e6:.0f} MB")
        disk = self.record["servers"].get(FSYNC, {}).get("loaded_disk_mib")
        self.at_most("disk after load", "<= 129 MB", disk, 129 * 1e6 / 2**20, lambda v: f"{v * 2**20 / 1e6:.0f} MB")
        self.at_most("restart after kill -9", "<= 1 s", self.own.get("restart_ms", {}).get(FSYNC), 1000,
                     lambda v: f"{v:,.0f} ms")
        inside = self.own.get("in_process", {})
        for what in ("get", "put"):
            name = "get_item, decoded" if what == "get" else "put_item"
            self.share(f"in process: {name}", f">= 50 % of RocksDB's own {what}", inside.get(what), inside.get(f"raw_{what}"), 0.5)

    def systems_api(self):
        runs = self.record.get("systems_api") or {}

        def rate(name):
            return median(runs[name], "per_second") if runs.get(name) else None

        for name, work in (("page", "systems API: a page of an access pattern"),
                           ("consume", "systems API: credits consumed, with idempotency")):
            self.share(work, ">= 70 % of the same calls sent raw", rate(name), rate(f"{name}-raw"), 0.7)

    def growth(self):
        grown = self.record.get("growth") or {}
        runs = grown.get("runs", {})

        def rate(name):
            return median(runs[f"growth-{name}"], "per_second") if runs.get(f"growth-{name}") else None

        items = f"{grown['items']:,}" if grown else "10,000,000"
        for what, work in (("get", "GetItem"), ("query", "Query 20 items")):
            self.share(f"{work} at {items} items", ">= 70 % of the rate at 100,000", rate(f"{what}-many"), rate(f"{what}-few"), 0.7)
        long_partition = f"{grown['items'] // 10:,}" if grown else "1,000,000"
        self.share(f"a page in a partition of {long_partition} items", ">= 85 % of the rate in one of 10",
                   rate("page-long"), rate("page-short"), 0.85)
        self.share("GetItem over 200 tables", ">= 90 % of the rate of one table", rate("tables-all"), rate("tables-one"), 0.9)
        self.share("PutItem, 8 indexes of whole items", ">= a quarter of the rate without", rate("put-8"), rate("put-0"), 0.25)
        self.at_most(f"most memory at {items} items", f"<= {MEMORY_MIB} MiB", grown.get("peak_mib"), MEMORY_MIB,
                     lambda v: f"{v:,.0f} MiB")


