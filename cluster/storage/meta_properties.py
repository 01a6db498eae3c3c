"""meta.properties: which node of which cluster a disk belongs to, and its own id. Source: KIP-858, MetaProperties.

Written once, when the disk is formatted. A disk without it is a new one. Only dynamic quorums format disks here.
"""

from __future__ import annotations

from cluster.model.errors import StorageFailed
from cluster.model.identifiers import NodeId
from cluster.model.uuids import uuid_of
from cluster.model.voters import directory_id_of
from cluster.storage.disk import Disk
from cluster.storage.files import Files

NAME = "meta.properties"
_DIRECTORY = "directory.id"


def format_disk(files: Files, run: str, node_id: NodeId, incarnation: int) -> None:
    """Give a disk an id before that start of its node, durably; nothing happens when it has one.

    Source: kafka-storage format --ignore-formatted.
    """
    disk = Disk(files)
    if disk.read_whole(NAME) is None:
        directory_id = directory_id_of(run, node_id, incarnation)
        lines = ("version=1", f"cluster.id={uuid_of(run)}", f"node.id={node_id}", f"{_DIRECTORY}={directory_id}")
        disk.replace(NAME, "".join(f"{line}\n" for line in lines).encode())
        disk.fsync_dir("")
    disk.close()


def read_directory_id(disk: Disk) -> str:
    """The id of the disk; empty where it was never formatted. StorageFailed 5 when it cannot be understood."""
    data = disk.read_whole(NAME)
    return "" if data is None else directory_id_in(data)


def directory_id_in(data: bytes) -> str:
    """The id of the disk that a meta.properties names. StorageFailed 5 when it names none."""
    pairs = dict(line.split("=", 1) for line in data.decode("utf-8", "replace").splitlines() if "=" in line)
    if not pairs.get(_DIRECTORY):
        raise StorageFailed(5, f"read {NAME}")
    return pairs[_DIRECTORY]
