"""Events of idempotent producers: their ids and what became of their sequence numbers."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import NodeId, Offset
from cluster.model.positional import Positional


class ProducerIdsAllocated(Positional, kw_only=True):
    """The controller gave a broker a block of producer ids (not committed yet)."""

    name: ClassVar[str] = "ctl.producer_ids_allocated"
    broker_id: NodeId
    producer_id_start: int
    """First id (inclusive)."""
    producer_id_count: int


class ProducerIdGiven(Positional, kw_only=True):
    """A broker gave a producer an id."""

    name: ClassVar[str] = "producer.id_given"
    client_id: str
    """Untrusted text."""
    producer_id: int
    """Given to nobody else, ever."""
    producer_epoch: int
    """0."""


class ProduceDuplicated(Positional, kw_only=True):
    """A leader was sent a batch that its log holds already, and did not write it again."""

    name: ClassVar[str] = "produce.duplicated"
    topic: str
    partition: int
    client_id: str
    """Untrusted text."""
    producer_id: int
    producer_epoch: int
    base_sequence: int
    """Of its first record."""
    base_offset: Offset
    count: int


ProducerEvent: TypeAlias = ProducerIdsAllocated | ProducerIdGiven | ProduceDuplicated
