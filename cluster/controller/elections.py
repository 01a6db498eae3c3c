"""Who leads a partition: the election rule, and elections that were asked for."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from cluster.model.decision import Decision
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.partition_state import PartitionState

SOURCE = "PartitionChangeBuilder.electLeader; KIP-183, KIP-460, KIP-966"


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


def elect_leader(candidates: Candidates, election: Election) -> tuple[Choice, Decision]:
    """Choose the leader of one partition; leader -1 when nobody may lead."""
    choice, reason = _elect(candidates, election)
    state = candidates.state
    decision = Decision(
        "elect_leader",
        choice.leader != NO_NODE,
        reason,
        SOURCE,
        {
            "election": str(election),
            "leader_before": state.leader,
            "leader": choice.leader,
            "assignment": list(state.replicas),
            "isr": list(candidates.target_isr),
            "elr": list(candidates.target_elr),
            "eligible": sorted(candidates.eligible & set(state.replicas)),
        },
    )
    return choice, decision


def _elect(candidates: Candidates, election: Election) -> tuple[Choice, str]:
    state = candidates.state
    preferred = state.replicas[0]
    if election is Election.PREFERRED and candidates.is_valid(preferred):
        return _clean(candidates, preferred), "the preferred replica is valid"
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
    """KIP-966, balanced recovery."""
    if not candidates.elr_enabled or candidates.target_isr or candidates.target_elr:
        return False
    return candidates.state.last_known_leader in candidates.eligible
