"""Subscriptions and assignments are written as Kafka's consumers write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.consumer_protocol import (
    ProtocolError,
    Subscription,
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_sticky_data,
    encode_subscription,
    recalled,
)
from cluster.model.identifiers import TopicPartition


def test_a_subscription_is_laid_out_as_in_the_protocol_guide() -> None:
    written = encode_subscription(
        Subscription(topics=("ab",), user_data=b"\x07", owned=(TopicPartition("ab", 3),), generation=5)
    )
    assert written.hex() == (
        "0002"  # version 2
        "00000001" "0002" "6162"  # topics
        "00000001" "07"  # user data
        "00000001" "0002" "6162" "00000001" "00000003"  # owned partitions
        "00000005"  # generation
    )  # fmt: skip


def test_an_assignment_is_laid_out_as_in_the_protocol_guide() -> None:
    written = encode_assignment([TopicPartition("ab", 1), TopicPartition("ab", 0)])
    assert written.hex() == "0001" "00000001" "0002" "6162" "00000002" "00000000" "00000001" "00000000"  # fmt: skip


def test_a_subscription_of_version_0_has_no_owned_partitions() -> None:
    read = decode_subscription(bytes.fromhex("00000000000100026162ffffffff"))
    assert read == Subscription(topics=("ab",))


def test_what_a_newer_version_adds_is_left_unread() -> None:
    newer = b"\x00\x03" + encode_subscription(Subscription(topics=("ab",), generation=4))[2:] + b"\x00\x04rack"
    assert decode_subscription(newer).generation == 4


def test_no_bytes_are_no_partitions() -> None:
    assert decode_assignment(b"") == ()


@given(st.binary(max_size=80))
def test_whatever_a_client_sends_is_read_or_refused(data: bytes) -> None:
    for decode in (decode_subscription, decode_assignment):
        try:
            decode(data)
        except ProtocolError:
            continue


@given(st.lists(st.tuples(st.text(max_size=5), st.integers(0, 9)), max_size=6, unique=True))
def test_partitions_come_back_in_order(pairs: list[tuple[str, int]]) -> None:
    partitions = [TopicPartition(*pair) for pair in pairs]
    assert decode_assignment(encode_assignment(partitions)) == tuple(sorted(partitions))


def test_a_count_longer_than_the_bytes_is_refused() -> None:
    with pytest.raises(ProtocolError, match="elements"):
        decode_assignment(bytes.fromhex("00017fffffff"))


@pytest.mark.parametrize(
    ("data", "owned", "generation"),
    [
        (encode_sticky_data([TopicPartition("orders", 1)], 4), (TopicPartition("orders", 1),), 4),
        (encode_sticky_data([TopicPartition("orders", 1)], 4)[:-4], (TopicPartition("orders", 1),), -1),
        (b"", (), -1),
        (b"\x00\x00\x00\x09", (), -1),
    ],
)
def test_sticky_recalls_what_user_data_of_either_version_say(
    data: bytes, owned: tuple[TopicPartition, ...], generation: int
) -> None:
    held = Subscription(topics=("orders",), user_data=data, owned=(TopicPartition("orders", 0),), generation=9)
    assert (recalled(held).owned, recalled(held).generation) == (owned, generation)
