"""FindCoordinator, DescribeGroups, ListGroups, DeleteGroups: where groups are and how they do.

Source: Kafka KafkaApis; KIP-699 (many keys), KIP-518 (states), KIP-848 (types).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from cluster.kafka.api import Api, Exchange, Request
from cluster.kafka.broker_view import BrokerView, Endpoint
from cluster.kafka.codec.fields import array, blob, boolean, int8, int16, int32, string
from cluster.kafka.errors import words_for
from cluster.kafka.exchange import OneAnswer
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE
from cluster.model.messages import Message

_MANY_KEYS_FROM = 4
_NOT_FOUND_FROM = 6
_DEAD = "Dead"
_NOWHERE = Endpoint("", -1)


@dataclass(slots=True)
class FindCoordinatorRequest:
    """Who coordinates this key? Version 4 and later ask for many keys."""

    key: str = string("0-3")
    key_type: int = int8("1+")
    coordinator_keys: list[str] = array("string", "4+")


@dataclass(slots=True)
class Coordinator:
    """The coordinator of one key."""

    key: str = string()
    node_id: int = int32()
    host: str = string()
    port: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+")


@dataclass(slots=True)
class FindCoordinatorResponse:
    """The coordinator, or one for each key."""

    throttle_time_ms: int = int32("1+")
    error_code: int = int16("0-3")
    error_message: str | None = string("1-3", null="0+")
    node_id: int = int32("0-3")
    host: str = string("0-3")
    port: int = int32("0-3")
    coordinators: list[Coordinator] = array(Coordinator, "4+")


class KeyType(IntEnum):
    """What a coordinator is looked for."""

    GROUP = 0
    TRANSACTION = 1


class FindCoordinatorExchange(Exchange):
    """What becomes of one FindCoordinator request: of one key, or from version 4 on of many."""

    __slots__ = ("_answers", "_brokers", "_keys", "_refused", "_request")

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._request, self._brokers = request, view.brokers
        message = request.message
        self._keys = list(message.coordinator_keys) if request.version >= _MANY_KEYS_FROM else [message.key]
        is_known = message.key_type in set(KeyType)
        of_transaction = message.key_type == KeyType.TRANSACTION
        self._refused = ErrorCode.NONE if is_known else ErrorCode.INVALID_REQUEST
        self._answers: dict[str, core.FindCoordinatorResponse] = {}
        self.requests = (
            [core.FindCoordinatorRequest(group=key, of_transaction=of_transaction) for key in dict.fromkeys(self._keys)]
            if is_known
            else []
        )

    @property
    def is_complete(self) -> bool:
        """Whether every key is answered for."""
        return len(self._answers) == len(self.requests)

    def answer(self, asked: core.FindCoordinatorRequest, response: core.FindCoordinatorResponse) -> Sequence[Message]:
        """Take the answer for one key."""
        self._answers.setdefault(asked.group, response)
        return ()

    def response(self) -> FindCoordinatorResponse:
        """Who and where; no broker with an error."""
        coordinators = [self._coordinator(key) for key in self._keys]
        if self._request.version >= _MANY_KEYS_FROM:
            return FindCoordinatorResponse(coordinators=coordinators)
        only = coordinators[0]
        return FindCoordinatorResponse(
            error_code=only.error_code,
            error_message=only.error_message,
            node_id=only.node_id,
            host=only.host,
            port=only.port,
        )

    def _coordinator(self, key: str) -> Coordinator:
        error, node = self._refused, NO_NODE
        if not error:
            answer = self._answers[key]
            error = self._request.error(answer.error)
            node = answer.coordinator
            if not error and node not in self._brokers:
                error = ErrorCode.COORDINATOR_NOT_AVAILABLE
        where = _NOWHERE if error else self._brokers[node]
        return Coordinator(key, NO_NODE if error else node, where.host, where.port, error, words_for(ErrorCode(error)))


FIND_COORDINATOR: Final = Api(
    10, FindCoordinatorRequest, FindCoordinatorResponse, FindCoordinatorExchange, versions="0-6", flexible="3+"
)


@dataclass(slots=True)
class DescribeGroupsRequest:
    """Describe these groups."""

    groups: list[str] = array("string")
    include_authorized_operations: bool = boolean("3+")


@dataclass(slots=True)
class DescribedGroupMember:
    """One member of a described group."""

    member_id: str = string()
    group_instance_id: str | None = string("4+", null="0+", default=None)
    client_id: str = string()
    client_host: str = string()
    member_metadata: bytes = blob()
    member_assignment: bytes = blob()


@dataclass(slots=True)
class DescribedGroup:
    """One group that was asked about, with its members."""

    error_code: int = int16()
    error_message: str | None = string("6+", null="6+", default=None)
    group_id: str = string()
    group_state: str = string()
    protocol_type: str = string()
    protocol_data: str = string()
    members: list[DescribedGroupMember] = array(DescribedGroupMember)
    authorized_operations: int = int32("3+", default=-2147483648)


@dataclass(slots=True)
class DescribeGroupsResponse:
    """What the coordinator knows of them."""

    throttle_time_ms: int = int32("1+")
    groups: list[DescribedGroup] = array(DescribedGroup)


class DescribeGroupsExchange(OneAnswer):
    """What becomes of one DescribeGroups request."""

    __slots__ = ()

    def _asked(self) -> core.DescribeGroupsRequest:
        return core.DescribeGroupsRequest(groups=tuple(self._request.message.groups))

    def response(self) -> DescribeGroupsResponse:
        """One entry for each group asked for."""
        answer: core.DescribeGroupsResponse = self._answer
        groups = [
            DescribedGroup(
                *self._error_and_words(error, name, state),
                name,
                state,
                protocol_type,
                protocol,
                [
                    DescribedGroupMember(member_id, instance_id or None, client_id, host, subscription, assignment)
                    for group, member_id, instance_id, client_id, host, subscription, assignment in answer.members
                    if group == name
                ],
            )
            for error, name, state, protocol_type, protocol in answer.groups
        ]
        return DescribeGroupsResponse(groups=groups)

    def _error_and_words(self, error: int, name: str, state: str) -> tuple[ErrorCode, str | None]:
        """Older clients take a group that is not there for a dead one. Source: KIP-1043."""
        if error == ErrorCode.NONE and state == _DEAD and self._request.version >= _NOT_FOUND_FROM:
            return ErrorCode.GROUP_ID_NOT_FOUND, f"there is no classic group {name}"
        error_there = self._request.error(error)
        return error_there, words_for(error_there)


DESCRIBE_GROUPS: Final = Api(
    15, DescribeGroupsRequest, DescribeGroupsResponse, DescribeGroupsExchange, versions="0-6", flexible="5+"
)


@dataclass(slots=True)
class ListGroupsRequest:
    """Which groups are there?"""

    states_filter: list[str] = array("string", "4+")
    types_filter: list[str] = array("string", "5+")


@dataclass(slots=True)
class ListedGroup:
    """One group in the list of a broker's groups."""

    group_id: str = string()
    protocol_type: str = string()
    group_state: str = string("4+")
    group_type: str = string("5+")


