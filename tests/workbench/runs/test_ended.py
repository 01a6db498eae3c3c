"""What becomes of a run that is over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cluster.runtime.run.folder import create_run
from workbench.refusal import USAGE, Refusal
from workbench.runs.ended import remove


def test_nothing_is_deleted_through_a_link(tmp_path: Path) -> None:
    folder, lock = create_run(tmp_path, "A title", 1, 1, {}, combined=False)
    os.close(lock)
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(Refusal, match=f"link is a link; nothing deleted; the run is in {folder}") as refused:
        remove(tmp_path / "link")
    assert refused.value.code == USAGE and folder.is_dir()
    remove(folder)
    assert not folder.exists()
