"""Writes one window of a partition's line as a TLA+ module that extends a replication specification."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from cluster.model.identifiers import Epoch, NodeId
from judges.specification.replication_states import Decision, Replica, State
from judges.specification.tlc import Module

FOLLOWS = {
    "KafkaTruncateToHighWatermark": "BecomeFollowerTruncateToHighWatermark",
    "Kip101": "BecomeFollowerTruncateKip101",
    "Kip279": "BecomeFollowerTruncateKip279",
    "Kip320": "FencedBecomeFollowerAndTruncate",
}
"""How each specification calls the step in which a replica follows and cuts."""
SPECIFICATIONS = {"hw": "KafkaTruncateToHighWatermark", "kip101": "Kip101", "kip279": "Kip279", "fetch": "Kip320"}
"""By the mode of cutting that it is about."""
_TEMPLATE = Path(__file__).with_name("replication.tla")


def module(name: str, specification: str, window: Sequence[State], nodes: Sequence[NodeId], stop: int = 0) -> Module:
    """stop: the step before which TLC is to say what is allowed; 0 for none. Steps count from 1 in the window."""
    small = _Small(window)
    rows = [f"  {small.state(state)}{',' if at < len(window) else ''}" for at, state in enumerate(window, start=1)]
    prefix = "Fenced" if specification == "Kip320" else ""
    words = {
        "NAME": name, "SPEC": specification, "TRACE": "\n".join(rows), "REPLICAS": _sequence(map(_node, nodes)),
        "REQUESTS": "{" + ", ".join(map(small.decision, small.needed(window[0].decisions))) + "}",
        "NEXTID": str(small.first_id), "FOLLOW": FOLLOWS[specification], "P": prefix,
        "FETCH": "FencedFollowerFetch" if prefix else "FollowerReplicate", "STOP": str(stop),
    }  # fmt: skip
    text = _TEMPLATE.read_text("utf-8")
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    lines = [
        "CONSTANTS", f"  Replicas = {_set(nodes)}", f"  LogSize = {small.log_size}", f"  MaxRecords = {small.ids + 1}",
        f"  MaxLeaderEpoch = {small.epochs}", "SPECIFICATION TSpec", "INVARIANT NotFinished",
        *(["INVARIANT Tell"] if stop else []),
    ]  # fmt: skip
    return Module(name, text, "\n".join(lines) + "\n")


class _Small:
    """A window in small numbers: what all logs share at their front, low epochs and old records are left out."""

    def __init__(self, window: Sequence[State]) -> None:
        replicas = [replica for state in window for replica in state.replicas]
        logs = [replica.log for replica in replicas]
        shared = 0
        while all(len(log) > shared + 1 and log[shared] == logs[0][shared] for log in logs):
            shared += 1
        self._base = base = max(0, min([shared, *(replica.high_watermark for replica in replicas)]) - 1)
        first = sorted({number for replica in window[0].replicas for _, number in replica.log[base:]})
        self._ids = {number: at for at, number in enumerate(first)}
        self.first_id = len(first)
        for log in logs:
            for _, number in log[base:]:
                self._ids.setdefault(number, len(self._ids))
        known = [epoch for log in logs for epoch, _ in log[base:]]
        known += [epoch for replica in replicas if (epoch := replica.epoch) >= 0]
        known += [state.decision.epoch for state in window if state.decision.epoch >= 0]
        self._low = min(known, default=0)
        decided = [self._epoch(state.decision.epoch) for state in window]
        self.epochs = max([0, *decided, *(self._epoch(epoch) for log in logs for epoch, _ in log[base:])]) + 1
        self.log_size = max([1, *(len(log) - base for log in logs)])
        self.ids = max(len(self._ids), 1)

    def _epoch(self, epoch: Epoch) -> int:
        return epoch - self._low if epoch >= 0 else -1

    def needed(self, decisions: Iterable[Decision]) -> list[Decision]:
        return [each for each in dict.fromkeys(decisions) if each.epoch >= self._low]

    def decision(self, made: Decision) -> str:
        epoch, leader, isr = self._epoch(made.epoch), _node(made.leader), _set(made.isr)
        return f"[leaderEpoch |-> {epoch}, leader |-> {leader}, isr |-> {isr}]"

    def _replica(self, seen: Replica) -> str:
        log = _sequence(f"<<{self._epoch(epoch)}, {self._ids[number]}>>" for epoch, number in seen.log[self._base :])
        return (
            f"[log |-> {log}, hw |-> {seen.high_watermark - self._base}, ep |-> {self._epoch(seen.epoch)}, "
            f"ld |-> {_node(seen.leader)}, isr |-> {_set(seen.isr)}]"
        )

    def state(self, state: State) -> str:
        rows = _sequence(map(self._replica, state.replicas))
        node, decision = _node(state.node), self.decision(state.decision)
        return f'[a |-> "{state.label}", n |-> {node}, r |-> {rows}, q |-> {decision}]'


def _node(node: NodeId) -> str:
    return f'"n{node}"' if node else "None"


def _set(nodes: Iterable[NodeId]) -> str:
    return "{" + ", ".join(map(_node, nodes)) + "}"


def _sequence(items: Iterable[str]) -> str:
    return "<<" + ", ".join(items) + ">>"
