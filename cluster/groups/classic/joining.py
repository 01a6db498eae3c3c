"""JoinGroup: new members, members that come again, static members that return. Source: GroupCoordinator."""

from __future__ import annotations

from cluster.coordination.led_partition import Asker
from cluster.coordination.writing import write
from cluster.groups.classic import rules
from cluster.groups.classic.rebalancing import answer_join, answer_sync, joined, prepare, try_complete
from cluster.groups.classic.refusing import refused
from cluster.groups.classic.syncing import assigned
from cluster.groups.consumer.rules import members as consumer_rules
from cluster.groups.group_state import GroupState
from cluster.groups.kind import to_classic
from cluster.groups.records import group_record
from cluster.groups.rules import fits_record
from cluster.groups.state import Group, Member, Queued, Shard, Shared, found_group
from cluster.groups.timers import forget_timer, hear
from cluster.model.effects import Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import GroupMemberJoined, GroupMemberLeft
from cluster.model.messages import JoinGroupRequest, JoinGroupResponse, SyncGroupResponse
from cluster.model.ruling import Decision

KNOWN_ERRORS = (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_INSTANCE_ID)


def on_join(shared: Shared, shard: Shard, asker: Asker, request: JoinGroupRequest, now_ms: int) -> list[Effect]:
    """Let a member in, or say why not. The answer comes when the generation is complete."""
    settings = shared.settings
    group = shard.groups.get(request.group)
    if group is not None and group.is_writing:
        group.queue.append(_queued(shared, shard, asker, request))
        return []
    error, decision = rules.session_timeout(
        request.session_timeout_ms, settings.group_min_session_timeout_ms, settings.group_max_session_timeout_ms
    ).with_evidence
    if error == ErrorCode.NONE:
        names = [name for name, _ in request.protocols]
        error, decision = fits_record(
            request.instance_id, request.client_id, request.protocol_type, *names
        ).with_evidence
    if error == ErrorCode.NONE and group is not None:
        error, decision = consumer_rules.takes_classic_member(group).with_evidence
    if error == ErrorCode.NONE and group is None and request.member_id:
        error, decision = rules.known_member(group, request.member_id, request.instance_id).with_evidence
    if error != ErrorCode.NONE:
        return _refuse(asker, group, request, error, decision)
    if group is None:
        group = found_group(shared, shard, request.group, now_ms)
    effects: list[Effect] = [] if group.consumer is None else to_classic(shared, shard, group)
    error, decision = rules.supports_protocols(
        group, request.protocol_type, [name for name, _ in request.protocols]
    ).with_evidence
    if error != ErrorCode.NONE:
        return [*effects, *_refuse(asker, group, request, error, decision)]
    if request.member_id:
        effects += _on_known(shared, shard, group, asker, request, now_ms)
    else:
        effects += _on_new(shared, shard, group, asker, request, now_ms)
    return [*effects, *try_complete(shared, shard, group, now_ms)]


def _queued(shared: Shared, shard: Shard, asker: Asker, request: JoinGroupRequest) -> Queued:
    """It comes while the group, of the newer protocol, is about to change."""

    def serve(then_ms: int) -> list[Effect]:
        return on_join(shared, shard, asker, request, then_ms)

    def refuse(error: ErrorCode) -> list[Effect]:
        return [Send(asker.sender, JoinGroupResponse(error=error, member_id=request.member_id), asker.correlation)]

    return Queued(serve, refuse)


def _on_new(
    shared: Shared, shard: Shard, group: Group, asker: Asker, request: JoinGroupRequest, now_ms: int
) -> list[Effect]:
    """It has no id yet. A dynamic member gets one and has to come again: so a lost answer leaves no ghost (KIP-394)."""
    member_id = shared.member_id(request.instance_id or request.client_id)
    old = group.static_ids.get(request.instance_id) if request.instance_id else None
    if old is not None:
        return _replace_static(shared, shard, group, old, member_id, asker, request, now_ms)
    if request.instance_id or not request.needs_member_id:
        return _add(shared, group, member_id, asker, request, now_ms)
    timer = f"groups.session.{shared.number()}"
    group.pending_members[member_id] = timer
    shared.timers[timer] = (group.name, member_id)
    response = JoinGroupResponse(error=ErrorCode.MEMBER_ID_REQUIRED, member_id=member_id)
    return [SetTimer(timer, request.session_timeout_ms), Send(asker.sender, response, asker.correlation)]


def _on_known(
    shared: Shared, shard: Shard, group: Group, asker: Asker, request: JoinGroupRequest, now_ms: int
) -> list[Effect]:
    timer = group.pending_members.pop(request.member_id, "")
    if timer:
        return [*forget_timer(shared, timer), *_add(shared, group, request.member_id, asker, request, now_ms)]
    error, decision = rules.known_member(group, request.member_id, request.instance_id).with_evidence
    if error != ErrorCode.NONE:
        return _refuse(asker, group, request, error, decision)
    member = group.members[request.member_id]
    has_changed = member.protocols != request.protocols
    is_leader = member.member_id == group.leader
    if group.state is GroupState.COMPLETING and not has_changed:
        return _repeat_answer(shared, group, member, asker, now_ms, for_leader=True)
    if group.state is GroupState.STABLE and not has_changed and not is_leader:
        return _repeat_answer(shared, group, member, asker, now_ms, for_leader=False)
    why = "a member's metadata has changed" if has_changed else "its leader joins again"
    effects = _update(member, asker, request)
    return [*effects, *prepare(shared, group, why, now_ms)]


def _repeat_answer(
    shared: Shared, group: Group, member: Member, asker: Asker, now_ms: int, *, for_leader: bool
) -> list[Effect]:
    """It has missed an answer: the generation is the same."""
    response = joined(group, member, for_leader=for_leader)
    return [*hear(shared, group, member, now_ms), Send(asker.sender, response, asker.correlation)]


