from __future__ import annotations

from cluster.model.identifiers import TopicPartition
from workbench.session.story.incident import LINES_MAX
from workbench.session.story.line import STORY
from workbench.session.story.teller import ACTIVE_MAX, FRESH_NS, Teller

ORDERS = TopicPartition("orders", 0)


def at(teller: Teller, place: int, t_ns: int) -> None:
    teller.place, teller.t_ns = place, t_ns


def test_what_is_owed_is_paid_before_an_incident_is_over() -> None:
    teller = Teller()
    at(teller, 1, 1)
    killed = teller.open("n103 was killed", nodes=(103,))
    teller.owe(killed, "quorum")
    teller.settle(killed)
    assert not killed.is_over
    at(teller, 9, 9)
    teller.pay("quorum")
    assert killed.is_over and killed.is_over_at(10) and not killed.is_over_at(9)


def test_who_waits_comes_before_who_was_heard_of_last() -> None:
    teller = Teller()
    back = teller.open("n1 is started again", nodes=(1,))
    teller.owe(back, ("back", 1))
    lost = teller.open("3 acknowledged records lost", nodes=(1,))
    lost.parts.add(ORDERS)
    teller.settle(lost)
    assert teller.home((1,)) is back
    assert teller.home((), ORDERS) is lost


def test_nothing_belongs_to_what_is_long_over() -> None:
    teller = Teller()
    killed = teller.open("n2 was killed", nodes=(2,))
    teller.settle(killed)
    at(teller, 2, FRESH_NS - 1)
    assert teller.home((2,)) is killed
    at(teller, 3, FRESH_NS)
    assert teller.home((2,)) is None


def test_an_incident_keeps_so_many_lines_and_counts_the_others() -> None:
    teller = Teller()
    killed = teller.open("n2 was killed")
    for number in range(LINES_MAX + 5):
        teller.step(killed, f"line {number}")
    assert len(killed.steps) == LINES_MAX and killed.dropped[STORY] == 5


def test_few_incidents_are_looked_through() -> None:
    teller = Teller()
    for node in range(1, 100):
        teller.owe(teller.open(f"n{node} was killed", nodes=(node,)), ("fenced", node))
    assert len(teller.active()) == ACTIVE_MAX and len(teller.incidents) == 99


def test_a_headline_that_joins_goes_on_with_the_one_just_before() -> None:
    teller = Teller()
    killed = teller.open("n1 was killed", "n1 was killed.")
    teller.step(killed, "n1 is fenced", now="n1 is fenced.")
    at(teller, 1, 1_000_000)
    teller.step(killed, "n2 leads", now="n2 leads orders-0.", joins=True)
    assert [moment.text for moment in teller.moments] == [
        "n1 was killed.",
        "n1 is fenced.",
        "n1 is fenced. n2 leads orders-0.",
    ]
