"""What the screen shows at one moment: the picture of the cluster, and charts and lines that only a screen has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from cluster.faults.clients import CLIENT_FAULTS
from cluster.faults.disks import DISK_FAULTS
from cluster.faults.grammar import FAULTS
from cluster.model.entry import Entry
from cluster.model.events import client, lab
from cluster.model.identifiers import INTERNAL_TOPICS, METADATA, Epoch, NodeId, TopicPartition
from cluster.picture.asked import GroupState, Place
from cluster.picture.cluster_state import ClusterState
from cluster.picture.folds import FOLDS, Fold
from cluster.picture.parts import CommittedLoss, FaultState, NodeState
from workbench.session.views import group_rows, votes
from workbench.session.views.timers import timer_words
from workbench.support.safe_text import safe_text
from workbench.telling.words import node_name

VERDICTS_MAX = 8
CLIENT_MARKS = {kind.__name__: kind.mark for kind in CLIENT_FAULTS}
"""What stands between a broker and its clients, by the kind of fault."""
DISK_MARKS = {kind.__name__: kind.mark for kind in DISK_FAULTS}
"""What a disk suffers from, by the kind of fault."""
DRAWN_FAULTS = frozenset(name for name, kind in FAULTS.items() if kind.is_drawn)
"""Faults that the screen draws on a link."""


class LinkView(NamedTuple):
    """What the faults in force do to one directed link."""

    is_cut: bool = False
    delay_ms: int = 0
    bytes_per_second: int = 0
    """0 without a limit."""

    @property
    def text(self) -> str:
        """cut, +200ms, 64KiB/s, or several."""
        if self.is_cut:
            return "cut"
        size, unit = (self.bytes_per_second, "B")
        if size >= 1024 and size % 1024 == 0:
            size, unit = size // 1024, "KiB"
        parts = (f"+{self.delay_ms}ms" if self.delay_ms else "", f"{size}{unit}/s" if size else "")
        return " ".join(part for part in parts if part)


@dataclass(slots=True, eq=False)
class ClusterView(ClusterState):
    """The picture of the cluster with what only the screen shows."""

    rows: list[votes.SequenceRow] = field(default_factory=list)
    """The chart of votes, at most 80 rows."""
    group_rows: dict[str, list[group_rows.GroupRow]] = field(default_factory=dict)
    """The chart of each group, at most 200 rows."""
    verdicts: list[str] = field(default_factory=list)
    """What a script's expectations were found to be."""
    timing: str = ""
    """How fast the run's timers are beside Kafka's; empty when that has no short answer."""

    def shown_logs(self) -> list[TopicPartition]:
        """All logs that can be shown: metadata, which zookeeper mode keeps in no log, then those with records."""
        return self.data_logs() if self.zookeeper.is_used else [METADATA, *self.data_logs()]

    def data_logs(self) -> list[TopicPartition]:
        """Those of topics, then what is written of the topic of groups."""
        own = [tp for tp in self.partitions if tp.topic in INTERNAL_TOPICS]
        written = [tp for tp in own if any(log.log_end_offset for (_, where), log in self.logs.items() if where == tp)]
        return [*sorted(set(self.partitions).difference(own)), *sorted(written)]

    def leads(self, node_id: NodeId) -> int:
        """Partitions of topics, not of the topic of groups, that a broker leads."""
        return sum(item.leader == node_id for tp, item in self.partitions.items() if tp.topic not in INTERNAL_TOPICS)

    def runs(self, nodes: Iterable[NodeId]) -> bool:
        """Whether the process of any of these nodes runs."""
        return any(node in self.nodes and self.nodes[node].is_up for node in nodes)

    @property
    def is_led(self) -> bool:
        """Whether any partition has a leader that runs."""
        return self.runs(item.leader for item in self.partitions.values())

    def zombie_epoch(self, log: TopicPartition, node_id: NodeId) -> Epoch | None:
        """In which epoch a node leads this log as it believes, while those who decide say that it does not; None where
        both agree. In zookeeper mode METADATA stands for the office of the controller."""
        node, lane, item = self.nodes.get(node_id), self.logs.get((node_id, log)), self.partitions.get(log)
        if node is None or node.process in ("down", "starting"):  # one that starts believes nothing yet
            return None
        if log == METADATA and self.zookeeper.is_used:
            return self.zookeeper.acting.get(node_id) if self.zookeeper.controller != node_id else None
        if log == METADATA:
            is_old = node.quorum_role == "leader" and self.leader_of_newest_epoch != node_id
            return node.quorum_epoch if is_old else None
        begun = lane.begun if lane is not None and item is not None and item.leader != node_id else None
        return begun[0] if begun is not None else None

    def clients_of(self, node_id: NodeId) -> int:
        """Kafka clients that are connected to a broker, by their names and software."""
        items = self.connections.values()
        return len({(item.client_id, item.software) for item in items if item.node == node_id})

    def lag(self, group: GroupState, parts: Iterable[Place]) -> int | None:
        """Committed records of the partitions that the group has not yet; None when no offset is committed."""
        found = None
        for topic, number in parts:
            tp = TopicPartition(topic, number)
            item, offset = self.partitions.get(tp), group.committed.get(tp)
            log = self.logs.get((item.leader, tp)) if item is not None else None
            if log is not None and offset is not None:
                found = (found or 0) + max(0, log.high_watermark - offset)
        return found

    def owners_of(self, topic_partition: TopicPartition) -> list[NodeId]:
        """Nodes with a replica of this log, in the order to draw."""
        known = sorted(node for node, tp in self.logs if tp == topic_partition)
        item = self.partitions.get(topic_partition)
        first = self.voters if topic_partition == METADATA else item.replicas if item is not None else ()
        return [*first, *(node for node in known if node not in first)]

    def up_count(self) -> tuple[int, int]:
        """(nodes that run, nodes known)."""
        return sum(node.is_up for node in self.nodes.values()), len(self.nodes)

    def client_fault(self, node_id: NodeId) -> str:
        """What stands between a broker and its Kafka clients, in two words; empty when nothing does."""
        return _newest_word(self.nodes.get(node_id), CLIENT_MARKS)

    def links(self) -> dict[tuple[NodeId, NodeId], LinkView]:
        """Every directed link that a fault in force touches."""
        found: dict[tuple[NodeId, NodeId], LinkView] = {}
        for fault in self.faults.values():
            for way in drawn_links(fault):
                link = found.get(way, LinkView())
                found[way] = LinkView(
                    link.is_cut or is_cut(fault),
                    link.delay_ms + fault.number("delay_ms"),
                    fault.number("bytes_per_second") or link.bytes_per_second,
                )
        return found


