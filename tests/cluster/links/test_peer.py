"""What waits for one peer."""

from __future__ import annotations

import pytest

from cluster.faults.effects_on_links import Delay
from cluster.links.peer import BURST_BYTES, Pace, Peer
from tests.support.worlds.link_machine import Line, frame


def test_all_frames_to_a_peer_that_wait_are_held_here_and_those_from_it_are_not_among_them() -> None:
    peer: Peer[Line] = Peer(2)
    assert peer.held == []
    peer.queue.append(frame(12))
    peer.late.append((7, frame(8), None))
    peer.held_there.append((frame(4), None))
    peer.held_back.append((frame(16), Line(2)))
    assert [item.correlation for item in peer.held] == [4, 8, 12]


def test_a_later_frame_never_leaves_before_an_earlier_one() -> None:
    pace = Pace()
    assert pace.leave_at(10.0, 1, Delay(100, 100), None, 0.9) == pytest.approx(10.19)
    assert pace.leave_at(10.0, 1, Delay(100, 100), None, 0.0) == pytest.approx(10.19)


def test_a_slow_link_takes_a_burst_then_its_rate() -> None:
    pace = Pace()
    assert pace.leave_at(10.0, BURST_BYTES, None, 1000, 0) == 10.0
    assert pace.leave_at(10.0, 1000, None, 1000, 0) == pytest.approx(11.0)
    assert pace.leave_at(10.0, 1000, None, 1000, 0) == pytest.approx(12.0)
