from __future__ import annotations

from cluster.model.entry import EventId
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.event_pattern import EventBook
from workbench.course.content import Hold
from workbench.session.lesson.holds import Held, HoldWatch, Seen
from workbench.session.lesson.step_progress import DONE, RUNNING, StepProgress

END = Held(EventId(1, 0, 9))


def test_the_view_is_held_at_each_point_in_turn_and_then_at_the_end_of_the_section() -> None:
    own = StepProgress(state=RUNNING)
    assert own.held is None, "nothing has run"
    own.watch = HoldWatch([Hold(None, (), "logs", "See {1}.")])
    assert own.held is None, "none is reached"
    own.watch.look(None, EventId(1, 0, 3), Seen(ClusterState(), {}, EventBook()))
    own.looks = ["See one."]
    held = own.held
    assert held is not None and (held.event, held.look) == (EventId(1, 0, 3), "See one."), "as it was told then"
    own.state, own.end = DONE, END
    assert own.held == held, "the cluster of processes ran on, the view did not"
    own.released = 1
    assert own.held == END
