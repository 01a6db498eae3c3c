from __future__ import annotations

from cluster.model.entry import Entry
from cluster.model.events import BecameLeader, FaultApplied, LeaderElected
from cluster.model.identifiers import METADATA, TopicPartition
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.conditions import parse_state_condition, parse_value
from cluster.scenario.event_pattern import EventBook, parse_pattern
from tests.support.fault_events import fault_fields
from tests.support.traces import story
from workbench.course.content import Hold
from workbench.session.lesson.holds import HoldWatch, Seen, holds


def at(event: str, pane: str = "logs") -> Hold:
    return Hold(parse_pattern(event.split(), frozenset()), (), pane, "Look.")


def when(condition: str, pane: str = "logs") -> Hold:
    return Hold(None, (parse_state_condition(condition.split(), frozenset(), parse_value),), pane, "Look.")


def watched(*wanted: Hold) -> HoldWatch:
    """A watch that has heard the whole story."""
    watch, seen = HoldWatch(wanted), Seen(ClusterState(), {}, EventBook(None))
    last = None
    for entry in story.full_story():
        seen.state.apply(entry)
        seen.book.note(entry)
        last = entry.id
        watch.look(entry, last, seen)
    return watch


def test_holds_are_reached_in_their_order_and_name_node_and_log() -> None:
    became = next(entry for entry in story.full_story() if isinstance(entry.event, BecameLeader))
    watch = watched(at("part.became_leader"), at("raft.leader_elected epoch>=1"))
    first = watch.reached[0][1]
    assert isinstance(became.event, BecameLeader)
    assert first.event == became.id and (first.number, first.out_of) == (1, 2)
    assert first.nodes == (became.node,) and first.log == TopicPartition(became.event.topic, became.event.partition)
    elected = [entry for entry in story.full_story() if isinstance(entry.event, LeaderElected)]
    later = [entry for entry in elected if entry.t_ns > became.t_ns]
    assert len(watch.reached) == 1 + bool(later), "what came before the first one is not held"


def test_a_condition_names_the_nodes_that_it_speaks_of() -> None:
    watch = watched(when("quorum epoch >= 1"), when("log_end metadata on 101 >= 0"))
    assert [held.nodes for _, held in watch.reached] == [(), (101,)] and watch.is_over


def test_what_speaks_of_the_metadata_log_shows_that_log() -> None:
    watch = watched(when("log_end metadata on 101 >= 0"), at("raft.appended role=leader"), when("quorum epoch >= 1"))
    assert [held.log for _, held in watch.reached] == [METADATA, METADATA, None]


def test_one_event_is_held_once_and_what_holds_then_follows_it() -> None:
    watch = watched(at("raft.leader_elected"), when("quorum epoch >= 1"), at("raft.leader_elected"))
    places = [held.event for _, held in watch.reached]
    assert places[0] == places[1] and (len(places) < 3 or places[2] != places[0])


def test_without_an_event_only_a_condition_can_be_reached() -> None:
    seen = Seen(ClusterState(), {}, EventBook())
    assert HoldWatch([at("raft.leader_elected")]).look(None, None, seen) == 0
    assert HoldWatch([when("idle")]).look(None, None, seen) == 1
    assert holds((), seen), "no condition always holds"


def test_a_hold_at_a_fault_names_the_nodes_that_it_touches() -> None:
    applied = FaultApplied(**fault_fields(1, "Cut", "1>2", (1, 2, 3)))
    entry = Entry("story", 0, 0, 1, 1, 0, 0, None, "", None, applied)
    watch = HoldWatch([at("fault.applied")])
    assert watch.look(entry, entry.id, Seen(ClusterState(), {}, EventBook(None))) == 1
    assert watch.reached[0][1].nodes == (1, 2)
