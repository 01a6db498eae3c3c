"""The close-up shows what is news, and never an old vote as if it were."""

from __future__ import annotations

from copy import copy

import pytest

from cluster.model import events as ev
from cluster.model.entry import Entry
from tests.support.traces import story
from tests.support.traces.played import PLAYS, passes, ready
from tests.workbench.tui.panes.test_panes import state
from workbench.session.recording import Recording
from workbench.session.story.cells import CUT, VOTES
from workbench.session.story.headline import REST_NS
from workbench.session.views.votes import SequenceRow
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.closeup import NEWS_NS, closeup_note, draw_closeup, folded, mode_of, said_of
from workbench.tui.theme.palette import TONES
from workbench.tui.theme.roles import FILLS
from workbench.tui.ui_state import UiState


def rows(ui: UiState, width: int = 60, height: int = 14) -> list[str]:
    canvas = Canvas(width, height)
    draw_closeup(canvas.area(Rect(0, 0, width, height)), ui)
    return canvas.text_rows()


def test_a_split_vote_is_in_the_title_while_nobody_has_won() -> None:
    ui = state(story.split_vote_end())
    assert mode_of(ui) == VOTES and closeup_note(ui) == "SPLIT VOTE e2  majority is 3 of 5"


def test_a_cut_that_is_news_comes_before_the_votes() -> None:
    assert mode_of(state()) == CUT and closeup_note(state()) == "the cut, and how it came"


def test_a_cut_says_what_clients_had_been_told_of_what_it_took() -> None:
    recording = Recording()
    recording.extend(PLAYS["lost_record"]().entries)
    cut = next(place for place, entry in enumerate(recording.entries) if isinstance(entry.event, ev.ReplicaTruncated))
    recording.seek(cut + 1)
    ui = UiState(recording, replay=True)
    shown = rows(ui, 80, 16)
    event = recording.entries[cut].event
    assert isinstance(event, ev.ReplicaTruncated) and mode_of(ui) == CUT and "clients" in shown[0]
    told = [row for row in shown if "\u2713 " in row]
    assert f"\u2713 {event.end_offset}" in told[0] and f"\u2713 {event.old_end_offset - 1}" in told[-1]
    recording.seek(cut)
    assert "clients" not in rows(ui, 80, 16)[0] or mode_of(ui) != CUT


def filled_rows(ui: UiState) -> list[str]:
    """Rows that have the ground of what is on now to their end; the tally below has it only under a name."""
    canvas = Canvas(60, 14)
    draw_closeup(canvas.area(Rect(0, 0, 60, 14)), ui)
    grounds = {fill.dark for fill in FILLS.values()}
    return [
        row
        for row, looks in zip(canvas.text_rows(), canvas.styles, strict=True)
        if looks[-1].bgcolor is not None and looks[-1].bgcolor.name in grounds
    ]


def test_only_what_is_on_now_is_filled_though_an_election_takes_a_millisecond() -> None:
    recording = Recording()
    recording.extend(PLAYS["kill_and_start"]().entries)
    led = [place for place, entry in enumerate(recording.entries) if isinstance(entry.event, ev.LeaderElected)]
    recording.seek(led[1] + 1)
    ui = UiState(recording, replay=True)
    (row,) = filled_rows(ui)
    assert "leads e" in row and sum("vote" in row for row in rows(ui)) > 1
    steps = recording.steps.all
    after = recording.entries[led[0]].t_ns
    voted = next(at for at, step in enumerate(steps) if step.t_ns > after and "yes" in str(step.words))
    ui.director.begin(voted, 0)
    recording.seek(recording.cursor_at(steps[voted].t_ns))
    assert filled_rows(ui) and not any("leads" in row for row in filled_rows(ui))


def test_silence_is_one_row_with_its_length() -> None:
    assert any("\u22ef 1.57 s \u22ef" in row for row in rows(state(), 100, 20))


def test_equal_rows_one_after_the_other_are_one_with_how_often() -> None:
    ask = SequenceRow(5, 1, 2, "no: x", "bad")
    found = folded([ask, ask._replace(t_ns=6), ask._replace(t_ns=7, source=3), ask])
    assert [(row.source, row.times) for row in found] == [(1, 2), (3, 1), (1, 1)]


def test_while_the_others_have_not_noticed_no_old_vote_is_shown() -> None:
    recording = Recording()
    recording.extend(story.full_story())
    gone = next(place for place, entry in enumerate(recording.entries) if isinstance(entry.event, ev.ProcessExited))
    recording.seek(gone + 1)
    ui = UiState(recording, replay=True)
    text = "\n".join(rows(ui))
    assert mode_of(ui) == VOTES and "e1" not in text and "nobody has asked for a vote yet" in text


