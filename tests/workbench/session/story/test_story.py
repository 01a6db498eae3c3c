"""The story of short plays, as a learner reads it, and that its numbers are those of the trace."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cluster.invariants.checker import Checker
from cluster.model import events as ev
from tests.support.traces.played import PLAYS, page, told
from tests.support.traces.watched import Watched
from workbench.session.story.line import DETAILS, STORY

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module", params=sorted(PLAYS))
def play(request: pytest.FixtureRequest) -> tuple[str, Watched]:
    return request.param, PLAYS[request.param]()


def test_the_story_reads_as_it_is_pinned(play: tuple[str, Watched], rewrites: bool) -> None:  # noqa: FBT001
    name, world = play
    path = GOLDEN / f"{name}.txt"
    found = page(world.entries, (STORY, DETAILS) if name == "split_vote" else (STORY,))
    if rewrites:
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")


def test_every_number_of_a_headline_is_one_that_the_trace_told(play: tuple[str, Watched]) -> None:
    """Instants and lengths from events, record counts from the checker's own ghost."""
    _, world = play
    story, _ = told(world.entries)
    checks = 0
    for moment in story.teller.moments:
        entry = world.entries[moment.place]
        checks += _check_leaderless(moment.text, world, moment.place)
        if silent := re.search(r"silent for (\d+) ms, its session is (\d+) ms", moment.text):
            told_of = [item for item in world.entries[: moment.place + 1] if isinstance(item.event, ev.BrokerFenced)]
            numbers = told_of[-1].decision.numbers  # type: ignore[union-attr]
            assert (int(silent[1]), int(silent[2])) == (numbers["silence_ms"], numbers["session_timeout_ms"])
            checks += 1
        if cuts := re.search(r"cuts its log of \S+ from (\d+) to (\d+)", moment.text):
            assert isinstance(entry.event, ev.ReplicaTruncated)
            assert (int(cuts[1]), int(cuts[2])) == (entry.event.old_end_offset, entry.event.end_offset)
            checks += 1
        if votes := re.search(r"leads the quorum in e(\d+), with (\d+) of (\d+) votes", moment.text):
            assert isinstance(entry.event, ev.LeaderElected)
            assert (int(votes[1]), int(votes[2])) == (entry.event.epoch, len(entry.event.votes))
            checks += 1
    assert checks


def _check_leaderless(text: str, world: Watched, place: int) -> int:
    """No leader: from when the last one was gone, or gave up, until somebody said that it leads."""
    found = re.search(r"There was no leader for ([0-9.]+) s", text)
    if not found:
        return 0
    entries = world.entries[: place + 1]
    elected = [item for item in entries if isinstance(item.event, ev.LeaderElected)]
    gone = [
        item
        for item in entries
        if (isinstance(item.event, ev.ProcessExited) and item.event.node_id == elected[-2].node)
        or (isinstance(item.event, ev.RoleChanged) and item.event.role == "resigned" and item.node == elected[-2].node)
    ]
    lasted_s = (elected[-1].t_ns - gone[-1].t_ns) / 1e9
    assert float(found[1]) == pytest.approx(lasted_s, abs=0.005 if lasted_s > 1 else 0.0005)
    return 1


def test_what_is_lost_is_what_the_checker_misses() -> None:
    world = PLAYS["lost_record"]()
    story, view = told(world.entries)
    checker = Checker()
    checker.feed_all(world.entries)
    lost = next(line for line in checker.finish() if line.info.id == "C1")
    assert lost.violations, "the checker finds the loss, too"
    assert view.missing().counts == (3, 0)
    text = next(moment.text for moment in story.teller.moments if "lost" in moment.text)
    offsets = [int(number) for number in re.findall(r"\d+", text.partition("lost: ")[2])]
    acked = [
        event.base_offset
        for event in world.of(ev.OperationSucceeded)
        if event.function == "produce" and event.base_offset >= 0
    ]
    assert offsets == acked[-3:]


def test_a_story_seen_from_an_earlier_event_knows_nothing_of_what_came_later() -> None:
    world = PLAYS["split_vote"]()
    story, _ = told(world.entries)
    for moment in story.teller.moments:
        early, _ = told(world.entries[: moment.place + 1])
        then = [
            (line.first.t_ns, said.text, said.times)
            for incident in story.teller.incidents
            for line, said in incident.steps_at(moment.place + 1, STORY)
        ]
        known = [
            (line.first.t_ns, said.text, said.times)
            for incident in early.teller.incidents
            for line, said in incident.steps_at(moment.place + 1, STORY)
        ]
        assert then == known


def test_a_refused_command_and_a_lesson_are_no_part_of_the_story() -> None:
    world = PLAYS["refused"]()
    assert world.of(ev.CommandRejected)
    assert "99" not in page(world.entries)
