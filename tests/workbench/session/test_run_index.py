"""A recording that is long: what is not in memory is read again, and the next screen need not fold it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.traces import story
from tests.support.traces.files import write_trace
from workbench.session import recording, run_index
from workbench.session.fold_state import pack_folds
from workbench.session.index_file import NAME
from workbench.session.pages import NEWEST_PAGES
from workbench.session.recording import Recording
from workbench.session.session import Session
from workbench.session.timeline import OWN, Mark
from workbench.session.views.cluster import ClusterView

ENTRIES = story.full_story()
SIZE = 10
WHOLE = len(ENTRIES) // SIZE * SIZE
"""Entries on full pages."""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.setattr(recording, "STATE_EVERY", 1)
    folder = tmp_path / "runs" / "r"
    folder.mkdir(parents=True)
    write_trace(folder, ENTRIES)
    return folder


def opened(run: Path) -> Session:
    session = Session(run, None, Recording(SIZE))
    session.load()
    return session


def folded(run: Path) -> int:
    """How many entries an opening has to fold."""
    kept = Recording(SIZE)
    kept.keep_in(run)
    kept.close()
    return len(ENTRIES) - len(kept.entries)


def same_everywhere(shown: Recording) -> bool:
    """Whether the view at every cursor is the one that a fold from the start gives."""
    fresh = ClusterView()
    for cursor in range(len(ENTRIES) + 1):
        shown.seek(cursor)
        view = shown.view
        assert (view.logs, view.rows, view.nodes, view.partitions) == (
            fresh.logs, fresh.rows, fresh.nodes, fresh.partitions,
        ), cursor  # fmt: skip
        if cursor < len(ENTRIES):
            fresh.apply(ENTRIES[cursor])
    return shown.entries == ENTRIES


def test_the_next_screen_knows_what_the_last_one_folded(run: Path) -> None:
    first = opened(run)
    assert same_everywhere(first.recording)
    first.recording.close()
    assert folded(run) == len(ENTRIES) - WHOLE
    second = opened(run)
    assert same_everywhere(second.recording)
    assert second.recording.timeline.marks == first.recording.timeline.marks
    assert second.recording.timeline.activity == first.recording.timeline.activity


def test_a_run_that_goes_on_is_read_on(tmp_path: Path, run: Path) -> None:
    for file in (run / "trace").iterdir():
        file.unlink()
    write_trace(run, ENTRIES[:55])
    opened(run).recording.close()
    write_trace(run, ENTRIES[55:])
    assert same_everywhere(opened(run).recording)


def test_entries_of_long_ago_are_not_in_memory(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(run)
    for file in (run / "trace").iterdir():
        os.truncate(file, 0)
    assert session.recording.entries[WHOLE - NEWEST_PAGES * SIZE :] == ENTRIES[WHOLE - NEWEST_PAGES * SIZE :]
    lost = session.recording.entries[3]
    assert (lost.event.name, lost.id) == (run_index.UNREADABLE, ENTRIES[3].id), "it says so, and the screen lives"
    assert "cannot be read again" in session.recording.trouble


@pytest.mark.parametrize("harm", ["half", "garbage", "middle", "another trace"])
def test_an_index_that_is_not_good_is_made_anew(run: Path, harm: str) -> None:
    opened(run).recording.close()
    index = run / NAME
    content = bytearray(index.read_bytes())
    if harm == "half":
        index.write_bytes(content[: len(content) // 2])
    elif harm == "garbage":
        index.write_bytes(os.urandom(5000))
    elif harm == "middle":
        content[len(content) // 2] ^= 0xFF
        index.write_bytes(content)
    else:
        for file in (run / "trace").iterdir():
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        assert len(opened(run).recording.entries) < len(ENTRIES)
        return
    session = opened(run)
    assert same_everywhere(session.recording)
    session.recording.close()
    assert folded(run) == len(ENTRIES) - WHOLE, "the next finds a good one"


def test_folds_that_were_kept_some_pages_ago_go_on_from_there(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "STATE_EVERY", 4)
    first = opened(run)
    first.recording.close()
    assert folded(run) == len(ENTRIES) - WHOLE // (4 * SIZE) * 4 * SIZE
    second = opened(run)
    folds = [{name: getattr(session.recording, name) for name in recording.FOLDS} for session in (first, second)]
    assert pack_folds(folds[0]) == pack_folds(folds[1]) and same_everywhere(second.recording)


def test_marks_of_the_viewer_are_not_kept_twice(run: Path) -> None:
    session = Session(run, None, Recording(SIZE))
    session.recording.keep_in(run)
    session.recording.timeline.add_own(Mark(1, 5, OWN, "here"))
    session.recording.extend(ENTRIES)
    session.recording.close()
    again = opened(run).recording
    assert again.timeline.own == [] and again.entries == ENTRIES


def test_a_run_folder_that_cannot_be_written_opens_all_the_same(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (run / NAME).mkdir()
    assert same_everywhere(opened(run).recording)


def test_a_full_disk_leaves_the_rest_in_memory(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(run, None, Recording(SIZE))
    written = 0
    pwrite = os.pwrite

    def full(handle: int, data: bytes, place: int) -> int:
        nonlocal written
        written += 1
        if written > 5:
            raise OSError(28, "No space left on device")
        return pwrite(handle, data, place)

    monkeypatch.setattr(os, "pwrite", full)
    session.load()
    assert same_everywhere(session.recording) and "No space left" in session.recording.trouble
