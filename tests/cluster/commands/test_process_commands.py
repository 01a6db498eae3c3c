"""What is answered to commands about processes."""

from __future__ import annotations

from watched import Watched, at_once

from cluster.commands.carry_out import carry_out


def test_freeze_counts_the_nodes_that_it_stopped() -> None:
    world = Watched(seed=1)
    world.do("kill 1", "kill 2", "kill 3", "kill 101")

    def answer(text: str) -> str:
        return at_once(carry_out(world.desk, text, world.ready)).text

    assert answer("freeze") == "2 nodes are frozen"
    world.do("thaw", "kill 102")
    assert answer("freeze") == "1 node is frozen"
