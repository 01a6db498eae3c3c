"""Events of idempotent producers: their ids and what became of their sequence numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cluster.model.identifiers import NodeId


@dataclass(slots=True, kw_only=True)
class ProducerIdsAllocated:
    """The controller gave a broker a block of producer ids (not committed yet)."""

    name: ClassVar[str] = "ctl.producer_ids_allocated"
    broker_id: NodeId
    """To whom."""
    producer_id_start: int
    """First id (inclusive)."""
    producer_id_count: int
    """How many."""


@dataclass(slots=True, kw_only=True)
class ProducerIdGiven:
    """A broker gave a producer an id."""

    name: ClassVar[str] = "producer.id_given"
    client_id: str
    """Untrusted text."""
    producer_id: int
    """Given to nobody else, ever."""
    producer_epoch: int
    """0."""
