"""Which code made what is stored: what other code made is not used, and not deleted."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

VERSION = "version-"
"""How the folder of a version is named."""
ROOT = Path(__file__).parents[3]
READING = (
    *("cluster/model", "cluster/trace", "cluster/ordinary_file.py", "workbench/analysis/store/rows.py"),
    *(f"workbench/analysis/reading/{name}.py" for name in ("columns", "ranges", "rows", "source")),
)
"""What makes events of the bytes of a trace."""
MAKING = (
    *READING,
    *("cluster/invariants", "workbench/analysis/tables", "workbench/analysis/judge.py"),
    *(f"workbench/analysis/store/{name}.py" for name in ("ahead", "planned", "tables")),
)
"""What makes tables of events."""


def sources(wanted: Iterable[str], root: Path = ROOT) -> list[Path]:
    """The files of these packages and modules."""
    files: list[Path] = []
    for name in wanted:
        path = root / name
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return files


def digest_of(wanted: Iterable[str], root: Path = ROOT) -> str:
    """Changes whenever one of these sources does."""
    digest = sha256()
    for path in sources(wanted, root):
        digest.update(f"\n{path.relative_to(root)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


@cache
def layout_version() -> str:
    """Of the events: another one is another folder."""
    return digest_of(READING)


@cache
def tables_version() -> str:
    """Of the tables of a run: another one is made again from the events."""
    return digest_of(MAKING)


def this_version() -> str:
    """Name of the folder, in an output folder, of all that this version reads and makes."""
    return f"{VERSION}{layout_version()}"
