"""What the story says of records that are gone and writes that were refused."""

from __future__ import annotations

import pytest

from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events import OperationUnknown
from tests.support.traces.played import PLAYS, passes, ready, told


def test_lost_records_are_an_incident_that_tells_how_it_came_to_it() -> None:
    story, _ = told(PLAYS["lost_record"]().entries)
    lost = next(item for item in story.teller.incidents if item.kind == "lost")
    assert [text for _, _, text in lost.retold] == [
        "record 3 of orders-0 was acknowledged",
        "n1, leader of orders-0, was killed",
        "n2 leads orders-0 in e1, from 3",
        "n1 is started again",
    ]


def test_what_was_cut_is_a_cost_that_says_where_so_that_two_brokers_are_not_one_cost_told_twice() -> None:
    world = ready(seed=1, topic="assign=1,2,3 min-isr=1")
    world.do("partition 1,2|3,101,102,103")
    world.send("produce orders 1200 acks=1 retries=no")
    passes(world, 6.0)
    world.do("heal")
    passes(world, 6.0)
    story, view = told(world.entries)
    cut = next(item for item in story.incidents if item.head.said[-1].text.startswith("The network was cut"))
    costs = cut.costs_at(len(world.entries), view.t_ns)
    first_cut = next(item.node for item in view.cuts if item.topic_partition.topic == "orders")
    assert {f"1,200 records of orders-0 cut on n{first_cut}", "1,200 of orders-0 lost"} <= {*costs}
    assert len(set(costs)) == len(costs)


def test_records_that_others_have_are_not_lost() -> None:
    story, view = told(PLAYS["disk_lie"]().entries)
    assert view.missing().counts == (0, 0) and not any("lost." in moment.text for moment in story.teller.moments)


def test_a_cut_of_what_nobody_was_promised_loses_nothing() -> None:
    world = ready(seed=0)
    world.do("partition 1|2,3")
    world.send("produce orders 2 acks=all retries=no")
    world.do("kill 1", "heal")
    passes(world, 4.0)
    world.do("start 1")
    passes(world, 3.0)
    story, view = told(world.entries)
    assert any("nobody was told that these were written" in moment.text for moment in story.teller.moments)
    assert view.missing().counts == (0, 0)


def test_equal_refusals_are_one_line_with_their_number() -> None:
    story, view = told(PLAYS["refused"]().entries)
    said = [line.said[-1].words(view.t_ns) for item in story.teller.incidents for line in item.steps]
    assert "acks=all is refused on orders-0: 1 replica in sync, min.insync is 2 \u00d73" in said


@pytest.mark.parametrize(
    ("function", "error", "said"),
    [
        ("add_voter", ErrorCode.DUPLICATE_VOTER, "it is a voter, perhaps by a try that got no answer."),
        ("remove_voter", ErrorCode.VOTER_NOT_FOUND, "it is no voter, perhaps by a try that got no answer."),
        ("produce", ErrorCode.REQUEST_TIMED_OUT, "it may be done or not."),
    ],
)
def test_an_error_that_says_how_it_stands_leaves_open_only_who_did_it(function: str, error: int, said: str) -> None:
    event = OperationUnknown(
        client_id="admin", operation_id=1, function=function, topic="orders", partition=0, error=error
    )
    entry = Entry("r", 1001, 0, 0, 1, 0, 0, None, "", None, event)
    story, _ = told([entry])
    (moment,) = story.teller.moments
    assert moment.text.endswith(f" ended with {ErrorCode(error).name}: {said}")
