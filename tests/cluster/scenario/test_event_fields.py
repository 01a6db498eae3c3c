"""No pattern of events can silently never match: what a field holds is known when the script is read."""

from __future__ import annotations

import pytest

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.conditions import Condition, parse_condition
from cluster.scenario.event_pattern import EventBook, EventPattern, parse_pattern
from cluster.scenario.terms import GrammarError, Memory
from cluster.scenario.told import EventSeen

NAMES = frozenset({"le", "g", "l", "f", "both"})
MEMORY: Memory = {"le": 4, "g": 7, "l": 3, "f": 2, "both": (2, 3)}


def entry(event: object, node: int = 1) -> Entry:
    return Entry("r", node, 0, 0, 0, 0, 0, None, "", None, event)  # type: ignore[arg-type]


PROPOSED = entry(
    ev.IsrProposed(
        topic="orders", partition=0, isr=(3, 2), old_isr=(1, 2, 3), leader_epoch=0, partition_epoch=4, why="lag"
    )
)
LEADS = entry(
    ev.BecameLeader(topic="orders", partition=0, leader_epoch=5, epoch_start_offset=2, high_watermark=1, isr=(1, 2))
)


def pattern(text: str) -> EventPattern:
    return parse_pattern(text.split(), NAMES)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("part.became_leader leader_epoch=le", r"leader_epoch holds a number, .*, not 'le'; write \$le"),
        ("part.became_leader leader_epoch=five", "leader_epoch holds a number, .*, not 'five'"),
        ("part.became_leader leader_epoch=$x", "nothing is remembered as 'x'"),
        ("part.became_leader leader_epoch>=$le+x", "leader_epoch holds a number"),
        ("raft.vote_rejected pre_vote=true", "pre_vote holds yes or no, not 'true'"),
        ("raft.vote_rejected pre_vote=$le", "pre_vote holds yes or no"),
        ("rep.fetch_refused error=NO_CODE", "error holds the name of an error code, or its number, not 'NO_CODE'"),
        ("isr.proposed isr=1;2", "isr holds numbers as 1,2,3, or none, not '1;2'"),
        ("isr.proposed isr>1", "isr: only numbers have an order"),
        ("consumer.assigned owned=orders", "owned holds as NAME-N,NAME-N, or none, not 'orders'"),
        ("group.offsets_committed offsets=orders-0", "offsets holds as NAME-N-N,NAME-N-N, or none, not 'orders-0'"),
        ("st.recovered batches=1", "batches: what it holds cannot be written"),
        ("op.failed on 1", "op.failed is told by a client, of no node"),
        ("fault.applied on 1", "fault.applied is told by the lab, of no node"),
    ],
)
def test_a_word_that_a_field_can_never_hold_is_refused(text: str, told: str) -> None:
    with pytest.raises(GrammarError, match=told):
        pattern(text)


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("isr.proposed isr=2,3", PROPOSED),
        ("isr.proposed isr=$f,$l", PROPOSED),
        ("isr.proposed isr=$both old_isr=$both,1", PROPOSED),
        ("isr.proposed isr!=2", PROPOSED),
        ("part.became_leader leader_epoch=$le+1", LEADS),
        ("part.became_leader leader_epoch=$le + 1 isr=2,1", LEADS),
        ("part.became_leader leader_epoch>=$le leader_epoch<$g - 1", LEADS),
        ("group.coordinator_loaded groups=g1-$g", entry(
            ev.CoordinatorLoaded(partition=3, leader_epoch=0, groups=(("g1", 7),), offsets=(), end_offset=0)
        )),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_sets_names_and_sums_compare_by_what_they_mean(text: str, event: Entry) -> None:
    assert pattern(text).matches(event, MEMORY)


def test_a_remembered_value_that_does_not_fit_is_told_instead_of_waited_for() -> None:
    held, seen = parse_condition(["event", "part.became_leader", "leader_epoch=$both"], NAMES).check(
        ClusterState(), MEMORY, EventBook(None)
    )
    assert (held, seen) == (False, "leader_epoch holds a number, $name, or $name+1, not '2,3'")


def test_an_event_that_came_before_the_command_is_told() -> None:
    book = EventBook(None)
    book.note(PROPOSED)
    book.mark()
    condition = parse_condition(["event", "isr.proposed"], NAMES)
    assert isinstance(condition, EventSeen)
    assert condition.check(ClusterState(), MEMORY, book)[0] is False
    assert condition.came_before(MEMORY, book) == ", 1 before it: a command came between"


def test_sums_of_remembered_values_are_written_in_either_way() -> None:
    for text in ("quorum epoch = le + 1", "quorum epoch = $le + 1", "quorum epoch = $le+1"):
        state = ClusterState()
        state.quorum_epoch = 5
        condition = parse_condition(text.split(), NAMES)
        assert isinstance(condition, Condition) and condition.check(state, MEMORY)[0], text
    with pytest.raises(GrammarError, match=r"nothing is remembered as 'nobody'; known: both, f, g, l, le"):
        parse_condition(["quorum", "epoch", "=", "$nobody", "+", "1"], NAMES)
