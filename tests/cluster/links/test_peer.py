"""What waits for one peer."""

from __future__ import annotations

from cluster.links.peer import Peer
from tests.support.worlds.link_machine import Line, frame


def test_all_frames_to_a_peer_that_wait_are_held_here_and_those_from_it_are_not_among_them() -> None:
    peer: Peer[Line] = Peer(2)
    assert peer.held == []
    peer.queue.append(frame(12))
    peer.late.append((7, frame(8), None))
    peer.held_there.append((frame(4), None))
    peer.held_back.append((frame(16), Line(2)))
    assert [item.correlation for item in peer.held] == [4, 8, 12]
