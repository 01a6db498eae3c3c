"""Records of groups of the newer protocol have Kafka's layouts and tell everything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.coordination.fields import RecordError
from cluster.groups.consumer.records import Replay, changes, take, tombstones
from cluster.groups.consumer.state import ConsumerGroup, ConsumerMember, MemberState
from cluster.model.record_batch import Record
from cluster.model.uuids import topic_uuid

MEMBER = ConsumerMember(
    member_id="m",
    instance_id="i",
    client_id="c",
    client_host="/h",
    rebalance_timeout_ms=300,
    topics=("ab", "t"),
    assignor="",
    epoch=2,
    previous_epoch=1,
    state=MemberState.UNREVOKED_PARTITIONS,
    assigned=frozenset(((7, 0), (7, 2))),
    revoking=frozenset(((8, 1),)),
)
GROUP = ConsumerGroup(epoch=3, target_epoch=2, members={"m": MEMBER}, target={"m": frozenset(((7, 2),))})


def test_each_record_is_laid_out_as_kafka_does() -> None:
    written = {
        (record.key or b"").hex(): (record.value or b"").hex() for record in changes("g", ConsumerGroup(), GROUP)
    }
    seven, eight = topic_uuid(7).hex(), topic_uuid(8).hex()
    assert written == {
        "0005" "0001" "67" "0001" "6d": "0000" "0269" "00" "0263" "032f68"
        "03" "036162" "0274" "00" "0000012c" "00" "00",
        "0003" "0001" "67": "0000" "00000003" "00",
        "0007" "0001" "67" "0001" "6d": f"0000" "02" f"{seven}" "02" "00000002" "00" "00",
        "0006" "0001" "67": "0000" "00000002" "00",
        "0008" "0001" "67" "0001" "6d": "0000" "00000002" "00000001" "01"
        "02" f"{seven}" "03" "0000000000000002" "00"
        "02" f"{eight}" "02" "00000001" "00" "00",
    }  # fmt: skip


def replayed(*records: Record) -> dict[str, Replay]:
    groups: dict[str, Replay] = {}
    for record in records:
        assert take(groups, record)
    return groups


def test_what_is_read_is_what_was_written() -> None:
    assert replayed(*changes("g", ConsumerGroup(), GROUP))["g"].group() == GROUP


def test_a_pattern_is_written_and_read() -> None:
    member = ConsumerMember(member_id="m", pattern="^t.*")
    written = changes("g", ConsumerGroup(), ConsumerGroup(epoch=1, members={"m": member}))
    assert replayed(*written)["g"].group().members["m"].pattern == "^t.*"


def test_only_what_has_changed_is_written() -> None:
    assert changes("g", GROUP, GROUP) == []
    other = ConsumerMember(member_id="n", topics=("t",))
    after = GROUP.with_member(other)
    keys = [record.key for record in changes("g", GROUP, after)]
    assert len(keys) == 3 and all((key or b"").endswith(b"\x00\x01n") for key in keys)
    gone = changes("g", after, after.without("n"))
    assert len(gone) == 3 and all(record.value is None for record in gone)
    assert replayed(*changes("g", ConsumerGroup(), after), *gone)["g"].group() == GROUP


def test_a_deleted_group_leaves_nothing() -> None:
    assert replayed(*changes("g", ConsumerGroup(), GROUP), *tombstones("g", GROUP)) == {}


def test_partitions_of_a_topic_of_another_cluster_are_nobodys() -> None:
    key = bytes.fromhex("00070001670001" "6d")  # fmt: skip
    value = bytes.fromhex("0000" "02" + "ab" * 16 + "02" "00000002" "00" "00")  # fmt: skip
    assert replayed(Record(key, value))["g"].target == {"m": frozenset()}


def test_a_value_of_a_later_version_and_a_state_that_nobody_knows_are_refused() -> None:
    with pytest.raises(RecordError, match="version"):
        take({}, Record(bytes.fromhex("0003000167"), bytes.fromhex("00010000000300")))
    with pytest.raises(RecordError, match="state 127"):
        take({}, Record(bytes.fromhex("000800016700016d"), bytes.fromhex("000000000001000000017f010100")))


def test_keys_of_other_kinds_are_left_to_others() -> None:
    for start in ("0001", "0002", "0004", "0009"):
        assert not take({}, Record(bytes.fromhex(start + "000167"), None))


@given(key=st.binary(max_size=20), value=st.none() | st.binary(max_size=60), version=st.integers(3, 8))
def test_whatever_stands_in_the_log_is_read_or_refused(key: bytes, value: bytes | None, version: int) -> None:
    try:
        take({}, Record(version.to_bytes(2, "big") + key, value))
    except RecordError:
        return
