"""From one generation to the next: the join phase, its end, and members that drop out. Source: GroupCoordinator."""

from __future__ import annotations

from cluster.coordination.writing import nobody, nothing, write
from cluster.groups.classic import rules
from cluster.groups.group_state import GroupState
from cluster.groups.records import group_record
from cluster.groups.state import Group, Member, Shard, Shared
from cluster.groups.state_changes import change_state
from cluster.groups.timers import forget_timer, hear
from cluster.model.consumer_protocol import PROTOCOL_TYPE, ProtocolError, decode_subscription
from cluster.model.effects import Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import GroupGenerationBegan, GroupMemberLeft
from cluster.model.messages import JoinGroupResponse, SyncGroupResponse
from cluster.model.ruling import Decision


def prepare(shared: Shared, group: Group, why: str, now_ms: int) -> list[Effect]:
    """Begin a join phase, unless one is on. From Empty it waits for more members to come; else for those there are."""
    if group.state in (GroupState.PREPARING, GroupState.DEAD):
        return []
    effects: list[Effect] = []
    if group.state is GroupState.COMPLETING:
        effects += propagate_error(shared, group, ErrorCode.REBALANCE_IN_PROGRESS, now_ms)
    effects += forget_timer(shared, group.sync_timer)
    group.pending_sync.clear()
    group.is_initial = group.state is GroupState.EMPTY
    group.has_new_member = False
    timeout_ms = group.rebalance_timeout_ms
    if group.is_initial:
        delay_ms = shared.settings.group_initial_rebalance_delay_ms
        group.remaining_ms = max(0, timeout_ms - delay_ms)
        timeout_ms = delay_ms
    shared.timers[group.join_timer] = (group.name, "")
    effects += change_state(group, GroupState.PREPARING, why, now_ms)
    return [*effects, SetTimer(group.join_timer, max(1, timeout_ms))]


def try_complete(shared: Shared, shard: Shard, group: Group, now_ms: int) -> list[Effect]:
    """End the join phase when nobody is missing."""
    if group.state is not GroupState.PREPARING or group.is_initial or not group.has_all_joined:
        return []
    return complete(shared, shard, group, now_ms)


def on_join_timeout(shared: Shared, shard: Shard, group: Group, now_ms: int) -> list[Effect]:
    """The join phase has lasted long enough, or is extended once more for members that keep coming."""
    if group.state is not GroupState.PREPARING:
        return []
    if group.is_initial and group.has_new_member and group.remaining_ms:
        delay_ms = min(shared.settings.group_initial_rebalance_delay_ms, group.remaining_ms)
        group.remaining_ms -= delay_ms
        group.has_new_member = False
        return [SetTimer(group.join_timer, max(1, delay_ms))]
    group.is_initial = False
    return complete(shared, shard, group, now_ms)


def complete(shared: Shared, shard: Shard, group: Group, now_ms: int) -> list[Effect]:
    """Members that did not join are out, unless they are static; the rest is the next generation."""
    effects: list[Effect] = []
    for member_id in rules.missing(group):
        # A static member that is late is most likely being restarted, and comes back under its instance id. It keeps
        # its place and its part; to put it out would make two rebalances of one restart. Its session still runs
        # (KIP-345).
        if not group.members[member_id].instance_id:
            effects += remove(shared, group, member_id, "not_rejoined", now_ms)
    if group.members and not _has_joined_leader(group):
        return [*effects, SetTimer(group.join_timer, max(1, group.rebalance_timeout_ms))]
    effects += forget_timer(shared, group.join_timer)
    group.generation += 1
    if not group.members:
        group.protocol = group.leader = ""
        effects += change_state(group, GroupState.EMPTY, "nobody is left", now_ms)
        return [*effects, *write(shared, shard, [group_record(group, {})], nothing, nobody)]
    group.protocol, decision = rules.vote_protocol(group).with_evidence
    effects += change_state(group, GroupState.COMPLETING, "all members have joined", now_ms, decision)
    effects.append(Emit(_begun(group), decision))
    group.pending_sync = set(group.members)
    for member in group.members.values():
        effects += answer_join(group, member, joined(group, member))
        effects += hear(shared, group, member, now_ms)
        member.is_new = False
    shared.timers[group.sync_timer] = (group.name, "")
    return [*effects, SetTimer(group.sync_timer, max(1, group.rebalance_timeout_ms))]


