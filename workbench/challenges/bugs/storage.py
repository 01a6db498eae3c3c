"""Bugs of the disk that a hunt seals."""

from __future__ import annotations

from typing import Any

from cluster.storage.disk import Disk
from workbench.challenges.bugs.planted_bug import PlantedBug


def _durable_on_paper(fsync: Any) -> Any:
    """fsync says durable one write too early: what was appended since is not there."""

    def early(self: Disk, name: str) -> Any:
        books = self._books[name]
        before = books.durable
        outcome = fsync(self, name)
        books.durable = before
        self._save(name)
        return outcome

    return early


def _without_directory(_fsync_dir: Any) -> Any:
    return lambda _self, _folder: None


def _keeps_in_memory(init: Any) -> Any:
    """Appends are kept back, and nobody writes them out before frames leave."""

    def buffered(self: Disk, files: Any, *, host_fsync: bool = False, is_buffered: bool = False) -> None:
        init(self, files, host_fsync=host_fsync, is_buffered=True)

    return buffered


STORAGE = (
    PlantedBug("fsync-one-late", "storage", "what fsync was asked for last is not on the disk",
        frozenset({"P21", "R2", "R5"}), ((Disk, "fsync", _durable_on_paper),), seeds=(8,)),
    PlantedBug("no-directory-sync", "storage", "a renamed quorum-state is not made durable",
        frozenset({"P21", "R2", "R5"}), ((Disk, "fsync_dir", _without_directory),), seeds=(8,)),
    PlantedBug("kill-loses-appends", "storage", "appends reach the file with the next flush only",
        frozenset({"P1", "P2", "P21", "P23", "T5"}), ((Disk, "__init__", _keeps_in_memory),), (376,)),
)  # fmt: skip
