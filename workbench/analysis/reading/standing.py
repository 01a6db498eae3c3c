"""How a partition stands by all that was read of it: what a stream keeps of each partition from step to step.

Nothing here depends on the order in which events come, for the files of several nodes are read one after the other.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from workbench.support.safe_text import safe_text

APPLIED, LEADS, ADVANCED = "meta.partition_applied", "part.became_leader", "rep.high_watermark_advanced"
KINDS = (APPLIED, LEADS, ADVANCED)
"""Events that move it."""
NEEDED = ("partition_epoch", "leader_epoch", "leader", "isr", "min_insync_replicas", "high_watermark", "role")
"""Fields of theirs that it takes."""


@dataclass(slots=True)
class Standing:
    """One partition of one run. What is compared is compared as lists, first item first."""

    applied: list[Any] = field(default_factory=list)
    """[partition_epoch, leader_epoch, leader, isr, min_insync_replicas] of the newest committed state."""
    watermark: list[int] = field(default_factory=list)
    """[leader_epoch, high_watermark] that a leader announced last."""
    leaders: dict[str, list[int]] = field(default_factory=dict)
    """Leader epoch to the nodes that became leader in it."""
    states: dict[str, list[list[Any]]] = field(default_factory=dict)
    """Partition epoch to the states that brokers applied under it."""

    def take(self, event: str, node: int, told: dict[str, Any]) -> None:
        """One event of one of KINDS."""
        if event == APPLIED:
            state = [told[name] for name in NEEDED[:5]]
            self.applied = max(self.applied, state)
            _add(self.states, str(state[0]), state[1:4])
        elif event == LEADS:
            _add(self.leaders, str(told["leader_epoch"]), node)
        elif told["role"] == "leader":
            self.watermark = max(self.watermark, [told["leader_epoch"], told["high_watermark"]])

    def merge(self, other: Standing) -> None:
        """What another one took too."""
        self.applied = max(self.applied, other.applied)
        self.watermark = max(self.watermark, other.watermark)
        for epoch, nodes in other.leaders.items():
            for node in nodes:
                _add(self.leaders, epoch, node)
        for epoch, states in other.states.items():
            for state in states:
                _add(self.states, epoch, state)

    def row(self) -> dict[str, Any]:
        """Its row in the table of partitions, without the columns that name it."""
        partition_epoch, leader_epoch, leader, isr, least = self.applied or [None] * 5
        return {
            "leader": leader,
            "leader_epoch": leader_epoch,
            "partition_epoch": partition_epoch,
            "isr": isr,
            "under_min_isr": None if isr is None else len(isr) < least,
            "high_watermark": self.watermark[1] if self.watermark else None,
            "epochs_with_two_leaders": sum(len(nodes) > 1 for nodes in self.leaders.values()),
            "epochs_with_two_states": sum(len(states) > 1 for states in self.states.values()),
        }

    def text(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))


def standing_of(text: str) -> Standing:
    """The inverse of Standing.text."""
    return Standing(**json.loads(text))


def sentence(topic: str, partition: int, row: dict[str, Any]) -> str:
    """A row in words, what is wrong at its end."""
    if row["leader"] is None:
        return f"{safe_text(topic, 80)}-{partition}: no state was committed yet"
    led = f"leader {row['leader']}" if row["leader"] >= 0 else "no leader"
    isr = ", ".join(map(str, row["isr"])) or "empty"
    parts = [f"{led} in epoch {row['leader_epoch']}", f"ISR {isr}"]
    if row["high_watermark"] is not None:
        parts.append(f"high watermark {row['high_watermark']}")
    if row["under_min_isr"]:
        parts.append("below min.insync.replicas")
    if row["epochs_with_two_leaders"]:
        parts.append("TWO LEADERS IN ONE EPOCH")
    if row["epochs_with_two_states"]:
        parts.append("TWO STATES UNDER ONE PARTITION EPOCH")
    return f"{safe_text(topic, 80)}-{partition}: {'; '.join(parts)}"


def _add(found: dict[str, list[Any]], key: str, value: Any) -> None:
    """Put it in its place among the others, once."""
    listed = found.setdefault(key, [])
    if value not in listed:
        listed.append(value)
        listed.sort()
