"""One sentence on top: the newest news, or that all is well."""

from __future__ import annotations

from tests.workbench.tui.panes.test_panes import state
from workbench.tui.compose import draw_screen
from workbench.tui.panes.headline import FRESH_NS, headline_of
from workbench.tui.theme.roles import FILLS, GROUNDS


def test_the_newest_news_stands_in_the_second_row_at_every_size() -> None:
    for size in ((200, 50), (120, 40), (80, 24)):
        ui = state()
        told = headline_of(ui).text
        row = draw_screen(*size, ui).text_rows()[1]
        assert row.split() == told.split()


def test_news_is_filled_and_fades_with_the_clock_of_the_screen() -> None:
    ui = state()
    ui.replay = False
    ground = draw_screen(120, 40, ui).styles[1][0].bgcolor
    assert ground is not None and ground.name in {fill.dark for fill in FILLS.values()}
    ui.now_ns = ui.recording.t_ns + FRESH_NS + 1
    ground = draw_screen(120, 40, ui).styles[1][0].bgcolor
    assert ground is not None and ground.name == GROUNDS["raised"].dark


def test_a_cluster_in_which_something_is_wrong_is_never_told_to_be_well() -> None:
    ui = state()
    ui.now_ns = ui.recording.t_ns + 60_000_000_000
    assert "All is well" not in headline_of(ui).text, "a fault is in force, and a replica is out"
    item = ui.view.partitions[ui.log]
    ui.view.faults.clear()
    item.isr = item.replicas
    assert "All is well" in headline_of(ui).text
    ui.view.nodes[2].stage = "down"
    assert "All is well" not in headline_of(ui).text
