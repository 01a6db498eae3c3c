from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model.entry import Entry
from cluster.trace.entry import encode_entry
from cluster.trace.places import PIECE_BYTES, TracePlaces
from cluster.trace.reader import Place, TraceError, TraceFolder, TraceStream, read_all
from tests.support.traces import story
from tests.support.traces.files import write_trace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_trace(tmp_path, story.full_story())


def of_node(node: int) -> list[Entry]:
    return [entry for entry in story.full_story() if entry.node == node]


def test_stretches_of_a_file_follow_each_other_and_are_read_again(folder: Path) -> None:
    places, expected = TracePlaces(folder), of_node(2)
    first, second = places.follow((2, 0), 3), places.follow((2, 0), 4)
    assert first is not None and second is not None and first.end == second.begin
    assert (places.read(second), places.read(first)) == (expected[3:7], expected[:3])


def test_what_is_not_in_the_file_yet_cannot_be_followed(folder: Path) -> None:
    places, count = TracePlaces(folder), len(of_node(2))
    assert places.follow((2, 0), count + 1) is None and places.reached == {}
    with (folder / "2-0.trace").open("ab") as file:
        file.write(encode_entry(of_node(2)[-1])[:-1])
    assert places.follow((2, 0), count + 1) is None, "half an entry is none"
    assert places.follow((2, 0), count) is not None


def test_entries_longer_than_a_piece_are_passed(tmp_path: Path) -> None:
    entry = of_node(2)[0]
    wide = Entry("r" * (PIECE_BYTES + 5), 2, 0, 0, entry.t_ns, 0, 0, None, "", None, entry.event)
    folder = write_trace(tmp_path, [wide])
    stretch = TracePlaces(folder).follow((2, 0), 1)
    assert stretch is not None and stretch.end.position == (folder / "2-0.trace").stat().st_size


def test_a_file_that_became_another_one_is_not_taken_for_what_it_was(folder: Path) -> None:
    places = TracePlaces(folder)
    stretch = places.follow((2, 0), 5)
    assert stretch is not None
    (folder / "2-0.trace").write_bytes(b"".join(map(encode_entry, of_node(2)[:3])))
    with pytest.raises(TraceError, match="not what it was"):
        places.read(stretch)


def test_garbage_is_named_with_its_place(folder: Path) -> None:
    (folder / "1-0.trace").write_bytes(b"\xff" * 40)
    with pytest.raises(TraceError, match="byte 0: an entry of 4294967295 bytes"):
        TracePlaces(folder).follow((1, 0), 1)


def test_a_stream_goes_on_where_another_ended(folder: Path) -> None:
    expected, stream = read_all(folder), TraceStream(folder)
    given = iter(stream)
    first = [next(given) for _ in range(40)]
    starts = dict(stream.reached)
    given.close()  # type: ignore[attr-defined]
    assert sum(place.seq for place in starts.values()) == 40
    assert first + list(TraceStream(folder, starts=starts)) == expected
    assert TraceFolder(folder, starts).poll() == expected[40:]
    assert starts.get((2, 0), Place(0, 0)).position <= (folder / "2-0.trace").stat().st_size
