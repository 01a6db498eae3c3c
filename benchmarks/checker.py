"""How fast the checker judges, and how much memory it needs: a cluster under load is recorded, and judged again."""

from __future__ import annotations

import asyncio
import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.living import TOPIC, Living, living
from benchmarks.report import Aim, line, spread
from cluster.invariants.checker import Checker
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model.entry import Entry
from cluster.trace.reader import TraceStream

EVENTS_MIN = 150_000
ROUNDS = 5
RECORDS_A_TURN = 2_500
RECORD_S_MAX = 120.0
SPEED = Aim(100_000, 200_000)
WHOLE = Aim(None, 60_000)
MEMORY = Aim(None, 1_024, higher_is_better=False)


def run() -> None:
    """Measure and print."""
    asyncio.run(_measure())


async def _measure() -> None:
    async with living() as cluster:
        await _live(cluster)
        folder = cluster.lab.run_folder / "trace"
        until_ns = time.monotonic_ns()
        entries = list(TraceStream(folder, until_ns))
        speeds, verdicts = [], {}
        for _ in range(ROUNDS):
            seconds, verdicts = judge(entries)
            speeds.append(len(entries) / seconds)
        bad = [rule for rule, verdict in verdicts.items() if verdict is Verdict.VIOLATED]
        kinds = len({type(entry.event) for entry in entries})
        print(f"  {len(entries):,} events of {kinds} kinds, violated: {', '.join(bad) or 'nothing'}")
        print(f"  events a second, least / median / most: {spread(speeds)}")
        line("checker alone", statistics.median(speeds), "events/s", SPEED)
        whole = read_and_judge(folder, until_ns)
        line("reading and judging", whole["events"] / whole["seconds"], "events/s", WHOLE)
        line("memory for a million events", whole["mib"] * 1_000_000 / whole["events"], "MiB", MEMORY)


async def _live(cluster: Living) -> None:
    """Clients produce with acks=all; a broker is killed in between and comes back."""
    leader = await cluster.topic()
    follower = next(broker for broker in cluster.facts.brokers if broker != leader)
    began = time.monotonic()
    while len(cluster.entries) < EVENTS_MIN and time.monotonic() - began < RECORD_S_MAX:
        await cluster.lab.send(f"produce {TOPIC.topic} {RECORDS_A_TURN} acks=all in-flight=5")
        await cluster.lab.send(f"restart {follower}")
        cluster.poll()
    cluster.entries.clear()


def judge(entries: list[Entry]) -> tuple[float, dict[str, Verdict]]:
    """One pass; the seconds of processor time it took, and the verdicts."""
    checker = Checker()
    began = time.process_time()
    checker.feed_all(entries)
    table = checker.finish()
    return time.process_time() - began, {row.info.id: row.verdict for row in table}


def read_and_judge(folder: Path, until_ns: int) -> dict[str, float]:
    """As `workbench check` does, in a process of its own: events, processor seconds, MiB above the bare program."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.checker", str(folder), str(until_ns)],
        capture_output=True,
        text=True,
        check=True,
    )
    told: dict[str, float] = json.loads(done.stdout)
    return told


def _alone(folder: Path, until_ns: int) -> None:
    """Run in the process of read_and_judge."""
    before = _resident_mib()
    checker = Checker()
    began = time.process_time()
    checker.feed_all(TraceStream(folder, until_ns))
    checker.finish()
    seconds, mib = time.process_time() - began, _resident_mib() - before
    print(json.dumps({"events": checker.ghost.passage.entry_count, "seconds": seconds, "mib": mib}))


def _resident_mib() -> float:
    """Memory of this process now; where the system does not tell, the most it ever had."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << (20 if sys.platform == "darwin" else 10))
    return pages * resource.getpagesize() / (1 << 20)


if __name__ == "__main__":
    _alone(Path(sys.argv[1]), int(sys.argv[2]))
