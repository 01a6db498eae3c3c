"""The clean-shutdown marker with the broker epoch of the last run. Source: KIP-966, CleanShutdownFileHandler."""

from __future__ import annotations

import json

from cluster.storage.disk import Disk

NAME = ".kafka_cleanshutdown"


def take_marker(disk: Disk) -> int | None:
    """Delete the marker; its broker epoch, -1 when it holds none, None when there was no marker."""
    data = disk.read_whole(NAME)
    if data is None:
        return None
    # It vouches for one start. If it stayed, the start after a later kill would trust it: it would check no CRC, and
    # take bytes for records that were never written whole.
    disk.unlink(NAME)
    try:
        broker_epoch = json.loads(data)["brokerEpoch"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return -1
    return broker_epoch if type(broker_epoch) is int else -1


def leave_marker(disk: Disk, broker_epoch: int) -> None:
    """Say that all logs were flushed and closed; -1 when there is no broker epoch."""
    disk.replace(NAME, (json.dumps({"version": 0, "brokerEpoch": broker_epoch}) + "\n").encode())
    disk.fsync_dir("")
