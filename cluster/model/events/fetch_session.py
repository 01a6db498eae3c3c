"""Fetch sessions: what brokers remember of those that fetch. Source: KIP-227."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import NodeId
from cluster.model.positional import Positional


class FetchSessionOpened(Positional, kw_only=True):
    """A broker remembers from now on what somebody fetches."""

    name: ClassVar[str] = "rep.fetch_session_opened"
    fetcher: NodeId
    """A broker, or the connection of built-in clients."""
    session_id: int
    partitions: int
    """How many it began with."""
    is_follower: bool
    """Its slot is never given to a consumer's."""


class FetchSessionRefused(Positional, kw_only=True):
    """A broker does not know a session, or knows it otherwise: the next fetch is a full one."""

    name: ClassVar[str] = "rep.fetch_session_refused"
    fetcher: NodeId
    """A broker, or the connection of built-in clients."""
    session_id: int
    error: int
    """70 for one that is not known, 71 for a request out of turn."""


FetchSessionEvent: TypeAlias = FetchSessionOpened | FetchSessionRefused
