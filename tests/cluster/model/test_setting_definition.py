"""How a value that fits is told."""

from __future__ import annotations

import pytest

from cluster.model.setting_definition import Definition, Kind


@pytest.mark.parametrize(
    ("kind", "value", "spelled"),
    [
        (Kind.BOOLEAN, " True", "true"),
        (Kind.INT, "+07", "7"),
        (Kind.LIST, " a , b,,", "a,b"),
        (Kind.DOUBLE, " 0.50", "0.50"),
        (Kind.STRING, " x ", "x"),
    ],
)
def test_a_value_is_spelled_one_way(kind: Kind, value: str, spelled: str) -> None:
    assert Definition("n", kind, "", "Words.").spelled(value) == spelled
