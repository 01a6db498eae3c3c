"""Writes short runs by hand: literal events in the order they happened, and the verdicts over them."""

from __future__ import annotations

import json
from typing import Any

from cluster.invariants.checker import Checker
from cluster.invariants.verdicts.verdict import InvariantVerdict, Verdict, Violation
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA

LAB = 0
CLIENT = 1001


class Trace:
    """Collects entries; each call of `add` is one event of one node, one millisecond after the one before."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._seq: dict[tuple[int, int], int] = {}
        self.incarnation: dict[int, int] = {}

    def add(self, node: int, event: Any, cause: EventId | None = None) -> EventId:
        """One event; its name."""
        incarnation = self.incarnation.get(node, 0)
        seq = self._seq.get((node, incarnation), 0)
        self._seq[node, incarnation] = seq + 1
        t_ns = (len(self.entries) + 1) * 1_000_000
        entry = Entry("run", node, incarnation, seq, t_ns, t_ns, 0, cause, "", None, event)
        self.entries.append(entry)
        return entry.id

    def run(self, **settings: Any) -> EventId:
        """The lab begins a run."""
        return self.add(LAB, ev.RunStarted(config=json.dumps(settings), world="processes", title="by hand"))

    def start(self, node: int, *roles: str) -> EventId:
        """The lab starts a node, once more if it ran before."""
        self.incarnation[node] = self.incarnation.get(node, -1) + 1
        number = self.incarnation[node]
        return self.add(
            LAB, ev.ProcessStarted(node_id=node, roles=roles or ("controller",), incarnation_number=number, pid=1)
        )

    def exit(self, node: int, code: int = -9, *, expected: bool = True) -> EventId:
        """A node's process is gone."""
        number = self.incarnation[node]
        return self.add(
            LAB, ev.ProcessExited(node_id=node, incarnation_number=number, exit_code=code, expected=expected)
        )

    def verdicts(self, *promised: str) -> dict[str, InvariantVerdict]:
        """By invariant."""
        checker = Checker()
        for entry in self.entries:
            checker.feed(entry)
        return {line.info.id: line for line in checker.finish(promised)}

    def violations(self, invariant: str) -> tuple[Violation, ...]:
        """Of one invariant."""
        return self.verdicts()[invariant].violations

    def bad(self, families: str = "RT") -> dict[str, Verdict]:
        """Invariants of these families that neither hold nor were left out."""
        quiet = (Verdict.HOLDS, Verdict.NOT_EVALUATED)
        return {
            invariant: line.verdict
            for invariant, line in self.verdicts().items()
            if invariant[0] in families and line.verdict not in quiet
        }


def fsynced(offset: int, *, durable: int | None = None, topic: str = METADATA.topic, partition: int = 0) -> ev.Fsynced:
    """A log was flushed up to offset; the disk lied when less is durable."""
    really = offset if durable is None else durable
    return ev.Fsynced(
        topic=topic,
        partition=partition,
        path="a.log",
        claimed_bytes=offset,
        durable_bytes=really,
        claimed_offset=offset,
        durable_offset=really,
        lied=really < offset,
    )


def recovered(
    end: int,
    batches: tuple[tuple[int, int, int, tuple[str, ...]], ...] = (),
    *,
    topic: str = METADATA.topic,
    partition: int = 0,
    high_watermark: int = 0,
    claimed: int = -1,
    why: str = "scanned",
) -> ev.LogRecovered:
    """A log was scanned at a start."""
    return ev.LogRecovered(
        topic=topic,
        partition=partition,
        valid_bytes=end,
        dropped_bytes=0,
        log_end_offset=end,
        high_watermark=high_watermark,
        batches=batches,
        why=why,
        claimed_offset=claimed,
    )
