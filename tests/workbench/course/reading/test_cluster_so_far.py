"""What a step may speak of: the topics and the remembered names there are by then."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.scenario.parse import parse_script
from workbench.course.lesson_error import LessonError
from workbench.course.reading.cluster_so_far import ClusterSoFar

SCRIPT = parse_script(
    """[one]
cluster controllers=3 brokers=2
given topic given replicas=1,2
wait unfenced 1,2
when ctl.broker_fenced then topic late replicas=1
at 5s topic later replicas=1
remember first = leader of quorum
[two]
kill $first
topic orders replicas=2
[three]
cluster controllers=1 brokers=1
"""
)


def after(count: int) -> ClusterSoFar:
    cluster = ClusterSoFar(Path("01_x/lesson.md"))
    for section in SCRIPT.sections[:count]:
        cluster.play(section)
    return cluster


@pytest.mark.parametrize(
    "text", ["leader late-0 = 1", "leader later-0", "leader given-0 = 1 and leader of quorum = first", "idle"]
)
def test_what_there_is_may_be_asked_for(text: str) -> None:
    assert len(after(1).conditions(1, text, "when")) == 1 + text.count(" and ")


@pytest.mark.parametrize(
    ("sections", "text", "says"),
    [
        (0, "idle", "when: there is no cluster yet"),
        (1, "leader orders-0", "when: topic 'orders' is not created before this line; known: given, late, later"),
        (3, "leader orders-0", "when: topic 'orders' is not created before this line; known: none so far"),
        (3, "leader of quorum = first", "unknown value 'first'"),
        (3, "node 2 down", "no node 2 in this cluster"),
        (1, "event ctl.broker_fenced", "unknown condition"),
    ],
)
def test_what_there_is_not_is_told(sections: int, text: str, says: str) -> None:
    with pytest.raises(LessonError, match=says):
        after(sections).conditions(1, text, "when")


def test_a_topic_of_the_section_before_is_still_there() -> None:
    assert after(2).conditions(1, "leader orders-0", "when")
    assert after(2).names == frozenset({"first"})
    assert after(3).names == frozenset()
