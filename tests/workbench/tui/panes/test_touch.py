"""What the panel of one message says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cluster.picture.flights import Flight
from tests.support.screens.bare_host import Bench
from workbench.tui.modes import Touch

SIZES = ((80, 24), (120, 40), (160, 45), (200, 50))


def drawn(folder: Path, *, size: tuple[int, int] = (120, 40), simulated: bool = True, **told: Any) -> str:
    bench = Bench(folder, size=size)
    bench.ui.seed = 7 if simulated else None
    entry, now_ns = bench.ui.recording.entries[-1], bench.ui.shown_ns
    known: dict[str, Any] = {
        "source": 101, "target": 102, "message": "VoteRequest", "is_answer": False, "fate": "left",
        "left_ns": now_ns - 412_000, "ended_ns": 0, "told_by": entry.id, "correlation": 9,
    }  # fmt: skip
    bench.ui.open(Touch(Flight(**(known | told))))
    return bench.drawn()


@pytest.mark.parametrize("size", SIZES)
def test_who_says_what_to_whom_in_words_and_how_it_stands_with_it(tmp_path: Path, size: tuple[int, int]) -> None:
    numbers = (("epoch", 3), ("pre_vote", 0), ("last_epoch", 2), ("offset", 17))
    shown = drawn(tmp_path, size=size, numbers=numbers)
    assert 'n101 \u2192 n102   "vote e3?"   vote request, number 9' in shown
    assert "epoch 3 \u00b7 pre vote no \u00b7 epoch of its last record 2 \u00b7 log end offset 17" in shown
    assert "It left 0.412 ms ago and has not arrived" in shown and "Exactly this message is meant." in shown


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"fate": "held", "why": "the link is cut"}, "It is held: the link is cut. It left 0.412 ms ago."),
        ({"fate": "lost", "why": "it was plucked"}, "It will not arrive: it was plucked."),
        ({"fate": "unanswered"}, "It will not arrive."),
        ({"numbers": (("error", 6),)}, "error NOT_LEADER_OR_FOLLOWER"),
        ({"numbers": (("isr", 1), ("isr", 3)), "topic": "orders", "partition": 0}, "ISR 1,3 \u00b7 of orders-0"),
        ({"numbers": (("leader_id", -1),)}, "leader none"),
        ({}, "it has no numbers"),
        ({"message": "\x1b[31mRed"}, "number 9"),
    ],
)
def test_each_state_and_each_kind_of_field_has_its_words(tmp_path: Path, told: dict[str, Any], said: str) -> None:
    shown = drawn(tmp_path, **told)
    assert said in shown and "\x1b" not in shown


def test_of_processes_it_says_which_message_is_meant(tmp_path: Path) -> None:
    shown = drawn(tmp_path, simulated=False)
    assert "Processes do not wait: the next vote request on this link is meant." in shown
