"""A journal is a sequence, however its chunks lie."""

from __future__ import annotations

import pytest

from cluster.picture.part import CHUNK, Journal


@pytest.mark.parametrize("dropped", [0, 1, CHUNK - 1, CHUNK, CHUNK + 7])
@pytest.mark.parametrize("count", [0, 5, CHUNK, 2 * CHUNK + 3])
def test_a_slice_is_that_of_a_list(count: int, dropped: int) -> None:
    journal, plain = Journal(range(count)), list(range(count))[dropped:]
    journal.drop(dropped)
    edges = (None, 0, 1, 3, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 5 * CHUNK, -1, -4, -CHUNK)
    for first in edges:
        for end in edges:
            assert journal[first:end] == plain[first:end]
            assert journal[first:end:3] == plain[first:end:3]
            assert journal[first:end:-1] == plain[first:end:-1]
