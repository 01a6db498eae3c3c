"""Random kills, restarts and cuts under a producer with acks=all: what was acknowledged survives."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from cluster.node.node import Node
from tests.support.worlds.replica_world import BROKERS, CONTROLLERS, ORDERS, ReplicaWorld


class Storm:
    """One seed's faults."""

    def __init__(self, seed: int, **changes: Any) -> None:
        self.draw = Random(seed)
        self.world = ReplicaWorld(**changes)
        self.acked: dict[int, str] = {}
        self.asked: dict[int, str] = {}
        self.count = 0

    def step(self) -> None:
        world, draw = self.world, self.draw
        choice = draw.random()
        nodes = [*BROKERS, *CONTROLLERS]
        if choice < 0.15:
            alive = [node for node in nodes if node in world.nodes]
            victim = draw.choice(alive)
            quorum = [node for node in CONTROLLERS if node in world.nodes]
            if victim in BROKERS or len(quorum) > 2:
                world.kill(victim)
        elif choice < 0.35:
            down = [node for node in nodes if node not in world.nodes]
            if down:
                world.start(draw.choice(down))
        elif choice < 0.45:
            one, other = draw.sample(nodes, 2)
            world.cuts.add((one, other))
        elif choice < 0.6:
            world.cuts.clear()
        else:
            self._produce()
        world.wait(draw.choice((1, 20, 200, 900)))
        self._collect()

    def _produce(self) -> None:
        newest = max((node.image.partitions[ORDERS] for node in self._alive()), key=lambda state: state.leader_epoch)
        node = newest.leader if self.draw.random() < 0.8 else self.draw.choice(BROKERS)
        if node in self.world.nodes:
            self.count += 1
            value = f"v{self.count}"
            self.asked[self.world.send_produce(node, value, acks=-1)] = value

    def _alive(self) -> list[Node]:
        return [node for node in self.world.nodes.values() if ORDERS in node.image.partitions]

    def _collect(self) -> None:
        for correlation, value in self.asked.items():
            answer = self.world.answered.get(correlation)
            if answer is not None and answer.error == 0:
                self.acked[answer.base_offset] = value

    def calm(self) -> None:
        """Heal everything, bring all back, and wait until all agree."""
        world = self.world
        world.cuts.clear()
        for node in (*CONTROLLERS, *BROKERS):
            if node not in world.nodes:
                world.start(node)
        world.until(lambda: world.active() != -1 and set(world.state().isr) == set(BROKERS), 120_000)
        leader = world.state().leader
        world.until(lambda: all(world.values(node) == world.values(leader) for node in BROKERS), 60_000)
        self._collect()


@pytest.mark.parametrize("seed", range(24))
def test_no_acknowledged_record_is_lost_and_all_replicas_agree(seed: int) -> None:
    storm = Storm(seed, elr=seed % 2 == 0)
    for _ in range(60):
        storm.step()
    storm.calm()
    kept = dict(enumerate(storm.world.values(1)))
    assert {offset: kept.get(offset) for offset in storm.acked} == storm.acked, f"seed {seed}"
    assert storm.acked, "a storm in which nothing was acknowledged proves nothing"
