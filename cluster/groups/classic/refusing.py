"""What a coordinator says when it refuses a member."""

from __future__ import annotations

from cluster.groups.state import Group
from cluster.model.effects import Emit
from cluster.model.errors import ErrorCode
from cluster.model.events import GroupRequestRefused
from cluster.model.ruling import Decision


def refused(
    function: str,
    name: str,
    group: Group | None,
    member_id: str,
    generation: int,
    error: ErrorCode,
    decision: Decision,
) -> Emit:
    """The event that tells it, with the rule that decided it."""
    event = GroupRequestRefused(
        function=function,
        group=name,
        member_id=member_id,
        generation=generation,
        error=error,
        group_generation=-1 if group is None else group.generation,
        state="" if group is None else str(group.state),
    )
    return Emit(event, decision)
