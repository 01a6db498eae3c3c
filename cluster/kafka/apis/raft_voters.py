"""AddRaftVoter, RemoveRaftVoter: an admin client changes who votes in the quorum. Source: KIP-853, KIP-1186."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from cluster.kafka.api import Api, Exchange, Request, Whom
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, int16, int32, string, uint16, uuid
from cluster.kafka.errors import words_for
from cluster.kafka.exchange import Known, OneAnswer
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.messages import Message
from cluster.model.uuids import uuid_text
from cluster.model.voters import NO_DIRECTORY

CONTROLLER_LISTENER = "CONTROLLER"
"""The name that a new voter's listener has to have; a run has one listener for controllers, and knows where it is."""
_ACK_FROM = 1


@dataclass(slots=True)
class Listener:
    """Where the new voter listens."""

    name: str = string()
    host: str = string()
    port: int = uint16()


@dataclass(slots=True)
class AddRaftVoterRequest:
    """Have this controller vote."""

    cluster_id: str | None = string(null="0+")
    timeout_ms: int = int32()
    voter_id: int = int32()
    voter_directory_id: bytes = uuid()
    listeners: list[Listener] = array(Listener)
    ack_when_committed: bool = boolean("1+", default=True)


@dataclass(slots=True)
class AddRaftVoterResponse:
    """Done, or why not."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)


@dataclass(slots=True)
class RemoveRaftVoterRequest:
    """Have this controller vote no more."""

    cluster_id: str | None = string(null="0+")
    voter_id: int = int32()
    voter_directory_id: bytes = uuid()


@dataclass(slots=True)
class RemoveRaftVoterResponse:
    """Done, or why not."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)


def _what_is_wrong(message: Any, view: BrokerView) -> tuple[ErrorCode, str]:
    """Before anybody is asked. Source: KafkaRaftClient.handleAddVoterRequest, handleRemoveVoterRequest."""
    if message.cluster_id not in (None, view.cluster_id):
        return ErrorCode.INCONSISTENT_CLUSTER_ID, "the cluster has another id"
    has_disk = uuid_text(message.voter_directory_id) != NO_DIRECTORY or not view.settings.voter_directories
    if message.voter_id < 0 or not has_disk:
        return ErrorCode.INVALID_REQUEST, "a voter is a number from 0 on and the id of its directory"
    listeners = getattr(message, "listeners", None)
    if listeners is not None and CONTROLLER_LISTENER not in [each.name.upper() for each in listeners]:
        return ErrorCode.INVALID_REQUEST, f"no endpoint for listener {CONTROLLER_LISTENER}"
    return ErrorCode.NONE, ""


class _Change(OneAnswer):
    """What becomes of one request: the leader of the quorum is asked."""

    __slots__ = ()

    def response(self) -> Any:
        """What the client is told."""
        error = self._request.error(self._answer.error)
        return self._request.api.response(0, error, words_for(error, self._answer.reason) if error else None)


class AddRaftVoterExchange(_Change):
    """What becomes of one AddRaftVoter request."""

    __slots__ = ()

    def _asked(self) -> Message:
        message = self._request.message
        return core.AddRaftVoterRequest(
            voter_id=message.voter_id,
            directory_id=uuid_text(message.voter_directory_id),
            ack_when_committed=self._request.version < _ACK_FROM or message.ack_when_committed,
        )


class RemoveRaftVoterExchange(_Change):
    """What becomes of one RemoveRaftVoter request."""

    __slots__ = ()

    def _asked(self) -> Message:
        message = self._request.message
        return core.RemoveRaftVoterRequest(
            voter_id=message.voter_id, directory_id=uuid_text(message.voter_directory_id)
        )


def _begin(kind: type[_Change], request: Request, view: BrokerView) -> Exchange:
    error, reason = _what_is_wrong(request.message, view)
    if error == ErrorCode.NONE:
        return kind(request, view)
    return Known(request.api.response(0, error, words_for(error, reason)))


ADD_RAFT_VOTER: Final = Api(
    80,
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    lambda request, view: _begin(AddRaftVoterExchange, request, view),
    versions="0-1",
    flexible="0+",
    whom=Whom.CONTROLLER,
)
REMOVE_RAFT_VOTER: Final = Api(
    81,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
    lambda request, view: _begin(RemoveRaftVoterExchange, request, view),
    versions="0",
    flexible="0+",
    whom=Whom.CONTROLLER,
)
