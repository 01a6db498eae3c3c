"""Entries as the trace files that their writers would have left."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cluster.model.entry import Entry
from cluster.trace.entry import encode_entry


def write_trace(run_folder: Path, entries: Iterable[Entry]) -> Path:
    """The trace folder of a run with these entries; what is there already is added to."""
    folder = run_folder / "trace"
    folder.mkdir(exist_ok=True)
    for entry in entries:
        with (folder / f"{entry.node}-{entry.incarnation}.trace").open("ab") as file:
            file.write(encode_entry(entry))
    return folder
