"""Bugs that only those notice who read, write or wait: of clients, of what leaders tell them, of who finds the dead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from cluster.clients import jobs
from cluster.model.identifiers import METADATA, NO_NODE, TopicPartition
from cluster.model.record_batch import batches
from cluster.replication import deletion, waiting_fetches
from cluster.replication.state import ReplicaState
from cluster.storage.node_store import NodeStore
from tests.support.bugs.planted import PlantedBug

Picked = Callable[[list[bytes], bool], list[bytes]]
"""From the batches of an answer, and whether the newest committed one is among them, to those that are sent."""


def _of_consumers(records_for: Any, pick: Picked) -> Any:
    """A leader answers consumers with other batches than it read; followers get what is in the log."""

    def answered(state: ReplicaState, request: Any, high_watermark: int) -> Any:
        answer = records_for(state, request, high_watermark)
        found = list(batches(answer.records)) if request.replica_id == NO_NODE else []
        if not found:
            return answer
        is_newest = found[-1][0].end_offset == state.high_watermark
        return replace(answer, records=b"".join(pick([bytes(data) for _, data in found], is_newest)))

    return answered


def _first_once_more(records_for: Any) -> Any:
    return _of_consumers(records_for, lambda found, _: found + found[:1] if len(found) > 1 else found)


def _without_the_second(records_for: Any) -> Any:
    return _of_consumers(records_for, lambda found, _: found[:1] + found[2:] if len(found) > 2 else found)


def _without_the_newest(records_for: Any) -> Any:
    return _of_consumers(records_for, lambda found, is_newest: found[:-1] if is_newest else found)


def _nothing_newest(has_records: Any) -> Any:
    """Nor does a consumer that waits hear of it."""

    def has(state: ReplicaState, request: Any) -> bool:
        if request.replica_id != NO_NODE or not has_records(state, request):
            return bool(has_records(state, request))
        return bool(waiting_fetches.records_for(state, request, state.high_watermark).records)

    return has


def _turned_around(encode_batch: Any) -> Any:
    return lambda records, **named: encode_batch(records[::-1], **named)


def _nothing_at_all(advance_start: Any) -> Any:
    """But for metadata: a quorum whose log start stays would try again without end."""

    def advance(store: NodeStore, topic_partition: TopicPartition, start_offset: int) -> None:
        if topic_partition == METADATA:
            advance_start(store, topic_partition, start_offset)

    return advance


def _one_more(advance: Any) -> Any:
    return lambda state, start_offset: advance(state, start_offset + 1)


CLIENT_BUGS = (
    PlantedBug("sends-the-first-again", "clients", "a leader ends an answer to a consumer with its first batch",
               frozenset({"C8"}), ((waiting_fetches, "records_for", _first_once_more),)),
    PlantedBug("leaves-the-second-out", "clients", "a leader leaves the second batch of an answer to a consumer out",
               frozenset({"C9"}), ((waiting_fetches, "records_for", _without_the_second),)),
    PlantedBug("turns-around", "clients", "a producer writes the records of one send in reverse",
               frozenset({"C11"}), ((jobs, "encode_batch", _turned_around),)),
    PlantedBug("hides-the-newest", "clients", "a leader does not show consumers the newest committed batch",
               frozenset({"L5"}),
               ((waiting_fetches, "records_for", _without_the_newest),
                (waiting_fetches, "has_records", _nothing_newest)), (20,)),
    PlantedBug("deletes-one-more", "clients", "a leader that is to delete records deletes one that is not committed",
               frozenset({"P24"}), ((deletion, "advance", _one_more),), seeds=(6,)),
    PlantedBug("deletes-nothing", "clients", "a log that is to delete records keeps them and shows them to consumers",
               frozenset({"P24"}), ((NodeStore, "advance_start", _nothing_at_all),), seeds=(6,)),
)  # fmt: skip
