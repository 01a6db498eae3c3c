"""JoinGroup, SyncGroup, Heartbeat, LeaveGroup: members of classic groups, one question of the coordinator for each.

Source: Kafka KafkaApis.handleJoinGroupRequest and its neighbours; KIP-345 (instance ids), KIP-394 (member ids).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import KafkaError, client_error
from cluster.kafka.exchanges.exchange import Exchange
from cluster.kafka.frames import Request
from cluster.kafka.schema import heartbeat as heartbeat_schema
from cluster.kafka.schema import join_group as join_schema
from cluster.kafka.schema import leave_group as leave_schema
from cluster.kafka.schema import sync_group as sync_schema
from cluster.model.messages import (
    HeartbeatRequest,
    HeartbeatResponse,
    JoinGroupRequest,
    JoinGroupResponse,
    LeaveGroupRequest,
    LeaveGroupResponse,
    Message,
    SyncGroupRequest,
    SyncGroupResponse,
)

CLIENT_HOST = "/127.0.0.1"
"""Clients connect over loopback only; Kafka writes an address so."""
_MEMBER_ID_FROM, _SKIP_FROM, _NULL_PROTOCOL_FROM, _MANY_LEAVE_FROM = 4, 9, 7, 3


class OneAnswer(Exchange):
    """An exchange that asks one thing. Subclasses say what, and what the client is told of the answer."""

    __slots__ = ("_answer", "_request")

    def __init__(self, request: Request) -> None:
        self._request = request
        self._answer: Any = None
        self.requests = [self._asked()]

    def _asked(self) -> Message:
        raise NotImplementedError

    @property
    def is_complete(self) -> bool:
        """Whether the answer is there."""
        return self._answer is not None

    def answer(self, asked: Any, response: Any) -> Sequence[Message]:
        """Take the one answer."""
        del asked
        if self._answer is None:
            self._answer = response
        return ()

    def _error(self, error: int) -> KafkaError:
        return client_error(error, ApiKey(self._request.api.key), self._request.version)


class JoinGroupExchange(OneAnswer):
    """What becomes of one JoinGroup request."""

    __slots__ = ()

    def _asked(self) -> JoinGroupRequest:
        message, version = self._request.message, self._request.version
        return JoinGroupRequest(
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

    def response(self) -> join_schema.JoinGroupResponse:
        """The generation. Who is refused has no assignor: null where the version has it, else empty."""
        told: JoinGroupResponse = self._answer
        nothing = None if self._request.version >= _NULL_PROTOCOL_FROM else ""
        return join_schema.JoinGroupResponse(
            error_code=self._error(told.error),
            generation_id=told.generation,
            protocol_type=told.protocol_type or None,
            protocol_name=told.protocol or nothing,
            leader=told.leader,
            skip_assignment=told.skip_assignment,
            member_id=told.member_id,
            members=[
                join_schema.JoinGroupResponseMember(member_id, instance_id or None, metadata)
                for member_id, instance_id, metadata in told.members
            ],
        )


class SyncGroupExchange(OneAnswer):
    """What becomes of one SyncGroup request."""

    __slots__ = ()

    def _asked(self) -> SyncGroupRequest:
        message = self._request.message
        return SyncGroupRequest(
            group=message.group_id,
            generation=message.generation_id,
            member_id=message.member_id,
            instance_id=message.group_instance_id or "",
            protocol_type=message.protocol_type or "",
            protocol=message.protocol_name or "",
            assignments=tuple((item.member_id, bytes(item.assignment)) for item in message.assignments),
        )

    def response(self) -> sync_schema.SyncGroupResponse:
        """The member's part."""
        told: SyncGroupResponse = self._answer
        return sync_schema.SyncGroupResponse(
            error_code=self._error(told.error),
            protocol_type=told.protocol_type or None,
            protocol_name=told.protocol or None,
            assignment=told.assignment,
        )


class HeartbeatExchange(OneAnswer):
    """What becomes of one Heartbeat request."""

    __slots__ = ()

    def _asked(self) -> HeartbeatRequest:
        message = self._request.message
        return HeartbeatRequest(
            group=message.group_id,
            generation=message.generation_id,
            member_id=message.member_id,
            instance_id=message.group_instance_id or "",
        )

    def response(self) -> heartbeat_schema.HeartbeatResponse:
        """Go on, or join again."""
        told: HeartbeatResponse = self._answer
        return heartbeat_schema.HeartbeatResponse(error_code=self._error(told.error))


class LeaveGroupExchange(OneAnswer):
    """What becomes of one LeaveGroup request: of one member, or from version 3 on of many."""

    __slots__ = ()

    def _asked(self) -> LeaveGroupRequest:
        message = self._request.message
        if self._request.version < _MANY_LEAVE_FROM:
            return LeaveGroupRequest(group=message.group_id, members=((message.member_id, ""),))
        members = tuple((item.member_id, item.group_instance_id or "") for item in message.members)
        return LeaveGroupRequest(group=message.group_id, members=members)

    def response(self) -> leave_schema.LeaveGroupResponse:
        """What became of each; an old client hears of its one member."""
        told: LeaveGroupResponse = self._answer
        if self._request.version < _MANY_LEAVE_FROM:
            error = told.error or next((error for _, _, error in told.members), 0)
            return leave_schema.LeaveGroupResponse(error_code=self._error(error))
        members = [
            leave_schema.MemberResponse(member_id, instance_id or None, self._error(error))
            for member_id, instance_id, error in told.members
        ]
        return leave_schema.LeaveGroupResponse(error_code=self._error(told.error), members=members)
