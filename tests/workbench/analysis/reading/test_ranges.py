"""Which bytes there are to read."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.runtime.run.folder import RunError
from cluster.trace.entry import encode_entry
from tests.support.traces.made_events import RUN, ranges_of, read_range, write_run
from workbench.analysis.reading import ranges as module
from workbench.analysis.reading.ranges import Place, Range, cut_up, examine, find_folders, hop, spread

pytest.importorskip("pyarrow", reason="the analysis extra is not installed: make install-analysis")

START = ev.RunStarted(config="{}", world="processes", title="t")
END = ev.RunEnded(clean=True)


def _range(name: str, size: int) -> Range:
    return Range(RUN, 0, name, name, 0, size, 0, None)


def test_the_first_event_of_a_run_is_its_time_zero(tmp_path: Path) -> None:
    source = examine(write_run(tmp_path, {"0-0": [START, END], "1-0": [END]}))
    assert (source.run, source.start_ns) == (RUN, 6_000_000)
    assert set(source.sizes) == {"0-0.trace", "1-0.trace"}


def test_a_run_without_events_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace" / "0-0.trace").touch()
    with pytest.raises(RunError, match="holds no events"):
        examine(tmp_path)


def test_a_run_id_that_is_no_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="not one of ours"):
        examine(write_run(tmp_path, {"0-0": [START]}, run="../../etc"))


def test_hopping_stops_before_a_torn_tail_and_counts_entries(tmp_path: Path) -> None:
    path = write_run(tmp_path, {"0-0": [START, END]}) / "trace" / "0-0.trace"
    whole = path.stat().st_size
    path.write_bytes(path.read_bytes() + b"\x00\x00\x00\x20half")
    end = hop(path, Place())
    assert end == Place(whole, 2, 7_000_000, (0, 0), path.stat().st_size)
    assert hop(path, end) == end


def test_hopping_leaves_an_impossible_length_to_the_reading(tmp_path: Path) -> None:
    path = write_run(tmp_path, {"0-0": [START]}) / "trace" / "0-0.trace"
    path.write_bytes(path.read_bytes() + b"\xff\xff\xff\xff rubbish")
    assert hop(path, Place()) == Place(path.stat().st_size, 2, size=path.stat().st_size)


def test_hopping_may_end_at_an_entry_in_between(tmp_path: Path) -> None:
    path = write_run(tmp_path, {"0-0": [END] * 4}) / "trace" / "0-0.trace"
    entry = path.stat().st_size // 4
    assert hop(path, Place(), entry + 1) == Place(2 * entry, 2, 7_000_000, (0, 0), 4 * entry)
    assert hop(path, Place(entry, 1), 2 * entry) == Place(2 * entry, 2, 7_000_000, (0, 0), 4 * entry)


def test_a_long_file_is_cut_between_entries_and_a_short_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = examine(write_run(tmp_path, {"0-0": [START], "1-0": [END] * 100}))
    monkeypatch.setattr(module, "PIECE_MIN_BYTES", 1000)
    whole = ranges_of(source)
    short, *pieces = cut_up(whole, 4)
    assert short == whole[0]
    assert len(pieces) == 4
    assert (pieces[0].from_byte, pieces[-1].to_byte) == (0, whole[1].to_byte)
    for before, after in pairwise(pieces):
        assert before.to_byte == after.from_byte
        assert after.seq - before.seq == before.size * 100 // whole[1].size
    assert sum(len(read_range(piece)[0]) for piece in pieces) == 100, "every entry once, each with its number"


def test_a_clock_that_goes_back_where_a_file_was_cut_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_run(tmp_path, {"1-0": [END] * 100}) / "trace" / "1-0.trace"
    monkeypatch.setattr(module, "PIECE_MIN_BYTES", 1000)
    border = cut_up(ranges_of(examine(tmp_path)), 4)[1]
    data, size = path.read_bytes(), border.size // 25
    later = border.from_byte - size
    made = Entry(RUN, 1, 0, border.seq - 1, 200_000_000, 1_700_000_000_200_000_000, border.seq - 1, None, "", None, END)
    path.write_bytes(data[:later] + encode_entry(made) + data[border.from_byte :])
    told = [read_range(piece)[1] for piece in cut_up(ranges_of(examine(tmp_path)), 4)]
    assert [row.get("bad_byte") for row in told] == [None, border.from_byte, None, None]
    assert f"event 1-0#{border.seq}: its clock goes back from 200000000 to" in told[1]["bad_why"]


def test_shares_are_about_equal_and_lose_nothing() -> None:
    ranges = [_range(f"{place}", size) for place, size in enumerate((90, 50, 40, 10, 1))]
    shares = spread(ranges, 2)
    assert sorted(item.size for share in shares for item in share) == [1, 10, 40, 50, 90]
    assert [sum(item.size for item in share) for share in shares] == [100, 91]
    assert len(spread(ranges[:1], 8)) == 1


def test_runs_of_a_class_are_found_some_floors_down(tmp_path: Path) -> None:
    for name in ("anna/run1", "ben/deep/er/run2"):
        (tmp_path / name / "trace").mkdir(parents=True)
    assert [item.name for item in find_folders(tmp_path)] == ["run1", "run2"]


def test_two_runs_of_one_seed_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    """The events of a simulated run name its seed, the same in each; a run of processes must name its own id."""
    sources = []
    for run in ("first", "second"):
        folder = write_run(tmp_path / run, {"0-0": [START], "1-0": [START]}, run="seed-7-abc")
        facts = {"id": run, "title": "t", "created": "", "state": "ended", "controllers": [101], "brokers": [1]}
        (folder / "run.json").write_text(json.dumps({**facts, "settings": {}, "world": "simulated"}))
        sources.append(examine(folder))
    assert [(source.run, source.entry_run, source.start_ns) for source in sources] == [
        ("first", "seed-7-abc", 6_000_000),
        ("second", "seed-7-abc", 6_000_000),
    ]
    for item in [item for source in sources for item in ranges_of(source)]:
        found, told = read_range(item)
        assert [(row["run"], row["event"]) for row in found] == [(item.run, "run.started")]
        assert told["bad_byte"] is None
    facts = json.loads((tmp_path / "first" / "run.json").read_text()) | {"world": "processes"}
    (tmp_path / "first" / "run.json").write_text(json.dumps(facts))
    foreign = ranges_of(examine(tmp_path / "first"))[0]
    assert "among 'first'" in read_range(foreign)[1]["bad_why"]
