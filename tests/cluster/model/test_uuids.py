"""Ids as Kafka writes them."""

from __future__ import annotations

import re

from cluster.model.uuids import NO_BYTES, uuid_bytes, uuid_of, uuid_text


def test_each_text_has_an_id_of_its_own_as_kafka_makes_them() -> None:
    ids = [uuid_of(f"20261122-125142-{number:05x}") for number in range(500)]
    assert len(set(ids)) == 500
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{21}", each) for each in ids)
    assert uuid_of("20261122-125142-00000") == ids[0], "the same on every node and in every life of the run"


def test_an_id_is_the_same_in_letters_and_in_bytes() -> None:
    text = uuid_of("a disk")
    assert len(uuid_bytes(text)) == 16
    assert uuid_text(uuid_bytes(text)) == text
    assert (uuid_bytes(""), uuid_text(NO_BYTES)) == (NO_BYTES, "")
