"""What a follower writes of what it was sent, and what it refuses."""

from __future__ import annotations

import pytest

from cluster.model.effects import Send
from cluster.model.events import LogStartAdvanced, ReplicaAppended
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import FetchRequest
from cluster.model.record_batch import Record, encode_batch, with_offset_and_epoch
from cluster.model.settings import kafka_timing
from cluster.model.transaction_marker import Marker, encode_marker
from cluster.replication.copying import BATCHES_PER_EVENT
from cluster.replication.replica_manager import ReplicaManager
from tests.support.worlds.follower import (
    LEADER,
    OWN,
    appended,
    change,
    events_in,
    fetch_in,
    follower_of,
    refused,
    told,
    written,
)
from tests.support.worlds.node_world import MemoryLog


def test_batches_of_an_epoch_after_the_fetch_are_left_out() -> None:
    manager, fetch = written()
    newer = encode_batch([Record(None, b"w")], 6, 1) + encode_batch([Record(None, b"w")], 7, 2)
    effects = told(manager, fetch, records=newer)
    assert appended(effects) == [(6, 7)]
    again = fetch_in(effects).message
    assert isinstance(again, FetchRequest) and again.fetch_offset == 7


@pytest.mark.parametrize("good", [0, 1])
@pytest.mark.parametrize("cut_bytes", [0, 5])
def test_what_is_corrupt_is_refused_and_asked_for_later(good: int, cut_bytes: int) -> None:
    """A byte is wrong, or the batch ends too early."""
    manager, fetch = written()
    whole = [encode_batch([Record(None, b"w")], offset, 1) for offset in (6, 7)]
    bad = bytearray(whole[good])
    bad[-1] ^= 1
    records = b"".join(whole[:good]) + bytes(bad[: len(bad) - cut_bytes])
    effects = told(manager, fetch, records=records)
    assert appended(effects) == [(6, 7)] * good
    assert refused(effects) == [(-1, 6 + good)]
    assert not any(isinstance(each, Send) for each in effects)


def test_what_is_left_of_its_log_is_not_written_over() -> None:
    manager, fetch = written()
    batch = encode_batch([Record(None, b"w")] * 4, 4, 1)
    effects = told(manager, fetch, log_start_offset=5, records=batch)
    assert (appended(effects), refused(effects)) == ([], [(4, 6)])


def test_a_batch_that_ends_where_the_leaders_log_starts_is_not_written() -> None:
    manager, fetch = written()
    gone = encode_batch([Record(None, b"w")] * 2, 4, 1)
    effects = told(manager, fetch, log_start_offset=6, records=gone)
    assert (appended(effects), refused(effects)) == ([], [(4, 6)])


def test_a_batch_that_overlaps_the_log_is_refused_and_asked_for_later() -> None:
    """Truncation by high watermark leaves logs that differ; the broker goes on with its other partitions."""
    manager, fetch = written()
    effects = told(manager, fetch, records=encode_batch([Record(None, b"w")] * 3, 5, 1))
    assert (appended(effects), refused(effects)) == ([], [(5, 6)])
    assert not any(isinstance(each, Send) for each in effects)


def test_where_all_that_it_has_is_deleted_it_goes_on_with_the_batch_that_holds_the_log_start() -> None:
    manager, fetch = written()
    batch = encode_batch([Record(None, b"w")] * 4, 4, 1)
    effects = told(manager, fetch, log_start_offset=6, records=batch)
    deleted, appended = events_in(effects)[:2]
    assert isinstance(deleted, LogStartAdvanced)
    assert isinstance(appended, ReplicaAppended)
    assert deleted.log_start_offset == 6
    assert (appended.base_offset, appended.end_offset) == (4, 8)


def test_a_follower_knows_the_producers_of_what_it_copies() -> None:
    """Of the first producer, whose id is 0, too; and it need not read its own log for them when it is to lead."""
    manager = ReplicaManager(OWN, kafka_timing())
    where = TopicPartition("orders", 0)
    manager.open(where, MemoryLog(), 0)
    fetch = fetch_in(manager.handle(change(where, LEADER, 1), 0))
    records = b"".join(encode_batch([Record(None, b"v")] * 2, 2 * at, 1, sequenced=(0, 0, 2 * at)) for at in (0, 1))
    (copied,) = [each for each in events_in(told(manager, fetch, records=records)) if isinstance(each, ReplicaAppended)]
    assert [sequence[:2] for sequence in copied.sequences] == [(0, 0), (2, 0)]
    assert manager.replica(where).producers.next_offset == 4


def test_a_follower_tells_of_sequences_where_producers_number_and_of_markers_as_markers() -> None:
    manager, fetch = follower_of(1)
    sent = (
        encode_batch([Record(None, b"plain")], 0, 0),
        encode_batch([Record(None, b"x")], 1, 0, sequenced=(7, 0, 0), transactional=True),
        with_offset_and_epoch(encode_marker(7, 0, Marker(committed=True, coordinator_epoch=3)), 2, 0),
    )
    (copied,) = [each for each in events_in(told(manager, fetch[0], leader_epoch=0, records=b"".join(sent)))
                 if isinstance(each, ReplicaAppended)]  # fmt: skip
    assert copied.sequences == ((1, 7, 0, 0),), "a batch without a producer and a marker have no number"
    assert [(offset, producer_id, what) for offset, producer_id, _, what in copied.transactional] == [
        (1, 7, "data"), (2, 7, "commit"),
    ]  # fmt: skip
    known = manager.replica(TopicPartition("orders", 0)).producers
    assert [producer_id for producer_id, _ in known.entries()] == [7], "nobody is no producer"


def test_an_event_tells_of_a_thousand_batches_and_of_their_sequences_alone() -> None:
    manager, fetch = follower_of(1)
    records = b"".join(
        encode_batch([Record(None, b"v")], at, 0, sequenced=(7, 0, at)) for at in range(BATCHES_PER_EVENT + 1)
    )
    effects = told(manager, fetch[0], leader_epoch=0, records=records)
    assert appended(effects) == [(0, BATCHES_PER_EVENT), (BATCHES_PER_EVENT, BATCHES_PER_EVENT + 1)]
    first, second = [each for each in events_in(effects) if isinstance(each, ReplicaAppended)]
    assert [sequence[3] for sequence in first.sequences] == list(range(BATCHES_PER_EVENT))
    assert second.sequences == ((BATCHES_PER_EVENT, 7, 0, BATCHES_PER_EVENT),)
