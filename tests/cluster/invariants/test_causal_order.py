"""Entries pass in an order that agrees with happens-before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cluster.invariants import causal_order
from cluster.invariants.causal_order import CausalOrder
from cluster.model.entry import Entry, EventId
from cluster.model.events import RunEnded


def entry(node: int, seq: int, cause: EventId | None = None, t_ns: int = 0) -> Entry:
    return Entry("run", node, 0, seq, t_ns, 0, 0, cause, "", None, RunEnded(clean=True))


def passed(entries: list[Entry]) -> tuple[list[EventId], CausalOrder]:
    order = CausalOrder()
    out = [ready.id for item in entries for ready in push(order, item)]
    out += [ready.id for ready in order.drain()]
    return out, order


def push(order: CausalOrder, item: Entry) -> list[Entry]:
    return list(order.take((item,)))


def test_an_effect_waits_for_its_cause_and_holds_its_own_node_back() -> None:
    entries = [entry(1, 0, EventId(2, 0, 1)), entry(1, 1), entry(3, 0), entry(2, 0), entry(2, 1)]
    out, order = passed(entries)
    assert out == [(3, 0, 0), (2, 0, 0), (2, 0, 1), (1, 0, 0), (1, 0, 1)]
    assert order.passage.orphans == []


def test_a_missing_cause_is_noted_and_holds_nothing_for_ever() -> None:
    out, order = passed([entry(1, 0, EventId(7, 0, 0)), entry(1, 1)])
    assert out == [(1, 0, 0), (1, 0, 1)]
    assert order.passage.orphans == [(EventId(1, 0, 0), EventId(7, 0, 0))]


def test_a_trace_is_cut_where_later_entries_name_what_its_node_said_after_its_last() -> None:
    begun = [entry(2, 0, t_ns=5), entry(3, 0, t_ns=9)]
    named = {
        "later": (entry(1, 0, EventId(2, 0, 1), t_ns=6), {(2, 0): 5}),
        "at the same time, so it is a mistake": (entry(1, 0, EventId(2, 0, 1), t_ns=5), {}),
        "of a file that is not there": (entry(1, 0, EventId(7, 0, 0), t_ns=6), {}),
        "there": (entry(1, 0, EventId(2, 0, 0), t_ns=6), {}),
    }
    for what, (item, cut) in named.items():
        _, order = passed([*begun, item])
        assert order.passage.cut == cut, what


def test_what_is_held_is_bounded(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(causal_order, "HELD_MAX", 3)
    order = CausalOrder()
    out = [ready.seq for seq in range(8) for ready in push(order, entry(1, seq, EventId(7, 0, 0)))]
    assert out == [0, 1, 2, 3, 4]


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 5)), max_size=12), st.randoms(use_true_random=False))
def test_any_shuffle_that_keeps_each_nodes_order_comes_out_causal(links: list[tuple[int, int]], random) -> None:  # type: ignore[no-untyped-def]
    made: list[Entry] = []
    count = {1: 0, 2: 0, 3: 0}
    for node, back in links:
        cause = made[-1 - back].id if back < len(made) else None
        made.append(entry(node, count[node], cause))
        count[node] += 1
    lanes = {node: [item for item in made if item.node == node] for node in count}
    shuffled = []
    while any(lanes.values()):
        shuffled.append(lanes[random.choice([node for node in lanes if lanes[node]])].pop(0))
    out, order = passed(shuffled)
    place = {name: index for index, name in enumerate(out)}
    assert len(out) == len(made)
    assert order.passage.orphans == [] and order.passage.gaps == []
    for item in made:
        assert item.cause is None or place[item.cause] < place[item.id]
        assert item.seq == 0 or place[EventId(item.node, 0, item.seq - 1)] < place[item.id]
