"""All tables of some runs as plain rows, and of one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cluster.model.identifiers import METADATA
from workbench.support.safe_text import safe_text

Row = dict[str, Any]
METADATA_TOPIC = METADATA.topic


@dataclass(frozen=True, slots=True)
class RunRows:
    """What the tables hold about one run."""

    run: Row
    """Its row of the runs table."""
    tables: Mapping[str, list[Row]]
    """The rows of every table that are of this run."""

    @property
    def end_ms(self) -> float:
        """When observation ends."""
        return float(self.run["observed_ms"] or 1.0)

    @property
    def partitions(self) -> list[tuple[str, int]]:
        """All partitions, in order; those of internal topics last."""
        logs = {(row["topic"], row["partition"]) for row in self.tables["isr_history"]}
        return sorted(logs, key=lambda log: (is_internal(log[0]), log))

    @property
    def data_partitions(self) -> list[tuple[str, int]]:
        """Those of topics that somebody made."""
        return [log for log in self.partitions if not is_internal(log[0])]

    def outage_ms(self, *kinds: str) -> float | None:
        """How long some data partition had an outage of these kinds; None when there is no such partition."""
        if not self.data_partitions:
            return None
        topics = {topic for topic, _ in self.data_partitions}
        rows = [row for row in self.tables["outages"] if row["kind"] in kinds and row["topic"] in topics]
        total = reached = 0.0
        for row in sorted(rows, key=when):
            total += max(0.0, row["until_ms"] - max(row["from_ms"], reached))
            reached = max(reached, row["until_ms"])
        return total

    @property
    def nodes(self) -> list[int]:
        """Who led, stood for election or held a log; so that each has one colour in all figures."""
        held = {row["node"] for row in self.tables["log_positions"]}
        led = {row["leader"] for row in self.tables["leaderships"]}
        return sorted(held | led | {row["candidate"] for row in self.tables["vote_rounds"]})

    def of(self, table: str, topic: str, partition: int) -> list[Row]:
        """Rows of a table that are of one log."""
        return [row for row in self.tables[table] if (row["topic"], row["partition"]) == (topic, partition)]


@dataclass(frozen=True, slots=True)
class ClassRows:
    """A class: all its runs together."""

    tables: Mapping[str, list[Row]]
    """The rows of every table of a class."""
    learner_count: int
    """How many learners there are runs of."""


def split(tables: Mapping[str, list[Row]]) -> list[RunRows]:
    """One for each run, oldest first; rows in order of time."""
    names = sorted(row["run"] for row in tables["runs"])
    parts: dict[str, dict[str, list[Row]]] = {run: {name: [] for name in tables} for run in names}
    for name, rows in tables.items():
        for row in sorted(rows, key=when):
            if row["run"] in parts:
                parts[row["run"]][name].append(row)
    return [RunRows(parts[run]["runs"][0], parts[run]) for run in names]


def when(row: Row) -> float:
    """The first time that a row tells, in ms of its run."""
    for name in ("t_ms", "from_ms", "started_ms", "invoked_ms", "applied_ms", "injected_ms", "written_ms"):
        if isinstance(row.get(name), int | float):
            return float(row[name])
    return 0.0


def is_internal(topic: str) -> bool:
    """Whether it is a topic that the cluster keeps for itself; the quorum's log is none of these."""
    return topic.startswith("__") and topic != METADATA_TOPIC


def partition_sentence(row: Row) -> str:
    """A row of the table of partitions in words, what is wrong at its end."""
    name = f"{safe_text(row['topic'], 80)}-{row['partition']}"
    if row["leader"] is None:
        return f"{name}: no state was committed yet"
    led = f"leader {row['leader']}" if row["leader"] >= 0 else "no leader"
    parts = [f"{led} in epoch {row['leader_epoch']}", f"ISR {', '.join(map(str, row['isr'])) or 'empty'}"]
    if row["high_watermark"] is not None:
        parts.append(f"high watermark {row['high_watermark']}")
    wrong = {
        "below min.insync.replicas": row["under_min_isr"],
        "TWO LEADERS IN ONE EPOCH": row["epochs_with_two_leaders"],
        "TWO STATES UNDER ONE PARTITION EPOCH": row["epochs_with_two_states"],
    }
    return f"{name}: {'; '.join([*parts, *(words for words, is_so in wrong.items() if is_so)])}"


def log_name(row: Row) -> str:
    """quorum, or topic-partition."""
    return "quorum" if row["topic"] == METADATA_TOPIC else f"{row['topic']}-{row['partition']}"
