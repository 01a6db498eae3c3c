"""JoinGroup, SyncGroup, Heartbeat, LeaveGroup: members of classic groups, one question of the coordinator for each.

Source: Kafka KafkaApis.handleJoinGroupRequest and its neighbours; KIP-345 (instance ids), KIP-394 (member ids).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api
from cluster.kafka.codec.fields import array, blob, boolean, int16, int32, string
from cluster.kafka.exchange import OneAnswer
from cluster.model import messages as core

CLIENT_HOST = "/127.0.0.1"
"""Clients connect over loopback only; Kafka writes an address so."""
_MEMBER_ID_FROM, _SKIP_FROM, _NULL_PROTOCOL_FROM, _MANY_LEAVE_FROM = 4, 9, 7, 3


@dataclass(slots=True)
class JoinGroupRequestProtocol:
    """An assignor that the member knows, and its subscription for it."""

    name: str = string()
    metadata: bytes = blob()


@dataclass(slots=True)
class JoinGroupRequest:
    """Let me in."""

    group_id: str = string()
    session_timeout_ms: int = int32()
    rebalance_timeout_ms: int = int32("1+", default=-1)
    member_id: str = string()
    group_instance_id: str | None = string("5+", null="0+", default=None)
    protocol_type: str = string()
    protocols: list[JoinGroupRequestProtocol] = array(JoinGroupRequestProtocol)
    reason: str | None = string("8+", null="0+", default=None)


@dataclass(slots=True)
class JoinGroupResponseMember:
    """One member's subscription."""

    member_id: str = string()
    group_instance_id: str | None = string("5+", null="0+", default=None)
    metadata: bytes = blob()


@dataclass(slots=True)
class JoinGroupResponse:
    """The generation; its leader also learns all subscriptions."""

    throttle_time_ms: int = int32("2+")
    error_code: int = int16()
    generation_id: int = int32(default=-1)
    protocol_type: str | None = string("7+", null="0+", default=None)
    protocol_name: str | None = string(null="7+")
    leader: str = string()
    skip_assignment: bool = boolean("9+")
    member_id: str = string()
    members: list[JoinGroupResponseMember] = array(JoinGroupResponseMember)


class JoinGroupExchange(OneAnswer):
    """What becomes of one JoinGroup request."""

    __slots__ = ()

    def _asked(self) -> core.JoinGroupRequest:
        message, version = self._request.message, self._request.version
        return core.JoinGroupRequest(
            group=message.group_id,
            member_id=message.member_id,
            instance_id=message.group_instance_id or "",
            client_id=self._request.client_id or "",
            client_host=CLIENT_HOST,
            session_timeout_ms=message.session_timeout_ms,
            rebalance_timeout_ms=message.rebalance_timeout_ms,
            protocol_type=message.protocol_type,
            protocols=tuple((item.name, bytes(item.metadata)) for item in message.protocols),
            needs_member_id=version >= _MEMBER_ID_FROM,
            can_skip_assignment=version >= _SKIP_FROM,
        )

    def response(self) -> JoinGroupResponse:
        """The generation. Who is refused has no assignor: null where the version has it, else empty."""
        answer: core.JoinGroupResponse = self._answer
        nothing = None if self._request.version >= _NULL_PROTOCOL_FROM else ""
        return JoinGroupResponse(
            error_code=self._request.error(answer.error),
            generation_id=answer.generation,
            protocol_type=answer.protocol_type or None,
            protocol_name=answer.protocol or nothing,
            leader=answer.leader,
            skip_assignment=answer.skip_assignment,
            member_id=answer.member_id,
            members=[
                JoinGroupResponseMember(member_id, instance_id or None, metadata)
                for member_id, instance_id, metadata in answer.members
            ],
        )


JOIN_GROUP: Final = Api(11, JoinGroupRequest, JoinGroupResponse, JoinGroupExchange, versions="0-9", flexible="6+")


@dataclass(slots=True)
class SyncGroupRequestAssignment:
    """One member's part."""

    member_id: str = string()
    assignment: bytes = blob()


@dataclass(slots=True)
class SyncGroupRequest:
    """Give me my part; the leader sends those of all."""

    group_id: str = string()
    generation_id: int = int32()
    member_id: str = string()
    group_instance_id: str | None = string("3+", null="0+", default=None)
    protocol_type: str | None = string("5+", null="0+", default=None)
    protocol_name: str | None = string("5+", null="0+", default=None)
    assignments: list[SyncGroupRequestAssignment] = array(SyncGroupRequestAssignment)


