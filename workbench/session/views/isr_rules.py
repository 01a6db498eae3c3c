"""How what is told of partitions and their ISRs changes the view: one small function per event class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.entry import Entry
from cluster.model.events import controller, replica
from cluster.model.identifiers import NodeId, TopicPartition
from workbench.session.describe.sentences import node_name
from workbench.session.views.nodes import IsrTold, Lag, PartitionView
from workbench.session.views.state import ViewState
from workbench.support.safe_text import safe_text

LIMIT = "replica.lag.time.max.ms"
LONGEST_MS = 1 << 40


def _of(view: ViewState, e: Any) -> PartitionView:
    """The partition; one that nobody sees when its topic is deleted and who speaks of it has not heard of that."""
    where = TopicPartition(e.topic, e.partition)
    if e.topic in view.deleted and where not in view.partitions:
        return PartitionView(where)
    return view.partition(where)


def _numbers(entry: Entry, *names: str) -> list[int] | None:
    """What the rule behind an event compared; None when it does not say all of them, or not as whole numbers."""
    told = entry.decision.numbers if entry.decision is not None else {}
    found = [value for value in (told.get(name) for name in names) if type(value) is int and 0 <= value < LONGEST_MS]
    return found if len(found) == len(names) else None


def _names(nodes: tuple[NodeId, ...]) -> str:
    return " ".join(map(node_name, nodes))


def _take(item: PartitionView, isr: tuple[NodeId, ...], t_ns: int) -> None:
    """A committed ISR: what its leader or the controller said of it comes true."""
    joined = tuple(node for node in isr if node not in item.isr)
    left = tuple(node for node in item.isr if node not in isr)
    wanted, why = item.wanted
    if item.isr and (joined or left):
        words = [f"{_names(nodes)} {word}" for nodes, word in ((left, "out"), (joined, "in")) if nodes]
        item.told = IsrTold(t_ns, ", ".join(words) + (f": {why}" if why and set(wanted) == set(isr) else ""))
    item.isr = isr
    item.lags = {node: lag for node, lag in item.lags.items() if node in isr}


def on_partition(view: ViewState, entry: Entry, e: controller.PartitionApplied | controller.PartitionDecided) -> None:
    """Committed state; the newest partition epoch wins.

    A broker that was away may apply now what was over when the topic was deleted.
    """
    if isinstance(e, controller.PartitionApplied) and 0 <= e.metadata_offset <= view.deleted.get(e.topic, -1):
        return
    item = view.partition(TopicPartition(e.topic, e.partition))
    if e.partition_epoch < item.partition_epoch:
        return
    if e.leader != item.leader:
        item.lagging, item.lags = (), {}
    item.leader, item.leader_epoch, item.partition_epoch = e.leader, e.leader_epoch, e.partition_epoch
    _take(item, e.isr, entry.t_ns)
    item.elr, item.replicas, item.min_insync_replicas = e.elr, e.replicas, e.min_insync_replicas


def on_isr_committed(view: ViewState, entry: Entry, e: replica.IsrCommitted) -> None:
    """The leader learned it."""
    item = _of(view, e)
    if e.partition_epoch >= item.partition_epoch:
        _take(item, e.isr, entry.t_ns)
        item.partition_epoch = e.partition_epoch


def on_proposed(view: ViewState, entry: Entry, e: replica.IsrProposed) -> None:
    """What the leader wants, and the numbers that made it want it where one replica comes or goes."""
    changed, why = set(e.isr) ^ set(e.old_isr), safe_text(e.why, 60)
    has, behind = _numbers(entry, "log_end_offset", "high_watermark"), _numbers(entry, "not_caught_up_ms", LIMIT)
    if len(changed) == 1 and len(e.isr) > len(e.old_isr) and has:
        why = f"its LEO {has[0]} has reached HW {has[1]}"
    elif len(changed) == 1 and len(e.isr) < len(e.old_isr) and behind:
        why = f"behind for {behind[0] / 1000:.1f} s, allowed {behind[1] / 1000:.1f} s"
    _of(view, e).wanted = e.isr, why


def on_decided(view: ViewState, _entry: Entry, e: controller.PartitionDecided) -> None:
    """What the controller decides of itself; what a leader asked for has its reason already."""
    item = _of(view, e)
    if set(e.isr) not in (set(item.isr), set(item.wanted[0])):
        item.wanted = e.isr, safe_text(e.why, 60)


def on_lagging(view: ViewState, entry: Entry, e: replica.ReplicaLagging) -> None:
    """Falling behind is not yet out. Only the committed leader can say so; one that is no more sees wrongly."""
    item = _of(view, e)
    if entry.node != item.leader:
        return
    item.lagging = tuple(node for node in item.lagging if node != e.replica_id)
    item.lags = {node: lag for node, lag in item.lags.items() if node != e.replica_id}
    if e.lagging:
        item.lagging = (*item.lagging, e.replica_id)
        told = _numbers(entry, "not_caught_up_ms", LIMIT)
        if told is not None:
            item.lags[e.replica_id] = Lag(entry.t_ns - told[0] * 1_000_000, told[1])


ISR_HANDLERS: dict[type, Callable[[ViewState, Entry, Any], None]] = {
    controller.PartitionDecided: on_decided,
    controller.PartitionApplied: on_partition,
    replica.IsrProposed: on_proposed,
    replica.IsrCommitted: on_isr_committed,
    replica.ReplicaLagging: on_lagging,
}
