"""Bytes that were right once, and bytes made to hurt: one exception, bounded memory."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path
from random import Random

import pytest

from cluster.kafka.apis.create_topics import CREATE_TOPICS
from cluster.kafka.apis.fetch import FETCH
from cluster.kafka.apis.group_membership import LEAVE_GROUP
from cluster.kafka.apis.metadata import METADATA
from cluster.kafka.apis.produce import PRODUCE
from cluster.kafka.codec.limits import ELEMENTS_MAX, FRAME_BYTES_MAX, CodecError
from cluster.kafka.frames import decode_request
from cluster.model.byte_reader import uvarint
from tests.support.clients.mutations import read_mutated

GROWTH_KIB_MAX = 64 << 10


def test_mutated_frames_are_read_or_refused_with_one_exception() -> None:
    said = list(read_mutated(seed=7, count=4_000))
    assert said.count("read") > 200
    assert len(said) - said.count("read") > 1_500
    assert len(set(said)) > 10


@pytest.mark.slow
def test_200_000_mutated_frames_take_less_than_64_mib() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.clients.mutations", "200000"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    growth_kib, count, read = map(int, done.stdout.split())
    assert count == 200_000
    assert 0 < read < count
    assert growth_kib < GROWTH_KIB_MAX


def test_random_bytes_never_pass_as_a_request() -> None:
    rng = Random(3)
    for _ in range(2_000):
        with pytest.raises(CodecError):
            decode_request(rng.randbytes(rng.choice((0, 1, 10, 100, 1024))))


BOMBS = {
    "topics without a name": (METADATA, 12, bytes(16) + b"\x00\x00"),
    "topics to make": (CREATE_TOPICS, 7, b"\x01" + bytes(6) + b"\x01\x01\x00"),
    "topics to fetch": (FETCH, 12, b"\x01\x01\x00"),
    "topics to produce to": (PRODUCE, 9, b"\x01\x01\x00"),
    "members that leave": (LEAVE_GROUP, 5, b"\x01\x00\x00\x00"),
}
BEFORE = {
    FETCH: bytes(25),
    PRODUCE: bytes(7),
    LEAVE_GROUP: b"\x01",
}


def bomb(name: str, count: int) -> bytes:
    api, version, element = BOMBS[name]
    head = api.key.to_bytes(2, "big") + version.to_bytes(2, "big") + bytes(4) + b"\xff\xff\x00" + BEFORE.get(api, b"")
    return head + uvarint(count + 1) + element * count


@pytest.mark.parametrize("name", BOMBS)
def test_a_frame_of_ever_more_elements_is_refused(name: str) -> None:
    data = bomb(name, FRAME_BYTES_MAX // len(BOMBS[name][2]) - 50)
    assert FRAME_BYTES_MAX - 2000 < len(data) <= FRAME_BYTES_MAX
    with pytest.raises(CodecError, match="more than 100000 elements"):
        decode_request(data)


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_the_most_objects_that_a_frame_may_hold_fit_into_64_mib(name: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(CodecError, match="cut short"):
            decode_request(bomb(name, ELEMENTS_MAX))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (ELEMENTS_MAX >> 10) * 10 < peak >> 10 < GROWTH_KIB_MAX