def _add(
    shared: Shared, group: Group, member_id: str, asker: Asker, request: JoinGroupRequest, now_ms: int
) -> list[Effect]:
    member = Member(
        member_id=member_id,
        instance_id=request.instance_id,
        client_id=request.client_id,
        client_host=request.client_host,
        session_timeout_ms=request.session_timeout_ms,
        rebalance_timeout_ms=_rebalance_timeout_ms(request),
        protocols=request.protocols,
        timer=f"groups.session.{shared.number()}",
        joining=asker,
    )
    if not group.members:
        group.protocol_type = request.protocol_type
    group.members[member_id] = member
    group.leader = group.leader or member_id
    if request.instance_id:
        group.static_ids[request.instance_id] = member_id
    group.has_new_member = True
    effects: list[Effect] = [_told_joined(group, member)]
    effects += hear(shared, group, member, now_ms, shared.settings.group_new_member_join_timeout_ms)
    effects += prepare(shared, group, "a member is new", now_ms)
    return effects


def _update(member: Member, asker: Asker, request: JoinGroupRequest) -> list[Effect]:
    """A member comes for the next generation; an earlier request of it that waits is answered by this one's answer."""
    older = member.joining
    member.protocols, member.joining = request.protocols, asker
    member.session_timeout_ms, member.rebalance_timeout_ms = request.session_timeout_ms, _rebalance_timeout_ms(request)
    if older is None or older == asker:
        return []
    return [Send(older.sender, JoinGroupResponse(error=ErrorCode.UNKNOWN_MEMBER_ID), older.correlation)]


def _rebalance_timeout_ms(request: JoinGroupRequest) -> int:
    """Version 0 has none: the session timeout counts."""
    return request.rebalance_timeout_ms if request.rebalance_timeout_ms > 0 else request.session_timeout_ms


def _replace_static(
    shared: Shared,
    shard: Shard,
    group: Group,
    old_id: str,
    member_id: str,
    asker: Asker,
    request: JoinGroupRequest,
    now_ms: int,
) -> list[Effect]:
    """A static member is back under a new id. In a stable group it gets its part again and nobody rebalances.

    Who still uses the old id is fenced. Source: KIP-345, GroupCoordinator.updateStaticMemberAndRebalance.
    """
    old_leader, before = group.leader, group.members[old_id]
    fenced = ErrorCode.FENCED_INSTANCE_ID
    effects = answer_join(group, before, JoinGroupResponse(error=fenced, member_id=old_id))
    effects += answer_sync(before, SyncGroupResponse(error=fenced))
    chosen = before.subscription(group.protocol)
    _rename(group, before, member_id)
    effects.append(_told_replaced(group, old_id, before.instance_id, now_ms - before.heard_ms))
    effects += _update(before, asker, request)
    effects.append(_told_joined(group, before))
    effects += hear(shared, group, before, now_ms)
    if group.state is not GroupState.STABLE:
        return [*effects, *prepare(shared, group, "a static member is back", now_ms)]
    keeps = rules.vote_protocol(group).value == group.protocol and before.subscription(group.protocol) == chosen
    if not keeps:
        return [*effects, *prepare(shared, group, "a static member is back with another subscription", now_ms)]
    before.joining = None
    parts = {item.member_id: item.assignment for item in group.members.values()}

    def answer(error: ErrorCode, _now_ms: int) -> list[Effect]:
        if error == ErrorCode.NONE:  # another one may have come under its instance id meanwhile
            error, _ = rules.known_member(group, member_id, request.instance_id).with_evidence
        if error != ErrorCode.NONE:
            failed = JoinGroupResponse(error=error, member_id=member_id, generation=group.generation)
            return [Send(asker.sender, failed, asker.correlation)]
        skips = request.can_skip_assignment and member_id == group.leader
        response = joined(group, before, for_leader=skips)
        response.skip_assignment = skips
        response.leader = group.leader if request.can_skip_assignment else old_leader
        return [Send(asker.sender, response, asker.correlation)]

    return [*effects, *write(shared, shard, [group_record(group, parts)], assigned(group, parts), answer)]


def _rename(group: Group, member: Member, member_id: str) -> None:
    """The same member under another id, at the same place in the order."""
    old_id, member.member_id = member.member_id, member_id
    group.members = {item.member_id: item for item in group.members.values()}
    group.static_ids[member.instance_id] = member_id
    if old_id in group.pending_sync:
        group.pending_sync = (group.pending_sync - {old_id}) | {member_id}
    if group.leader == old_id:
        group.leader = member_id


def _refuse(
    asker: Asker, group: Group | None, request: JoinGroupRequest, error: ErrorCode, decision: Decision
) -> list[Effect]:
    kept_id = request.member_id if error in KNOWN_ERRORS else ""
    response = JoinGroupResponse(error=error, member_id=kept_id)
    event = refused("join", request.group, group, request.member_id, -1, error, decision)
    return [event, Send(asker.sender, response, asker.correlation)]


def _told_joined(group: Group, member: Member) -> Emit:
    event = GroupMemberJoined(
        group=group.name,
        member_id=member.member_id,
        instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        generation=group.generation,
        session_timeout_ms=member.session_timeout_ms,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
    )
    return Emit(event)


def _told_replaced(group: Group, old_id: str, instance_id: str, silent_ms: int) -> Emit:
    event = GroupMemberLeft(
        group=group.name,
        member_id=old_id,
        instance_id=instance_id,
        generation=group.generation,
        why="replaced",
        silent_ms=silent_ms,
    )
    return Emit(event)
