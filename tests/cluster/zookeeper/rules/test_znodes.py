"""Rules of the coordinator, a sentence each."""

from __future__ import annotations

import pytest

from cluster.model.messages import ZooKeeperCode
from cluster.zookeeper.rules.znodes import change_znode, create_znode


def test_of_all_who_create_a_znode_the_first_wins() -> None:
    assert create_znode(is_there=False, has_parent=True, is_below_ephemeral=False).granted
    late = create_znode(is_there=True, has_parent=True, is_below_ephemeral=False)
    assert (late.value, late.granted) == (ZooKeeperCode.NODE_EXISTS, False)
    assert create_znode(is_there=False, has_parent=False, is_below_ephemeral=False).value == ZooKeeperCode.NO_NODE
    below = create_znode(is_there=False, has_parent=True, is_below_ephemeral=True)
    assert below.value == ZooKeeperCode.NO_CHILDREN_FOR_EPHEMERALS


@pytest.mark.parametrize(
    ("version", "expected", "has_children", "error"),
    [
        (3, 3, False, ZooKeeperCode.OK),
        (3, -1, False, ZooKeeperCode.OK),
        (3, 2, False, ZooKeeperCode.BAD_VERSION),
        (0, 0, False, ZooKeeperCode.OK),
        (1, 0, False, ZooKeeperCode.BAD_VERSION),
        (None, -1, False, ZooKeeperCode.NO_NODE),
        (3, 3, True, ZooKeeperCode.NOT_EMPTY),
    ],
)
def test_a_znode_goes_only_in_the_version_that_was_read(
    version: int | None, expected: int, has_children: bool, error: ZooKeeperCode
) -> None:
    ruling = change_znode("delete", version, expected, has_children=has_children)
    assert (ruling.value, ruling.granted) == (error, error == ZooKeeperCode.OK)
    assert ruling.numbers == {"version": -1 if version is None else version, "expected_version": expected}


def test_a_znode_with_children_may_be_changed() -> None:
    assert change_znode("set", 3, 3, has_children=True).value == ZooKeeperCode.OK
