"""The quorum-state file: epoch, leader and vote, written whole before any answer that depends on them. KIP-595."""

from __future__ import annotations

import json

from cluster.model.election_state import ElectionState
from cluster.model.errors import StorageFailed
from cluster.storage.disk import Disk

FOLDER = "__cluster_metadata-0"
NAME = f"{FOLDER}/quorum-state"


def read_election(disk: Disk) -> ElectionState | None:
    """What was persisted; None when there is no file. StorageFailed 5 when it cannot be understood."""
    data = disk.read_whole(NAME)
    return None if data is None else election_of(data)


def election_of(data: bytes) -> ElectionState:
    """What a quorum-state file says. StorageFailed 5 when it cannot be understood."""
    try:
        plain = json.loads(data)
        values = plain["leaderEpoch"], plain["leaderId"], plain["votedId"]
        directory_id = plain.get("votedDirectoryId", "")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StorageFailed(5, f"read {NAME}") from error
    if any(type(value) is not int for value in values) or type(directory_id) is not str:
        raise StorageFailed(5, f"read {NAME}")
    return ElectionState(epoch=values[0], leader_id=values[1], voted_for=values[2], voted_directory_id=directory_id)


def write_election(disk: Disk, state: ElectionState) -> None:
    """Write temporary file, fsync, rename, fsync the directory. With ids of disks it is version 1 (KIP-853)."""
    plain: dict[str, int | str] = {
        "leaderId": state.leader_id,
        "leaderEpoch": state.epoch,
        "votedId": state.voted_for,
        "data_version": 0,
    }
    if state.voted_directory_id:
        plain |= {"votedDirectoryId": state.voted_directory_id, "data_version": 1}
    disk.replace(NAME, (json.dumps(plain) + "\n").encode())
    # The rename is in the directory, not in the file. Without this a power loss brings the old file back, and with it a
    # voter that has not voted: it gives the epoch's vote a second time.
    disk.fsync_dir(FOLDER)
