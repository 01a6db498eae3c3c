"""Many small readings become one, so that what was followed for an hour is read as fast as what was read at once."""

from __future__ import annotations

import shutil
from pathlib import Path

SMALL_BYTES = 16 << 20
"""A reading with more Parquet than this is left as it is."""
MERGED_AT = 16
"""So many small readings are merged without being asked: each costs Spark some files to open."""


def small_readings(events: Path, reads: int) -> list[int]:
    """Numbers of the finished readings, up to `reads`, that are small."""
    found = []
    for number in range(1, reads + 1):
        files = list((events / f"read={number}").glob("run=*/*.parquet"))
        if files and sum(path.stat().st_size for path in files) <= SMALL_BYTES:
            found.append(number)
    return found


def merge(events: Path, numbers: list[int], into: int) -> None:
    """Write the rows of some readings once more, as the reading `into`: one file for each run."""
    from workbench.analysis.reading.piecewise import EventFile, stored_batches

    whole = events / f"read={into}"
    shutil.rmtree(whole, ignore_errors=True)
    by_run: dict[str, list[Path]] = {}
    for number in numbers:
        for path in sorted((events / f"read={number}").glob("run=*/*.parquet")):
            by_run.setdefault(path.parent.name, []).append(path)
    for name, paths in by_run.items():
        (whole / name).mkdir(parents=True, mode=0o700)
        with EventFile(whole / name / "merged.parquet") as file:
            for path in paths:
                for batch in stored_batches(path):
                    file.add(batch)


def drop(events: Path, numbers: list[int]) -> None:
    """Delete readings whose rows stand in another one."""
    for number in numbers:
        shutil.rmtree(events / f"read={number}", ignore_errors=True)
