from __future__ import annotations

from collections.abc import Iterator

import pytest

from cluster.model.codec import DecodeError
from cluster.model.entry import Entry
from cluster.picture.cluster_state import ClusterState
from cluster.picture.part import CHUNK, Journal
from cluster.picture.saved import PASSING, PictureCodec
from tests.support.traces import story


class Shelf:
    """A store in memory."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []

    def put(self, content: bytes) -> int:
        """Keep them."""
        self.kept.append(content)
        return len(self.kept) - 1

    def get(self, place: int) -> bytes:
        """Give them back."""
        return self.kept[place]


def pictures() -> Iterator[tuple[Entry, ClusterState]]:
    state = ClusterState()
    for entry in story.full_story():
        state.apply(entry)
        yield entry, state


def same(one: ClusterState, other: ClusterState) -> bool:
    names = [name for base in type(one).__mro__ for name in getattr(base, "__slots__", ()) if name not in PASSING]
    assert one.decisions.waiting == other.decisions.waiting
    return all(getattr(one, name) == getattr(other, name) for name in names if name != "decisions")


def test_every_picture_of_a_story_comes_back_as_it_was() -> None:
    shelf = Shelf()
    for _, state in pictures():
        kept = PictureCodec(ClusterState, shelf).encode(state)
        assert same(PictureCodec(ClusterState, shelf).decode(kept), state)


def test_a_picture_that_came_back_goes_on_like_the_one_that_was_saved() -> None:
    entries = story.full_story()
    codec, state = PictureCodec(ClusterState, Shelf()), ClusterState()
    state.apply_all(entries[:60])
    again = codec.decode(codec.encode(state))
    for one in (state, again):
        one.apply_all(entries[60:])
    assert same(state, again)


def test_a_full_piece_of_a_long_sequence_is_put_away_once() -> None:
    shelf, state = Shelf(), ClusterState()
    state.rejected_commands = Journal(("kill 9", "no such node") for _ in range(CHUNK + 5))
    codec = PictureCodec(ClusterState, shelf)
    codec.encode(state)
    kept = codec.encode(state)
    assert len(shelf.kept) == 1
    back = PictureCodec(ClusterState, shelf).decode(kept)
    assert back.rejected_commands == state.rejected_commands


@pytest.mark.parametrize("content", [b"", b"\xc1", b"\x80", b"\x93\x01\x02\x03"])
def test_what_is_no_picture_is_refused(content: bytes) -> None:
    with pytest.raises(DecodeError, match="not a saved picture"):
        PictureCodec(ClusterState, Shelf()).decode(content)
