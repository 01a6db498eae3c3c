from __future__ import annotations

from importlib import import_module
from typing import Any

from workbench.challenges.bugs.planted_bug import planted
from workbench.challenges.bugs.sealed import sealed_bug

isr: Any = import_module("cluster.replication.isr")
watermark: Any = import_module("cluster.replication.watermark")
BEHIND = (2, 3, 8, 0, 1, 1)
ENDS = [(1, 9), (2, 3)]


def test_a_follower_that_is_behind_joins() -> None:
    assert not isr.expand_isr(*BEHIND).granted
    with planted(sealed_bug("replication/joins-early")):
        assert isr.expand_isr(*BEHIND).granted


def test_the_furthest_is_taken_for_committed() -> None:
    assert watermark.advance_high_watermark(0, ENDS, 2, 1, hw_gate=True).value == 3
    with planted(sealed_bug("replication/counts-the-furthest")):
        assert watermark.advance_high_watermark(0, ENDS, 2, 1, hw_gate=True).value == 9
