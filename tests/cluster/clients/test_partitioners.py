"""Hashes of keys against Kafka's and librdkafka's own test vectors, and where records without a key go."""

from __future__ import annotations

from zlib import crc32

import pytest

from cluster.clients.partitioners import Partitioner, murmur2


@pytest.mark.parametrize(
    ("key", "signed"),
    [
        ("21", -973932308),
        ("foobar", -790332482),
        ("a-little-bit-long-string", -985981536),
        ("a-little-bit-longer-string", -1486304829),
        ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        ("abc", 479470107),
        ("", 275646681),
        ("user-1", 1404122828),
        ("ключ", 2122343024),
    ],
)
def test_murmur2_is_that_of_java(key: str, signed: int) -> None:
    """The first six are those of Kafka's UtilsTest.testMurmur2."""
    assert murmur2(key.encode()) == signed & 0xFFFFFFFF


@pytest.mark.parametrize(
    ("key", "crc"),
    [
        ("23456", 0xB1B451D7),
        ("this is another string with more length to it perhaps", 0xB0150DF7),
        ("hejsan", 0xD077037E),
        ("a", 3904355907),
        ("b", 1908338681),
        ("foo", 2356372769),
    ],
)
def test_librdkafka_takes_the_crc_32_of_a_key(key: str, crc: int) -> None:
    """The first three are those of librdkafka's test 0048."""
    ruling = spread("librdkafka", 17).choose(key)
    assert (ruling.value, ruling.numbers["crc32"]) == (crc % 17, crc)


@pytest.mark.parametrize(("key", "java", "librdkafka"), [("a", 1, 0), ("b", 2, 2), ("foo", 2, 2), ("ann", 2, 0)])
def test_the_same_key_may_go_elsewhere_with_librdkafka(key: str, java: int, librdkafka: int) -> None:
    assert spread("java", 3).choose(key).value == java
    assert spread("librdkafka", 3).choose(key).value == librdkafka


def test_a_sign_is_taken_away_before_the_modulo() -> None:
    assert murmur2(b"a") == 2731586172
    assert spread("java", 10).choose("a").value == (2731586172 & 0x7FFFFFFF) % 10 == 4


@pytest.mark.parametrize("kind", ["java", "librdkafka"])
def test_records_without_a_key_stay_until_the_batch_is_full(kind: str) -> None:
    partitioner = spread(kind, 9, batch=4)
    chosen = [partitioner.choose("").value for _ in range(12)]
    runs = [chosen[place : place + 4] for place in (0, 4, 8)]
    assert all(len(set(run)) == 1 for run in runs)
    assert len({run[0] for run in runs}) > 1


def test_before_kip_480_they_went_to_the_partitions_in_turn() -> None:
    partitioner = spread("round-robin", 3)
    assert [partitioner.choose("").value for _ in range(5)] == [0, 1, 2, 0, 1]


def test_a_draw_is_the_same_in_every_run() -> None:
    first, second = spread("random", 5), spread("random", 5)
    chosen = [first.choose("").value for _ in range(40)]
    assert chosen == [second.choose("ann").value for _ in range(40)], "whatever the key"
    assert set(chosen) == set(range(5))
    drawn = [crc32(f"p {number}".encode()) % 5 for number in range(1, 41)]
    assert chosen == drawn


def spread(kind: str, partition_count: int, batch: int = 1) -> Partitioner:
    return Partitioner(kind, "p", batch, partition_count)
