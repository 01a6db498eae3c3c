"""What the story says of brokers and partitions."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.traces.played import PLAYS, passes, ready, told


def test_a_fenced_broker_and_who_leads_now_are_one_headline() -> None:
    story, _ = told(PLAYS["lost_record"]().entries)
    texts = [moment.text for moment in story.teller.moments]
    assert any("is fenced: silent for" in text and text.endswith("n2 leads orders-0 in e1.") for text in texts)


def test_the_isr_is_told_as_often_as_it_changed() -> None:
    world = PLAYS["isr_shrinks"]()
    story, _ = told(world.entries)
    committed = world.of(ev.IsrCommitted)
    said = [moment.text for moment in story.teller.moments if " ISR of orders-0, " in moment.text]
    assert len(said) == len(committed) == 2
    assert "3 to 2" in said[0] and "2 to 3" in said[1]


def test_a_partition_without_anybody_in_sync_has_no_leader_until_one_comes_back() -> None:
    world = ready(seed=1, brokers=1, topic="assign=1 min-isr=1")
    world.do("kill 1")
    passes(world, 3.0)
    story, _ = told(world.entries)
    killed = story.teller.incidents[-1]
    assert not killed.is_over and "Nobody leads orders-0: no replica in sync is in service." in [
        moment.text for moment in story.teller.moments
    ]
    world.do("start 1")
    passes(world, 3.0)
    story, _ = told(world.entries)
    assert all(item.is_over for item in story.teller.incidents)
    costs = story.teller.incidents[killed.number].costs_at(1 << 40, 0)
    assert costs[0].startswith("nobody led orders-0 for ")


def test_the_topic_of_groups_is_no_story() -> None:
    world = ready(seed=1)
    world.do("topic __consumer_offsets assign=2,1,3")
    passes(world, 2.0)
    story, _ = told(world.entries)
    assert not any("__consumer" in moment.text for moment in story.teller.moments)
