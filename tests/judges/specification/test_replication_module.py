"""A line as a TLA+ module."""

from __future__ import annotations

import re

import pytest

from judges.specification.replication_module import SPECIFICATIONS, module
from tests.judges.specification.test_replication_states import line_of


@pytest.mark.parametrize("specification", SPECIFICATIONS.values())
def test_every_place_of_the_template_is_filled_in(specification: str) -> None:
    states = line_of("p06_classic_loss", "hw")
    made = module("Line0", specification, states, (1, 2), stop=3)
    assert made.text.startswith("---- MODULE Line0 ----") and not re.search("@[A-Z]+@", made.text)
    assert made.text.count("[a |->") == len(states) and "INVARIANT Tell" in made.configuration
    assert 'Replicas = {"n1", "n2"}' in made.configuration


def test_what_all_logs_share_is_left_out_of_a_later_window() -> None:
    states = line_of("p05_acks_1_loss", "fetch")
    whole = module("All", "Kip320", states, (1, 2, 3)).configuration
    part = module("End", "Kip320", states[-2:], (1, 2, 3)).configuration
    sizes = [int(re.findall(r"LogSize = (\d+)", text)[0]) for text in (whole, part)]
    assert sizes == [8, 2]
