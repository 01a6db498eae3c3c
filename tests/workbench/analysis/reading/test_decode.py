"""Trace files as rows: good ones, torn ones, broken ones, and those of a newer version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cluster.model import events as ev
from cluster.model.decision import Decision
from cluster.model.entry import Entry, EventId, UnknownEvent
from cluster.trace.entry import encode_entry
from tests.support.traces.made_events import RUN, write_run
from workbench.analysis.reading.columns import READ_EVENT
from workbench.analysis.reading.decode import TOO_LARGE, row_of, rows
from workbench.analysis.reading.ranges import Range

START = ev.RunStarted(config="{}", world="processes", title="t")
END = ev.RunEnded(clean=True)


def _file(tmp_path: Path, more: bytes = b"") -> Path:
    path = write_run(tmp_path, {"0-0": [START, END]}) / "trace" / "0-0.trace"
    path.write_bytes(path.read_bytes() + more)
    return path


def _read(
    path: Path, start: int = 0, seq: int = 0, end: int | None = None
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    size = path.stat().st_size if end is None else end
    *found, told = rows(Range(RUN, 6_000_000, str(path), path.name, start, size, seq, None))
    assert told["event"] == READ_EVENT
    return found, told


def test_a_good_file_gives_a_row_for_each_event_and_tells_how_far_it_goes(tmp_path: Path) -> None:
    path = _file(tmp_path)
    found, told = _read(path)
    assert [(row["event"], row["t_ms"]) for row in found] == [("run.started", 0.0), ("run.ended", 1.0)]
    assert (told["to_byte"], told["next_seq"], told["entry_count"], told["torn_bytes"]) == (
        path.stat().st_size,
        2,
        2,
        0,
    )
    assert "bad_byte" not in told


def test_a_torn_tail_is_counted_and_the_events_before_it_are_kept(tmp_path: Path) -> None:
    found, told = _read(_file(tmp_path, b"\x00\x00\x00\x20half"))
    assert len(found) == 2
    assert (told["torn_bytes"], "bad_byte" in told) == (8, False)


def test_garbage_is_named_by_its_byte_and_the_events_before_it_are_kept(tmp_path: Path) -> None:
    good = _file(tmp_path).stat().st_size
    found, told = _read(_file(tmp_path, b"\x00\x00\x00\x04abcd"))
    assert len(found) == 2
    assert (told["bad_byte"], told["to_byte"]) == (good, good)
    assert "not an entry" in told["bad_why"]


def test_an_event_of_a_newer_version_is_counted_and_kept_as_it_is(tmp_path: Path) -> None:
    made = Entry(RUN, 0, 0, 2, 9_000_000, 1, 2, None, "", None, UnknownEvent("raft.teleported", (1, "far")))
    found, told = _read(_file(tmp_path, encode_entry(made)))
    assert told["unknown_count"] == 1
    assert (found[2]["event"], found[2]["is_known"], found[2]["unknown_fields"]) == (
        "raft.teleported",
        False,
        "(1, 'far')",
    )


def test_a_number_that_no_column_holds_is_garbage(tmp_path: Path) -> None:
    good = _file(tmp_path).stat().st_size
    far = ev.LogRecovered(
        topic="t", partition=0, valid_bytes=1, dropped_bytes=0, log_end_offset=1, high_watermark=0,
        batches=((1 << 63, 1, 0, ()),), why="clean",
    )  # fmt: skip
    wide = encode_entry(Entry(RUN, 0, 0, 2, 9_000_000, 1, 2, None, "", None, far))
    path = _file(tmp_path, wide + encode_entry(Entry(RUN, 0, 0, 3, 9_000_001, 1, 3, None, "", None, END)))
    item = Range(RUN, 6_000_000, str(path), path.name, 0, path.stat().st_size, 0, None)
    *found, told = rows(item)
    assert [row["event"] for row in found] == ["run.started", "run.ended"]
    assert (told["entry_count"], told["bad_byte"], told["bad_why"]) == (2, good + len(wide), TOO_LARGE)


def test_reading_goes_on_where_it_ended(tmp_path: Path) -> None:
    path = _file(tmp_path)
    middle = len(path.read_bytes()) - int.from_bytes(path.read_bytes()[:4], "big")
    first = 4 + int.from_bytes(path.read_bytes()[:4], "big")
    assert middle != first, "the two entries differ in length, so a mix-up would show"
    assert [row["event"] for row in _read(path, end=first)[0]] == ["run.started"]
    assert [row["event"] for row in _read(path, start=first, seq=1)[0]] == ["run.ended"]


def test_a_gap_in_the_numbers_is_found_across_readings(tmp_path: Path) -> None:
    path = _file(tmp_path)
    first = 4 + int.from_bytes(path.read_bytes()[:4], "big")
    assert "sequence number 1 where 5 was due" in _read(path, start=first, seq=5)[1]["bad_why"]


def test_a_file_that_shrank_or_went_is_bad_and_not_forgotten(tmp_path: Path) -> None:
    path = _file(tmp_path)
    assert "cut shorter" in _read(path, start=500, seq=9, end=20)[1]["bad_why"]
    assert "deleted" in _read(path, start=500, seq=9, end=-1)[1]["bad_why"]
    assert _read(path.with_name("none.trace"), end=5)[1]["bad_why"] == "No such file or directory"


def test_cause_and_decision_stand_in_their_columns() -> None:
    decision = Decision("grant_vote", granted=True, reason="first", source="KIP-595", numbers={"epoch": 3, "ids": [1]})
    made = Entry(RUN, 1, 0, 0, 7_500_000, 1, 0, EventId(101, 2, 9), "x", decision, END)
    row = row_of(made, Range(RUN, 6_000_000, "", "1-0.trace", 0, 0, 0, None))
    assert (row["cause_node"], row["cause_incarnation"], row["cause_seq"]) == (101, 2, 9)
    assert (row["rule"], row["rule_granted"], row["rule_numbers"]) == ("grant_vote", True, '{"epoch": 3, "ids": [1]}')
    assert row["t_ms"] == 1.5
