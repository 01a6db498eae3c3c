"""What a coordinator knows of transactional ids, their producers and their transactions.

Source: Kafka TransactionMetadata, TransactionState; KIP-98, KIP-890.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct, field

from cluster.coordination.led_partition import Coordination, LedPartition
from cluster.model.effects import Effect
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NodeId, TopicPartition

NO_PRODUCER_ID = NO_PRODUCER_EPOCH = -1
PRODUCER_EPOCH_MAX = (1 << 15) - 2
"""The last epoch that a producer is given; the one above is left for whoever fences it."""


class TransactionState(StrEnum):
    """How a transactional id stands, in Kafka's words."""

    EMPTY = "Empty"
    """It has a producer and has never had a transaction since."""
    ONGOING = "Ongoing"
    PREPARE_COMMIT = "PrepareCommit"
    """It is decided; markers are on their way."""
    PREPARE_ABORT = "PrepareAbort"
    COMPLETE_COMMIT = "CompleteCommit"
    """Each partition has its marker."""
    COMPLETE_ABORT = "CompleteAbort"
    DEAD = "Dead"
    """Forgotten: it was not used for long."""


_S = TransactionState
PREPARED = frozenset((_S.PREPARE_COMMIT, _S.PREPARE_ABORT))
AT_REST = frozenset((_S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT))
"""There is no transaction now."""
ENDED = frozenset((*PREPARED, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT))
"""The newest change of the epoch may be the end of a transaction. In the other states a producer has begun since, who
may be another one."""
TRANSITIONS: dict[TransactionState, frozenset[TransactionState]] = {
    _S.EMPTY: frozenset((_S.EMPTY, _S.ONGOING, _S.PREPARE_ABORT, _S.DEAD)),
    _S.ONGOING: frozenset((_S.ONGOING, _S.PREPARE_COMMIT, _S.PREPARE_ABORT)),
    _S.PREPARE_COMMIT: frozenset((_S.COMPLETE_COMMIT,)),
    _S.PREPARE_ABORT: frozenset((_S.COMPLETE_ABORT,)),
    _S.COMPLETE_COMMIT: frozenset((_S.EMPTY, _S.ONGOING, _S.PREPARE_ABORT, _S.DEAD)),
    _S.COMPLETE_ABORT: frozenset((_S.EMPTY, _S.ONGOING, _S.PREPARE_ABORT, _S.DEAD)),
    _S.DEAD: frozenset(),
}
"""Only a producer of version 2 aborts what it has not begun: from rest to PrepareAbort."""


class Transaction(Struct, frozen=True, kw_only=True):
    """A transactional id as its newest record says. A change is a new one, which holds once its record is committed."""

    transactional_id: str
    producer_id: int
    producer_epoch: int = NO_PRODUCER_EPOCH
    last_epoch: int = NO_PRODUCER_EPOCH
    """Before the newest change of the epoch that the producer itself asked for: it may ask again with that one."""
    next_producer_id: int = NO_PRODUCER_ID
    """Takes the place of the producer id once each partition has its marker: the epochs are used up."""
    previous_producer_id: int = NO_PRODUCER_ID
    """Before the newest change of the id, for the same reason."""
    timeout_ms: int = 0
    """How long a transaction may be open."""
    state: TransactionState = TransactionState.EMPTY
    partitions: frozenset[TopicPartition] = frozenset()
    """Of the transaction; none when it is complete."""
    started_ms: int = -1
    """When it began; -1 for none."""
    updated_ms: int = 0
    bumps_epoch: bool = False
    """The newest transaction is one of version 2, and its own producer ended it: the epoch before was that one's."""


class Marking(Struct):
    """The markers of a decided transaction."""

    waiting: dict[TopicPartition, tuple[NodeId, int]]
    """Who was asked last and with which correlation, by partition that has no marker yet; -1 each for nobody."""


class Kept(Struct, kw_only=True):
    """One transactional id at its coordinator."""

    number: int
    """Names its timer."""
    now: Transaction | None = None
    """As committed; None before the first record is."""
    next: Transaction | None = None
    """A change on its way to the replicas; meanwhile nothing else may change."""
    wants_id: bool = False
    """A change waits for a new producer id."""
    marking: Marking | None = None
    """While it is decided."""

    @property
    def is_changing(self) -> bool:
        """Whether a change is on its way, so that another has to come again."""
        return self.next is not None or self.wants_id

    @property
    def marker_timer(self) -> str:
        """Asks leaders again."""
        return f"transactions.markers.{self.number}"


class Shard(LedPartition, kw_only=True):
    """One partition of __transaction_state that this broker leads."""

    kept: dict[str, Kept] = field(default_factory=dict)
    """By transactional id."""


class Shared(Coordination, kw_only=True):
    """What all transactions of one broker share."""

    markers: dict[int, tuple[str, TopicPartition]] = field(default_factory=dict)
    """(transactional id, partition) by the correlation of the request for its marker."""
    timers: dict[str, str] = field(default_factory=dict)
    """Transactional ids by name of the timer."""
    wanted_ids: dict[int, Callable[[int, ErrorCode, int], list[Effect]]] = field(default_factory=dict)
    """Called with a new producer id, or why there is none, and the time; by the correlation of the request for it."""
