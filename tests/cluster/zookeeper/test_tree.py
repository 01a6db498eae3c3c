"""Znodes as data: versions, sequences, and transactions that are done whole or not at all."""

from __future__ import annotations

import pytest

from cluster.model.messages import Operation, ZooKeeperCode
from cluster.zookeeper.tree import OperationFailed, Tree


def _create(path: str, **more: object) -> Operation:
    return Operation(kind="create", path=path, **more)  # type: ignore[arg-type]


def test_a_write_counts_the_version_and_an_old_version_writes_nothing() -> None:
    tree = Tree()
    tree.transact([_create("/a", data="x")], 0, 1)
    tree.transact([Operation(kind="set", path="/a", data="y", version=0)], 0, 2)
    with pytest.raises(OperationFailed) as failed:
        tree.transact([Operation(kind="set", path="/a", data="z", version=0)], 0, 3)
    assert failed.value.error == ZooKeeperCode.BAD_VERSION
    found = tree.read(Operation(kind="get", path="/a"))
    assert (found.data, found.version, found.czxid) == ("y", 1, 1)


def test_a_transaction_of_which_one_part_fails_does_nothing() -> None:
    tree = Tree()
    tree.transact([_create("/epoch", data="1")], 0, 1)
    bad = [_create("/controller", ephemeral=True), Operation(kind="set", path="/epoch", data="2", version=7)]
    with pytest.raises(OperationFailed) as failed:
        tree.transact(bad, 5, 2)
    assert failed.value.index == 1
    assert tree.children("/") == ("epoch",) and tree.owned_by(5) == ()


def test_sequential_znodes_are_numbered_over_deletions() -> None:
    tree = Tree()
    tree.transact([_create("/n")], 0, 1)
    (first,), _ = tree.transact([_create("/n/c_", sequential=True)], 0, 2)
    tree.transact([Operation(kind="delete", path=first.path)], 0, 3)
    (second,), _ = tree.transact([_create("/n/c_", sequential=True)], 0, 4)
    assert (first.path, second.path) == ("/n/c_0000000000", "/n/c_0000000001")


def test_changes_repeat_the_tree_they_came_from() -> None:
    tree, twin, log = Tree(), Tree(), []
    for zxid, operation in enumerate(
        (_create("/a"), _create("/a/b", ephemeral=True), Operation(kind="set", path="/a", data="1"),
         Operation(kind="delete", path="/a/b"), _create("/a/c_", sequential=True)), start=1,
    ):  # fmt: skip
        log += tree.transact([operation], 9, zxid)[1]
    for change in log:
        twin.apply(change)
    assert twin.nodes == tree.nodes and twin.children("/a") == tree.children("/a")
