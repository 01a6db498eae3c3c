"""The story of a reassignment: one incident from its begin to its end."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import CONTROLLER, Partition
from workbench.session.story.story import Story
from workbench.session.views.cluster import ClusterView


def moved(how: str) -> list[str]:
    """The lines that the story has of one move, from its begin to its end."""
    trace = Partition()
    trace.begin()
    begun = ev.ReassignmentBegun(**WHERE, replicas=(2, 3, 4), adding_replicas=(4,), removing_replicas=(1,))
    trace.add(CONTROLLER, begun)
    trace.add(CONTROLLER, ev.ReassignmentEnded(**WHERE, how=how, replicas=(2, 3, 4), left=(1,)))
    story, picture = Story(), ClusterView()
    for index, entry in enumerate(trace.entries):
        picture.apply(entry)
        story.apply(entry, index, picture)
    (incident,) = [item for item in story.incidents if item.kind == "move"]
    assert incident.is_over
    return [said.text for said in incident.head.said]


def test_a_move_says_from_where_to_where_and_that_it_is_done() -> None:
    assert moved("completed") == [
        "orders-0 moves from n1, n2 and n3 to n2, n3 and n4",
        "orders-0 has moved to n2, n3 and n4, away from n1",
    ]


def test_a_move_that_is_taken_back_says_so() -> None:
    assert moved("cancelled")[-1] == "orders-0 stays on n2, n3 and n4"
