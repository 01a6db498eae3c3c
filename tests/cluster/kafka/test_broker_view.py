"""Names and ids of topics."""

from __future__ import annotations

import pytest

from cluster.kafka.broker_view import is_legal_topic
from cluster.kafka.codec.fields import NO_UUID
from cluster.model.uuids import topic_uuid


@pytest.mark.parametrize("name", ["a", "orders", "a.b_c-D9", "...", "a" * 249])
def test_legal_names(name: str) -> None:
    assert is_legal_topic(name)


@pytest.mark.parametrize("name", ["", ".", "..", "a" * 250, "a b", "a/b", "a\n", "\u0436"])
def test_other_names(name: str) -> None:
    assert not is_legal_topic(name)


def test_an_id_is_sixteen_bytes_its_own_and_never_zero() -> None:
    ids = {topic_uuid(number) for number in (0, 1, 255, 2**40)}
    assert len(ids) == 4
    assert NO_UUID not in ids
    assert all(len(each) == 16 for each in ids)
