"""Partitions folded from what brokers apply, what controllers decide and what leaders say of their followers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import UNKNOWN_OFFSET, NodeId, TopicPartition
from cluster.model.topic_settings import COMMIT_RULE
from cluster.picture.decisions import Decided, Waiting
from cluster.picture.facts import ClusterFacts
from cluster.picture.part import own
from cluster.picture.parts import Election, IsrChange, Lag, PartitionState, WantedIsr

LONGEST_MS = 1 << 40


def _tp(event: Any) -> TopicPartition:
    return TopicPartition(event.topic, event.partition)


def decide(state: ClusterFacts, entry: Entry, event: Decided, was_fenced: bool | None = None) -> None:
    """An active controller has decided; it is so once its log has committed it."""
    state.decisions.note(Waiting(entry.node, state.node(entry.node).quorum_epoch, event, was_fenced))


def settle(state: ClusterFacts, entry: Entry, done: Sequence[Waiting]) -> None:
    """These decisions are committed."""
    if done:
        state.settled = (entry, tuple(item.event for item in done))
    for item in done:
        if isinstance(item.event, ev.TopicDeleted):
            _end_topic(state, item.event.topic, item.base_offset)
        elif isinstance(item.event, ev.PartitionDecided):
            _take(state, entry, item.event)


def take_back(state: ClusterFacts, lacking: Iterable[Waiting]) -> None:
    """These decisions, newest first, were never written where it counts."""
    for item in lacking:
        if isinstance(item.event, ev.BrokerRegistered | ev.BrokerFenced | ev.BrokerUnfenced):
            state.node(item.event.broker_id).fenced = item.was_fenced


def _end_topic(state: ClusterFacts, topic: str, base_offset: int) -> None:
    state.deleted[topic] = base_offset
    state.topics.pop(topic, None)
    state.commit_rules.topics.pop(topic, None)
    state.partitions = {where: item for where, item in state.partitions.items() if where.topic != topic}
    state.logs = {key: log for key, log in state.logs.items() if key[1].topic != topic}


def _take(state: ClusterFacts, entry: Entry, event: ev.PartitionApplied | ev.PartitionDecided) -> None:
    """Committed state; the newest partition epoch wins."""
    item = own(state.partitions, _tp(event))
    if item is None:
        item = state.partitions[_tp(event)] = own(state.unsettled, _tp(event)) or PartitionState(_tp(event))
        state.unsettled.pop(_tp(event), None)
    if event.partition_epoch < item.partition_epoch:
        return
    state.topics[event.topic] = max(state.topics.get(event.topic, 0), event.partition + 1)
    if event.leader != item.leader:
        item.lagging = {}
    item.leader, item.leader_epoch, item.partition_epoch = event.leader, event.leader_epoch, event.partition_epoch
    item.decided_leader_epoch = max(item.decided_leader_epoch, event.leader_epoch)
    _take_isr(item, event.isr, entry.t_ns)
    item.by_majority = state.commit_rules.is_majority(event.topic)
    item.elr, item.replicas, item.min_insync_replicas = event.elr, event.replicas, event.min_insync_replicas
    item.adding_replicas, item.removing_replicas = event.adding_replicas, event.removing_replicas


def _take_isr(item: PartitionState, isr: tuple[NodeId, ...], t_ns: int) -> None:
    """A committed ISR: what its leader or the controller said of it comes true."""
    left = tuple(node for node in item.isr if node not in isr)
    joined = tuple(node for node in isr if node not in item.isr)
    if item.isr and (joined or left):
        wanted = item.wanted if set(item.wanted.isr) == set(isr) else None
        item.change = IsrChange(t_ns, left, joined, wanted)
    item.isr = isr
    item.lagging = {node: lag for node, lag in item.lagging.items() if node in isr}


def _applied(state: ClusterFacts, entry: Entry, event: ev.PartitionApplied) -> None:
    """A broker that was away may apply now what was over when the topic was deleted."""
    if not 0 <= event.metadata_offset <= state.deleted.get(event.topic, -1):
        _take(state, entry, event)


def _decided(state: ClusterFacts, entry: Entry, event: ev.PartitionDecided) -> None:
    """What a leader asked for has its reason already; what the controller decides of itself is told here."""
    item = state.partition(_tp(event))
    if event.leader_epoch != item.decided_leader_epoch:
        state.elections.append(Election(entry.t_ns, _tp(event), event.leader_epoch, event.leader, event.unclean))
        item.decided_leader_epoch = event.leader_epoch
    if set(event.isr) not in (set(item.isr), set(item.wanted.isr)):
        item.wanted = WantedIsr(event.isr, (), event.why)
    if state.zookeeper.is_used:  # told once it stands in its znode: there is no log that has yet to commit it
        _take(state, entry, event)
    else:
        decide(state, entry, event)


def _deleted(state: ClusterFacts, entry: Entry, event: ev.TopicDeleted) -> None:
    if state.zookeeper.is_used:
        _end_topic(state, event.topic, UNKNOWN_OFFSET)
        del state.deleted[event.topic]
    else:
        decide(state, entry, event)


def _configured(state: ClusterFacts, _entry: Entry, event: ev.TopicConfigChanged) -> None:
    if event.config == COMMIT_RULE and not event.is_default:
        state.commit_rules.topics[event.topic] = event.value


def _isr_proposed(state: ClusterFacts, entry: Entry, event: ev.IsrProposed) -> None:
    state.partition(_tp(event)).wanted = WantedIsr(event.isr, event.old_isr, event.why, entry.decision)


def _isr_committed(state: ClusterFacts, entry: Entry, event: ev.IsrCommitted) -> None:
    """The leader learned it."""
    item = state.partition(_tp(event))
    if 0 <= item.partition_epoch <= event.partition_epoch:
        _take_isr(item, event.isr, entry.t_ns)
        item.partition_epoch = event.partition_epoch


def _lagging(state: ClusterFacts, entry: Entry, event: ev.ReplicaLagging) -> None:
    """Falling behind is not yet out. Only the committed leader can say so; one that is no more sees wrongly."""
    item = state.partition(_tp(event))
    if entry.node != item.leader:
        return
    item.lagging.pop(event.replica_id, None)
    if event.lagging:
        item.lagging[event.replica_id] = _lag(entry)


def _lag(entry: Entry) -> Lag | None:
    numbers = entry.decision.numbers if entry.decision is not None else {}
    silent_ms, limit_ms = numbers.get("not_caught_up_ms"), numbers.get("replica.lag.time.max.ms")
    if type(silent_ms) is int and type(limit_ms) is int and 0 <= silent_ms < LONGEST_MS and 0 <= limit_ms < LONGEST_MS:
        return Lag(entry.t_ns - silent_ms * 1_000_000, limit_ms)
    return None


def _cleaned(state: ClusterFacts, entry: Entry, event: ev.LogCleaned) -> None:
    where = TopicPartition(event.topic, event.partition)
    if event.is_told:
        state.log(entry.node, where).compact(event.end_offset, event.batches)
    for node in [node for node, tp in state.logs if tp == where]:
        log = state.log(node, where)
        log.cleaned_to = max(log.cleaned_to, event.end_offset)


PARTITION_FOLDS: dict[type, Callable[[ClusterFacts, Entry, Any], None]] = {
    ev.PartitionApplied: _applied, ev.PartitionDecided: _decided, ev.TopicDeleted: _deleted,
    ev.TopicConfigChanged: _configured, ev.LogCleaned: _cleaned,
    ev.IsrProposed: _isr_proposed, ev.IsrCommitted: _isr_committed, ev.ReplicaLagging: _lagging,
}  # fmt: skip