@dataclass(slots=True)
class ListGroupsResponse:
    """Their names, protocols and states."""

    throttle_time_ms: int = int32("1+")
    error_code: int = int16()
    groups: list[ListedGroup] = array(ListedGroup)


class ListGroupsExchange(OneAnswer):
    """What becomes of one ListGroups request: the groups of the answering broker."""

    __slots__ = ()

    def _asked(self) -> core.ListGroupsRequest:
        message = self._request.message
        return core.ListGroupsRequest(states=tuple(message.states_filter), types=tuple(message.types_filter))

    def response(self) -> ListGroupsResponse:
        """Names, protocols, states, types."""
        answer: core.ListGroupsResponse = self._answer
        groups = [ListedGroup(*item) for item in answer.groups]
        return ListGroupsResponse(error_code=self._request.error(answer.error), groups=groups)


LIST_GROUPS: Final = Api(16, ListGroupsRequest, ListGroupsResponse, ListGroupsExchange, versions="0-5", flexible="3+")


@dataclass(slots=True)
class DeleteGroupsRequest:
    """Forget these groups."""

    groups_names: list[str] = array("string")


@dataclass(slots=True)
class DeletableGroupResult:
    """What became of one group."""

    group_id: str = string()
    error_code: int = int16()


@dataclass(slots=True)
class DeleteGroupsResponse:
    """Which were forgotten."""

    throttle_time_ms: int = int32()
    results: list[DeletableGroupResult] = array(DeletableGroupResult)


class DeleteGroupsExchange(OneAnswer):
    """What becomes of one DeleteGroups request."""

    __slots__ = ()

    def _asked(self) -> core.DeleteGroupsRequest:
        return core.DeleteGroupsRequest(groups=tuple(self._request.message.groups_names))

    def response(self) -> DeleteGroupsResponse:
        """What became of each."""
        answer: core.DeleteGroupsResponse = self._answer
        results = [DeletableGroupResult(name, self._request.error(error)) for name, error in answer.groups]
        return DeleteGroupsResponse(results=results)


DELETE_GROUPS: Final = Api(
    42, DeleteGroupsRequest, DeleteGroupsResponse, DeleteGroupsExchange, versions="0-2", flexible="2+"
)
