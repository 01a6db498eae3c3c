"""Every catalogue class survives the trip through plain values."""

from __future__ import annotations

import msgpack
import pytest

from cluster.model.codec import DecodeError, decode_metadata_record, encode_metadata_record, from_plain, to_plain
from cluster.model.identifiers import EpochEnd
from cluster.model.messages import FetchResponse, VoteRequest
from cluster.model.metadata_records import PartitionRecord
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record


def test_nested_tuples_come_back_as_they_were() -> None:
    response = FetchResponse(topic="orders", partition=0, diverging=EpochEnd(1, 2))
    plain = msgpack.unpackb(msgpack.packb(to_plain(response)), use_list=False)
    assert from_plain(FetchResponse, plain) == response


def test_missing_last_fields_take_their_defaults() -> None:
    assert from_plain(FetchResponse, [0, "orders", 1]).high_watermark == -1


def test_a_metadata_record_survives_a_log() -> None:
    state = PartitionState(
        topic_id=1, replicas=(1, 2), isr=(1,), leader=1, leader_epoch=0, partition_epoch=0, min_insync_replicas=1
    )
    record = PartitionRecord(topic="orders", partition=0, state=state, why="created")
    assert decode_metadata_record(encode_metadata_record(record)) == record


@pytest.mark.parametrize("plain", [["1", 2, 3, 4, 5, False], [1, 2], list(range(20)), 7])
def test_values_that_do_not_fit_are_refused(plain: object) -> None:
    with pytest.raises(DecodeError, match="VoteRequest"):
        from_plain(VoteRequest, plain)


def test_an_unknown_metadata_record_is_refused() -> None:
    with pytest.raises(DecodeError, match="Nonsense"):
        decode_metadata_record(Record(b"Nonsense", b"\x90"))
