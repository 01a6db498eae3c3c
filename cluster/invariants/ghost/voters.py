"""Who may vote, as the logs of the nodes say: the newest record of voters counts, committed or not. KIP-853."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cluster.invariants.ghost.log import GhostLog
from cluster.invariants.ghost.parts import NodeGhost, PartitionGhost
from cluster.model.identifiers import UNKNOWN_OFFSET, Epoch, NodeId, Offset


class Electorate(NamedTuple):
    """The voters of a stretch of the log."""

    nodes: tuple[NodeId, ...] = ()
    disks: tuple[str, ...] = ()
    """Id of the disk of each of them; empty ones where voters are numbers alone."""
    offset: Offset = UNKNOWN_OFFSET
    """Of their record; -1 for those that a disk was formatted with, and in a static quorum."""

    def has(self, node: NodeId, disk: str) -> bool:
        """Whether that number with that disk is a voter."""
        return (node, disk) in zip(self.nodes, self.disks, strict=True)

    def has_majority(self, disks: Mapping[NodeId, str]) -> bool:
        """Whether these nodes, each with its disk, include a majority of the voters."""
        count = sum(disks.get(node) == disk for node, disk in zip(self.nodes, self.disks, strict=True))
        return count * 2 > len(self.nodes)


class VoterRecords:
    """All records of voters that leaders wrote, and what disks were formatted with."""

    def __init__(self) -> None:
        self._first: dict[NodeId, Electorate] = {}
        self._written: dict[tuple[Epoch, Offset], Electorate] = {}
        self.disks: dict[NodeId, str] = {}
        """Of each node that has told of its own: the one that it has now."""

    def note(self, node: NodeId, disk: str, epoch: Epoch, electorate: Electorate, *, is_leader: bool) -> None:
        """A node goes by other voters. What stands in the log is believed of the leader that wrote it."""
        self.disks[node] = disk
        if electorate.offset == UNKNOWN_OFFSET:
            self._first[node] = electorate
        elif is_leader:
            self._written.setdefault((epoch, electorate.offset), electorate)

    def of(self, node: NodeId, log: GhostLog, end_offset: Offset | None = None) -> Electorate:
        """By whom a node with that log goes, or with what it holds below end_offset."""
        newest, end_offset = self._first.get(node, Electorate()), log.end_offset if end_offset is None else end_offset
        for (epoch, offset), electorate in self._written.items():
            if newest.offset < offset < end_offset and log.epoch_at(offset) == epoch:
                newest = electorate
        return newest


class Voting:
    """Who votes, and who is a majority. It reads the nodes and the quorum's logs of the ghost that it is a part of."""

    def __init__(self, nodes: Mapping[NodeId, NodeGhost], quorum: PartitionGhost) -> None:
        self._nodes, self._quorum = nodes, quorum
        self.is_dynamic = False
        """Whether voters stand in the log."""
        self.voters: tuple[NodeId, ...] = ()
        """Of a dynamic quorum those in the log of its newest leader."""
        self.records = VoterRecords()

    def electorate(self, node: NodeId) -> Electorate:
        """The voters by whom a node goes, as its log has them."""
        if self.is_dynamic:
            return self.records.of(node, self._quorum.log(node))
        return Electorate(self.voters, ("",) * len(self.voters))

    def is_voter(self, node: NodeId) -> bool:
        """Whether it may vote, as far as its own log says; a disk that replaced another one knows of nothing yet."""
        facts = self._nodes.get(node)
        if facts is not None and facts.is_replaced:
            return False
        return self.electorate(node).has(node, self.records.disks.get(node, ""))

    def has_majority(self, nodes: set[NodeId], of: Electorate | None = None) -> bool:
        """Whether these, with the disks that they have now, include a majority of the voters.

        A node that has not told yet of the disk that replaced another one is no voter.
        """
        if not self.is_dynamic:
            return len(nodes.intersection(self.voters)) * 2 > len(self.voters)
        of = self.in_force() if of is None else of
        unreplaced = [node for node in nodes if node not in self._nodes or not self._nodes[node].is_replaced]
        return of.has_majority({node: self.records.disks.get(node, "") for node in unreplaced})

    def leader_within(self, nodes: set[NodeId]) -> NodeId | None:
        """Whom a majority of all voters, all of them among these, names as leader in one epoch, and who agrees."""
        for node in nodes.intersection(self.voters, self._nodes):
            leader = self._nodes[node]
            named = {
                other for other in nodes.intersection(self._nodes)
                if (self._nodes[other].epoch, self._nodes[other].leader_id) == (leader.epoch, node)
            }  # fmt: skip
            if leader.role == "leader" and self.has_majority(named):
                return node
        return None

    def in_force(self) -> Electorate:
        """As the log of the newest leader has them; before there is one, as any disk was formatted."""
        leaders = self._quorum.leaders
        if leaders:
            return self.electorate(leaders[max(leaders)].node)
        return max((self.electorate(node) for node in self._nodes), default=Electorate(), key=lambda item: item.nodes)
