"""Where a group lives."""

from __future__ import annotations

import pytest

from cluster.model.offsets_topic import java_hash, partition_for

VECTORS = [
    ("g1", 3242, 42), ("my-group", -1906497762, 12), ("test-group", 627841412, 12), ("orders", -1008770331, 31),
    ("console-consumer-1", 35782224, 24), ("a", 97, 47), ("", 0, 0), ("group-42", 506311820, 20),
    ("payments-service", 332086293, 43), ("группа", 1749938458, 8), ("消費者グループ", 1778507784, 34),
    ("😀", 1772899, 49), ("polygenelubricants", -2147483648, 0),
]  # fmt: skip


@pytest.mark.parametrize(("group", "hashed", "partition"), VECTORS)
def test_a_group_lives_where_a_java_broker_puts_it(group: str, hashed: int, partition: int) -> None:
    assert java_hash(group) == hashed
    assert partition_for(group, 50) == partition
