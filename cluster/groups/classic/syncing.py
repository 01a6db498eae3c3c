"""SyncGroup: the leader's assignment becomes a record, then everybody gets a part. Source: GroupCoordinator."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from cluster.coordination.led_partition import Asker
from cluster.coordination.writing import write
from cluster.groups.classic import rules
from cluster.groups.classic.rebalancing import answer_sync, prepare, propagate_error
from cluster.groups.classic.refusing import refused
from cluster.groups.group_state import GroupState
from cluster.groups.records import group_record
from cluster.groups.state import Group, Member, Shard, Shared
from cluster.groups.state_changes import change_state
from cluster.groups.timers import hear
from cluster.model.consumer_protocol import PROTOCOL_TYPE, ProtocolError, decode_assignment
from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import GroupAssigned
from cluster.model.identifiers import Offset
from cluster.model.messages import SyncGroupRequest, SyncGroupResponse
from cluster.model.ruling import Ruling


def on_sync(shared: Shared, shard: Shard, asker: Asker, request: SyncGroupRequest, now_ms: int) -> list[Effect]:
    """Wait for the leader's assignment, or hand it out when it is there."""
    group = shard.groups.get(request.group)
    error, decision = _judge(group, request).with_evidence
    if group is None or error != ErrorCode.NONE:
        event = refused("sync", request.group, group, request.member_id, request.generation, error, decision)
        return [event, Send(asker.sender, SyncGroupResponse(error=error), asker.correlation)]
    member = group.members[request.member_id]
    group.pending_sync.discard(member.member_id)
    if group.state is GroupState.STABLE:
        return [*hear(shared, group, member, now_ms), Send(asker.sender, _part(group, member), asker.correlation)]
    older, member.syncing = member.syncing, asker
    effects: list[Effect] = []
    if older is not None and older != asker:
        repeated = SyncGroupResponse(error=ErrorCode.REBALANCE_IN_PROGRESS)
        effects.append(Send(older.sender, repeated, older.correlation))
    if member.member_id == group.leader:
        effects += _write_assignment(shared, shard, group, dict(request.assignments))
    return effects


def _judge(group: Group | None, request: SyncGroupRequest) -> Ruling[ErrorCode]:
    ruling = rules.known_member(group, request.member_id, request.instance_id)
    if group is not None and ruling.granted:
        ruling = rules.same_generation(group, request.generation)
    if group is not None and ruling.granted:
        ruling = rules.sync(group, request.protocol_type, request.protocol)
    return ruling


def _part(group: Group, member: Member) -> SyncGroupResponse:
    return SyncGroupResponse(protocol_type=group.protocol_type, protocol=group.protocol, assignment=member.assignment)


def _write_assignment(shared: Shared, shard: Shard, group: Group, parts: dict[str, bytes]) -> list[Effect]:
    """Nobody is told a part before it is committed: a later coordinator must know it too."""
    generation = group.generation
    parts = {member_id: parts.get(member_id, b"") for member_id in group.members}

    def answer(error: ErrorCode, now_ms: int) -> list[Effect]:
        # A record takes a round to its replicas, and by then the group may be on its way to the next generation. These
        # parts were made for the members before. Handed out now, who is new would have none, what somebody had who left
        # would be read by nobody, and the assignment that the new leader sends would come too late. Source:
        # GroupCoordinator.doSyncGroup.
        if group.state is not GroupState.COMPLETING or group.generation != generation:
            return []
        if error != ErrorCode.NONE:
            failed = propagate_error(shared, group, error, now_ms)
            return [*failed, *prepare(shared, group, "the assignment was not committed", now_ms)]
        effects: list[Effect] = []
        for member in group.members.values():
            member.assignment = parts.get(member.member_id, b"")
            if member.syncing is not None:
                effects += answer_sync(member, _part(group, member))
                effects += hear(shared, group, member, now_ms)
        return [*change_state(group, GroupState.STABLE, "the assignment is committed", now_ms), *effects]

    return write(shared, shard, [group_record(group, parts)], assigned(group, parts), answer)


def assigned(group: Group, parts: dict[str, bytes]) -> Callable[[Offset], list[Effect]]:
    """What is told once these parts are committed: as far as they can be read."""
    assignments: list[tuple[str, str, int]] = []
    for member_id, data in parts.items() if group.protocol_type == PROTOCOL_TYPE else ():
        try:
            assignments += [(member_id, topic, partition) for topic, partition in decode_assignment(data)]
        except ProtocolError:
            continue
    event = GroupAssigned(
        group=group.name,
        generation=group.generation,
        protocol=group.protocol,
        offset=-1,
        assignments=tuple(assignments),
    )
    return lambda offset: [Emit(replace(event, offset=offset))]
