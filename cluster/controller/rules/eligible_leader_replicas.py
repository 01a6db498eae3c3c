"""The rule of who stays eligible to lead after leaving the ISR: the ELR."""

from __future__ import annotations

from cluster.model.identifiers import NodeId
from cluster.model.partition_state import PartitionState
from cluster.model.ruling import Ruling, rule


@rule(source="KIP-966", kafka="PartitionChangeBuilder.maybePopulateTargetElr")
def eligible_leader_replicas(
    state: PartitionState, target_isr: tuple[NodeId, ...], elr_enabled: bool, lost: frozenset[NodeId]
) -> Ruling[tuple[NodeId, ...]]:
    """Who leaves the ISR while it falls below its minimum stays eligible to lead: nothing is committed without it then.

    Safe because the high watermark stands still below min.insync.replicas. An ISR at its minimum needs no ELR.

    Args:
        lost: brokers that came back from an unclean stop and may have lost records.
    """
    if not elr_enabled:
        return Ruling((), False, "eligible leader replicas are off")
    if len(target_isr) >= state.min_insync_replicas:
        return Ruling((), False, "the ISR is not below its minimum")
    # That nothing was committed without it proves something of its log as it was. Records are acknowledged before they
    # are flushed, so a broker that was killed with its machine may be back with less. It tells by the marker of a clean
    # stop, which it does not have then (`registrations.is_clean_restart`). Source: KIP-966.
    held = (set(state.elr) | set(state.isr)) - set(target_isr) - lost
    return Ruling(in_assignment_order(state, held), bool(held), "they hold all that is committed")


def in_assignment_order(state: PartitionState, members: set[NodeId]) -> tuple[NodeId, ...]:
    """Members in the order of the assignment; others are left out."""
    return tuple(replica for replica in state.replicas if replica in members)
