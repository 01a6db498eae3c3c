"""Members speak Kafka's bytes in every version."""

from __future__ import annotations

import pytest

from cluster.kafka.apis import group_membership as heartbeat
from cluster.kafka.apis import group_membership as join_group
from cluster.kafka.apis import group_membership as leave_group
from cluster.kafka.apis import group_membership as sync_group
from cluster.kafka.apis.group_membership import HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, SYNC_GROUP
from cluster.model.errors import ErrorCode
from tests.support.clients.group_client import Call, ask
from tests.support.worlds.group_world import GroupWorld, Person, part, stable, subscription


def world_of(*names: str) -> tuple[GroupWorld, list[Person]]:
    world = GroupWorld()
    world.lead()
    people = [Person(world, name) for name in names]
    if people:
        stable(world, *people)
    return world, people


def join_message(member_id: str = "", **changes: object) -> join_group.JoinGroupRequest:
    message = join_group.JoinGroupRequest(
        group_id="g",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=60_000,
        member_id=member_id,
        protocol_type="consumer",
        protocols=[join_group.JoinGroupRequestProtocol("range", subscription())],
    )
    for name, value in changes.items():
        setattr(message, name, value)
    return message


@pytest.mark.parametrize("version", JOIN_GROUP.versions)
def test_a_client_joins_syncs_beats_and_leaves(version: int) -> None:
    world, _ = world_of()
    call = Call(world, JOIN_GROUP, version, join_message())
    first = call.read()
    if version >= 4:
        assert first.error_code == ErrorCode.MEMBER_ID_REQUIRED and first.member_id.startswith("kcat-")
        call = Call(world, JOIN_GROUP, version, join_message(first.member_id))
    assert call.read() is None, "it waits for the generation"
    world.pass_ms(3_000)
    joined = call.read()
    assert (joined.error_code, joined.generation_id, joined.protocol_name) == (ErrorCode.NONE, 1, "range")
    assert joined.leader == joined.member_id
    assert [(item.member_id, item.metadata) for item in joined.members] == [(joined.member_id, subscription())]
    sync_version = min(version, SYNC_GROUP.last)
    assignment = [sync_group.SyncGroupRequestAssignment(joined.member_id, part(0, 1))]
    sync = sync_group.SyncGroupRequest("g", 1, joined.member_id, assignments=assignment)
    synced = ask(world, SYNC_GROUP, sync_version, sync)
    assert (synced.error_code, synced.assignment) == (ErrorCode.NONE, part(0, 1))
    beat = ask(world, HEARTBEAT, min(version, 4), heartbeat.HeartbeatRequest("g", 1, joined.member_id))
    assert beat.error_code == ErrorCode.NONE
    leave_version = min(version, 5)
    members = [leave_group.MemberIdentity(joined.member_id)] if leave_version >= 3 else []
    message = leave_group.LeaveGroupRequest("g", "" if members else joined.member_id, members)
    left = ask(world, LEAVE_GROUP, leave_version, message)
    assert left.error_code == ErrorCode.NONE
    assert [item.error_code for item in left.members] == [ErrorCode.NONE] * len(members)
    assert not world.group().members


def test_errors_reach_the_client() -> None:
    world, (a,) = world_of("a")
    beat = ask(world, HEARTBEAT, 4, heartbeat.HeartbeatRequest("g", 7, a.member_id))
    assert beat.error_code == ErrorCode.ILLEGAL_GENERATION
    told = ask(world, SYNC_GROUP, 5, sync_group.SyncGroupRequest("g", 1, "nobody"))
    assert told.error_code == ErrorCode.UNKNOWN_MEMBER_ID and told.assignment == b""
    left = ask(world, LEAVE_GROUP, 1, leave_group.LeaveGroupRequest("g", "nobody"))
    assert left.error_code == ErrorCode.UNKNOWN_MEMBER_ID, "an old client hears of its one member at the top"


@pytest.mark.parametrize(("version", "protocol"), [(6, ""), (7, None)])
def test_who_is_refused_has_no_assignor(version: int, protocol: str | None) -> None:
    world, _ = world_of()
    refused = ask(world, JOIN_GROUP, version, join_message(session_timeout_ms=1))
    assert refused.error_code == ErrorCode.INVALID_SESSION_TIMEOUT and refused.protocol_name == protocol


def test_the_first_version_waits_for_the_session_instead_of_a_rebalance_timeout() -> None:
    world, _ = world_of()
    Call(world, JOIN_GROUP, 0, join_message())
    assert [item.rebalance_timeout_ms for item in world.group().members.values()] == [10_000]


def test_a_static_member_that_is_back_is_told_to_keep_the_assignment_from_version_9_on() -> None:
    world = GroupWorld()
    world.lead()
    a = Person(world, "a", instance_id="shelf-1")
    stable(world, a)
    back = ask(world, JOIN_GROUP, 9, join_message(group_instance_id="shelf-1"))
    assert back.skip_assignment and back.leader == back.member_id and back.generation_id == 1
