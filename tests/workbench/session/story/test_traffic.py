from __future__ import annotations

from cluster.model import events as ev
from workbench.session.story.traffic import OPEN_MAX, Traffic

MS = 1_000_000


def ask(number: int) -> ev.OperationInvoked:
    return ev.OperationInvoked(client_id="p", operation_id=number, function="produce", topic="orders", partition=0,
                               acks=-1, value="v")  # fmt: skip


def done(number: int, count: int = 1) -> ev.OperationSucceeded:
    return ev.OperationSucceeded(client_id="p", operation_id=number, function="produce", topic="orders", partition=0,
                                 base_offset=number, count=count, values=())  # fmt: skip


def test_sums_are_looked_up_by_the_cursor() -> None:
    traffic = Traffic()
    for number in range(10):
        traffic.on_invoked(ask(number), number * 500 * MS)
        traffic.on_succeeded(done(number), number * 500 * MS + 5 * MS, 2 * number + 1)
    assert traffic.now.acknowledged == 10 and traffic.at(1 << 40) == traffic.now
    early = traffic.at(8)
    assert 0 < early.acknowledged <= 4 and early.place < 8
    assert traffic.at(0).acknowledged == 0


def test_the_typical_time_is_the_middle_one_and_the_slowest_stays() -> None:
    traffic = Traffic()
    for number, took_ms in enumerate((5, 4, 1310, 6, 5)):
        traffic.on_invoked(ask(number), 0)
        traffic.on_succeeded(done(number), took_ms * MS, number)
    assert (traffic.now.typical_ns, traffic.now.slowest_ns) == (5 * MS, 1310 * MS)


def test_writes_that_nobody_answers_are_forgotten_in_the_end() -> None:
    traffic = Traffic()
    for number in range(OPEN_MAX + 1):
        traffic.on_invoked(ask(number), 0)
    traffic.on_succeeded(done(0), 7 * MS, 1)
    assert traffic.now.acknowledged == 1 and traffic.now.slowest_ns == 0, "acknowledged, and its begin is not known"
