"""What the machine and its processes use of the processor, so that a test can tell its server from a neighbour."""

import os
import pathlib

_TICK = os.sysconf("SC_CLK_TCK")


def process_seconds(pid):
    """Processor seconds of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def busy_seconds():
    """Processor seconds of the whole machine so far, time the host took for others included."""
    user, nice, system, _, _, interrupts, soft, stolen = map(int, pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9])
    return (user + nice + system + interrupts + soft + stolen) / _TICK


def own_seconds():
    return sum(os.times()[:4])
