"""The box of a node: the state that matters most is its frame and its title."""

from __future__ import annotations

import pytest

from cluster.model.identifiers import METADATA
from cluster.picture.logs import LogState
from tests.support.traces import story
from tests.workbench.tui.panes.test_panes import state
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.logs import draw_logs
from workbench.tui.panes.map_boxes import DASHED, HEAVY, LIGHT, NEWS_NS, ends, look_of, rows_of, titled
from workbench.tui.theme.palette import BAD, CROWN, LINE
from workbench.tui.ui_state import UiState


def look(ui: UiState, node: int) -> tuple[str, str]:
    found = look_of(ui, ui.view.nodes[node])
    return found.frame, found.word


def test_only_a_leader_has_the_crown_and_healthy_nodes_have_thin_lines() -> None:
    ui = state()
    assert look(ui, 3) == (HEAVY, "LEADER e3") and look_of(ui, ui.view.nodes[3]).edge == CROWN
    assert look(ui, 5) == (LIGHT, "follower") and look_of(ui, ui.view.nodes[5]).edge == LINE


def test_a_node_that_is_down_and_selected_is_red() -> None:
    ui = state()
    ui.node = 2
    ui.view.nodes[2].stage, ui.view.nodes[2].exit_code = "down", -9
    ui.view.nodes[2].since_ns = ui.shown_ns
    found = look_of(ui, ui.view.nodes[2])
    assert (found.frame, found.word, found.style, found.fill) == (DASHED, "KILLED", BAD, "no")
    ui.view.nodes[2].since_ns -= NEWS_NS
    assert look_of(ui, ui.view.nodes[2]).fill == "", "the fill is for what changed just now"


def test_a_cut_is_news_for_a_second_of_the_screen() -> None:
    ui = state()
    ui.log_index = 1
    assert look(ui, 1)[1] == "CUTS 10\u21927"
    ui.replay, ui.now_ns = False, ui.recording.t_ns + 2 * NEWS_NS
    assert look(ui, 1)[1] != "CUTS 10\u21927"


def test_a_candidate_shows_every_vote_in_the_order_of_the_voters() -> None:
    ui = state(story.split_vote_end())
    rows = ["".join(text for text, _ in row) for row in rows_of(ui, ui.view.nodes[2], 26)]
    assert "votes \u2508 \u25a0 \u25a0 \u25a1 \u2717  2 of 5 " in rows


@pytest.mark.parametrize(
    ("room", "said"),
    [(28, "pre-votes \u25a1 \u25a0 \u25a1 \u25a1 \u25a1  1 of 5 "),
     (23, "pre \u25a1 \u25a0 \u25a1 \u25a1 \u25a1 1 of 5"),
     (17, "\u25a1 \u25a0 \u25a1 \u25a1 \u25a1 1 of 5"), (14, "1 of 5")],
)  # fmt: skip
def test_a_count_of_votes_is_never_cut_in_the_middle(room: int, said: str) -> None:
    ui = state()
    asked = ui.view.rounds[-1]
    asked.candidate_id, asked.pre_vote, asked.answers = 2, True, {2: True}
    ui.view.nodes[2].stage, ui.view.nodes[2].quorum_role = "up", "prospective"
    assert said in ["".join(text for text, _ in row) for row in rows_of(ui, ui.view.nodes[2], room)]


@pytest.mark.parametrize(
    ("room", "title"),
    [(30, " n1 \u2605 leads orders-0 +1 "), (23, " n1 \u2605 leads orders-0 +1"), (19, " n1 \u2605 orders-0 +1 "),
     (17, " n1 \u2605 orders-0 +1"), (14, " n1 \u2605 orders-\u2026")],
)  # fmt: skip
def test_a_title_without_room_never_names_half_a_partition(room: int, title: str) -> None:
    text = titled(" n1 \u2605 ", "leads orders-0 +1", room)
    assert text == title and len(text) <= room


@pytest.mark.parametrize(
    ("room", "title"),
    [
        (21, " \u25b8 A n101 \u25cf follower "),
        (20, " \u25b8 A n101 \u25cf follower"),
        (19, " \u25b8A n101 \u25cf follower"),
        (17, " \u25b8A n101 \u25cf follo\u2026"),
    ],
)
def test_a_title_without_room_still_says_what_a_node_is(room: int, title: str) -> None:
    text = titled(" \u25b8 A n101 \u25cf ", "follower", room)
    assert text == title and len(text) <= room


@pytest.mark.parametrize(("room", "row"), [(26, "LEO 5   HW 5  lag 3"), (18, "LEO 5 HW 5 lag 3"), (12, "LEO 5 lag 3")])
def test_a_lag_stands_with_its_number_in_every_box(room: int, row: str) -> None:
    lane = LogState(log_end_offset=5, high_watermark=5)
    assert "".join(text for text, _ in ends(lane, 3, room)) == row


@pytest.mark.parametrize(("room", "said"), [(18, "registered, fenced"), (17, "fenced")])
def test_that_a_broker_is_fenced_is_never_half_a_word(room: int, said: str) -> None:
    ui = state()
    node = ui.view.nodes[1]
    node.fenced, node.broker_state = True, "running"
    assert said in ["".join(text for text, _ in row) for row in rows_of(ui, node, room)]


@pytest.mark.parametrize(("digest", "words"), [("a", "same as n3"), ("b", "differs at 0")])
def test_logs_of_one_length_are_the_same_only_where_their_records_are(digest: str, words: str) -> None:
    """A leader that was cut off as it began has one record, as the next leader has, and it is another one."""
    ui = state()
    assert ui.view.leader_of_newest_epoch == 3
    for node, own in ((3, "a"), (5, digest)):
        ui.view.logs[node, METADATA] = LogState()
        ui.view.log(node, METADATA).append(0, 1, [(0, 1, 1, own)])
    (first, *_) = rows_of(ui, ui.view.nodes[5], 24)
    assert words in "".join(text for text, _ in first)


def test_a_voter_that_starts_has_read_no_vote_yet() -> None:
    ui = state()
    node = ui.view.nodes[5]

    def shown() -> str:
        return " ".join(text for row in rows_of(ui, node, 24) for text, _ in row)

    assert "has not voted in e3" in shown()
    node.stage, node.quorum_role = "starting", ""
    assert "voted" not in shown()


def test_a_leader_that_does_not_know_that_it_was_replaced_still_leads_as_it_believes() -> None:
    ui = state()
    ui.log_index = 1
    tp = ui.log
    item, lane = ui.view.partition(tp), ui.view.log(1, tp)
    lane.newest_cut, lane.begun, item.leader, item.leader_epoch = None, (0, 0), 2, 1
    ui.view.nodes[1].stage, ui.view.nodes[1].quorum_role, ui.view.nodes[1].fenced = "running", "observer", True
    assert look_of(ui, ui.view.nodes[1])[:2] == ("\u2606", "still leads e0")

    def says_so() -> bool:
        canvas = Canvas(60, 9)
        draw_logs(canvas.area(Rect(0, 0, 60, 9)), ui)
        return any(row.startswith("\u2606 n1 still e0") for row in canvas.text_rows())

    assert says_so()
    ui.view.nodes[1].stage = "starting"
    assert not says_so(), "another life of it has read nothing yet"
    ui.view.nodes[1].stage, lane.begun = "running", None
    assert look_of(ui, ui.view.nodes[1])[1] == "out of the ISR", "it has heard of the new leader"
