"""A snapshot is what its name says, to the last bit, or it is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis.strategies import integers

from cluster.model.identifiers import SnapshotId
from cluster.model.metadata_records import LeaderChangeRecord, MetadataRecord, TopicRecord
from cluster.model.record_batch import batches
from cluster.model.snapshot import (
    BATCH_RECORDS,
    BadSnapshotError,
    decode_snapshot,
    encode_snapshot,
    parse_snapshot_name,
    snapshot_name,
    verify_snapshot,
)

ID = SnapshotId(40, 3)
RECORDS: list[MetadataRecord] = [
    TopicRecord(topic=f"t{number}", topic_id=number, min_insync_replicas=1) for number in range(2 * BATCH_RECORDS + 1)
]
DATA = encode_snapshot(ID, RECORDS[:5], 1234)


def test_what_is_written_is_read_back() -> None:
    data = encode_snapshot(ID, RECORDS, 1234)
    found = decode_snapshot(ID, data)
    assert found.records == RECORDS
    assert found.control == ()
    assert (found.header.end_offset, found.header.epoch, found.header.last_contained_log_timestamp_ms) == (40, 3, 1234)


def test_an_image_without_anything_has_a_snapshot_too() -> None:
    assert decode_snapshot(ID, encode_snapshot(ID, [], 0)).records == []


def test_what_stands_beside_the_header_is_no_part_of_the_image() -> None:
    voters = LeaderChangeRecord(leader_id=101, voters=(101, 102), granting_voters=())
    found = decode_snapshot(ID, encode_snapshot(ID, RECORDS[:5], 0, [voters]))
    assert (found.control, found.records) == ((voters,), RECORDS[:5])


@given(integers(0, len(DATA) - 1), integers(0, 7))
def test_a_bit_that_flips_anywhere_makes_it_bad(place: int, bit: int) -> None:
    spoiled = bytearray(DATA)
    spoiled[place] ^= 1 << bit
    with pytest.raises(BadSnapshotError):
        verify_snapshot(ID, bytes(spoiled))


@given(integers(0, len(DATA) - 1))
def test_one_that_is_cut_anywhere_is_bad(size: int) -> None:
    with pytest.raises(BadSnapshotError):
        verify_snapshot(ID, DATA[:size])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (DATA[: next(iter(batches(DATA)))[0].size_bytes], "no footer"),
        (DATA + DATA, "fails its check"),
        (b"not a batch at all, but longer than a header of one would be: 61 bytes", "cut short or damaged"),
    ],
)
def test_what_is_no_snapshot_is_told_in_a_clause(data: bytes, why: str) -> None:
    with pytest.raises(BadSnapshotError, match=why):
        verify_snapshot(ID, data)


@pytest.mark.parametrize("other", [SnapshotId(41, 3), SnapshotId(40, 2)])
def test_one_under_another_name_is_bad(other: SnapshotId) -> None:
    with pytest.raises(BadSnapshotError, match="misnamed|fails its check"):
        verify_snapshot(other, DATA)


def test_a_name_says_which_it_is() -> None:
    assert snapshot_name(ID) == "00000000000000000040-0000000003.checkpoint"
    assert parse_snapshot_name(f"__cluster_metadata-0/{snapshot_name(ID)}") == ID


@pytest.mark.parametrize(
    "name",
    ["40-3.checkpoint", "00000000000000000040.log", "0000000000000000004x-0000000003.checkpoint", "quorum-state",
     "00000000000000000040-0000000003.checkpoint.part", "00000000000000000040-0000000003", "", "-.checkpoint",
     "\u0664" * 20 + "-0000000003.checkpoint"],
)  # fmt: skip
def test_another_name_says_nothing(name: str) -> None:
    assert parse_snapshot_name(name) is None
