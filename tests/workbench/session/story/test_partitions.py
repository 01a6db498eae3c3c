"""What the story says of brokers and partitions."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.identifiers import TopicPartition
from tests.support.traces.played import PLAYS, passes, ready, told
from workbench.session.recording import Recording
from workbench.session.story.story import Story
from workbench.session.views.cluster import ClusterView
from workbench.telling.reasons import reason_of
from workbench.telling.tell import tone


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


def test_an_unclean_election_is_called_so_in_red_and_is_an_incident_of_its_own() -> None:
    """It was a green star, filed under the return of the broker that was chosen, which was "back in the ISR"."""
    world = ready(seed=1)
    for command in ("kill 3", "kill 1", "produce orders 5 acks=1", "kill 2", "start 1", "elect orders-0 unclean"):
        world.do(command)
        passes(world, 4.0)
    story, view = told(world.entries)
    moment = story.moments[-1]
    assert (moment.tone, moment.text) == (
        "bad", "n1 leads orders-0 in e3 by an unclean election: it was not in sync, records may be lost.",
    )  # fmt: skip
    incident, killed = story.incidents[moment.incident], story.incidents[-3]
    assert incident.head.said[-1].text == "n1 leads orders-0 in e3 by an unclean election" and incident.is_over
    assert killed.head.said[-1].text == "n2, leader of orders-0, was killed" and killed.is_over
    assert any("unclean" in line.said[-1].text for line in killed.steps)
    assert "nobody led orders-0" in killed.costs_at(len(world.entries), view.t_ns)[0]
    assert not any("back in the ISR" in item.text for item in story.moments[-3:])
    assert [view.is_unclean(TopicPartition("orders", 0), epoch) for epoch in range(4)] == [False, False, False, True]
    (chosen,) = [item for item in world.entries if isinstance(item.event, ev.PartitionDecided) and item.event.unclean]
    assert (tone(chosen), reason_of(chosen).text) == (
        "bad", "nobody in sync may lead: n1 was not in sync, records may be lost",
    )  # fmt: skip
    recording = Recording()
    recording.extend(world.entries)
    assert "UNCLEAN n1" in [word.text for step in recording.steps.all for word in step.words]


def test_an_unclean_election_that_nothing_else_tells_is_told_by_itself() -> None:
    """As the screen sees it that did not see what took the leader away."""
    world = ready(seed=1)
    for command in ("kill 3", "kill 1", "kill 2", "start 1", "elect orders-0 unclean"):
        world.do(command)
        passes(world, 4.0)
    story, view = Story(), ClusterView()
    starts = [place for place, item in enumerate(world.entries) if isinstance(item.event, ev.ProcessStarted)]
    for index, entry in enumerate(world.entries):
        view.apply(entry)
        if index >= starts[-1]:
            story.apply(entry, index, view)
    incident = story.incidents[story.moments[-1].incident]
    assert incident.kind == "led" and incident.head.tone == "bad" and "unclean" in incident.head.said[-1].text
