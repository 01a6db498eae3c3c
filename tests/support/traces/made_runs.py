"""Recorded runs written by hand."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cluster.model.entry import Entry
from cluster.model.events import LeaderElected
from cluster.trace.entry import encode_entry
from tests.support.traces.quorum_traces import led


def recorded(folder: Path, entries: Iterable[Entry]) -> Path:
    (folder / "trace").mkdir(parents=True)
    for entry in entries:
        with (folder / "trace" / f"{entry.node}-{entry.incarnation}.trace").open("ab") as stream:
            stream.write(encode_entry(entry))
    return folder


def good(tmp_path: Path) -> Path:
    return recorded(tmp_path / "good", led().entries)


def bad(tmp_path: Path) -> Path:
    trace = led()
    trace.add(103, LeaderElected(epoch=1, epoch_start_offset=1, votes=(103,)))
    return recorded(tmp_path / "bad", trace.entries)
