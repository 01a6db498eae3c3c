"""Row 1 of the screen."""

from __future__ import annotations

from tests.support.traces.played import PLAYS, told
from workbench.session.story.headline import REST_NS, headline, now_words
from workbench.session.story.story import Story
from workbench.session.views.cluster import ClusterView
from workbench.telling.telling import BAD


def test_before_the_first_event_nothing_has_happened() -> None:
    assert headline(Story(), ClusterView(), 0, 0).text == "Nothing has happened yet."


def test_a_headline_stays_until_what_it_tells_of_is_over_and_a_while_longer() -> None:
    world = PLAYS["split_vote"]()
    story, view = told(world.entries)
    moment = story.teller.moments[-1]
    end = len(world.entries)
    assert headline(story, view, end, moment.t_ns + REST_NS - 1).text == moment.text
    quiet = headline(story, view, end, moment.t_ns + REST_NS)
    assert quiet.moment is None and quiet.text.startswith("n103 is down. ")
    story, view = told(PLAYS["no_majority"]().entries)
    late = headline(story, view, 1 << 40, 1 << 62)
    assert late.moment is None, "that somebody goes on asking stands on top no longer than any other"
    assert late.text.startswith("Nobody leads the quorum: 2 of 5 voters are there, 3 are needed, n"), late.text


def test_what_is_grave_stays_on_top_until_its_consequences_are_settled() -> None:
    world = PLAYS["fenced"]()
    story, view = told(world.entries)
    fenced = next(moment for moment in story.moments if "is fenced" in moment.text and moment.tone == BAD)
    assert headline(story, view, fenced.place + 1, fenced.t_ns + 2 * REST_NS).moment == fenced


def test_the_quiet_sentence_has_the_numbers_of_the_clients() -> None:
    world = PLAYS["refused"]()
    story, view = told(world.entries)
    acknowledged, refused = 3, 3
    text = headline(story, view, len(world.entries), 1 << 62).text
    assert f"{acknowledged} records acknowledged, {refused} refused, none lost." in text
    assert now_words(story, view, len(world.entries), view.t_ns)[1].startswith("typical ")


def test_who_is_dead_leads_nothing() -> None:
    story, view = told(PLAYS["refused"]().entries)
    assert " leads orders-0" in headline(story, view, 1 << 40, 1 << 62).text
    for node in view.nodes.values():
        node.stage = "down"
    assert " leads orders-0" not in headline(story, view, 1 << 40, 1 << 62).text
