"""Producers with transactions in the swarm: only where they are asked for, and nothing of them is left out."""

from __future__ import annotations

from random import Random

from cluster.faults.grammar import parse_command
from cluster.language.topics import Consume
from cluster.language.transactions import TxnAbort, TxnArrive, TxnBegin, TxnCommit, TxnProduce
from cluster.model.identifiers import TopicPartition
from cluster.simulation.swarm.plan import draw_plan
from cluster.simulation.swarm.transactions import SwarmTransactions

WHERE = [TopicPartition("orders", 0)]


def commands(seed: int, every_s: float = 0.1) -> list[str]:
    """What a thousand steps send, while nothing is refused."""
    sent: list[str] = []

    def send(text: str) -> bool:
        sent.append(text)
        return True

    transactions = SwarmTransactions(Random(seed), send, every_s)
    for _ in range(1_000):
        transactions.step(WHERE)
    return sent


def test_all_steps_are_sent_and_readers_look_on() -> None:
    kinds = {type(parse_command(text)) for text in commands(1)}
    assert kinds == {TxnBegin, TxnProduce, TxnCommit, TxnAbort, TxnArrive, Consume}


def test_an_id_has_successors() -> None:
    begun = [command for text in commands(1) if isinstance(command := parse_command(text), TxnBegin)]
    assert len({command.producer for command in begun}) > len({command.transactional_id for command in begun})


def test_a_seed_that_is_not_asked_for_them_has_none_and_is_the_same_otherwise() -> None:
    assert commands(1, 0.0) == []
    for seed in range(20):
        plain, asked = draw_plan(seed, 5.0), draw_plan(seed, 5.0, transactions=True)
        assert plain.transactions_every_s == 0 < asked.transactions_every_s
        assert (plain.kinds, plain.topics, plain.groups) == (asked.kinds, asked.topics, asked.groups)
