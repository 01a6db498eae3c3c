"""What was read is not read again, and what changed behind our back is noticed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.analysis.reading.ranges import RunSource
from workbench.analysis.store.ledger import (
    FileState,
    Ledger,
    RunState,
    are_one,
    load_ledger,
    new_ranges,
    note_readings,
    save_ledger,
    settle,
)

RUN = "r1"


def _source(**sizes: int) -> RunSource:
    return RunSource(RUN, Path("/runs/r1"), 7, None, {f"{name}.trace": size for name, size in sizes.items()})


def _known(**files: FileState) -> Ledger:
    return Ledger(runs={RUN: RunState("/runs/r1", 7, files={f"{name}.trace": state for name, state in files.items()})})


def _told(file: str, to_byte: int, **more: Any) -> dict[str, Any]:
    row = {
        "run": RUN,
        "file": file,
        "from_byte": 0,
        "to_byte": to_byte,
        "next_seq": 3,
        "newest_ns": 0,
        "torn_bytes": 0,
        "node": 1,
        "incarnation": 0,
    }
    return row | {"bad_byte": None, "bad_why": None, "until_ns": None} | more


def test_a_new_file_is_read_from_its_beginning() -> None:
    (found,) = new_ranges(Ledger(), [_source(a=50)])
    assert (found.from_byte, found.to_byte, found.seq, found.start_ns) == (0, 50, 0, 7)


def test_the_next_reading_begins_with_the_newest_time_of_the_last_one() -> None:
    ledger = Ledger()
    note_readings(ledger, [_source(a=80)], [_told("a.trace", 80, newest_ns=9_000)])
    (found,) = new_ranges(ledger, [_source(a=120)])
    assert (found.from_byte, found.seq, found.origin, found.newest_ns) == (80, 3, (1, 0), 9_000)


def test_a_file_that_turned_bad_is_not_good_again_by_what_comes_after() -> None:
    ledger = Ledger()
    note_readings(ledger, [_source(a=80)], [_told("a.trace", 80, bad_byte=80, bad_why="garbage")])
    note_readings(ledger, [_source(a=120)], [_told("a.trace", 120, from_byte=100)])
    assert ledger.bad_files([RUN]) == [(RUN, "a.trace", 80, "garbage")]


def test_only_what_is_new_of_a_known_file_is_read() -> None:
    (found,) = new_ranges(_known(a=FileState(50, 4, origin=[1, 0]), b=FileState(9, 1)), [_source(a=80, b=9)])
    assert (found.name, found.from_byte, found.to_byte, found.seq, found.origin) == ("a.trace", 50, 80, 4, (1, 0))


def test_a_torn_tail_that_did_not_grow_is_nothing_new() -> None:
    assert new_ranges(_known(a=FileState(50, 4, torn_bytes=6)), [_source(a=56)]) == []
    assert len(new_ranges(_known(a=FileState(50, 4, torn_bytes=6)), [_source(a=57)])) == 1


def test_a_file_that_shrank_or_went_is_asked_for_so_that_it_is_told() -> None:
    shrunk, gone = new_ranges(_known(a=FileState(50, 4), b=FileState(9, 1)), [_source(a=20)])
    assert (shrunk.to_byte, gone.to_byte) == (20, -1)


def test_a_bad_file_is_not_read_again() -> None:
    assert new_ranges(_known(a=FileState(50, 4, bad_byte=50)), [_source(a=90)]) == []


def test_a_reading_makes_the_tables_of_its_run_old() -> None:
    ledger = _known(a=FileState(50, 4))
    ledger.runs[RUN].tables = "made"
    note_readings(ledger, [_source(a=80)], [_told("a.trace", 80, bad_byte=80, bad_why="garbage")])
    assert ledger.stale([RUN]) == [RUN]
    assert ledger.bad_files([RUN]) == [(RUN, "a.trace", 80, "garbage")]


def test_a_run_that_is_over_gets_its_last_events_and_its_tables_anew() -> None:
    ledger, living = Ledger(), replace(_source(a=80), until_ns=99)
    (asked,) = new_ranges(ledger, [living])
    note_readings(ledger, [living], [_told("a.trace", 80, until_ns=asked.until_ns)])
    ledger.runs[RUN].tables = "made"
    assert (ledger.runs[RUN].until_ns, settle(ledger, [living])) == (99, False)
    assert settle(ledger, [_source(a=80)])
    assert (ledger.runs[RUN].until_ns, ledger.runs[RUN].tables) == (None, "")
    assert not settle(ledger, [_source(a=80)])


def test_the_ledger_survives_its_file(tmp_path: Path) -> None:
    ledger = load_ledger(tmp_path)
    assert ledger is not None
    note_readings(ledger, [_source(a=80)], [_told("a.trace", 80)])
    save_ledger(tmp_path, ledger)
    assert load_ledger(tmp_path) == ledger


def test_rubbish_is_no_ledger_and_no_file_is_an_empty_one(tmp_path: Path) -> None:
    assert load_ledger(tmp_path) == Ledger()
    for text in ("{nonsense", "[]", "{}", '{"runs": {"r": 1}, "reads": 1, "gone": []}'):
        (tmp_path / "ledger.json").write_text(text)
        assert load_ledger(tmp_path) is None


def test_pieces_of_a_file_are_one_only_when_all_before_the_last_are_whole_and_of_one_node() -> None:
    first, last = _told("a.trace", 40, torn_bytes=0), _told("a.trace", 80, from_byte=40, torn_bytes=7)
    other = _told("b.trace", 9, node=2)
    assert are_one([last, other, first])
    assert not are_one([first | {"bad_byte": 40}, last])
    assert not are_one([first | {"torn_bytes": 3}, last])
    assert not are_one([first, last | {"incarnation": 1}])


def test_of_the_pieces_of_a_file_the_last_one_says_how_far_it_goes() -> None:
    ledger = Ledger()
    note_readings(ledger, [_source(a=80)], [_told("a.trace", 80, from_byte=40, torn_bytes=7), _told("a.trace", 40)])
    assert (ledger.runs[RUN].files["a.trace"].to_byte, ledger.runs[RUN].files["a.trace"].torn_bytes) == (80, 7)
