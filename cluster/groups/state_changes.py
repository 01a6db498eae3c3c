"""A group goes from one state to another, in both protocols, and says so."""

from __future__ import annotations

from cluster.groups.group_state import MODERN_TRANSITIONS, TRANSITIONS, GroupState
from cluster.groups.state import Group
from cluster.model.effects import Effect, Emit
from cluster.model.events import GroupStateChanged
from cluster.model.ruling import Decision


def change_state(
    group: Group, state: GroupState, why: str, now_ms: int, decision: Decision | None = None
) -> list[Effect]:
    """Go to another state and say so."""
    allowed = TRANSITIONS if group.consumer is None else MODERN_TRANSITIONS
    assert state in allowed[group.state], f"{group.state} may not become {state}"
    before, group.state, group.since_ms = group.state, state, now_ms
    event = GroupStateChanged(
        group=group.name,
        before=str(before),
        state=str(state),
        generation=group.generation,
        members=tuple(group.members if group.consumer is None else group.consumer.members),
        why=why,
    )
    return [Emit(event, decision)]


def told_of_another_kind(group: Group) -> list[Effect]:
    """The group as it was is no more: its numbers begin anew, its offsets stay."""
    assert group.state is GroupState.EMPTY, "a group with members stays what it is"
    if not group.generation:
        return []
    event = GroupStateChanged(
        group=group.name,
        before=str(group.state),
        state=str(GroupState.DEAD),
        generation=group.generation,
        members=(),
        why="it is empty, and begins anew with the other group protocol",
    )
    group.generation = 0
    return [Emit(event)]
