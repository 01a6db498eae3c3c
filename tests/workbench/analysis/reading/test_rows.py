"""Trace files as rows: good ones, torn ones, broken ones, and those of a newer version."""

from __future__ import annotations

import json
import types
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

from tests.support.traces.made_events import RUN, read_range, write_run

pytest.importorskip("pyarrow", reason="the analysis extra is not installed: make install-analysis")

from cluster.model import events as ev  # noqa: E402  # what follows needs pyarrow
from cluster.model.codec import from_plain, to_plain  # noqa: E402
from cluster.model.entry import Entry, EventId, UnknownEvent  # noqa: E402
from cluster.model.events import CATALOGUE  # noqa: E402
from cluster.model.ruling import Decision  # noqa: E402
from cluster.trace.entry import encode_entry  # noqa: E402
from cluster.trace.reader import TraceError, read_all  # noqa: E402
from workbench.analysis.judge import entry_of  # noqa: E402
from workbench.analysis.reading import rows as module  # noqa: E402
from workbench.analysis.reading.columns import FIELDS  # noqa: E402
from workbench.analysis.reading.ranges import Range  # noqa: E402
from workbench.analysis.reading.rows import TOO_LARGE, rows_of  # noqa: E402

STEPS = [ev.LessonStep(step=number, text=f"step {number}") for number in range(60)]
WIDE = ev.LessonStep(step=1 << 63, text="far")
OTHER = "20260101-000000-000bb"


def _range(path: Path, *, start: int = 0, end: int | None = None, seq: int = 0) -> Range:
    return Range(RUN, 6_000_000, str(path), path.name, start, path.stat().st_size if end is None else end, seq, None)


def _entry(seq: int, event: Any, *, node: int = 0, run: str = RUN, t_ns: int = 9_000_000_000) -> bytes:
    return encode_entry(Entry(run, node, 0, seq, t_ns + seq, 1, seq, None, "", None, event))


def _started(node: int) -> ev.ProcessStarted:
    return ev.ProcessStarted(node_id=node, roles=("broker",), incarnation_number=0, pid=0)


def _booted(*voters: int) -> ev.QuorumBooted:
    return ev.QuorumBooted(epoch=1, leader_id=-1, voted_for=-1, log_end_offset=0, last_epoch=0, voters=voters)


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


TOLD = {
    "nothing": (60, 0),
    "half an entry": (60, 8),
    "three bytes": (60, 3),
    "nodes there are": (62, 0),
    "a number too large": (60, 0),
    "a clock that went back before": (61, 0),
}
"""How many events are kept, and how many bytes of the next one are there; else all before the tail, and none."""


