"""Which events decide something, and in a few letters what: the words of a step."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from cluster.faults.grammar import VERB_OF
from cluster.model.entry import Entry
from cluster.model.events import controller, group, lab, quorum, replica
from cluster.model.identifiers import INTERNAL_TOPICS, NO_NODE, NodeId, TopicPartition
from cluster.picture.cluster_state import ClusterState
from workbench.session.describe.sentences import node_name
from workbench.support.safe_text import safe_text

DEED, ACT, ANSWER, FOLLOW, DECIDE, CUT = "deed", "act", "answer", "follow", "decide", "cut"
"""Phases: what is done to the cluster; who asks, counts what it was answered, or leads; what it is answered; who
follows; what an active controller decides; where a log is cut. An answer is never in one step with its question."""
TEXT_MAX = 8
"""Letters of a kind of fault: a step has ten."""


class Decided(NamedTuple):
    """What one event decided."""

    phase: str
    text: str
    """For a narrow cell: who and what."""
    about: tuple[object, ...] = ()
    """What else tells it from another of the same text."""


SHORTER = {"partition": "cut", "duplicate": "copy"}
"""First words of commands that have no room in a narrow cell."""


def decided(entry: Entry, before: ClusterState) -> Decided | None:
    """What the entry decided; None for most. before: the cluster with it, in which nothing uncommitted counts."""
    said = SAID.get(type(entry.event))
    return said(entry.event, entry.node, before) if said is not None else None


def _fault(e: lab.FaultApplied, _node: NodeId, _view: ClusterState) -> Decided:
    who = node_name(e.nodes[0]) if len(e.nodes) == 1 and e.family == "process" else ""
    verb = re.split("[ -]", VERB_OF.get(e.kind, safe_text(e.kind, TEXT_MAX)))[0].lower()
    return Decided(DEED, f"\u2717 {who or SHORTER.get(verb, verb)[:TEXT_MAX]}", (e.fault_id,))


def _healed(e: lab.FaultReverted, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(DEED, "heal", (e.fault_id,))


def _ended(e: lab.ProcessExited | lab.PowerLost, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(DEED, f"\u2717 {node_name(e.node_id)}")


def _ready(e: lab.ProcessReady, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(DEED, f"{node_name(e.node_id)} up")


def _resumed(e: lab.RunResumed, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(DEED, "resumed")


def _asks(e: quorum.ElectionStarted, node: NodeId, _view: ClusterState) -> Decided:
    text = f"\u25d4 {node_name(node)}" if e.pre_vote else f"{node_name(node)} e{e.epoch}?"
    return Decided(ACT, text, (e.epoch,))


def _answers(e: quorum.VoteGranted | quorum.VoteRejected, node: NodeId, _view: ClusterState) -> Decided:
    said = "yes" if isinstance(e, quorum.VoteGranted) else "no"
    sign = "\u25d4" if e.pre_vote else ""  # as where it is asked: nobody is bound by it
    return Decided(ANSWER, f"{sign}{node_name(node)} {said}", (e.candidate_id, e.epoch, e.pre_vote))


def _counts(e: quorum.VoteReceived, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(ACT, f"{e.granted_count} of {e.needed}", (e.epoch, e.pre_vote, e.voter_id, e.granted))


def _wins(e: quorum.LeaderElected, node: NodeId, _view: ClusterState) -> Decided:
    return Decided(ACT, f"\u2605 {node_name(node)}", (e.epoch,))


def _role(e: quorum.RoleChanged, node: NodeId, _view: ClusterState) -> Decided | None:
    """Who follows, and who gives up. Those who ask or win say that in an event of its own."""
    if e.role == "resigned":
        return Decided(FOLLOW, f"{node_name(node)} quits", (e.epoch,))
    if e.role in ("follower", "observer") and e.leader_id != NO_NODE:
        return Decided(FOLLOW, f"{node_name(node)} \u25b8{e.leader_id}", (e.epoch,))
    return None


def _fenced(e: controller.BrokerFenced, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(DECIDE, f"{node_name(e.broker_id)} out", (e.broker_epoch,))


def _unfenced(e: controller.BrokerUnfenced, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(DECIDE, f"{node_name(e.broker_id)} back", (e.broker_epoch,))


def _partition(e: controller.PartitionDecided, _node: NodeId, view: ClusterState) -> Decided | None:
    """A new leader or another ISR of a partition that is there already."""
    known = view.facts(TopicPartition(e.topic, e.partition))
    if e.topic in INTERNAL_TOPICS or known is None or (known.leader, known.isr) == (e.leader, e.isr):
        return None
    about = e.topic, e.partition, e.partition_epoch
    if known.leader != e.leader:
        return Decided(DECIDE, f"\u2605 {node_name(e.leader)}?" if e.leader != NO_NODE else "nobody", about)
    return Decided(DECIDE, f"ISR {len(known.isr)}\u2192{len(e.isr)}", about)


def _leads(e: replica.BecameLeader, node: NodeId, _view: ClusterState) -> Decided | None:
    return (
        None
        if e.topic in INTERNAL_TOPICS
        else Decided(ACT, f"\u2605 {node_name(node)}", (e.topic, e.partition, e.leader_epoch))
    )


def _follows(e: replica.BecameFollower, node: NodeId, _view: ClusterState) -> Decided | None:
    if e.topic in INTERNAL_TOPICS or e.leader == NO_NODE:
        return None
    return Decided(FOLLOW, f"{node_name(node)} \u25b8{e.leader}", (e.topic, e.partition, e.leader_epoch))


def _isr_asked(e: replica.IsrProposed, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(ACT, f"ISR {len(e.isr)}?", (e.topic, e.partition, e.partition_epoch))


def _isr_known(e: replica.IsrCommitted, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(ACT, f"ISR {len(e.isr)}", (e.topic, e.partition, e.partition_epoch))


def _isr_refused(e: replica.IsrRefused, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(ANSWER, "ISR no", (e.topic, e.partition, e.error))


def _epoch_end(e: replica.EpochEndAnswered, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(ANSWER, f"ends {e.end_offset}", (e.replica_id, e.asked_epoch, e.end_offset))


def _ends(e: quorum.MetadataDiverged | replica.ReplicaDiverged, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(ANSWER, f"ends {e.diverging_end_offset}", (e.replica_id, e.diverging_epoch))


def _cuts(e: quorum.MetadataTruncated | replica.ReplicaTruncated, node: NodeId, _view: ClusterState) -> Decided | None:
    if e.end_offset >= e.old_end_offset or getattr(e, "topic", "") in INTERNAL_TOPICS:
        return None
    return Decided(CUT, f"\u2702 {node_name(node)}")


def _answered(e: replica.ProduceAnswered, node: NodeId, _view: ClusterState) -> Decided:
    """Told again for each request: who reads them takes the first of each kind."""
    said = "no" if e.error else "ack"
    return Decided(ANSWER, f"{node_name(node)} {said}", (e.topic, e.partition, e.error))


def _generation(e: group.GroupGenerationBegan, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(DECIDE, "rebalance", (e.group, e.generation))


def _targeted(e: group.ConsumerGroupTargeted, _node: NodeId, _view: ClusterState) -> Decided:
    return Decided(DECIDE, "rebalance", (e.group, e.group_epoch))


SAID: dict[type, Callable[[Any, NodeId, ClusterState], Decided | None]] = {
    lab.FaultApplied: _fault,
    lab.FaultReverted: _healed,
    lab.ProcessExited: _ended,
    lab.ProcessReady: _ready,
    lab.PowerLost: _ended,
    lab.RunResumed: _resumed,
    quorum.ElectionStarted: _asks,
    quorum.VoteGranted: _answers,
    quorum.VoteRejected: _answers,
    quorum.VoteReceived: _counts,
    quorum.LeaderElected: _wins,
    quorum.RoleChanged: _role,
    quorum.MetadataDiverged: _ends,
    quorum.MetadataTruncated: _cuts,
    controller.BrokerFenced: _fenced,
    controller.BrokerUnfenced: _unfenced,
    controller.PartitionDecided: _partition,
    replica.BecameLeader: _leads,
    replica.BecameFollower: _follows,
    replica.IsrProposed: _isr_asked,
    replica.IsrCommitted: _isr_known,
    replica.IsrRefused: _isr_refused,
    replica.EpochEndAnswered: _epoch_end,
    replica.ReplicaDiverged: _ends,
    replica.ReplicaTruncated: _cuts,
    replica.ProduceAnswered: _answered,
    group.GroupGenerationBegan: _generation,
    group.ConsumerGroupTargeted: _targeted,
}
"""What each kind of event decides, of those that decide."""
