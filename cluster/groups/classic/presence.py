"""Heartbeats, leaving, and sessions that run out. Source: GroupCoordinator; KIP-345 (many members leave at once)."""

from __future__ import annotations

from cluster.coordination.led_partition import Asker
from cluster.groups.classic import rules
from cluster.groups.classic.rebalancing import leave, prepare, remove, try_complete
from cluster.groups.classic.refusing import refused
from cluster.groups.group_state import GroupState
from cluster.groups.state import Group, Shard, Shared
from cluster.groups.timers import forget_timer, hear
from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.messages import HeartbeatRequest, HeartbeatResponse, LeaveGroupRequest, LeaveGroupResponse


def on_heartbeat(shared: Shared, shard: Shard, asker: Asker, request: HeartbeatRequest, now_ms: int) -> list[Effect]:
    """The member is alive; it hears whether the group rebalances."""
    group = shard.groups.get(request.group)
    ruling = rules.known_member(group, request.member_id, request.instance_id)
    if group is not None and ruling.granted:
        ruling = rules.same_generation(group, request.generation)
    if group is not None and ruling.granted:
        ruling = rules.heartbeat(group)
    error, decision = ruling.with_evidence
    effects: list[Effect] = []
    if group is not None and error in (ErrorCode.NONE, ErrorCode.REBALANCE_IN_PROGRESS):
        effects += hear(shared, group, group.members[request.member_id], now_ms)
    if error != ErrorCode.NONE:
        effects.append(
            refused("heartbeat", request.group, group, request.member_id, request.generation, error, decision)
        )
    return [*effects, Send(asker.sender, HeartbeatResponse(error=error), asker.correlation)]


def on_leave(shared: Shared, shard: Shard, asker: Asker, request: LeaveGroupRequest, now_ms: int) -> list[Effect]:
    """Members go of their own will, or are taken out by an administrator who names them."""
    group = shard.groups.get(request.group)
    effects: list[Effect] = []
    left: list[tuple[str, str, int]] = []
    for member_id, instance_id in request.members:
        error, decision = rules.may_leave(group, member_id, instance_id).with_evidence
        left.append((member_id, instance_id, error))
        if error != ErrorCode.NONE:
            effects.append(refused("leave", request.group, group, member_id, -1, error, decision))
            continue
        assert group is not None
        if timer := group.pending_members.pop(member_id, ""):
            effects += [*forget_timer(shared, timer), *try_complete(shared, shard, group, now_ms)]
        else:
            effects += leave(shared, shard, group, member_id or group.static_ids[instance_id], "left", now_ms)
    return [*effects, Send(asker.sender, LeaveGroupResponse(members=tuple(left)), asker.correlation)]


def on_session_timeout(
    shared: Shared, shard: Shard, group: Group, name: str, member_id: str, now_ms: int
) -> list[Effect]:
    """A member was silent for too long. One that waits for an answer of ours is not silent."""
    if group.pending_members.get(member_id) == name:
        del group.pending_members[member_id]
        shared.timers.pop(name, None)
        return try_complete(shared, shard, group, now_ms)
    member = next((item for item in group.members.values() if item.timer == name), None)
    if member is None:
        return []
    why, decision = rules.session_expired(member, now_ms).with_evidence
    if not why:
        return []
    effects = remove(shared, group, member.member_id, why, now_ms, decision)
    if group.state is not GroupState.EMPTY:
        effects += prepare(shared, group, f"a member is out: {why}", now_ms)
    return [*effects, *try_complete(shared, shard, group, now_ms)]
