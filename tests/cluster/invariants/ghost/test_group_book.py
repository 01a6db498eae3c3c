"""Where groups belong, by the checker's own arithmetic."""

from __future__ import annotations

import pytest

from cluster.invariants.ghost.group_book import GroupBook, coordinator_partition
from cluster.model.offsets_topic import partition_for


@pytest.mark.parametrize(
    ("group", "partition"), [("g1", 42), ("my-group", 12), ("группа", 8), ("😀", 49), ("polygenelubricants", 0)]
)
def test_a_group_belongs_where_java_puts_it(group: str, partition: int) -> None:
    assert coordinator_partition(group, 50) == partition == partition_for(group, 50)


def test_the_offsets_topic_has_the_partitions_of_the_setting_where_nobody_told_of_its_making() -> None:
    book = GroupBook()
    assert book.home("group") is None
    book.note_home(3)
    home = book.home("group")
    assert home is not None and home.partition == coordinator_partition("group", 3)
    book.partition_counts[home.topic] = 1
    book.note_home(3)
    assert book.home("group") == (home.topic, 0)
