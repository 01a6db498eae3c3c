"""A run folder that was copied while it was written to: each file ends somewhere else."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random


def cut_files(run_folder: Path, folder: Path, seed: int) -> Path:
    """A copy whose traces end between their third and their end, in the middle of an entry or not."""
    draw = Random(seed)
    (folder / "trace").mkdir(parents=True)
    shutil.copy(run_folder / "run.json", folder)
    for path in sorted((run_folder / "trace").iterdir()):
        whole = path.read_bytes()
        (folder / "trace" / path.name).write_bytes(whole[: draw.randrange(len(whole) // 3, len(whole))])
    return folder
