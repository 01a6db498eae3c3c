"""Where groups belong, by the checker's own arithmetic."""

from __future__ import annotations

import pytest

from cluster.invariants.groups.book import coordinator_partition
from cluster.model.offsets_topic import partition_for


@pytest.mark.parametrize(
    ("group", "partition"), [("g1", 42), ("my-group", 12), ("группа", 8), ("😀", 49), ("polygenelubricants", 0)]
)
def test_a_group_belongs_where_java_puts_it(group: str, partition: int) -> None:
    assert coordinator_partition(group, 50) == partition == partition_for(group, 50)
