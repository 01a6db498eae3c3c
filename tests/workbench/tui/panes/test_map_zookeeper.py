"""The map in zookeeper mode: the coordinator is named as what it is, and a zombie as one."""

from __future__ import annotations

from cluster.model.identifiers import METADATA, NO_NODE
from cluster.picture.facts import SessionState
from tests.workbench.tui.panes.test_panes import state
from workbench.session.story.cells import VOTES
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.closeup import closeup_note, draw_closeup, mode_of
from workbench.tui.panes.logs import draw_logs, logs_note
from workbench.tui.panes.map_boxes import look_of, rows_of
from workbench.tui.panes.map_zookeeper import row_of_controller, rows_of_coordinator
from workbench.tui.panes.reading import READING, WITH_ZOOKEEPER
from workbench.tui.panes.tour import STOPS
from workbench.tui.theme.palette import CROWN, DIM, WARN
from workbench.tui.ui_state import UiState


def in_the_mode() -> UiState:
    ui = state()
    zookeeper = ui.view.zookeeper
    zookeeper.is_used, zookeeper.controller, zookeeper.controller_epoch = True, 2, 5
    zookeeper.acting = {1: 4, 2: 5}
    return ui


def test_the_coordinator_says_who_has_the_controller_znode() -> None:
    rows = ["".join(text for text, _ in row) for row in rows_of_coordinator(in_the_mode())]
    assert rows == ["/controller n2", "epoch 5  zxid 0", "sessions none"]
    assert max(map(len, rows)) <= 16, "a box of the map at 80 columns has room for so much"


def test_a_controller_that_the_znode_no_longer_names_is_a_zombie() -> None:
    ui = in_the_mode()
    assert row_of_controller(ui, 2) == [("CONTROLLER e5", CROWN)]
    assert row_of_controller(ui, 1) == [("zombie e4", WARN)]
    assert any("zombie" in text for row in rows_of(ui, ui.view.nodes[1], 30) for text, _ in row)


def with_brokers() -> UiState:
    """Broker 1 is a zombie without a session, 2 controls, 3 has heard of 2."""
    ui = in_the_mode()
    zookeeper = ui.view.zookeeper
    zookeeper.sessions = {14: SessionState(2, 3000), 15: SessionState(3, 3000)}
    zookeeper.heard_epochs = {1: 4, 2: 5, 3: 5}
    for node in (1, 2, 3):
        ui.view.node(node).roles = ("broker",)
    return ui


def test_the_close_up_tells_sessions_and_controllers_where_nobody_votes() -> None:
    ui, canvas = with_brokers(), Canvas(36, 6)
    assert mode_of(ui) == VOTES and closeup_note(ui) == "/controller n2, controller epoch 5"
    draw_closeup(canvas.area(Rect(0, 0, 36, 6)), ui)
    rows = [row.strip() for row in canvas.text_rows()]
    assert rows[0].startswith("n1  no session") and rows[0].endswith("heard e4  zombie")
    assert rows[1:3] == ["n2  session 14  heard e5  controls", "n3  session 15  heard e5"]


def test_a_log_that_is_chosen_is_no_metadata_log_where_there_is_none() -> None:
    ui = with_brokers()
    ui.log_index = 0
    assert mode_of(ui) == VOTES


def test_without_a_controller_the_close_up_says_that_its_seat_is_free() -> None:
    ui = in_the_mode()
    ui.view.zookeeper.controller = NO_NODE
    assert closeup_note(ui) == "/controller is free"


def test_there_is_no_log_of_metadata_to_look_at() -> None:
    ui = state()
    assert METADATA in ui.view.shown_logs()
    ui.view.zookeeper.is_used = True
    assert METADATA not in ui.view.shown_logs() and ui.partition == ui.log
    ui.view.partitions.clear()
    assert ui.partition is None and logs_note(ui) == "no topic yet"
    canvas = Canvas(60, 8)
    draw_logs(canvas.area(Rect(0, 0, 60, 8)), ui)
    assert canvas.text_rows()[0].strip().startswith("no topic yet")


def test_a_broker_without_a_session_is_not_called_fenced() -> None:
    ui = with_brokers()
    node = ui.view.node(9)
    node.stage, node.roles, node.fenced, node.broker_state = "running", ("broker",), True, "running"
    assert look_of(ui, node).word == "NO SESSION"
    assert ("its znode is gone", WARN) in [part for row in rows_of(ui, node, 30) for part in row]
    node.broker_state = "starting"
    assert look_of(ui, node).word == "broker"
    assert ("starting", DIM) in [part for row in rows_of(ui, node, 30) for part in row]


def test_help_and_tour_speak_of_no_quorum() -> None:
    texts = [text for _, text in WITH_ZOOKEEPER.values()] + [stop.with_zookeeper or stop.text for stop in STOPS]
    assert not [text for text in texts if "quorum" in text or "votes for" in text]
    assert set(WITH_ZOOKEEPER) == set(READING)
