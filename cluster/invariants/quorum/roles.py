"""What each input may make of a role, and what a node keeps within one epoch. Source: Kafka QuorumState, KIP-996."""

from __future__ import annotations

from cluster.invariants.ghost.parts import NodeGhost
from cluster.invariants.group import Group, before, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE, NodeId

LEARNS = frozenset({"unattached", "follower", "observer"})
"""After an answer that names another epoch or its leader."""
MAY_BECOME: dict[str, frozenset[str]] = {
    "VoteRequest": frozenset({"unattached", "observer"}),
    "VoteResponse": LEARNS | {"candidate", "leader"},
    "BeginQuorumEpochRequest": frozenset({"follower", "observer"}),
    "EndQuorumEpochRequest": frozenset({"follower", "observer"}),
    "BeginQuorumEpochResponse": LEARNS,
    "EndQuorumEpochResponse": LEARNS,
    "FetchRequest": frozenset(),
    "FetchResponse": LEARNS,
    "timer quorum.election": frozenset({"prospective", "candidate", "leader", "unattached", "follower", "observer"}),
    "timer quorum.fetch": frozenset({"prospective", "candidate"}),
    "timer quorum.check": frozenset({"resigned"}),
}
"""By what set a step off: the roles it may lead to, beside the one before. By hand from Kafka, not from our table."""


class RoleInvariants(Group):
    """Judges R20."""

    R20 = invariant("a role follows from what came, and an epoch keeps its vote and leader", "KIP-996", "A1")

    def begin(self) -> None:
        self._steps: dict[NodeId, tuple[int, int, str]] = {}
        """Start, place and trigger of the newest step of each node, as far as its events follow one another."""

    @before
    def _on_step(self, entry: Entry, _event: ev.VoteReceived | ev.ElectionPersisted) -> None:
        self._came(entry)

    def _came(self, entry: Entry) -> str:
        """What set the step off to which an event belongs; empty when that is not known."""
        came = entry.trigger.partition(" from ")[0]
        if not came:
            incarnation, seq, before = self._steps.get(entry.node, (-1, -1, ""))
            came = before if (incarnation, seq) == (entry.incarnation, entry.seq - 1) else ""
        self._steps[entry.node] = entry.incarnation, entry.seq, came
        return came

    @before
    def _on_role(self, entry: Entry, event: ev.RoleChanged) -> None:
        came, before = self._came(entry), self.ghost.nodes[entry.node]
        self.R20.checks += 1
        allowed = MAY_BECOME.get(came)
        is_removed = not self.ghost.voting.is_voter(entry.node)
        left_office = event.role == "resigned" and is_removed  # that is committed
        if allowed is not None and event.role not in allowed | {before.role} and not left_office:
            self._violated(entry, before, f"becomes {event.role} by {came}")
        if not before.role:
            return  # it was not told how it began
        wrong = _newer(event, before) if event.epoch > before.epoch else _same_epoch(event, before)
        if wrong:
            self._violated(entry, before, wrong)

    def _violated(self, entry: Entry, before: NodeGhost, what: str) -> None:
        self.R20.violated(
            f"node {entry.node}, {before.role} in epoch {before.epoch}, {what}", entry, before.voted_event
        )


def _newer(event: ev.RoleChanged, before: NodeGhost) -> str:
    """What is wrong with the first role in a newer epoch."""
    match event.role:
        case "candidate" if event.epoch != before.epoch + 1:
            return f"asks for votes in epoch {event.epoch}, which is not the next one"
        case "prospective" | "leader" | "resigned":
            return f"is {event.role} in epoch {event.epoch} at once"
        case _:
            return ""


def _same_epoch(event: ev.RoleChanged, before: NodeGhost) -> str:
    """What is wrong with a change within one epoch."""
    if before.voted_for not in (NO_NODE, event.voted_for):
        return f"forgets its vote for {before.voted_for}"
    begins_anew = event.role == "candidate"  # who had voted for itself before a restart forgets it in Kafka, too
    if before.leader_id not in (NO_NODE, event.leader_id) and not begins_anew:
        return f"forgets leader {before.leader_id}"
    if event.voted_for != before.voted_for and event.role != before.role:
        return f"becomes {event.role} by giving its vote"
    match event.role:
        case "candidate" if before.voted_for != event.voted_for:
            return "becomes candidate in an epoch that it did not begin"
        case "unattached" if before.role not in ("unattached", "prospective"):
            return "becomes unattached without a newer epoch"
        case _:
            return ""