@dataclass(slots=True)
class SyncGroupResponse:
    """The member's part."""

    throttle_time_ms: int = int32("1+")
    error_code: int = int16()
    protocol_type: str | None = string("5+", null="0+", default=None)
    protocol_name: str | None = string("5+", null="0+", default=None)
    assignment: bytes = blob()


class SyncGroupExchange(OneAnswer):
    """What becomes of one SyncGroup request."""

    __slots__ = ()

    def _asked(self) -> core.SyncGroupRequest:
        message = self._request.message
        return core.SyncGroupRequest(
            group=message.group_id,
            generation=message.generation_id,
            member_id=message.member_id,
            instance_id=message.group_instance_id or "",
            protocol_type=message.protocol_type or "",
            protocol=message.protocol_name or "",
            assignments=tuple((item.member_id, bytes(item.assignment)) for item in message.assignments),
        )

    def response(self) -> SyncGroupResponse:
        """The member's part."""
        answer: core.SyncGroupResponse = self._answer
        return SyncGroupResponse(
            error_code=self._request.error(answer.error),
            protocol_type=answer.protocol_type or None,
            protocol_name=answer.protocol or None,
            assignment=answer.assignment,
        )


SYNC_GROUP: Final = Api(14, SyncGroupRequest, SyncGroupResponse, SyncGroupExchange, versions="0-5", flexible="4+")


@dataclass(slots=True)
class HeartbeatRequest:
    """I am still here."""

    group_id: str = string()
    generation_id: int = int32()
    member_id: str = string()
    group_instance_id: str | None = string("3+", null="0+", default=None)


@dataclass(slots=True)
class HeartbeatResponse:
    """Whether the member is still in, or must join again."""

    throttle_time_ms: int = int32("1+")
    error_code: int = int16()


class HeartbeatExchange(OneAnswer):
    """What becomes of one Heartbeat request."""

    __slots__ = ()

    def _asked(self) -> core.HeartbeatRequest:
        message = self._request.message
        return core.HeartbeatRequest(
            group=message.group_id,
            generation=message.generation_id,
            member_id=message.member_id,
            instance_id=message.group_instance_id or "",
        )

    def response(self) -> HeartbeatResponse:
        """Go on, or join again."""
        answer: core.HeartbeatResponse = self._answer
        return HeartbeatResponse(error_code=self._request.error(answer.error))


HEARTBEAT: Final = Api(12, HeartbeatRequest, HeartbeatResponse, HeartbeatExchange, versions="0-4", flexible="4+")


@dataclass(slots=True)
class MemberIdentity:
    """A member that leaves."""

    member_id: str = string()
    group_instance_id: str | None = string(null="0+", default=None)
    reason: str | None = string("5+", null="0+", default=None)


@dataclass(slots=True)
class LeaveGroupRequest:
    """Remove me; version 3 and later name many members."""

    group_id: str = string()
    member_id: str = string("0-2")
    members: list[MemberIdentity] = array(MemberIdentity, "3+")


@dataclass(slots=True)
class MemberResponse:
    """What became of it."""

    member_id: str = string()
    group_instance_id: str | None = string(null="0+")
    error_code: int = int16()


@dataclass(slots=True)
class LeaveGroupResponse:
    """Whether they were removed."""

    throttle_time_ms: int = int32("1+")
    error_code: int = int16()
    members: list[MemberResponse] = array(MemberResponse, "3+")


class LeaveGroupExchange(OneAnswer):
    """What becomes of one LeaveGroup request: of one member, or from version 3 on of many."""

    __slots__ = ()

    def _asked(self) -> core.LeaveGroupRequest:
        message = self._request.message
        if self._request.version < _MANY_LEAVE_FROM:
            return core.LeaveGroupRequest(group=message.group_id, members=((message.member_id, ""),))
        members = tuple((item.member_id, item.group_instance_id or "") for item in message.members)
        return core.LeaveGroupRequest(group=message.group_id, members=members)

    def response(self) -> LeaveGroupResponse:
        """What became of each; an old client hears of its one member."""
        answer: core.LeaveGroupResponse = self._answer
        if self._request.version < _MANY_LEAVE_FROM:
            error = answer.error or next((error for _, _, error in answer.members), 0)
            return LeaveGroupResponse(error_code=self._request.error(error))
        members = [
            MemberResponse(member_id, instance_id or None, self._request.error(error))
            for member_id, instance_id, error in answer.members
        ]
        return LeaveGroupResponse(error_code=self._request.error(answer.error), members=members)


LEAVE_GROUP: Final = Api(13, LeaveGroupRequest, LeaveGroupResponse, LeaveGroupExchange, versions="0-5", flexible="4+")
