"""A fetch of many partitions in one request. Source: KIP-227; Kafka's Fetch from version 7 on."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.errors import ErrorCode
from cluster.model.messages.replication import FetchRequest, FetchResponse
from cluster.model.positional import Positional


class SessionFetchRequest(Positional, kw_only=True):
    """All that one broker, or one member of a group, wants of a leader; within a session only what has changed."""

    wire_number: ClassVar[int] = 120
    session_id: int = 0
    """0 for none yet."""
    session_epoch: int = 0
    """Counts the requests; 0 asks for a new session with all that is wanted, -1 for none. Both end the one named."""
    fetches: tuple[FetchRequest, ...] = ()
    """What is new in the session, or asked for otherwise than before."""
    forgotten: tuple[tuple[str, int], ...] = ()
    """(topic, partition) of what is not wanted any more."""


class SessionFetchResponse(Positional, kw_only=True):
    """What is new, or why nothing was read."""

    wire_number: ClassVar[int] = 121
    error: ErrorCode = ErrorCode.NONE
    session_id: int = 0
    """0 where the broker remembers nothing: the next fetch is full again."""
    answers: tuple[FetchResponse, ...] = ()
    """Of a full fetch all, else those with news."""


FetchSessionMessage: TypeAlias = SessionFetchRequest | SessionFetchResponse
