"""The tables of a run, as Markdown."""
import goals
import workloads
from goals import median


def markdown_table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def cell(runs):
    if not runs:
        return "none"
    marks = "*" * all(run["disturbed"] for run in runs) + "!" * any(run["bad_status"] + run["bad_socket"] for run in runs)
    return f"{median(runs, 'per_second'):,.0f} ({median(runs, 'p50_ms'):.2f} / {median(runs, 'p99_ms'):.2f}){marks}"


def ratio(ours, theirs):
    if not ours or not theirs:
        return ""
    return f"{median(ours, 'per_second') / median(theirs, 'per_second'):.1f}"


def head(record):
    """What, where and when: the lines above the tables."""
    machine, settings = record["machine"], record["settings"]
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    noisy = " Other processes were at work: these figures compare nothing." if settings["noisy"] else ""
    return (f"Measured by `./dev bench` on {machine['time'][:10]}: {versions}; {machine['cores']} cores ({machine['processor']}), "
            f"{machine['memory_gib']} GiB, Linux {machine['kernel']}, server and load on the same cores. "
            f"{settings['items']:,} items of 1 KB, 16 connections unless it says otherwise, runs of {settings['seconds']} s, "
            f"median of {settings['rounds']}, the servers in turn.{noisy}")


def rates(record, runs):
    """Every server beside every other, and how many times a rival's rate ours is."""
    labels, names = list(record["servers"]), record["workloads"]
    title = {name: workloads.WORKLOADS[name][4] for name in names}
    rows = [[title[name], *[cell(runs.get((label, name))) for label in labels]] for name in names]
    for text, field in (("start, ms", "start_ms"), ("memory when idle, MiB", "idle_mib"),
                        ("memory after load, MiB", "loaded_mib"), ("disk after load, MiB", "loaded_disk_mib")):
        rows.append([text, *[f"{facts[field]:,.0f}" for facts in record["servers"].values()]])
    parts = ["Requests per second (median / 99th percentile in ms):", markdown_table(["", *labels], rows)]
    ours = [label for label in labels if label.startswith("gateleg")]
    rivals = [label for label in labels if label not in ours and label != "bare"]
    if ours and rivals:
        pairs = [(our, rival) for rival in rivals for our in ours]
        rows = [[title[name], *[ratio(runs.get((our, name)), runs.get((rival, name))) for our, rival in pairs]]
                for name in names]
        parts += ["How many times the rival's requests per second:",
                  markdown_table(["", *[f"{our} / {rival}" for our, rival in pairs]], rows)]
    parts.append("`none`: not supported. `*`: other load on the machine. `!`: some requests failed. gateleg-fsync answers a "
                 "write when it is on disk, gateleg-process when the system has it. bare is no rival but the limit: "
                 "Boost.Beast with one thread that answers everything with the same kilobyte.")
    return parts


def alone(record):
    """What was measured of our own server beside no other."""
    named = {
        "page": "systems API: a page of 20 entries", "page-raw": "the same Query, raw",
        "consume": "systems API: credits consumed", "consume-raw": "the same nine calls, raw",
        "growth-get-few": "GetItem, 100,000 items", "growth-get-many": "GetItem, {items} items",
        "growth-query-few": "Query 20 of 100,000 items", "growth-query-many": "Query 20 of {items} items",
        "growth-page-short": "a page of 10 in partitions of 10", "growth-page-long": "a page of 10 in a partition of {long}",
        "growth-put-0": "PutItem without indexes", "growth-put-8": "PutItem, 8 indexes of whole items",
        "growth-tables-one": "GetItem, 1 table", "growth-tables-all": "GetItem over 200 tables",
    }
    grown = record.get("growth") or {"runs": {}, "items": 0}
    sizes = {"items": f"{grown['items']:,}", "long": f"{grown['items'] // 10:,}"}
    runs = {**(record.get("systems_api") or {}), **grown["runs"]}
    rows = [[text.format(**sizes), cell(runs[name])] for name, text in named.items() if name in runs]
    if "peak_mib" in grown:
        rows.append([f"disk with {sizes['items']} items, MiB", f"{grown['disk_mib']:,.0f}"])
        rows.append(["memory with 1 table and with 200, MiB", f"{grown['one_table_mib']:,.0f}, {grown['all_tables_mib']:,.0f}"])
    return ["Gateleg by itself, durability process, operations per second (median / 99th percentile in ms of one call):",
            markdown_table(["", ""], rows)] if rows else []


def goal_table(record, runs):
    rows = goals.Goals(record, runs).compute()
    verdict = {True: "yes", False: "**no**", None: ""}
    known = [row for row in rows if row[3] is not None]
    met = sum(1 for row in known if row[3])
    return [f"Goals: {met} of {len(known)} met" + (f", {len(rows) - len(known)} not measured." if len(known) < len(rows) else "."),
            markdown_table(["work", "goal", "measured", "met"], [[*row[:3], verdict[row[3]]] for row in rows])]


def markdown(record, runs):
    compared = rates(record, runs) if record["workloads"] else []
    return "\n\n".join([head(record), *compared, *alone(record), *goal_table(record, runs)])
