from __future__ import annotations

from cluster.storage.disk import Disk
from workbench.challenges.bugs.planted_bug import planted
from workbench.challenges.bugs.sealed import sealed_bug


class NoFiles:
    """Anything that is asked of it fails."""


def test_a_folder_is_never_synced() -> None:
    with planted(sealed_bug("storage/no-directory-sync")):
        Disk.fsync_dir(NoFiles(), "folder")  # type: ignore[arg-type]  # it touches no file
