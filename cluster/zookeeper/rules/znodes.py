"""The rules of the coordinator: what may be done to a znode."""

from __future__ import annotations

from cluster.model.messages import ANY_VERSION, ZooKeeperCode
from cluster.model.ruling import Numbers, Ruling, rule


@rule(source="ZooKeeper paper 2.2", kafka="KafkaZkClient.createRecursive")
def create_znode(*, is_there: bool, has_parent: bool, is_below_ephemeral: bool) -> Ruling[ZooKeeperCode]:
    """A znode is created where none is, below a persistent one that is there: so of all who try, one wins."""
    error, reason = ZooKeeperCode.OK, "the path is free"
    if not has_parent:
        error, reason = ZooKeeperCode.NO_NODE, "there is nothing to create it below"
    elif is_below_ephemeral:
        error, reason = ZooKeeperCode.NO_CHILDREN_FOR_EPHEMERALS, "an ephemeral znode has no children"
    elif is_there:
        error, reason = ZooKeeperCode.NODE_EXISTS, "somebody was first"
    return Ruling(error, error == ZooKeeperCode.OK, reason)


@rule(source="ZooKeeper paper 2.2", kafka="KafkaZkClient.conditionalUpdatePath")
def change_znode(kind: str, version: int | None, expected_version: int, *, has_children: bool) -> Ruling[ZooKeeperCode]:
    """A znode is changed or deleted only in the version that the writer has read; -1 asks for none.

    Args:
        version: of the znode; None where there is none.
    """
    numbers: Numbers = {"version": -1 if version is None else version, "expected_version": expected_version}
    error, reason = ZooKeeperCode.OK, "nobody wrote it since it was read"
    if version is None:
        error, reason = ZooKeeperCode.NO_NODE, "there is no such znode"
    elif expected_version not in (ANY_VERSION, version):
        error, reason = ZooKeeperCode.BAD_VERSION, "somebody wrote it since it was read"
    elif kind == "delete" and has_children:
        error, reason = ZooKeeperCode.NOT_EMPTY, "it has children"
    return Ruling(error, error == ZooKeeperCode.OK, reason, numbers)
