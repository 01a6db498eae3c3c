"""Where a group is between two generations, and where it may go from there, in both protocols.

Source: Kafka GroupState; GroupMetadata, ConsumerGroup.
"""

from __future__ import annotations

from enum import StrEnum


class GroupState(StrEnum):
    """Where a group is between two generations."""

    EMPTY = "Empty"
    """No members; offsets may remain."""
    PREPARING = "PreparingRebalance"
    """Waiting for members to join the next generation."""
    COMPLETING = "CompletingRebalance"
    """Waiting for the leader's assignment."""
    ASSIGNING = "Assigning"
    """Newer protocol: the group epoch has grown, the target assignment is of an older one."""
    RECONCILING = "Reconciling"
    """Newer protocol: some members are not where their target assignment wants them."""
    STABLE = "Stable"
    """Everybody may have a part."""
    DEAD = "Dead"


TRANSITIONS: dict[GroupState, frozenset[GroupState]] = {
    GroupState.EMPTY: frozenset((GroupState.PREPARING, GroupState.DEAD)),
    GroupState.PREPARING: frozenset((GroupState.COMPLETING, GroupState.EMPTY, GroupState.DEAD)),
    GroupState.COMPLETING: frozenset((GroupState.STABLE, GroupState.PREPARING, GroupState.DEAD)),
    GroupState.STABLE: frozenset((GroupState.PREPARING, GroupState.DEAD)),
    GroupState.DEAD: frozenset(),
}
_MODERN = frozenset((GroupState.EMPTY, GroupState.ASSIGNING, GroupState.RECONCILING, GroupState.STABLE))
MODERN_TRANSITIONS: dict[GroupState, frozenset[GroupState]] = {
    **{state: _MODERN - {state} for state in _MODERN},
    GroupState.EMPTY: (_MODERN - {GroupState.EMPTY}) | {GroupState.DEAD},
}
"""Of groups of the newer protocol: one step of one member may lead anywhere, but only an empty group dies."""
