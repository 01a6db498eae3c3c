"""How panes are read: each pane has its words, also where something else stands in it."""

from __future__ import annotations

from workbench.tui.panes.reading import MISSIONS, READING, WITH_ZOOKEEPER, reading


def test_missions_are_explained_where_they_stand_instead_of_a_lesson() -> None:
    assert reading(zookeeper=False, missions=False) == READING
    assert reading(zookeeper=False, missions=True)["lesson"] == MISSIONS
    assert reading(zookeeper=True, missions=True)["map"] == WITH_ZOOKEEPER["map"]
    assert list(reading(zookeeper=True, missions=True)) == list(READING)
