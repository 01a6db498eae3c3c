"""The timers of groups and members, known by their names to the broker that coordinates them."""

from __future__ import annotations

from cluster.groups.state import Group, Member, Shared
from cluster.model.effects import CancelTimer, Effect, SetTimer


def hear(shared: Shared, group: Group, member: Member, now_ms: int, timeout_ms: int = 0) -> list[Effect]:
    """A sign of life: its session, or the given time, begins anew."""
    member.heard_ms = now_ms
    shared.timers[member.timer] = (group.name, member.member_id)
    return [SetTimer(member.timer, timeout_ms or member.session_timeout_ms)]


def forget_timer(shared: Shared, name: str) -> list[Effect]:
    """Nobody waits for it any more."""
    return [] if shared.timers.pop(name, None) is None else [CancelTimer(name)]
