"""Recordings that are not as a run leaves them: opened as far as they are good, or refused at once in one sentence."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from cluster.model.entry import Entry, UnknownEvent
from cluster.trace.entry import encode_entry
from cluster.trace.reader import TraceError
from tests.support.traces import story
from tests.support.traces.files import write_trace
from workbench.session.recording import Recording
from workbench.session.session import Session
from workbench.telling.tell import describe

ENTRIES = story.full_story()
TEN_GB = 10 << 30


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    """Nothing here may take long, however large the file is."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        pytest.fail("still reading")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(10)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    write_trace(tmp_path, ENTRIES)
    return tmp_path


def opened(run: Path) -> Recording:
    session = Session(run, None, Recording(10))
    session.load()
    return session.recording


def test_a_half_written_one_opens_as_far_as_it_goes(run: Path) -> None:
    last = max(run.glob("trace/*.trace"), key=lambda path: path.stat().st_size)
    os.truncate(last, last.stat().st_size - 3)
    found = opened(run)
    assert len(found.entries) == len(ENTRIES) - 1 and found.live.t_ns


def test_one_of_zeros_without_end_is_refused_at_its_first_byte(run: Path) -> None:
    path = run / "trace" / "2-0.trace"
    size = path.stat().st_size
    os.truncate(path, TEN_GB)
    with pytest.raises(TraceError, match=rf"2-0\.trace: byte {size}: an entry of 0 bytes"):
        opened(run)


def test_a_foreign_file_is_refused(run: Path) -> None:
    (run / "trace" / "3-0.trace").write_bytes(b"\x1b]0;owned\x07" * 100)
    with pytest.raises(TraceError, match="byte 0: an entry of 459092027 bytes") as refused:
        opened(run)
    assert "\x1b" not in str(refused.value)


def test_another_run_among_the_files_is_refused(run: Path) -> None:
    entry = ENTRIES[-1]
    other = Entry("other\x1b[2J", 7, 0, 0, entry.t_ns, 0, 0, None, "", None, entry.event)
    (run / "trace" / "7-0.trace").write_bytes(encode_entry(other))
    with pytest.raises(TraceError, match="run 'other.x1b.2J' among"):
        opened(run)


def test_events_of_a_newer_version_are_shown_as_such_on_every_page(run: Path) -> None:
    event = UnknownEvent("raft.\x1b[31mnovelty", (1, "\x1b[2J"))
    newer = [
        Entry(ENTRIES[0].run, 9, 0, seq, ENTRIES[-1].t_ns + seq + 1, 0, 0, None, "", None, event) for seq in range(100)
    ]
    write_trace(run, newer)
    found = opened(run)
    assert len(found.entries) == len(ENTRIES) + 100
    found.seek(len(ENTRIES) + 5)
    assert found.view.t_ns == newer[4].t_ns
    shown = describe(found.entries[len(ENTRIES) + 5])
    assert "novelty" in shown and "\x1b" not in shown


def test_a_run_without_a_trace_is_empty(tmp_path: Path) -> None:
    assert len(opened(tmp_path).entries) == 0