def _has_joined_leader(group: Group) -> bool:
    """The leader stays when it has joined again; else the first that has takes over."""
    leader = group.members.get(group.leader)
    if leader is not None and leader.joining is not None:
        return True
    group.leader = rules.first_of(item.member_id for item in group.members.values() if item.joining)
    return bool(group.leader)


def _begun(group: Group) -> GroupGenerationBegan:
    wanted = []
    for member_id, _, data in group.subscriptions() if group.protocol_type == PROTOCOL_TYPE else ():
        try:
            wanted += [(member_id, topic) for topic in sorted(set(decode_subscription(data).topics))]
        except ProtocolError:
            continue
    return GroupGenerationBegan(
        group=group.name,
        generation=group.generation,
        protocol=group.protocol,
        leader=group.leader,
        members=tuple(group.members),
        subscriptions=tuple(wanted),
    )


def joined(group: Group, member: Member, *, for_leader: bool = True) -> JoinGroupResponse:
    """What a member of the present generation is told."""
    is_leader = for_leader and member.member_id == group.leader
    return JoinGroupResponse(
        generation=group.generation,
        protocol_type=group.protocol_type,
        protocol=group.protocol,
        leader=group.leader,
        member_id=member.member_id,
        members=group.subscriptions() if is_leader else (),
    )


def answer_join(group: Group, member: Member, response: JoinGroupResponse) -> list[Effect]:
    """Answer a JoinGroup that waits."""
    asker, member.joining = member.joining, None
    return [] if asker is None else [Send(asker.sender, response, asker.correlation)]


def on_sync_timeout(shared: Shared, group: Group, now_ms: int) -> list[Effect]:
    """Members that never asked for their part are out. Source: GroupCoordinator, DelayedSync."""
    if group.state not in (GroupState.COMPLETING, GroupState.STABLE) or not group.pending_sync:
        return []
    effects: list[Effect] = []
    for member_id in sorted(group.pending_sync & set(group.members)):
        effects += remove(shared, group, member_id, "not_synced", now_ms)
    return [*effects, *prepare(shared, group, "members did not sync", now_ms)]


def leave(shared: Shared, shard: Shard, group: Group, member_id: str, why: str, now_ms: int) -> list[Effect]:
    """Take a member out; the others divide its part anew."""
    effects = remove(shared, group, member_id, why, now_ms)
    effects += prepare(shared, group, f"a member is out: {why}", now_ms) if group.state is not GroupState.EMPTY else []
    return [*effects, *try_complete(shared, shard, group, now_ms)]


def remove(
    shared: Shared, group: Group, member_id: str, why: str, now_ms: int, decision: Decision | None = None
) -> list[Effect]:
    """Strike a member from the list; whatever it waits for is refused."""
    member = group.members.pop(member_id)
    group.pending_sync.discard(member_id)
    if group.static_ids.get(member.instance_id) == member_id:
        del group.static_ids[member.instance_id]
    effects = forget_timer(shared, member.timer)
    effects += answer_join(group, member, JoinGroupResponse(error=ErrorCode.UNKNOWN_MEMBER_ID))
    effects += answer_sync(member, SyncGroupResponse(error=ErrorCode.UNKNOWN_MEMBER_ID))
    if group.leader == member_id:
        group.leader = rules.first_of(group.members)
    event = GroupMemberLeft(
        group=group.name,
        member_id=member_id,
        instance_id=member.instance_id,
        generation=group.generation,
        why=why,
        silent_ms=now_ms - member.heard_ms,
    )
    return [*effects, Emit(event, decision)]


def propagate_error(shared: Shared, group: Group, error: ErrorCode, now_ms: int) -> list[Effect]:
    """Nobody has a part, and who waits for one is told why."""
    effects: list[Effect] = []
    for member in group.members.values():
        member.assignment = b""
        if member.syncing is not None:
            effects += answer_sync(member, SyncGroupResponse(error=error))
            effects += hear(shared, group, member, now_ms)
    return effects


def answer_sync(member: Member, response: SyncGroupResponse) -> list[Effect]:
    """Answer a SyncGroup that waits."""
    asker, member.syncing = member.syncing, None
    return [] if asker is None else [Send(asker.sender, response, asker.correlation)]