def test_what_is_said_of_living_nodes_is_said_only_while_some_run() -> None:
    """At the end of a run the timers of the dead ran down, and what had led a partition led on."""
    recording = Recording()
    recording.extend(PLAYS["kill_and_start"]().entries)

    def shown() -> str:
        ui = UiState(recording, replay=True, main="map")
        return "\n".join((*rows(ui, 90), *draw_screen(200, 50, ui).text_rows()))

    def end(nodes: list[int]) -> None:
        for seq, node in enumerate(nodes):
            gone = ev.ProcessExited(node_id=node, incarnation_number=0, exit_code=-9, expected=True)
            at_ns = recording.t_ns + NEWS_NS
            recording.extend([Entry("played", 0, 0, 9_000 + node + seq, at_ns, 0, 0, None, "", None, gone)])

    leader, everybody = recording.live.quorum_leader, sorted(recording.live.nodes)
    assert "tell that" in shown() or "tell it that" in shown()
    end([leader])
    assert "timers of the others run down" in shown() and "What leads a partition leads on." in shown()
    end([node for node in everybody if node != leader])
    text = shown()
    assert "nobody has asked for a vote yet" in text and "no leader to ask: no new topic" in text
    assert "timers of the others" not in text and "leads on" not in text and "brokers ask" not in text


def test_a_vote_that_is_over_for_long_is_no_news() -> None:
    ui = state()
    ui.replay = False
    assert "cut" in closeup_note(ui)
    ui.now_ns = ui.recording.t_ns + NEWS_NS + 1
    assert "cut" in closeup_note(ui), "it stays as long as its headline"
    ui.now_ns = ui.recording.t_ns + REST_NS + 1
    assert closeup_note(ui) == "record 11  from producer to all"


def test_a_chart_without_room_for_words_leaves_out_who_says_nothing() -> None:
    run = story.Story()
    run.begin()
    diverged = ev.ReplicaDiverged(topic="orders", partition=0, replica_id=11, fetch_offset=15, last_fetched_epoch=4,
                                  diverging_epoch=4, diverging_end_offset=12)  # fmt: skip
    run.say(12, diverged)
    recording = Recording()
    recording.extend(run.entries)
    for width in (100, 48):
        canvas = Canvas(width, 8)
        draw_closeup(canvas.area(Rect(0, 0, width, 8)), UiState(recording))
        text = "\n".join(canvas.text_rows())
        assert "e4 ends 12" in text and "n11" in text and "n12" in text
        assert "n5" not in text


def test_the_names_over_a_narrow_chart_stay_apart() -> None:
    recording = Recording()
    voters = (101, 102, 103, 104, 105, 106, 107)
    recording.extend(story.full_story())
    ui = UiState(recording, replay=True, title="x")
    ui.view.voters = voters
    ui.view.rows = [row._replace(source=101, target=voters[number % 7]) for number, row in enumerate(ui.view.rows)]
    canvas = Canvas(41, 12)
    draw_closeup(canvas.area(Rect(0, 0, 41, 12)), ui)
    assert any("101 102 103 104 105 106 107" in row for row in canvas.text_rows())


@pytest.mark.parametrize("width", [36, 40, 50, 60])
def test_the_names_over_the_way_of_a_record_are_whole_in_a_narrow_pane(width: int) -> None:
    ui = state()
    ui.replay, ui.now_ns = False, ui.recording.t_ns + REST_NS + 1
    assert rows(ui, width)[0].split() == ["clients", "\u2605n2", "n1", "n3"]


@pytest.mark.parametrize("width", [26, 33, 40])
def test_what_it_means_to_ask_for_an_offset_is_a_whole_sentence(width: int) -> None:
    assert said_of(11, width).endswith("I have 11.") and len(said_of(11, width)) < width


def test_a_voter_that_asks_in_vain_again_and_again_has_one_line_of_votes() -> None:
    """Equal lines stood one below the other and pushed the messages out."""
    ui = state(story.split_vote_end())
    asked = ui.view.rounds[-1]
    for _ in range(3):
        again = copy(asked)
        again.pre_vote, again.won, again.answers, again.epoch = True, False, {again.candidate_id: True}, 9
        ui.view.rounds.append(again)
    told = [row for row in rows(ui, 70, 20) if "pre-vote e9" in row]
    assert len(told) == 1, told


def test_a_vote_that_is_over_is_called_the_last_one_with_its_age_and_has_no_colour() -> None:
    """Through a power loss, 21 s later, the first election of the run stood there as if it were now."""
    world = ready(seed=1)
    passes(world, 20.0)
    world.do("power-loss 2")
    passes(world, 1.0)
    recording = Recording()
    recording.extend(world.entries)
    ui = UiState(recording)
    assert mode_of(ui) == VOTES and closeup_note(ui) == "last vote 22 s ago  \u2605 n102 leads e1"
    canvas = Canvas(60, 14)
    draw_closeup(canvas.area(Rect(0, 0, 60, 14)), ui)
    row = next(y for y, text in enumerate(canvas.text_rows()) if "leads e1" in text)
    looks = {canvas.styles[row][canvas.text_rows()[row].index("leads e1")]}
    assert looks == {TONES["dim"]} and "WON" not in "\n".join(canvas.text_rows())
    recording.seek(next(at for at, item in enumerate(world.entries, 1) if isinstance(item.event, ev.LeaderElected)))
    assert closeup_note(ui) == "\u2605 n102 leads e1  majority is 2 of 3"
