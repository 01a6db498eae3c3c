from __future__ import annotations

from hypothesis import given
from hypothesis.strategies import integers, lists

from cluster.model import events as ev
from cluster.model.identifiers import TopicPartition
from cluster.picture.cluster_state import ClusterState
from tests.support.traces import story
from workbench.session.timeline import BUCKET_NS, Timeline

ORDERS = TopicPartition("orders", 0)


def timeline_of(run: story.Story) -> Timeline:
    found, picture = Timeline(), ClusterState()
    for index, entry in enumerate(run.entries):
        picture.apply(entry)
        found.apply(entry, index, picture)
    return found


@given(at=lists(integers(1, 400), max_size=12), asked=lists(integers(0, 6000), max_size=40))
def test_along_many_times_is_the_same_as_one_by_one(at: list[int], asked: list[int]) -> None:
    run = story.Story()
    for number, wait_ms in enumerate(at):
        run.now_ms += wait_ms
        gone = ev.ProcessExited(node_id=1, incarnation_number=0, exit_code=-9, expected=True)
        back = ev.ProcessStarted(node_id=1, roles=("broker",), incarnation_number=1, pid=1)
        run.say(0, back if number % 2 else gone, 0)
        run.partition((2,), 2, 0, number, (1, 2) if number % 2 else (2,))
    known, times = timeline_of(run), [t_ms * 1_000_000 for t_ms in sorted(asked)]
    assert known.down_along(1, times) == [known.is_down(1, t_ns) for t_ns in times]
    changes = known.isr.get(ORDERS, [])
    one_by_one = [max((change for change in changes if change.t_ns <= t_ns), default=None, key=lambda one: one.t_ns)
                  for t_ns in times]  # fmt: skip
    assert known.isr_along(ORDERS, times) == one_by_one


def test_every_entry_counts_in_the_bucket_of_its_time() -> None:
    run = story.Story()
    for wait_ms in (1, 30, 900, 5, 4000):
        run.say(1, ev.ControllerActivated(epoch=1), wait_ms)
    found = timeline_of(run).activity
    start_ns = run.entries[0].t_ns
    expected = [0] * len(found)
    for entry in run.entries:
        expected[(entry.t_ns - start_ns) // BUCKET_NS] += 1
    assert found == expected and sum(found) == 5


def test_an_entry_from_before_the_first_counts_in_the_first_bucket() -> None:
    run = story.Story()
    run.say(1, ev.ControllerActivated(epoch=1), 1000)
    run.now_ms = 5
    run.say(2, ev.ControllerActivated(epoch=1))
    assert timeline_of(run).activity == [2]
