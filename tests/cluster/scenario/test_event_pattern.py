"""Patterns of events: what fits, what a mistake is told, and what came since the last command."""

from __future__ import annotations

import pytest

from cluster.model.entry import Entry
from cluster.model.events import Event, LeaderElected, OperationFailed, ProcessExited, ReplicaTruncated, VoteGranted
from cluster.scenario.event_pattern import EventBook, parse_pattern
from cluster.scenario.terms import GrammarError

ELECTED = LeaderElected(epoch=3, epoch_start_offset=7, votes=(101, 102))
GRANTED = VoteGranted(
    epoch=3,
    candidate_id=101,
    pre_vote=True,
    candidate_last_epoch=1,
    candidate_last_offset=2,
    last_epoch=1,
    last_offset=2,
)
FAILED = OperationFailed(client_id="c", operation_id=1, function="produce", topic="orders", partition=0, error=19)
CUT = ReplicaTruncated(
    topic="orders", partition=0, end_offset=2, old_end_offset=4, high_watermark=2, mode="fetch", why="x"
)


def entry(node: int, event: Event) -> Entry:
    return Entry("run", node, 0, 0, 0, 0, 0, None, "", None, event)


def fits(text: str, node: int, event: Event, **memory: int) -> bool:
    return parse_pattern(text.split(), frozenset(memory)).matches(entry(node, event), dict(memory))


@pytest.mark.parametrize(
    ("text", "node", "event"),
    [
        ("raft.leader_elected", 101, ELECTED),
        ("raft.leader_elected on 101 epoch=3", 101, ELECTED),
        ("raft.leader_elected epoch>=3 epoch_start_offset<8", 101, ELECTED),
        ("raft.leader_elected votes=101,102", 101, ELECTED),
        ("raft.vote_granted pre_vote=yes candidate_id!=102", 102, GRANTED),
        ("op.failed error=NOT_ENOUGH_REPLICAS function=produce", 1001, FAILED),
        ("op.failed error=19", 1001, FAILED),
        ("rep.truncated topic=orders mode=fetch end_offset=2", 1, CUT),
        ("proc.exited on 2", 0, ProcessExited(node_id=2, incarnation_number=0, exit_code=-9, expected=True)),
    ],
)
def test_an_event_fits_when_its_writer_and_all_fields_do(text: str, node: int, event: Event) -> None:
    assert fits(text, node, event)


@pytest.mark.parametrize(
    ("text", "node", "event"),
    [
        ("raft.leader_elected", 101, GRANTED),
        ("raft.leader_elected on 102", 101, ELECTED),
        ("raft.leader_elected epoch>3", 101, ELECTED),
        ("raft.leader_elected votes=101", 101, ELECTED),
        ("raft.vote_granted pre_vote=no", 102, GRANTED),
        ("op.failed error=NO_ANSWER", 1001, FAILED),
        ("rep.truncated mode=hw", 1, CUT),
    ],
)
def test_one_field_that_differs_is_enough(text: str, node: int, event: Event) -> None:
    assert not fits(text, node, event)


def test_remembered_values_stand_for_nodes_and_fields() -> None:
    assert fits("raft.leader_elected on first epoch=$e", 101, ELECTED, first=101, e=3)
    assert not fits("raft.leader_elected on first epoch=$e", 101, ELECTED, first=102, e=3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an event is missing"),
        ("raft.leader_electd", "did you mean raft.leader_elected"),
        ("raft.leader_elected on", "the form is"),
        ("raft.leader_elected on nobody", "no node 'nobody'"),
        ("raft.leader_elected term=3", "not a field of this event"),
        ("raft.leader_elected epoch", "not a field of this event"),
        ("raft.leader_elected epoch=$e", "nothing is remembered as 'e'"),
        ("rep.truncated why>x", "only numbers have an order"),
    ],
)
def test_each_mistake_gets_one_clear_message(text: str, message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        parse_pattern(text.split(), frozenset())
    assert message in str(caught.value)


def test_what_came_before_the_last_command_does_not_answer_for_it() -> None:
    book, pattern = EventBook(frozenset({LeaderElected})), parse_pattern(["raft.leader_elected"], frozenset())
    book.note(entry(101, ELECTED))
    book.note(entry(102, GRANTED))
    book.mark()
    assert book.since_mark(pattern, {}) == []
    book.note(entry(102, ELECTED))
    assert [item.node for item in book.since_mark(pattern, {})] == [102]
    assert book.count(pattern, {}) == 2
    assert len(book.entries) == 2, "only what the script asks for is kept"
