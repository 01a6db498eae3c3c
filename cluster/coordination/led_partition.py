"""A coordinator's partition, who waits for its answers, and the records that wait for their replicas.

Source: Kafka's coordinator-common, CoordinatorRuntime.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from msgspec import Struct, field

from cluster.model.effects import Effect
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import Epoch, NodeId, Offset
from cluster.model.log_view import LogView
from cluster.model.settings import Settings


class Asker(NamedTuple):
    """Who waits for an answer."""

    sender: NodeId
    """A client, a listener or a broker."""
    correlation: int


class CoordinatorReplica(Protocol):
    """This broker's replica of a partition of the coordinator's topic."""

    @property
    def log(self) -> LogView:
        """All that this broker has of it; its end may be past what is committed."""

    @property
    def high_watermark(self) -> Offset:
        """Exclusive: what is below is committed."""


class LedPartition(Struct, kw_only=True):
    """One partition of the coordinator's topic that this broker leads."""

    partition: int
    leader_epoch: Epoch
    """In which it leads."""
    replica: CoordinatorReplica
    """Where records are read from."""
    next_offset: Offset
    """First not read yet (inclusive), while it is loading."""
    load_timer: str
    """Goes on reading."""
    is_loaded: bool = False
    """Everything in the log is read and committed: requests are served."""


class Write(Struct, kw_only=True):
    """Records that were sent to the partition's leader, this broker, and wait for their replicas."""

    partition: int
    timer: str
    """Ends the wait of whoever asked."""
    apply: Callable[[Offset], list[Effect]]
    """Called once they are committed, in the order of the log, with the offset of the first or -1."""
    answer: Callable[[ErrorCode, int], list[Effect]] | None
    """Called once, with the time: when committed, refused, or when it takes too long; None once it was."""
    done: Callable[[int], list[Effect]] | None = None
    """Called once, with the time, when committed or refused."""


class Coordination(Struct, kw_only=True):
    """What all that one broker coordinates of a kind shares."""

    broker_id: NodeId
    settings: Settings
    topic: str
    """Where it writes."""
    prefix: str
    """Of the names of its timers."""
    client_id: str
    """In whose name it writes."""
    patience_ms: int
    """How long who asked waits for the replicas of what is written."""
    counter: int = 0
    """Of ids, timers and correlations."""
    writes: dict[int, Write] = field(default_factory=dict)
    """By correlation, in the order of the log."""

    def number(self) -> int:
        """The next number for an id, a timer or a correlation."""
        self.counter += 1
        return self.counter
