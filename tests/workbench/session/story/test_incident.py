from __future__ import annotations

from workbench.session.story.line import DETAILS
from workbench.session.story.teller import Teller


def test_costs_and_steps_are_those_of_the_cursor() -> None:
    teller = Teller()
    killed = teller.open("n103 was killed")
    teller.cost(killed, ("leaderless",), "no leader for {}", since_ns=1)
    teller.place, teller.t_ns = 5, 500_000_001
    teller.step(killed, "n102 granted its vote", level=DETAILS)
    teller.step(killed, "n102 leads e2")
    teller.cost(killed, ("leaderless",), "no leader for 0.500 s")
    assert killed.costs_at(3, 200_000_001) == ["no leader for 0.200 s so far"]
    assert killed.costs_at(6, 600_000_001) == ["no leader for 0.500 s"]
    assert [said.text for _, said in killed.steps_at(6)] == ["n102 leads e2"]
    assert [said.text for _, said in killed.steps_at(6, DETAILS)] == ["n102 granted its vote", "n102 leads e2"]
    assert list(killed.steps_at(5)) == []
