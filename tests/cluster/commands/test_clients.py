"""What built-in clients tell of their links."""

from __future__ import annotations

import pytest

from cluster.model.events import FramesHeld, FramesReleased, LinkConnected, OperationInvoked
from cluster.model.identifiers import FIRST_CLIENT_ID
from tests.support.traces.played import passes, ready
from workbench.session.recording import Recording
from workbench.telling.tell import describe
from workbench.tui.compose import draw_screen
from workbench.tui.ui_state import UiState


@pytest.mark.parametrize("ends", ["client>1", "1>client"])
def test_messages_of_clients_that_wait_are_told_as_those_of_nodes_are(ends: str) -> None:
    """A transaction that nobody ended looked like one that its producer had forgotten."""
    world = ready(seed=1, topic="assign=1,2,3")
    assert not world.of(LinkConnected, FIRST_CLIENT_ID), "that clients come and go is nobody's news"
    world.do(f"withhold {ends} Produce")
    world.send("produce orders 1 acks=all wait=no")
    passes(world, 0.3)
    (held,) = world.of(FramesHeld)
    way = (FIRST_CLIENT_ID, 1) if ends == "client>1" else (1, FIRST_CLIENT_ID)
    assert (held.source, held.target) == way
    assert held.message == ("ProduceRequest" if ends == "client>1" else "ProduceResponse")
    recording = Recording()
    recording.extend(world.entries)
    told = next(describe(entry) for entry in world.entries if entry.event is held)
    name = ends.replace("1", "n1")
    assert told == f"link {name} holds {held.message}"
    shown = "\n".join(draw_screen(200, 50, UiState(recording)).text_rows())
    assert "1 message held on " + name.replace(">", "\u2192") in shown
    world.do("heal")
    passes(world, 0.3)
    (released,) = world.of(FramesReleased)
    assert (released.source, released.target, released.count) == (*way, 1)
    assert len(world.of(OperationInvoked)) > 0 and not world.cluster().held_frames
