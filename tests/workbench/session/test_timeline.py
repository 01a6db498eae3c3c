from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from hypothesis import given
from hypothesis.strategies import integers, lists

from cluster.model import events as ev
from cluster.model.identifiers import TopicPartition
from tests.support.traces import story
from tests.support.traces.played import PLAYS
from workbench.session.recording import Recording
from workbench.session.timeline import BUCKET_NS, IsrCell, Timeline
from workbench.session.views.cluster import ClusterView

ORDERS = TopicPartition("orders", 0)


def timeline_of(run: story.Story) -> Timeline:
    found, picture = Timeline(), ClusterView()
    for index, entry in enumerate(run.entries):
        picture.apply(entry)
        found.apply(entry, index, picture)
    return found


@given(at=lists(integers(1, 400), max_size=12), asked=lists(integers(0, 6000), max_size=40))
def test_along_many_times_is_the_same_as_one_by_one(at: list[int], asked: list[int]) -> None:
    run = story.Story()
    for number, wait_ms in enumerate(at):
        run.now_ms += wait_ms
        gone = ev.ProcessExited(node_id=1, incarnation_number=0, exit_code=-9, expected=True)
        back = ev.ProcessStarted(node_id=1, roles=("broker",), incarnation_number=1, pid=1)
        run.say(0, back if number % 2 else gone, 0)
        run.partition((2,), 2, 0, number, (1, 2) if number % 2 else (2,))
    known, times = timeline_of(run), [t_ms * 1_000_000 for t_ms in sorted(asked)]
    changes, down = known.isr.get(ORDERS, []), known.process.get(1, [])
    cells = list(zip([*times[:1], *times[:-1]], times, strict=True))
    isr = [in_force([(change.t_ns, change) for change in changes], *cell) for cell in cells]
    assert known.isr_along(ORDERS, times) == [
        IsrCell(
            tuple(node for node in (1, 2) if all(node in change.isr for change in found)),
            (),
            found[-1].minimum,
            min(len(change.isr) for change in found),
        )
        if found
        else None
        for found in isr
    ]
    assert known.down_along(1, times) == [any(word == "down" for word in in_force(down, *cell)) for cell in cells]


def in_force(known: Sequence[tuple[int, Any]], since_ns: int, until_ns: int) -> list[Any]:
    """All that held at some instant of a time, ends included."""
    return [
        item
        for (t_ns, item), following in zip_longest(known, known[1:])
        if t_ns <= until_ns and (following is None or following[0] > since_ns)
    ]


def test_an_isr_that_shrinks_for_a_moment_is_seen_in_its_cell() -> None:
    run = story.Story()
    for number, isr in enumerate(((1, 2, 3), (1,), (1, 2, 3))):
        run.now_ms += 1000 if number == 1 else 2
        run.partition((1,), 1, 0, number, isr)
    known, end_ns = timeline_of(run), run.entries[-1].t_ns
    cells = known.isr_along(ORDERS, [end_ns - 500_000_000, end_ns + 1])
    assert [cell and (cell.isr, cell.size) for cell in cells] == [((1, 2, 3), 3), ((1,), 1)]


def test_a_mark_of_which_the_story_says_nothing_is_told_in_words_too() -> None:
    recording = Recording()
    recording.extend(PLAYS["lost_record"]().entries)
    texts = [mark.text for mark in recording.timeline.marks]
    assert "n1 out of the ISR of orders-0, 3 to 2: n1 fenced" in texts and "fault 2 over: kill 1" in texts
    assert any(re.fullmatch(r"n10\d \u25d4 asks for votes in e1, log ends 0@e0", text) for text in texts)
    assert not any(text.startswith("lab ") for text in texts), texts


def test_every_entry_counts_in_the_bucket_of_its_time() -> None:
    run = story.Story()
    for wait_ms in (1, 30, 900, 5, 4000):
        run.say(1, ev.ControllerActivated(epoch=1), wait_ms)
    found = timeline_of(run).activity
    start_ns = run.entries[0].t_ns
    expected = [0] * len(found)
    for entry in run.entries:
        expected[(entry.t_ns - start_ns) // BUCKET_NS] += 1
    assert found == expected and sum(found) == 5


def test_an_entry_from_before_the_first_counts_in_the_first_bucket() -> None:
    run = story.Story()
    run.say(1, ev.ControllerActivated(epoch=1), 1000)
    run.now_ms = 5
    run.say(2, ev.ControllerActivated(epoch=1))
    assert timeline_of(run).activity == [2]