def loss_words(loss: CommittedLoss) -> str:
    """2 committed records of orders-0: n1 had the last copy."""
    where, count = loss.topic_partition, loss.record_count
    some = f"{count} committed record{'s' * (count > 1)}"
    return f"{some} of {safe_text(where.topic, 40)}-{where.partition}: {node_name(loss.node)} had the last copy"


def process_word(node: NodeState) -> str:
    """up, paused, starting, down, unknown."""
    return "up" if node.is_up else node.process


def drawn_links(fault: FaultState) -> tuple[tuple[NodeId, NodeId], ...]:
    """Directions between nodes that a fault cuts, delays or slows down; empty for any other fault."""
    return tuple(way for way in fault.links if min(way) > 0) if fault.kind in DRAWN_FAULTS else ()


def is_cut(fault: FaultState) -> bool:
    """Whether no frame passes on its links."""
    return bool(drawn_links(fault)) and not fault.number("delay_ms") and not fault.number("bytes_per_second")


def disk_word(node: NodeState) -> str:
    """What its disk suffers from, in one word; empty when nothing is wrong."""
    return _newest_word(node, DISK_MARKS) or ("LIES" if node.has_lied else "")


def stops_percent(node: NodeState) -> int:
    """Share of the time that the newest stutter has its process stand still; 0 without one."""
    for fault in reversed(node.faults.values()):
        if fault.kind == "Stutter":
            run_ms, stop_ms = fault.number("run_ms"), fault.number("stop_ms")
            return round(100 * stop_ms / max(1, run_ms + stop_ms))
    return 0


def _newest_word(node: NodeState | None, words: dict[str, str]) -> str:
    faults = reversed(node.faults.values()) if node is not None else ()
    return next((words[fault.kind] for fault in faults if fault.kind in words), "")


def _run_started(view: ClusterView, _entry: Entry, event: lab.RunStarted) -> None:
    view.timing = timer_words(event.config)


def _checked(view: ClusterView, _entry: Entry, event: client.ExpectationChecked) -> None:
    view.verdicts.append(("\u2713 " if event.held else "\u2717 ") + safe_text(event.text, 80))
    del view.verdicts[:-VERDICTS_MAX]


def _chart_vote(view: ClusterView, entry: Entry, _event: object) -> None:
    view.rows += votes.rows_of(entry, view, view.rows)
    del view.rows[: -votes.ROWS_MAX]


def _chart_group(view: ClusterView, entry: Entry, _event: object) -> None:
    group_rows.add_rows(view.group_rows, entry, view)


def _before(show: Fold, fold: Fold | None) -> Fold:
    """Charts come first: they tell what an entry changes."""
    if fold is None:
        return show

    def both(view: ClusterView, entry: Entry, event: object) -> None:
        show(view, entry, event)
        fold(view, entry, event)

    return both


SHOWN: dict[type, Fold] = {
    lab.RunStarted: _run_started,
    client.ExpectationChecked: _checked,
    **dict.fromkeys(votes.CHARTED, _chart_vote),
    **dict.fromkeys(group_rows.CHARTED, _chart_group),
}
"""What leaves something beside the picture."""
ClusterView.folds = FOLDS | {kind: _before(show, FOLDS.get(kind)) for kind, show in SHOWN.items()}
