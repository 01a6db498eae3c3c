"""Invariants of what a quorum node remembers and of the roles it takes. Source: Raft paper 5.1, KIP-595, KIP-996."""

from __future__ import annotations

from cluster.invariants.group import Group, before, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NO_NODE, Epoch, NodeId

NEXT_ROLES: dict[str, frozenset[str]] = {
    "unattached": frozenset({"prospective", "candidate", "follower"}),
    "prospective": frozenset({"unattached", "candidate", "follower"}),
    "candidate": frozenset({"unattached", "prospective", "leader", "follower"}),
    "leader": frozenset({"unattached", "follower", "resigned", "observer"}),
    "follower": frozenset({"unattached", "prospective", "candidate", "observer"}),
    "resigned": frozenset({"unattached", "follower", "observer"}),
    "observer": frozenset({"follower"}),
}
"""From each role, those that may come next. Copied by hand from Kafka: a table of ours in common would hide a slip.

Who votes may change: only then is one an observer, or an observer another thing.
"""


class StateInvariants(Group):
    """Judges R5, R6 and R16."""

    R5 = invariant("a node's epoch never falls", "Raft paper 5.1; Kafka MonotonicEpoch", "A1")
    R6 = invariant("on disk before it is said", "Raft paper 5.2; KIP-595")
    R16 = invariant("only legal roles and role changes", "Kafka QuorumState; KIP-996 TLA+")

    def begin(self) -> None:
        self._disks_speak = False

    @before
    def _persisted(self, entry: Entry, event: ev.ElectionPersisted) -> None:
        self._disks_speak = True
        node = self.ghost.nodes[entry.node]
        if node.persisted is not None and self.ghost.voting.is_voter(entry.node):
            self._epoch(entry, event.epoch, node.persisted.epoch, node.persisted.event)

    @before
    def _booted(self, entry: Entry, event: ev.QuorumBooted) -> None:
        if entry.node not in event.voters:
            return  # an observer gives no votes: it may learn the epoch anew
        node = self.ghost.nodes[entry.node]
        self._epoch(entry, event.epoch, node.epoch, node.voted_event)
        if node.persisted is not None:
            self._epoch(entry, event.epoch, node.persisted.epoch, node.persisted.event)

    def _epoch(self, entry: Entry, epoch: Epoch, known: Epoch, said: EventId | None) -> None:
        self.R5.checks += 1
        if epoch < known:
            self.R5.violated(f"node {entry.node} is in epoch {epoch} after it was in epoch {known}", entry, said)

    @before
    def _role_changed(self, entry: Entry, event: ev.RoleChanged) -> None:
        node = self.ghost.nodes[entry.node]
        self._epoch(entry, event.epoch, node.epoch, node.voted_event)
        self.R16.checks += 1
        why = ""
        if event.role not in NEXT_ROLES:
            why = "there is no such role"
        elif node.role and event.role != node.role and event.role not in NEXT_ROLES[node.role]:
            why = f"it was {node.role} before"
        else:
            why = _contradiction(entry.node, event, is_voter=self.ghost.voting.is_voter(entry.node))
        if why:
            role = event.role if event.role in NEXT_ROLES else "of an unknown role"
            self.R16.violated(
                f"node {entry.node} may not be {role} in epoch {event.epoch}: {why}", entry, node.voted_event
            )

    @before
    def _vote_granted(self, entry: Entry, event: ev.VoteGranted) -> None:
        if not event.pre_vote:
            self._on_disk(entry, event.epoch, event.candidate_id, "answered")

    @before
    def _election_started(self, entry: Entry, event: ev.ElectionStarted) -> None:
        if not event.pre_vote:
            self._on_disk(entry, event.epoch, entry.node, "asked for votes")

    def _on_disk(self, entry: Entry, epoch: Epoch, vote: NodeId, did: str) -> None:
        if not self._disks_speak:
            return
        self.R6.checks += 1
        held = self.ghost.nodes[entry.node].persisted
        if held is None or (held.epoch, held.voted_for) != (epoch, vote):
            self.R6.violated(
                f"node {entry.node} {did} before its vote for {vote} in epoch {epoch} was on disk",
                entry,
                held and held.event,
            )

    @before
    def _high_watermark(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
        if event.role != "leader":
            return
        for voter, end_offset in event.log_end_offsets:
            if end_offset < event.high_watermark or not self._has_its_disk(entry.node, voter):
                continue
            self.R6.checks += 1
            claimed = self.ghost.quorum.logs[voter].claimed_offset
            if claimed < event.high_watermark:
                self.R6.violated(
                    f"voter {voter} was counted for offset {event.high_watermark}, "
                    f"but its disk has claimed only {claimed} durable",
                    entry,
                    assumptions=("A1",),
                )

    def _has_its_disk(self, leader: NodeId, voter: NodeId) -> bool:
        """What a leader counts may have been on a disk that was replaced since."""
        disk = self.ghost.voting.records.disks.get(voter, "")
        return not self.ghost.voting.is_dynamic or self.ghost.voting.electorate(leader).has(voter, disk)


def _contradiction(node: NodeId, event: ev.RoleChanged, *, is_voter: bool) -> str:
    """Why this role does not go with the leader and vote it is told with; empty when it does."""
    leader = event.leader_id
    match event.role:
        case "leader" | "resigned":
            return "" if leader == node else "another node leads the epoch"
        case "follower":
            if not is_voter:
                return "it is no voter"
            return "a follower follows another node" if leader in (NO_NODE, node) else ""
        case "candidate":
            if leader != NO_NODE:
                return "the epoch has a leader"
            if not is_voter:
                return "it is no voter"
            return "" if event.voted_for == node else "a candidate votes for itself"
        case "prospective":
            return "" if is_voter else "it is no voter"
        case "unattached":
            return "" if leader == NO_NODE else "the epoch has a leader"
        case "observer":
            return "it is a voter" if is_voter else ""
        case _:
            return ""
