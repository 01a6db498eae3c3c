"""An entry reads back as it was; anything else is refused with a DecodeError."""

from __future__ import annotations

import random
from typing import Any

import msgpack
import pytest
from msgspec.structs import replace

from cluster.model.codec import DecodeError
from cluster.model.entry import Entry, EventId, UnknownEvent
from cluster.model.events.replica import ReplicaAppended
from cluster.model.events.storage import StorageError
from cluster.model.ruling import Decision
from cluster.trace.entry import decode_entry, encode_entry

EVENT = ReplicaAppended(
    topic="orders",
    partition=0,
    base_offset=4,
    count=2,
    end_offset=6,
    leader_epoch=1,
    batches=((4, 2, 1, "deadbeef"),),
    role="leader",
    size_bytes=120,
)


def entry(**changes: object) -> Entry:
    values: dict[str, Any] = {
        "run": "r",
        "node": 1,
        "incarnation": 2,
        "seq": 3,
        "t_ns": 4,
        "wall_ns": 5,
        "lamport": 6,
        "cause": EventId(2, 0, 9),
        "trigger": "ProduceRequest",
        "event": EVENT,
        "decision": Decision("accept", True, "enough replicas", "KIP-966", {"isr": [1, 2], "needed": 2, "who": "b1"}),
    }
    return Entry(**(values | changes))


@pytest.mark.parametrize(
    "changes", [{}, {"cause": None}, {"decision": None}, {"event": UnknownEvent("new.kind", (1, "a"))}]
)
def test_an_entry_reads_back_as_it_was(changes: dict[str, object]) -> None:
    encoded = encode_entry(entry(**changes))
    assert int.from_bytes(encoded[:4], "big") == len(encoded) - 4
    decoded = decode_entry(encoded[4:])
    assert decoded == entry(**changes)
    assert decoded.id == EventId(1, 2, 3)
    assert decoded.cause is None or isinstance(decoded.cause, EventId)


def test_an_entry_beyond_the_limit_is_not_written() -> None:
    with pytest.raises(ValueError, match="longer than"):
        encode_entry(entry(event=StorageError(errno=5, what="x" * (1 << 20))))


def test_a_lone_surrogate_does_not_stop_the_writer() -> None:
    decoded = decode_entry(encode_entry(entry(trigger="a\ud800b"))[4:])
    assert decoded.trigger == "a?b"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00",
        b"\xc1",
        b"\x91" * 100_000,
        b"\xdd\xff\xff\xff\xff",
        msgpack.packb([1] * 11),
        msgpack.packb(["r", 1, 2, 3, 4, 5, 6, [1, 2], "t", None, "st.failed", [5, "x"]]),
        msgpack.packb(["r", 1, 2, 3, 4, float("nan"), 6, None, "t", None, "st.failed", [5, "x"]]),
        msgpack.packb(["r", 1, 2, 3, 4, 5, 6, None, "t", [1], "st.failed", [5, "x"]]),
        msgpack.packb(["r", 1, 2, 3, 4, 5, 6, None, "t", None, "st.failed", ["5", "x"]]),
        msgpack.packb([1, 1, 2, 3, 4, 5, 6, None, "t", None, "st.failed", [5, "x"]]),
        msgpack.packb(["r", 1, 2, 3, 4, 5, 6, None, "t", None, "st.failed", msgpack.ExtType(1, b"x")]),
    ],
    ids=range(12),
)
def test_what_is_no_entry_is_refused(body: bytes) -> None:
    with pytest.raises(DecodeError):
        decode_entry(body)


def test_a_mutated_entry_raises_nothing_else() -> None:
    draw = random.Random(1)
    body = encode_entry(entry())[4:]
    for _ in range(3000):
        changed = bytearray(body)
        for _ in range(draw.randint(1, 3)):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        try:
            decode_entry(bytes(changed[: draw.randint(0, len(changed))]))
        except DecodeError:
            continue


def test_a_whole_fetch_of_the_smallest_batches_is_one_entry() -> None:
    count = 1_048_576 // 61
    event = replace(EVENT, count=count, batches=tuple((offset, 1, 3, "deadbeef") for offset in range(count)))
    encoded = encode_entry(entry(event=event))
    assert decode_entry(encoded[4:]).event == event
