"""Which logs have nobody that can lead them at this moment."""

from __future__ import annotations

from cluster.model.identifiers import INTERNAL_TOPICS, METADATA, NodeId, TopicPartition
from cluster.picture.parts import LIVING
from workbench.session.views.cluster import ClusterView


def leaderless(view: ClusterView) -> frozenset[TopicPartition]:
    """METADATA for the quorum, and partitions of topics: their leader is gone, stands still or is cut off.

    A quorum that never had a leader is not among them: nothing is missing there yet.
    """
    cut = {way for way, link in view.links().items() if link.is_cut}
    logs = {
        tp
        for tp, item in view.partitions.items()
        if tp.topic not in INTERNAL_TOPICS and not _leads(view, item.leader, cut)
    }
    if view.quorum_epoch and not _has_quorum(view, view.leader_of_newest_epoch, cut):
        logs.add(METADATA)
    return frozenset(logs)


def is_cut_off(view: ClusterView, leader: NodeId) -> bool:
    """Whether a leader of the quorum runs and can reach no majority any more."""
    cut = {way for way, link in view.links().items() if link.is_cut}
    return bool(cut) and _runs(view, leader) and not _has_quorum(view, leader, cut)


def _runs(view: ClusterView, node_id: NodeId) -> bool:
    node = view.nodes.get(node_id)
    return node is not None and node.process in LIVING


def _hears(cut: set[tuple[NodeId, NodeId]], one: NodeId, other: NodeId) -> bool:
    return (one, other) not in cut and (other, one) not in cut


def _has_quorum(view: ClusterView, leader: NodeId, cut: set[tuple[NodeId, NodeId]]) -> bool:
    """Whether it runs and a majority of the voters, itself included, can hear it and be heard."""
    heard = sum(voter == leader or _hears(cut, leader, voter) for voter in view.voters)
    return _runs(view, leader) and heard * 2 > len(view.voters)


def _leads(view: ClusterView, leader: NodeId, cut: set[tuple[NodeId, NodeId]]) -> bool:
    """Whether it runs, and the quorum's leader does not miss its heartbeats."""
    quorum = view.quorum_leader
    return _runs(view, leader) and (leader == quorum or _hears(cut, leader, quorum))
