"""A broker becomes or ceases to be coordinator of a partition's transactions. Source: Kafka TransactionStateManager.

What was decided and has not all its markers is taken up again: the decision stands, whoever coordinates it.
"""

from __future__ import annotations

from itertools import islice

from msgspec import Struct, field

from cluster.coordination import reading
from cluster.coordination.fields import RecordError
from cluster.coordination.writing import drop
from cluster.model.effects import CancelTimer, Effect, Emit
from cluster.model.events import TransactionCoordinatorLoaded, TransactionCoordinatorResigned
from cluster.model.events.transaction import TRANSACTIONS_TOLD_MAX
from cluster.model.record_batch import BatchHeader, decode_records
from cluster.transactions import marking
from cluster.transactions.marking import Cluster
from cluster.transactions.records import read_record
from cluster.transactions.state import PREPARED, Kept, Shard, Shared, Transaction


class Loading(Struct):
    """What was read so far."""

    found: dict[str, Transaction] = field(default_factory=dict)
    """By transactional id: a later record takes the place of an earlier one."""
    is_read: bool = False
    """The log's end was reached."""


def read_on(shard: Shard, loading: Loading) -> list[Effect]:
    """Read one piece of the log, or find that nothing is left; what cannot be read is skipped."""

    def take(_header: BatchHeader, batch: bytes | memoryview) -> None:
        for record in decode_records(batch):
            try:
                read = read_record(record)
            except RecordError:
                continue
            if read is not None and read[1] is not None:
                loading.found[read[0]] = read[1]
            elif read is not None:
                loading.found.pop(read[0], None)

    effects = reading.read_on(shard, take)
    loading.is_read = not effects
    return effects


def finish(shared: Shared, shard: Shard, loading: Loading, cluster: Cluster, now_ms: int) -> list[Effect]:
    """Serve the transactional ids from now on."""
    shard.is_loaded = True
    for name, transaction in loading.found.items():
        shard.kept[name] = Kept(number=shared.number(), now=transaction)
    ordered = sorted(loading.found.items())
    event = TransactionCoordinatorLoaded(
        partition=shard.partition,
        leader_epoch=shard.leader_epoch,
        end_offset=shard.next_offset,
        transactions=tuple(
            (name, str(each.state), each.producer_id, each.producer_epoch)
            for name, each in islice(ordered, TRANSACTIONS_TOLD_MAX)
        ),
    )
    effects: list[Effect] = [Emit(event)]
    for name, transaction in ordered:
        if transaction.state in PREPARED:
            effects += marking.begin(shared, shard, shard.kept[name], cluster, now_ms)
    return effects


def resign(shared: Shared, shard: Shard, now_ms: int) -> list[Effect]:
    """Forget all of it; whoever waits has to find the next coordinator."""
    effects: list[Effect] = [CancelTimer(shard.load_timer)]
    for kept in shard.kept.values():
        if shared.timers.pop(kept.marker_timer, None) is not None:
            effects.append(CancelTimer(kept.marker_timer))
    gone = [correlation for correlation, (name, _) in shared.markers.items() if name in shard.kept]
    for correlation in gone:
        del shared.markers[correlation]
    effects += drop(shared, shard.partition, now_ms)
    if shard.is_loaded:
        resigned = TransactionCoordinatorResigned(
            partition=shard.partition, leader_epoch=shard.leader_epoch, transactions=len(shard.kept)
        )
        effects.append(Emit(resigned))
        shard.is_loaded = False
    return effects
