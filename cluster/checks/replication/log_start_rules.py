"""What is deleted from the front of logs: only what was committed, and never less than before. Contract 2.3."""

from __future__ import annotations

from typing import ClassVar

from cluster.checks.ghost.ghost import Ghost
from cluster.checks.report import Report
from cluster.checks.rule_group import Handlers
from cluster.checks.verdict import RuleInfo
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NodeId, Offset, TopicPartition


class LogStartRules:
    """P24, as far as records are deleted on request: nothing is ever deleted for its age or size."""

    rules: ClassVar[tuple[RuleInfo, ...]] = (
        RuleInfo("P24", "the log start only rises and stays below the high watermark", "KIP-107", ("A3", "A4")),
    )

    __slots__ = ("_ghost", "_report", "_starts", "_told")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._starts: dict[tuple[str, int, NodeId, int], Offset] = {}
        self._told: dict[tuple[str, int], tuple[Offset, EventId]] = {}

    def before(self) -> Handlers:
        """A deletion is judged against the logs before it."""
        return {ev.LogStartAdvanced: self._advanced}

    def after(self) -> Handlers:
        """Nothing."""
        return {}

    def finish(self) -> None:
        """Each deletion was judged when it came."""

    def _advanced(self, entry: Entry, event: ev.LogStartAdvanced) -> None:
        """A crash may take the start back to an older checkpoint, so it is followed within one life of a node."""
        key = (event.topic, event.partition)
        life = (*key, entry.node, entry.incarnation)
        self._report.checked("P24")
        start, before = event.log_start_offset, self._starts.get(life, event.old_log_start_offset)
        if event.old_log_start_offset != before or start <= before:
            what = f"moves its log start from {event.old_log_start_offset} to {start}; it was {before}"
            self._violated(entry, event, what, None)
        self._starts[life] = start
        if event.role == "leader":
            self._judge_leader(entry, event)
            if start > self._told.get(key, (0, entry.id))[0]:
                self._told[key] = (start, entry.id)
            return
        asked = self._told.get(key)
        if asked is None or start > asked[0]:
            known = "no leader deleted anything" if asked is None else f"leaders deleted what is below {asked[0]}"
            self._violated(entry, event, f"deletes what is below {start}; {known}", asked[1] if asked else None)

    def _judge_leader(self, entry: Entry, event: ev.LogStartAdvanced) -> None:
        leadership = self._ghost.partition(event.topic, event.partition).leaderships.get(entry.node)
        if leadership is not None and event.log_start_offset > leadership.high_watermark:
            what = f"deletes what is below {event.log_start_offset}; its high watermark is {leadership.high_watermark}"
            self._violated(entry, event, what, leadership.event)

    def _violated(self, entry: Entry, event: ev.LogStartAdvanced, what: str, other: EventId | None) -> None:
        where = TopicPartition(event.topic, event.partition)
        self._report.violated(
            "P24",
            f"node {entry.node} {what}",
            (entry.id,) if other is None else (entry.id, other),
            record=f"{where} offset {event.log_start_offset - 1}",
            scope=where,
        )
