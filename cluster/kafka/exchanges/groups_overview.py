"""FindCoordinator, DescribeGroups, ListGroups, DeleteGroups: where groups are and how they do.

Source: Kafka KafkaApis; KIP-699 (many keys), KIP-518 (states), KIP-848 (types).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import KafkaError, client_error, words_for
from cluster.kafka.exchanges.exchange import BrokerView, Exchange
from cluster.kafka.exchanges.groups_membership import OneAnswer
from cluster.kafka.exchanges.topics import Endpoint
from cluster.kafka.frames import Request
from cluster.kafka.schema import delete_groups as delete_schema
from cluster.kafka.schema import describe_groups as describe_schema
from cluster.kafka.schema import find_coordinator as find_schema
from cluster.kafka.schema import list_groups as list_schema
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.messages import (
    DeleteGroupsRequest,
    DeleteGroupsResponse,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    ListGroupsRequest,
    ListGroupsResponse,
    Message,
)

_MANY_KEYS_FROM = 4
_NOT_FOUND_FROM = 6
_DEAD = "Dead"
_NOWHERE = Endpoint("", -1)


class KeyType(IntEnum):
    """What a coordinator is looked for."""

    GROUP = 0
    TRANSACTION = 1


class FindCoordinatorExchange(Exchange):
    """What becomes of one FindCoordinator request: of one key, or from version 4 on of many.

    Transactions are not supported; the code is one that clients take as final.
    """

    __slots__ = ("_answers", "_brokers", "_keys", "_refused", "_request")

    def __init__(self, request: Request, brokers: Mapping[NodeId, Endpoint]) -> None:
        """
        Args:
            brokers: where each is reached; one that is missing cannot be named.
        """
        self._request, self._brokers = request, brokers
        message = request.message
        self._keys = list(message.coordinator_keys) if request.version >= _MANY_KEYS_FROM else [message.key]
        is_group = message.key_type == KeyType.GROUP
        transaction = message.key_type == KeyType.TRANSACTION
        unknown = KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED if transaction else KafkaError.INVALID_REQUEST
        self._refused = KafkaError.NONE if is_group else unknown
        self._answers: dict[str, FindCoordinatorResponse] = {}
        self.requests = [FindCoordinatorRequest(group=key) for key in dict.fromkeys(self._keys)] if is_group else []

    @classmethod
    def begin(cls, request: Request, view: BrokerView) -> FindCoordinatorExchange:
        """As the broker knows the others."""
        return cls(request, view.brokers)

    @property
    def is_complete(self) -> bool:
        """Whether every key is answered for."""
        return len(self._answers) == len(self.requests)

    def answer(self, asked: FindCoordinatorRequest, response: FindCoordinatorResponse) -> Sequence[Message]:
        """Take the answer for one key."""
        self._answers.setdefault(asked.group, response)
        return ()

    def response(self) -> find_schema.FindCoordinatorResponse:
        """Who and where; no broker with an error."""
        found = [self._coordinator(key) for key in self._keys]
        if self._request.version >= _MANY_KEYS_FROM:
            return find_schema.FindCoordinatorResponse(coordinators=found)
        only = found[0]
        return find_schema.FindCoordinatorResponse(
            error_code=only.error_code,
            error_message=only.error_message,
            node_id=only.node_id,
            host=only.host,
            port=only.port,
        )

    def _coordinator(self, key: str) -> find_schema.Coordinator:
        error, node = self._refused, NO_NODE
        if not error:
            told = self._answers[key]
            error = client_error(told.error, ApiKey.FIND_COORDINATOR, self._request.version)
            node = told.coordinator
            if not error and node not in self._brokers:
                error = KafkaError.COORDINATOR_NOT_AVAILABLE
        where = _NOWHERE if error else self._brokers[node]
        return find_schema.Coordinator(
            key, NO_NODE if error else node, where.host, where.port, error, words_for(KafkaError(error))
        )


class DescribeGroupsExchange(OneAnswer):
    """What becomes of one DescribeGroups request."""

    __slots__ = ()

    def _asked(self) -> DescribeGroupsRequest:
        return DescribeGroupsRequest(groups=tuple(self._request.message.groups))

    def response(self) -> describe_schema.DescribeGroupsResponse:
        """One entry for each group asked for."""
        told: DescribeGroupsResponse = self._answer
        groups = [
            describe_schema.DescribedGroup(
                *self._error_and_words(error, name, state),
                name,
                state,
                protocol_type,
                protocol,
                [
                    describe_schema.DescribedGroupMember(
                        member_id, instance_id or None, client_id, host, subscription, assignment
                    )
                    for group, member_id, instance_id, client_id, host, subscription, assignment in told.members
                    if group == name
                ],
            )
            for error, name, state, protocol_type, protocol in told.groups
        ]
        return describe_schema.DescribeGroupsResponse(groups=groups)

    def _error_and_words(self, error: int, name: str, state: str) -> tuple[KafkaError, str | None]:
        """Older clients take a group that is not there for a dead one. Source: KIP-1043."""
        if error == ErrorCode.NONE and state == _DEAD and self._request.version >= _NOT_FOUND_FROM:
            return KafkaError.GROUP_ID_NOT_FOUND, f"there is no classic group {name}"
        told = self._error(error)
        return told, words_for(told)


class ListGroupsExchange(OneAnswer):
    """What becomes of one ListGroups request: the groups of the answering broker."""

    __slots__ = ()

    def _asked(self) -> ListGroupsRequest:
        message = self._request.message
        return ListGroupsRequest(states=tuple(message.states_filter), types=tuple(message.types_filter))

    def response(self) -> list_schema.ListGroupsResponse:
        """Names, protocols, states, types."""
        told: ListGroupsResponse = self._answer
        groups = [list_schema.ListedGroup(*item) for item in told.groups]
        return list_schema.ListGroupsResponse(error_code=self._error(told.error), groups=groups)


class DeleteGroupsExchange(OneAnswer):
    """What becomes of one DeleteGroups request."""

    __slots__ = ()

    def _asked(self) -> DeleteGroupsRequest:
        return DeleteGroupsRequest(groups=tuple(self._request.message.groups_names))

    def response(self) -> delete_schema.DeleteGroupsResponse:
        """What became of each."""
        told: DeleteGroupsResponse = self._answer
        results = [delete_schema.DeletableGroupResult(name, self._error(error)) for name, error in told.groups]
        return delete_schema.DeleteGroupsResponse(results=results)
