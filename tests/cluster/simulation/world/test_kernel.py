"""One heap, one clock, one seed."""

from __future__ import annotations

from cluster.simulation.world.kernel import START_NS, Kernel


def test_actions_are_taken_in_time_order_and_ties_in_the_order_asked_for() -> None:
    kernel = Kernel(0)
    taken: list[str] = []
    for name, due in (("late", 30), ("first", 10), ("second", 10), ("over", -5)):
        kernel.at(START_NS + due, taken.append, name)
    while kernel.step():
        pass
    assert taken == ["over", "first", "second", "late"]
    assert kernel.now_ns == START_NS + 30
    assert not kernel.step()


def test_the_clock_never_goes_back() -> None:
    kernel, seen = Kernel(0), []
    kernel.at(START_NS + 5, lambda _: kernel.at(START_NS, lambda _: seen.append(kernel.now_ns), None), None)
    kernel.advance(START_NS + 9)
    assert seen == [START_NS + 5]
    assert kernel.now_ns == START_NS + 9


def test_advancing_stops_before_what_is_due_later() -> None:
    kernel = Kernel(0)
    taken: list[str] = []
    kernel.after(10, taken.append, "in time")
    kernel.after(11, taken.append, "later")
    kernel.advance(START_NS + 10)
    assert taken == ["in time"]
    kernel.advance(START_NS + 11)
    assert taken == ["in time", "later"]


def test_waiting_ends_when_it_is_so_or_when_the_time_is_up() -> None:
    kernel = Kernel(0)
    taken: list[int] = []
    for due in (1, 2, 3):
        kernel.after(due, taken.append, due)
    assert kernel.run_until(lambda: 2 in taken, 100)
    assert taken == [1, 2]
    assert not kernel.run_until(lambda: len(taken) > 9, 100)
    assert taken == [1, 2, 3]
    assert kernel.now_ns == START_NS + 102


def test_a_draw_more_in_one_place_shifts_no_other() -> None:
    one, other = Kernel(7), Kernel(7)
    one.stream("disk").random()
    assert one.stream("network").random() == other.stream("network").random()
    assert one.stream("network").random() != one.stream("disk").random()
    assert one.stream("network").random() != Kernel(8).stream("network").random()
