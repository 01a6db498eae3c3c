"""Events of Kafka clients at a broker's listener. Names are the client's own words: untrusted, and bounded."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.positional import Positional


class ClientConnected(Positional, kw_only=True):
    """A Kafka client sent its first request over a new connection."""

    name: ClassVar[str] = "client.connected"
    connection_id: int
    """Unique in one life of this broker."""
    client_id: str
    """client.id, at most 100 characters."""
    software: str
    """Name of its library as ApiVersions 3 and later tell it; empty when it does not say."""
    software_version: str
    """Version of its library; empty when it does not say."""


class ClientRequested(Positional, kw_only=True):
    """A Kafka client asked for something. Of many requests of one kind only some are told, with how many there were."""

    name: ClassVar[str] = "client.requested"
    connection_id: int
    client_id: str
    """client.id, at most 100 characters."""
    api: str
    """Name of the request: Produce, Fetch, JoinGroup."""
    version: int
    about: tuple[str, ...]
    """Partitions, topics or groups that the last of them names; at most 8."""
    count: int
    """Requests of this kind on this connection since the event before, this one included."""
    size_bytes: int
    """All of them together."""


class ClientDisconnected(Positional, kw_only=True):
    """A connection of a Kafka client is gone."""

    name: ClassVar[str] = "client.disconnected"
    connection_id: int
    client_id: str
    """client.id, at most 100 characters."""
    count: int
    """Requests it sent in all."""
    why: str
    """One clause: closed by the client, or why the broker closed it."""


class ClientRefused(Positional, kw_only=True):
    """Connections were closed whose bytes cannot be taken. Told once a second at most for each kind."""

    name: ClassVar[str] = "client.refused"
    kind: str
    """frame, http, tls, version, login, full or slow; link at the port between nodes."""
    client_id: str
    """client.id when it could be read, at most 100 characters."""
    why: str
    """What was wrong with the last of them; never bytes of the frame."""
    count: int
    """How many since the event before, this one included."""


class ClientResponseLost(Positional, kw_only=True):
    """A fault took the answer to a produce request: what was appended stays, the client does not hear of it."""

    name: ClassVar[str] = "client.response_lost"
    connection_id: int
    client_id: str
    """client.id, at most 100 characters."""
    about: tuple[str, ...]
    """Partitions of the request; at most 8."""


KafkaClientEvent: TypeAlias = (
    ClientConnected | ClientRequested | ClientDisconnected | ClientRefused | ClientResponseLost
)
