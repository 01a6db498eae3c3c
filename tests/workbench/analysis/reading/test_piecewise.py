"""Files read piece by piece say what they say entry by entry, whatever is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.traces.made_events import RUN, write_run

pytest.importorskip("pyarrow", reason="the analysis extra is not installed: make install-analysis")

from cluster.model import events as ev  # noqa: E402  # what follows needs pyarrow
from cluster.model.entry import Entry  # noqa: E402
from cluster.trace.entry import encode_entry  # noqa: E402
from cluster.trace.reader import TraceError, read_all  # noqa: E402
from workbench.analysis.reading import piecewise  # noqa: E402
from workbench.analysis.reading.columns import READ_EVENT  # noqa: E402
from workbench.analysis.reading.decode import rows  # noqa: E402
from workbench.analysis.reading.piecewise import batch_of_rows, batches, store  # noqa: E402
from workbench.analysis.reading.ranges import Range  # noqa: E402

STEPS = [ev.LessonStep(step=number, text=f"step {number}") for number in range(60)]
WIDE = ev.LessonStep(step=1 << 63, text="far")
OTHER = "20260101-000000-000bb"


def _range(path: Path, *, start: int = 0, end: int | None = None, seq: int = 0, run: str = RUN) -> Range:
    return Range(run, 6_000_000, str(path), path.name, start, path.stat().st_size if end is None else end, seq, None)


def _entry(seq: int, event: Any, *, node: int = 0, run: str = RUN, t_ns: int = 9_000_000_000) -> bytes:
    return encode_entry(Entry(run, node, 0, seq, t_ns + seq, 1, seq, None, "", None, event))


def _started(node: int) -> ev.ProcessStarted:
    return ev.ProcessStarted(node_id=node, roles=("broker",), incarnation_number=0, pid=0)


def _booted(*voters: int) -> ev.QuorumBooted:
    return ev.QuorumBooted(epoch=1, leader_id=-1, voted_for=-1, log_end_offset=0, last_epoch=0, voters=voters)


def _sorted(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(found, key=lambda row: (row["event"] == READ_EVENT, row["seq"] or 0))


TAILS = {
    "nothing": b"",
    "half an entry": b"\x00\x00\x00\x20half",
    "three bytes": b"\x00\x00\x00",
    "no msgpack": b"\x00\x00\x00\x04abcd",
    "an impossible length": b"\xff\xff\xff\xff rubbish",
    "no length": b"\x00\x00\x00\x00",
    "a gap in the numbers": _entry(61, STEPS[0]),
    "another run": _entry(60, STEPS[0], run=OTHER),
    "another node": _entry(60, STEPS[0], node=7),
    "a number too large": _entry(60, WIDE) + _entry(61, STEPS[0]),
    "a clock that goes back": _entry(60, STEPS[0], t_ns=3_000_000) + _entry(61, STEPS[1]),
    "a clock that went back before": _entry(60, STEPS[0]) + _entry(61, STEPS[1], t_ns=8_000_000_000),
    "a negative time": _entry(60, STEPS[0], t_ns=-5_000_000_000),
    "a start of no node": _entry(60, _started(100_000)) + _entry(61, STEPS[1]),
    "a voter of no node": _entry(60, _booted(101, 2**40)),
    "nodes there are": _entry(60, _started(99)) + _entry(61, _booted(101, 102, 103)),
}
TORN = ("nothing", "half an entry", "three bytes", "nodes there are")


@pytest.mark.parametrize("piece_bytes", [100, 1_000, 1 << 19])
@pytest.mark.parametrize("tail", TAILS)
def test_pieces_say_what_entries_say(
    tail: str, piece_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(piecewise, "PIECE_BYTES", piece_bytes)
    path = write_run(tmp_path, {"0-0": STEPS}) / "trace" / "0-0.trace"
    path.write_bytes(path.read_bytes() + TAILS[tail])
    found = [row for batch in batches([_range(path)]) for row in batch.to_pylist()]
    assert _sorted(found) == batch_of_rows(list(rows(_range(path)))).to_pylist()
    assert len(found) > 60


@pytest.mark.parametrize("tail", sorted({*TAILS} - {*TORN, "a number too large"}))
def test_what_the_analysis_refuses_check_refuses_in_the_same_words(tail: str, tmp_path: Path) -> None:
    path = write_run(tmp_path, {"0-0": STEPS}) / "trace" / "0-0.trace"
    path.write_bytes(path.read_bytes() + TAILS[tail])
    assert _told(path) == _refused(path)


@pytest.mark.parametrize(("node", "t_ns"), [(0, -7), (200, 1), (-1, 1)], ids=["time", "node", "negative node"])
def test_a_first_event_that_no_run_can_have_is_refused_in_the_same_words(node: int, t_ns: int, tmp_path: Path) -> None:
    path = write_run(tmp_path, {"0-0": []}) / "trace" / "0-0.trace"
    path.write_bytes(_entry(0, STEPS[0], node=node, t_ns=t_ns) + _entry(1, STEPS[1], node=node))
    assert _told(path) == _refused(path)


def _told(path: Path) -> tuple[int | None, str | None]:
    (row,) = [row for batch in batches([_range(path)]) for row in batch.to_pylist() if row["event"] == READ_EVENT]
    return row["bad_byte"], row["bad_why"]


def _refused(path: Path) -> tuple[int, str]:
    with pytest.raises(TraceError) as refused:
        read_all(path.parent)
    return refused.value.offset, refused.value.why


def test_a_file_that_went_or_shrank_is_told(tmp_path: Path) -> None:
    path = write_run(tmp_path, {"0-0": STEPS}) / "trace" / "0-0.trace"
    size = path.stat().st_size
    asked = [
        _range(path, start=500, end=20, seq=9),
        _range(path, start=500, end=-1, seq=9),
        _range(path, end=size + 50),
        _range(path.with_name("none.trace"), end=5),
    ]
    told = [row["bad_why"] for batch in batches(asked) for row in batch.to_pylist() if row["event"] == READ_EVENT]
    assert told == [
        "cut shorter since it was read",
        "deleted since it was read",
        "cut shorter while it was read",
        "No such file or directory",
    ]


def test_what_is_stored_is_what_is_read_and_storing_again_changes_nothing(tmp_path: Path) -> None:
    import pyarrow.dataset as ds

    paths = {run: write_run(tmp_path / run, {"0-0": STEPS, "1-0": STEPS}, run=run) / "trace" for run in (RUN, OTHER)}
    ranges = [_range(folder / name, run=run) for run, folder in paths.items() for name in ("0-0.trace", "1-0.trace")]
    ranges = [ranges[0], ranges[2], ranges[1], ranges[3]]
    for _ in range(2):
        (told,) = store(ranges, tmp_path / "out", "part")
    files = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert files == [f"run={RUN}/part.parquet", f"run={OTHER}/part.parquet"]
    assert sorted((row["run"], row["file"], row["entry_count"]) for row in told.to_pylist()) == [
        (run, name, 60) for run in (RUN, OTHER) for name in ("0-0.trace", "1-0.trace")
    ]
    back = ds.dataset(tmp_path / "out", format="parquet", partitioning="hive").to_table().to_pylist()
    read = [row for batch in batches(ranges) for row in batch.to_pylist()]

    def key(row: dict[str, Any]) -> tuple[str, str, int]:
        return row["run"], row["file"], -1 if row["seq"] is None else row["seq"]

    assert sorted(back, key=key) == sorted(read, key=key)


def test_events_that_are_wanted_besides_are_given_as_well_as_stored(tmp_path: Path) -> None:
    path = write_run(tmp_path, {"0-0": [ev.RunEnded(clean=True), *STEPS]}) / "trace" / "0-0.trace"
    found = [
        row for batch in store([_range(path)], tmp_path / "out", "part", ("run.ended",)) for row in batch.to_pylist()
    ]
    assert [row["event"] for row in found] == ["run.ended", READ_EVENT]
    assert found[1]["entry_count"] == 61


def test_a_store_that_fails_leaves_no_file_behind_that_looks_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_run(tmp_path, {"0-0": STEPS}) / "trace" / "0-0.trace"
    monkeypatch.setattr(piecewise, "batch_of", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        list(store([_range(path)], tmp_path / "out", "part"))
    assert not list((tmp_path / "out").rglob("*.parquet"))
