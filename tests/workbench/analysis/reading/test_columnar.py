"""Many entries at once give the columns that each of them alone would give."""

from __future__ import annotations

import types
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

from tests.support.traces.made_events import RUN

pa = pytest.importorskip("pyarrow", reason="the analysis extra is not installed: make install-analysis")

from cluster.model.decision import Decision  # noqa: E402  # what follows needs pyarrow
from cluster.model.entry import Entry, EventId, UnknownEvent  # noqa: E402
from cluster.model.events import CATALOGUE, ReplicaAppended  # noqa: E402
from cluster.trace.entry import decode_entry, encode_entry, unpack_entry  # noqa: E402
from workbench.analysis.reading.columnar import Unusual, arrow_schema, batch_of, nulls  # noqa: E402
from workbench.analysis.reading.decode import row_of  # noqa: E402
from workbench.analysis.reading.ranges import Range  # noqa: E402

ITEM = Range(RUN, 1_000_000, "", "1-0.trace", 0, 0, 0, None)
GRANTED = Decision("grant_vote", granted=True, reason="first", source="KIP-595", numbers={"epoch": 3, "ids": [1, 2]})


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
    examples = {int: number * 7 - 3, str: f"wört {number}", bool: number % 2 == 0, float: number / 7}
    return examples[hint]


def _event(kind: type[Any], number: int) -> Any:
    hints = get_type_hints(kind)
    return kind(**{name: _example(hints[name], number + place) for place, name in enumerate(kind.__struct_fields__)})


def _entries() -> list[Entry]:
    """Three of each kind, mixed, with and without cause and decision; and one kind that nobody knows."""
    events = [_event(kind, number) for number in range(3) for kind in CATALOGUE.values()]
    events.insert(50, UnknownEvent("raft.teleported", (1, "far")))
    return [
        Entry(RUN, 1, 0, seq, 1_000_007 + seq * 1_003, 1 << 60, seq, EventId(2, 0, seq) if seq % 2 else None,
              "x" * (seq % 3), GRANTED if seq % 5 == 0 else None, event)
        for seq, event in enumerate(events)
    ]  # fmt: skip


def _plain(entries: list[Entry]) -> list[Any]:
    return [unpack_entry(encode_entry(entry)[4:]) for entry in entries]


def test_every_event_gives_the_row_that_it_gives_alone() -> None:
    entries = _entries()
    batch, origin, unknown = batch_of(_plain(entries), ITEM, 0)
    alone = [row_of(decode_entry(encode_entry(entry)[4:]), ITEM) for entry in entries]
    expected = pa.RecordBatch.from_pylist(alone, schema=arrow_schema())
    assert batch.schema == expected.schema
    assert sorted(batch.to_pylist(), key=lambda row: row["seq"]) == expected.to_pylist()
    assert (origin, unknown) == ((1, 0), 1)
    batch.validate(full=True)


def test_an_event_of_an_older_version_gets_the_defaults_of_the_fields_it_lacks() -> None:
    told = [entry for entry in _entries() if isinstance(entry.event, ReplicaAppended) and entry.event.sequences]
    (entry,) = _plain(told[:1])
    full, _, _ = batch_of([entry], ITEM, entry[3])
    less, _, _ = batch_of([(*entry[:11], entry[11][:-1])], ITEM, entry[3])
    assert [name for name in full.schema.names if full[name] != less[name]] == ["sequences"]
    assert less["sequences"].to_pylist() == [[]]


def _changed(place: int, value: Any) -> list[Any]:
    first, second = _plain([entry for entry in _entries() if entry.event.name == "raft.vote_granted"][:2])
    second = (*second[:3], first[3] + 1, *second[4:])
    assert batch_of([first, second], ITEM, first[3])[0].num_rows == 2
    return [first, (*second[:place], value, *second[place + 1 :])]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, "another run"),
        (1, 9),
        (1, True),
        (2, 5),
        (3, 77),
        (4, 1.0),
        (5, None),
        (6, "1"),
        (7, (1, 2)),
        (7, (1, 2, "3")),
        (8, b"bytes"),
        (9, ("rule", 1, "why", "where", {})),
        (10, b"raft.vote_granted"),
        (11, ("x",) * 40),
    ],
)
def test_what_is_unusual_in_one_entry_is_not_taken_for_good(place: int, value: Any) -> None:
    from workbench.analysis.reading.piecewise import UNLIKELY

    entries = _changed(place, value)
    with pytest.raises(UNLIKELY):
        batch_of(entries, ITEM, entries[0][3])


def test_something_that_is_no_entry_is_unusual() -> None:
    with pytest.raises(Unusual):
        batch_of([(1, 2)], ITEM, 0)
    with pytest.raises(Unusual):
        batch_of([7], ITEM, 0)


def test_there_are_as_many_nulls_as_were_asked_for() -> None:
    assert [(len(found), found.null_count) for found in (nulls(3, pa.int64()), nulls(70_000, pa.string()))] == [
        (3, 3),
        (70_000, 70_000),
    ]
