"""What is said of consumer groups."""

from __future__ import annotations

from cluster.model import events as ev
from workbench.telling.tell import sentence


def test_an_assignment_names_each_member_with_its_partitions() -> None:
    parts = (("a", "orders", 0), ("a", "orders", 2), ("b\x1b", "users", 1))
    assigned = ev.GroupAssigned(group="g", generation=2, protocol="range", offset=9, assignments=parts)
    assert sentence(assigned) == "group g generation 2 assigned by range: a: orders-0,2; b\u241b: users-1"


def test_many_offsets_are_counted() -> None:
    offsets = tuple(("orders", partition, 7) for partition in range(6))
    committed = ev.ConsumerCommitted(client_id="c", group="g", member_id="m", generation=1, offsets=offsets, error=0)
    assert sentence(committed) == "c has committed orders-0@7, orders-1@7, orders-2@7, orders-3@7 and 2 more"
