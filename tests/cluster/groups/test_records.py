"""Records of the offsets topic have Kafka's layouts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.coordination.fields import RecordError
from cluster.groups.records import (
    group_record,
    group_tombstone,
    offset_record,
    read_group,
    read_key,
    read_offset,
)
from cluster.groups.state import CommittedOffset
from cluster.model.identifiers import TopicPartition
from tests.support.worlds.group_world import group_of, member

WHERE = TopicPartition("ab", 3)


def test_an_offset_is_laid_out_as_kafka_does() -> None:
    record = offset_record("g", WHERE, CommittedOffset(offset=7, leader_epoch=2, metadata="m", at_ms=9))
    assert record.key is not None and record.value is not None
    assert record.key.hex() == "0001" "0001" "67" "0002" "6162" "00000003"  # fmt: skip
    assert record.value.hex() == "0003" "0000000000000007" "00000002" "0001" "6d" "0000000000000009"  # fmt: skip
    assert read_key(record.key) == ("g", WHERE)
    assert read_offset(record.value) == CommittedOffset(offset=7, leader_epoch=2, metadata="m", at_ms=9)


def test_an_offset_without_a_value_is_deleted() -> None:
    assert offset_record("g", WHERE, None).value is None


def test_a_group_is_laid_out_as_kafka_does() -> None:
    group = group_of(member("a", "range"), generation=5)
    group.protocol, group.leader, group.since_ms = "range", "a", 8
    record = group_record(group, {"a": b"\x01"})
    assert record.key is not None and record.value is not None
    assert record.key.hex() == "0002" "0001" "67"  # fmt: skip
    assert record.value.hex().startswith(
        f"00030008{b'consumer'.hex()}000000050005{b'range'.hex()}0001610000000000000008" "00000001"
    )  # fmt: skip
    loaded = read_group(record.value)
    assert (loaded.generation, loaded.protocol, loaded.leader, loaded.since_ms) == (5, "range", "a", 8)
    assert [(item.member_id, item.assignment, item.session_timeout_ms) for item in loaded.members] == [
        ("a", b"\x01", 10_000)
    ]


def test_an_older_offset_is_read_too() -> None:
    version_1 = bytes.fromhex("0001000000000000000700000000000000000009000000000000ffff")
    assert read_offset(version_1) == CommittedOffset(offset=7, at_ms=9)


def test_a_key_of_another_kind_is_nobodys() -> None:
    assert read_key(bytes.fromhex("0003000167")) is None
    tombstone = group_tombstone("g")
    assert tombstone.key is not None and read_key(tombstone.key) == ("g", None) and tombstone.value is None


def test_cut_bytes_are_refused() -> None:
    with pytest.raises(RecordError, match="cut short"):
        read_offset(b"\x00\x03\x00")


@given(st.binary(max_size=60))
def test_whatever_stands_in_the_log_is_read_or_refused(data: bytes) -> None:
    for read in (read_key, read_offset, read_group):
        try:
            read(data)
        except RecordError:
            continue