@pytest.mark.parametrize("piece_bytes", [100, 1_000, 1 << 19])
@pytest.mark.parametrize("tail", TAILS)
def test_events_are_kept_up_to_where_the_file_stops_to_make_sense(
    tail: str, piece_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PIECE_BYTES", piece_bytes)
    monkeypatch.setattr(module, "ROWS_MAX", 7)
    path = write_run(tmp_path, {"0-0": STEPS}) / "trace" / "0-0.trace"
    path.write_bytes(path.read_bytes() + TAILS[tail])
    found, told = read_range(_range(path))
    assert [row["seq"] for row in found] == list(range(told["entry_count"]))
    assert (told["entry_count"], told["torn_bytes"]) == TOLD.get(tail, (60, 0))
    assert (told["bad_byte"] is None) == (tail in TORN)


@pytest.mark.parametrize("tail", sorted({*TAILS} - {*TORN, "a number too large"}))
def test_what_the_analysis_refuses_check_refuses_in_the_same_words(tail: str, tmp_path: Path) -> None:
    path = write_run(tmp_path, {"0-0": STEPS}) / "trace" / "0-0.trace"
    path.write_bytes(path.read_bytes() + TAILS[tail])
    assert _why(path) == _refused(path)


@pytest.mark.parametrize(("node", "t_ns"), [(0, -7), (200, 1), (-1, 1)], ids=["time", "node", "negative node"])
def test_a_first_event_that_no_run_can_have_is_refused_in_the_same_words(node: int, t_ns: int, tmp_path: Path) -> None:
    path = write_run(tmp_path, {"0-0": []}) / "trace" / "0-0.trace"
    path.write_bytes(_entry(0, STEPS[0], node=node, t_ns=t_ns) + _entry(1, STEPS[1], node=node))
    assert _why(path) == _refused(path)


def _why(path: Path) -> tuple[int | None, str | None]:
    _, told = read_range(_range(path))
    return told["bad_byte"], told["bad_why"]


def _refused(path: Path) -> tuple[int, str]:
    with pytest.raises(TraceError) as refused:
        read_all(path.parent)
    return refused.value.offset, refused.value.why


def test_a_file_that_went_or_shrank_isread_range(tmp_path: Path) -> None:
    path = write_run(tmp_path, {"0-0": STEPS}) / "trace" / "0-0.trace"
    size = path.stat().st_size
    asked = [
        _range(path, start=500, end=20, seq=9),
        _range(path, start=500, end=-1, seq=9),
        _range(path, end=size + 50),
        _range(path.with_name("none.trace"), end=5),
    ]
    assert [read_range(item)[1]["bad_why"] for item in asked] == [
        "cut shorter since it was read",
        "deleted since it was read",
        "cut shorter while it was read",
        "No such file or directory",
    ]


def test_reading_goes_on_where_it_ended(tmp_path: Path) -> None:
    path = write_run(tmp_path, {"0-0": STEPS}) / "trace" / "0-0.trace"
    first = 4 + int.from_bytes(path.read_bytes()[:4], "big")
    begin, told = read_range(_range(path, end=first))
    rest, _ = read_range(_range(path, start=told["to_byte"], seq=told["next_seq"]))
    assert [row["seq"] for row in begin + rest] == list(range(60))
    assert "sequence number 1 where 5 was due" in read_range(_range(path, start=first, seq=5))[1]["bad_why"]


def test_a_number_that_no_column_holds_is_garbage_wherever_it_stands(tmp_path: Path) -> None:
    path = write_run(tmp_path, {"0-0": STEPS}) / "trace" / "0-0.trace"
    good = path.read_bytes()
    far = ev.LogRecovered(
        topic="t", partition=0, valid_bytes=1, dropped_bytes=0, log_end_offset=1, high_watermark=0,
        batches=((1 << 63, 1, 0, ()),), why="clean",
    )  # fmt: skip
    for wide in (_entry(60, far), encode_entry(Entry(RUN, 0, 0, 60, 9 << 30, 1, 1 << 63, None, "", None, STEPS[0]))):
        path.write_bytes(good + wide + _entry(61, STEPS[0]))
        found, told = read_range(_range(path))
        assert (len(found), told["bad_byte"], told["bad_why"]) == (60, len(good + wide), TOO_LARGE)


def test_an_event_of_a_newer_version_is_counted_and_kept_as_it_is(tmp_path: Path) -> None:
    path = write_run(tmp_path, {"0-0": STEPS}) / "trace" / "0-0.trace"
    path.write_bytes(path.read_bytes() + _entry(60, UnknownEvent("raft.teleported", (1, "far"))))
    found, told = read_range(_range(path))
    assert told["unknown_count"] == 1
    assert (found[60]["event"], found[60]["is_known"]) == ("raft.teleported", False)
    assert json.loads(found[60][FIELDS]) == {"unknown": "(1, 'far')"}


def test_cause_and_decision_stand_in_their_columns() -> None:
    decision = Decision("grant_vote", granted=True, reason="first", source="KIP-595", numbers={"epoch": 3, "ids": [1]})
    made = Entry(RUN, 1, 0, 0, 7_500_000, 1, 0, EventId(101, 2, 9), "x", decision, ev.RunEnded(clean=True))
    (row,) = rows_of([made], Range(RUN, 6_000_000, "", "1-0.trace", 0, 0, 0, None)).to_pylist()
    assert (row["cause_node"], row["cause_incarnation"], row["cause_seq"]) == (101, 2, 9)
    assert (row["rule"], row["rule_granted"], row["rule_numbers"]) == ("grant_vote", True, '{"epoch":3,"ids":[1]}')
    assert row["t_ms"] == 1.5


def _example(hint: Any, number: int) -> Any:
    """A value of this type; another one for each number, and now and then none where that is allowed."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        (inner,) = (item for item in arguments if item is not type(None))
        return None if number % 3 == 0 else _example(inner, number)
    if origin is tuple and arguments[-1] is Ellipsis:
        return tuple(_example(arguments[0], number + place) for place in range(number % 3))
    if origin is tuple:
        return tuple(_example(item, number + place) for place, item in enumerate(arguments))
    examples = {int: number * 7 - 3, str: f"w\u00f6rt {number}", bool: number % 2 == 0, float: number / 7}
    return examples[hint]


def _event(kind: type[Any], number: int) -> Any:
    hints = get_type_hints(kind)
    return kind(**{name: _example(hints[name], number + place) for place, name in enumerate(kind.__struct_fields__)})


def test_of_the_row_of_any_event_the_checker_makes_the_same_event_again() -> None:
    events = [_event(kind, number) for number in range(3) for kind in CATALOGUE.values()]
    made = [Entry(RUN, 1, 0, seq, seq, 1, seq, EventId(2, 0, seq), "", None, event) for seq, event in enumerate(events)]
    rows = rows_of(made, Range(RUN, 0, "", "1-0.trace", 0, 0, 0, None)).to_pylist()
    again = [entry_of(row) for row in rows]
    expected = [from_plain(type(event), to_plain(event)) for event in events]
    assert [entry.event for entry in again] == expected
