"""The rules of elections: who leads a partition, and what its ISR and its ELR are then (KIP-966)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.partition_state import PartitionState
from cluster.model.ruling import Numbers, Ruling, rule


class Election(StrEnum):
    """How far an election may go. Source: PartitionChangeBuilder.Election."""

    ONLINE = "online"
    """Keep a valid leader, else take a valid one."""
    PREFERRED = "preferred"
    """Like online, but the first replica of the assignment comes before the leader."""
    UNCLEAN = "unclean"
    """Like online, then any eligible replica."""


class Choice(Struct, frozen=True, kw_only=True):
    """The outcome of one election."""

    leader: NodeId
    """-1 when nobody may lead."""
    unclean: bool = False
    """Committed records may be lost."""
    from_elr: bool = False
    """The leader was not in the ISR but is known to hold all committed records."""


class Candidates(Struct, frozen=True, kw_only=True):
    """What an election looks at."""

    state: PartitionState
    """Before the change."""
    target_isr: tuple[NodeId, ...]
    """The ISR to be."""
    target_elr: tuple[NodeId, ...]
    """The eligible leader replicas to be."""
    eligible: frozenset[NodeId]
    """Brokers that are unfenced and not shutting down, after the change."""
    elr_enabled: bool
    """Whether KIP-966 is on."""

    def is_valid(self, broker_id: NodeId) -> bool:
        """May lead without loss: in service, and in the ISR, or in the ELR of an empty ISR."""
        if broker_id not in self.eligible:
            return False
        return broker_id in (self.target_isr or self.target_elr)


@rule(source="KIP-183, KIP-460, KIP-966", kafka="PartitionChangeBuilder.electLeader")
def elect_leader(candidates: Candidates, election: Election) -> Ruling[Choice]:
    """The first replica of the assignment leads that is in service and in the ISR; unclean, any that is in service.

    The leader stays while it may; a preferred election prefers the first replica of the assignment. -1 when nobody may
    lead.
    """
    choice, reason = _elect(candidates, election)
    state = candidates.state
    numbers: Numbers = {
        "election": str(election),
        "leader_before": state.leader,
        "leader": choice.leader,
        "assignment": list(state.replicas),
        "isr": list(candidates.target_isr),
        "elr": list(candidates.target_elr),
        "eligible": sorted(candidates.eligible & set(state.replicas)),
    }
    if candidates.elr_enabled and not candidates.target_isr and not candidates.target_elr:
        numbers["last_known_leader"] = state.last_known_leader
    return Ruling(choice, choice.leader != NO_NODE, reason, numbers)


def _elect(candidates: Candidates, election: Election) -> tuple[Choice, str]:
    state = candidates.state
    preferred = state.replicas[0]
    if election is Election.PREFERRED and candidates.is_valid(preferred):
        return _clean(candidates, preferred), "the preferred replica is valid"
    # Whoever leads stays, though another comes first in the assignment. Each change of the leader is a new leader
    # epoch: producers and consumers are refused until they have looked it up, and followers have to find where their
    # logs part. A member more or less in the ISR is not worth that; the balance timer gives leaderships back when it is
    # quiet.
    if candidates.is_valid(state.leader):
        return _clean(candidates, state.leader), "the leader is still valid"
    for replica in state.replicas:
        if candidates.is_valid(replica):
            where = "ISR" if candidates.target_isr else "ELR, the ISR is empty"
            return _clean(candidates, replica), f"first valid replica in assignment order, from the {where}"
    if _may_take_last_known_leader(candidates):
        return Choice(leader=state.last_known_leader, unclean=True), "ISR and ELR are empty: the last known leader"
    if election is Election.UNCLEAN:
        for replica in state.replicas:
            if replica in candidates.eligible:
                return Choice(leader=replica, unclean=True), "no valid replica: the first eligible one, unclean"
    return Choice(leader=NO_NODE), "no replica may lead"


def _clean(candidates: Candidates, leader: NodeId) -> Choice:
    return Choice(leader=leader, from_elr=leader not in candidates.target_isr)


def _may_take_last_known_leader(candidates: Candidates) -> bool:
    """KIP-966, balanced recovery. Since it led, a move may have taken it from the replicas."""
    if not candidates.elr_enabled or candidates.target_isr or candidates.target_elr:
        return False
    return candidates.state.last_known_leader in candidates.eligible.intersection(candidates.state.replicas)


class Membership(NamedTuple):
    """Who holds what is committed, after an election."""

    isr: tuple[NodeId, ...]
    elr: tuple[NodeId, ...]
    recovering: bool
    """Whether the leader may lack committed records, and has not said yet that it goes on without them."""


@rule(source="KIP-966", kafka="PartitionChangeBuilder.tryElection")
def isr_after_election(candidates: Candidates, choice: Choice, *, recovering: bool) -> Ruling[Membership]:
    """Who wins an unclean election is alone in the ISR and has to recover; who comes from the ELR begins the ISR anew.

    Args:
        recovering: as it is without an unclean election.
    """
    isr, elr = candidates.target_isr, candidates.target_elr
    # The old ISR says nothing about the log that counts from now on:
    #
    #     n1 n2   0 1 2 3    the ISR, both out of service
    #     n3      0 1        is elected, unclean, and writes another 2
    #
    # If n1 stayed in the ISR and n3 went, n1 would be elected as a clean leader, and would bring the old 2 and 3 back
    # in place of what n3 has acknowledged. So n1 has to follow n3, and is cut to 0 1, before it may join again.
    if choice.unclean:
        return Ruling(Membership((choice.leader,), (), True), True, "nobody else holds the log that counts now")
    if choice.from_elr and choice.leader != NO_NODE:
        others = tuple(replica for replica in elr if replica != choice.leader)
        return Ruling(Membership((choice.leader,), others, recovering), True, "the leader comes from the ELR")
    # The last member stays in the ISR though it is out of service. Of it alone it is known that it has all that is
    # committed; were the ISR empty, nobody could be elected again without a guess. So it is waited for. But if its
    # machine has lost power, it is elected all the same when it is back, with less, and the others cut what it lacks:
    # KIP-966 calls it the last replica standing. With ELR the ISR may be empty, and whoever left it before is known.
    if not isr and not candidates.elr_enabled:
        return Ruling(Membership(candidates.state.isr, elr, recovering), False, "an ISR without ELR is never empty")
    return Ruling(Membership(isr, elr, recovering), False, "as it was to be")
