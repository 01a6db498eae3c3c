"""The tree of znodes: data only, changed by whole transactions. Source: ZooKeeper DataTree, PrepRequestProcessor."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from cluster.model.messages import NO_SESSION, Operation, OperationResult, ZooKeeperCode
from cluster.model.ruling import Decision
from cluster.zookeeper.rules.znodes import change_znode, create_znode

ROOT = "/"
SEQUENCE_DIGITS = 10


class ZNode(Struct, frozen=True, kw_only=True):
    """One znode. Its children stand in the tree."""

    data: str = ""
    version: int = 0
    """Grows by one with each change of its data."""
    czxid: int = 0
    """Transaction that created it."""
    owner: int = NO_SESSION
    """Session that it goes with; 0 for a persistent one."""
    created_count: int = 0
    """How many children it has ever had: numbers the sequential ones."""


class Change(Struct, frozen=True, kw_only=True, array_like=True):
    """What one operation did to one znode; what the coordinator's log holds, and what watches see."""

    kind: str
    """created, changed or deleted."""
    path: str
    node: ZNode
    """After it; the last state of one that is deleted."""


class OperationFailed(Exception):
    """The first operation of a transaction that may not be; nothing of it was done."""

    def __init__(self, index: int, error: ZooKeeperCode, decision: Decision) -> None:
        super().__init__(index, error)
        self.index = index
        """From 0."""
        self.error = error
        self.decision = decision
        """Of the rule that refused it."""


def parent_of(path: str) -> str:
    """Of a path that is not the root."""
    return path.rpartition("/")[0] or ROOT


def name_of(path: str) -> str:
    """Without the path of its parent."""
    return path.rpartition("/")[2]


class Tree:
    """All znodes of a coordinator."""

    __slots__ = ("_children", "nodes")

    def __init__(self) -> None:
        self.nodes: dict[str, ZNode] = {ROOT: ZNode()}
        """By path."""
        self._children: dict[str, set[str]] = {ROOT: set()}

    def children(self, path: str) -> tuple[str, ...]:
        """Names below a znode, in order; none where there is no znode."""
        return tuple(sorted(self._children.get(path, ())))

    def owned_by(self, session_id: int) -> tuple[str, ...]:
        """Ephemeral znodes of a session, in order."""
        return tuple(sorted(path for path, node in self.nodes.items() if node.owner == session_id))

    def read(self, operation: Operation) -> OperationResult:
        """What a get or children operation finds."""
        node = self.nodes.get(operation.path)
        if node is None:
            return OperationResult(error=ZooKeeperCode.NO_NODE)
        children = self.children(operation.path) if operation.kind == "children" else ()
        return OperationResult(
            data=node.data, version=node.version, czxid=node.czxid, owner=node.owner, children=children
        )

    def transact(
        self, operations: Sequence[Operation], session_id: int, zxid: int
    ) -> tuple[list[OperationResult], list[Change]]:
        """Do all or none. OperationFailed with the first that may not be."""
        results: list[OperationResult] = []
        changes: list[Change] = []
        undo: list[tuple[str, ZNode | None]] = []
        for index, operation in enumerate(operations):
            try:
                results.append(self._do(operation, session_id, zxid, changes, undo))
            except OperationFailed as failed:
                for path, node in reversed(undo):
                    self._put(path, node)
                raise OperationFailed(index, failed.error, failed.decision) from None
        return results, changes

    def apply(self, change: Change) -> None:
        """Repeat what a log tells."""
        if change.kind == "created":
            parent = parent_of(change.path)
            before = self.nodes[parent]
            self._put(parent, replace(before, created_count=before.created_count + 1))
        self._put(change.path, None if change.kind == "deleted" else change.node)

    def _do(
        self,
        operation: Operation,
        session_id: int,
        zxid: int,
        changes: list[Change],
        undo: list[tuple[str, ZNode | None]],
    ) -> OperationResult:
        match operation.kind:
            case "create":
                return self._create(operation, session_id, zxid, changes, undo)
            case "get" | "children":
                return self.read(operation)
        path, node = operation.path, self.nodes.get(operation.path)
        version, has_children = None if node is None else node.version, bool(self._children.get(path))
        ruling = change_znode(operation.kind, version, operation.version, has_children=has_children)
        if not ruling.granted or node is None:
            raise OperationFailed(0, ruling.value, ruling.decision)
        if operation.kind == "check":
            return OperationResult(version=node.version, czxid=node.czxid)
        undo.append((path, node))
        if operation.kind == "delete":
            self._put(path, None)
            changes.append(Change(kind="deleted", path=path, node=node))
            return OperationResult(version=node.version, czxid=node.czxid)
        after = replace(node, data=operation.data, version=node.version + 1)
        self._put(path, after)
        changes.append(Change(kind="changed", path=path, node=after))
        return OperationResult(version=after.version, czxid=after.czxid)

    def _create(
        self,
        operation: Operation,
        session_id: int,
        zxid: int,
        changes: list[Change],
        undo: list[tuple[str, ZNode | None]],
    ) -> OperationResult:
        parent = parent_of(operation.path)
        above = self.nodes.get(parent)
        path = operation.path
        if operation.sequential and above is not None:
            path += str(above.created_count).zfill(SEQUENCE_DIGITS)
        is_below_ephemeral = above is not None and above.owner != NO_SESSION
        ruling = create_znode(
            is_there=path in self.nodes, has_parent=above is not None, is_below_ephemeral=is_below_ephemeral
        )
        if not ruling.granted or above is None:
            raise OperationFailed(0, ruling.value, ruling.decision)
        owner = session_id if operation.ephemeral else NO_SESSION
        node = ZNode(data=operation.data, czxid=zxid, owner=owner)
        undo += [(parent, above), (path, None)]
        self._put(parent, replace(above, created_count=above.created_count + 1))
        self._put(path, node)
        changes.append(Change(kind="created", path=path, node=node))
        return OperationResult(path=path, version=0, czxid=zxid, owner=owner)

    def _put(self, path: str, node: ZNode | None) -> None:
        if node is None:
            self.nodes.pop(path, None)
            self._children.pop(path, None)
            self._children[parent_of(path)].discard(name_of(path))
            return
        if path not in self.nodes:
            self._children[path] = set()
            self._children[parent_of(path)].add(name_of(path))
        self.nodes[path] = node
