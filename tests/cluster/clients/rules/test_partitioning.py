"""Which partition a record goes to, with the numbers that say why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cluster.clients.rules import partitioning
from cluster.model.ruling import Ruling


def test_a_key_goes_to_its_hash_modulo_the_partitions() -> None:
    assert partitioning.partition_by_murmur2("k", 0x80000007, 5).value == 2, "without the sign"
    by_crc = partitioning.partition_by_crc32("k", 0x80000007, 5)
    assert (by_crc.value, by_crc.decision.numbers["crc32"]) == (0x80000007 % 5, 0x80000007)


def test_records_without_a_key_go_in_turn_or_stay_or_are_drawn() -> None:
    assert [partitioning.partition_in_turn(turn, 3).value for turn in (1, 2, 3, 4)] == [0, 1, 2, 0]
    assert partitioning.partition_until_full(2, 4, 10).value == 2
    assert partitioning.partition_at_random(11, 4).value == 3


@pytest.mark.parametrize(
    ("chosen_by", "given", "partition"),
    [
        (partitioning.partition_by_murmur2, ("a", 0x8000_0005, 4), 1),
        (partitioning.partition_by_crc32, ("a", 7, 4), 3),
        (partitioning.partition_until_full, (2, 5, 16), 2),
        (partitioning.partition_in_turn, (1, 4), 0),
        (partitioning.partition_in_turn, (6, 4), 1),
        (partitioning.partition_at_random, (9, 4), 1),
    ],
)
def test_each_record_gets_a_partition(
    chosen_by: Callable[..., Ruling[int]], given: tuple[Any, ...], partition: int
) -> None:
    ruling = chosen_by(*given)
    assert (ruling.value, ruling.granted) == (partition, True)
