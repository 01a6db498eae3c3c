"""Which partition a record goes to, with the numbers that say why."""

from __future__ import annotations

from cluster.clients.rules import partitioning


def test_a_key_goes_to_its_hash_modulo_the_partitions() -> None:
    assert partitioning.partition_by_murmur2("k", 0x80000007, 5).value == 2, "without the sign"
    by_crc = partitioning.partition_by_crc32("k", 0x80000007, 5)
    assert (by_crc.value, by_crc.decision.numbers["crc32"]) == (0x80000007 % 5, 0x80000007)


def test_records_without_a_key_go_in_turn_or_stay_or_are_drawn() -> None:
    assert [partitioning.partition_in_turn(turn, 3).value for turn in (1, 2, 3, 4)] == [0, 1, 2, 0]
    assert partitioning.partition_until_full(2, 4, 10).value == 2
    assert partitioning.partition_at_random(11, 4).value == 3
