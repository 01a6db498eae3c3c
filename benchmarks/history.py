"""The start of a node against its metadata log: 10 thousand and 1 million records, with snapshots and without.

A start here is what a node does before it can say what is committed: it opens its files, loads the newest snapshot, and
applies the records after it. Each is a fresh process, so that its memory is its own.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.report import Aim, line
from cluster.model.codec import encode_metadata_record
from cluster.model.effects import WriteSnapshot
from cluster.model.identifiers import METADATA
from cluster.model.metadata_records import MetadataRecord, PartitionRecord, TopicRecord
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import encode_batch
from cluster.model.settings import COUNT_MAX, TIMER_MAX_MS, Settings
from cluster.node.committed import Committed
from cluster.node.snapshot_part import SnapshotPart
from cluster.raft.rules.snapshots import may_delete_oldest
from cluster.storage.node_store import NodeStore

COUNTS = (10_000, 1_000_000)
TOPICS = 100
NEVER = replace(
    Settings(), metadata_log_max_record_bytes_between_snapshots=COUNT_MAX,
    metadata_log_max_snapshot_interval_ms=TIMER_MAX_MS,
)  # fmt: skip
SMALL = replace(
    Settings(), metadata_log_max_record_bytes_between_snapshots=1 << 20, metadata_max_retention_bytes=4 << 20
)
CASES = {"without snapshots": NEVER, "Kafka's 20 MiB and 100 MiB": Settings(), "1 MiB and 4 MiB": SMALL}
"""What a node writes a snapshot after, and what it keeps of log and snapshots."""
GROWTH = Aim(3.0, 1.5, higher_is_better=False)
"""Of a start with a hundred times the history, where both have been cut."""


def run() -> None:
    """Measure and print."""
    for name, settings in CASES.items():
        starts = {}
        for count in COUNTS:
            with tempfile.TemporaryDirectory() as folder:
                made_s = write_history(Path(folder), count, settings)
                starts[count] = found = json.loads(_in_process_of_its_own(folder))
            held = f"{found['mib']:.0f} MiB of memory, log and snapshots {found['bytes'] / 1e6:.1f} MB"
            note = f"{held}, {found['applied']:,} records applied; written in {made_s:.0f} s"
            line(f"{name}, {count:,} records", found["ms"], "ms", note=note)
        few, many = (starts[count] for count in COUNTS)
        line(f"{name}: time", many["ms"] / few["ms"], "x", GROWTH if settings is SMALL else None)
        line(f"{name}: memory", many["mib"] / few["mib"], "x", GROWTH if settings is SMALL else None)


def write_history(root: Path, count: int, settings: Settings) -> float:
    """So many records, each in a batch of its own: topics, then changes of their partitions. Seconds it took."""
    began = time.monotonic()
    store = NodeStore(root, host_fsync=False, emit=lambda _: None)
    log, _ = store.open(METADATA)
    committed = Committed(log, store.snapshots)
    part = SnapshotPart(committed, log, store.snapshots, settings)
    part.load(0)
    for number in range(count):
        store.append(METADATA, encode_batch([encode_metadata_record(_record(number))], number, 1, number))
        if number % 1000 == 999:
            store.flush(METADATA)
            committed.advance(number + 1)
            for effect in part.write_when_due(number):
                if isinstance(effect, WriteSnapshot):
                    store.write_snapshot(effect.snapshot_id, effect.data)
            _keep_retention(store, number, settings)
    store.disk.close()
    return time.monotonic() - began


def _record(number: int) -> MetadataRecord:
    topic, change = number % TOPICS, number // TOPICS
    if change == 0:
        return TopicRecord(topic=f"topic-{topic}", topic_id=topic, min_insync_replicas=2)
    state = PartitionState(
        topic_id=topic, replicas=(1, 2, 3), isr=(1, 2, 3)[: 2 + change % 2], leader=1, leader_epoch=change,
        partition_epoch=change, min_insync_replicas=2,
    )  # fmt: skip
    return PartitionRecord(topic=f"topic-{topic}", partition=0, state=state, why="ISR shrink by leader 1")


def _keep_retention(store: NodeStore, now_ms: int, settings: Settings) -> None:
    files = store.snapshots
    while (first := may_delete_oldest(files.kept, files.log_bytes, now_ms, settings).value) is not None:
        store.advance_start(METADATA, first.end_offset)
        store.delete_snapshots(first)


def _in_process_of_its_own(folder: str) -> str:
    command = [sys.executable, "-m", "benchmarks.history", folder]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603


def start(root: Path) -> dict[str, float]:
    """One start: milliseconds, largest memory, and what lay there."""
    began = time.monotonic()
    store = NodeStore(root, host_fsync=False, emit=lambda _: None)
    log, _ = store.open(METADATA)
    committed = Committed(log, store.snapshots)
    SnapshotPart(committed, log, store.snapshots, Settings()).load(0)
    loaded = committed.next_offset
    committed.advance(log.log_end_offset)
    taken_ms = 1000 * (time.monotonic() - began)
    assert len(committed.image.partitions) == TOPICS, "all of the image is there"
    kept = sum(one.size_bytes for one in store.snapshots.kept)
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "ms": taken_ms,
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / (1 << 20),
        "bytes": log.size_bytes + kept,
        "applied": committed.next_offset - loaded,
    }


if __name__ == "__main__":
    print(json.dumps(start(Path(sys.argv[1]))))
