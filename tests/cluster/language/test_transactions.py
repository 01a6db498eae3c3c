"""Steps of a transaction as commands."""

from __future__ import annotations

import pytest

from cluster.faults.grammar import CommandError, parse_command
from cluster.language.transactions import TxnBegin, TxnCommit, TxnProduce, partition_of
from cluster.model.identifiers import TopicPartition


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("txn begin A id=shop version=1 timeout=2s", TxnBegin("A", "shop", 1, 2000)),
        ("txn produce A orders-1 2 value=x late=yes", TxnProduce("A", TopicPartition("orders", 1), 2, "x", True)),
        ("txn commit A wait=no", TxnCommit("A", False)),
    ],
)
def test_a_step_is_read_and_written_back(text: str, command: object) -> None:
    assert parse_command(text) == command
    assert parse_command(str(command)) == command


def test_only_what_writes_names_a_partition() -> None:
    assert partition_of(TxnProduce("A", TopicPartition("orders", 1), 2)) == TopicPartition("orders", 1)
    assert partition_of(TxnCommit("A")) is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("txn begin A version=3", "txn: version: number out of range: '3'; allowed: 1 to 2"),
        ("txn end A", "unknown kind: 'end'; allowed: begin, produce, commit, abort, arrive"),
        ("txn produce A", "something is missing"),
    ],
)
def test_a_step_that_makes_no_sense_is_refused(text: str, what: str) -> None:
    with pytest.raises(CommandError) as caught:
        parse_command(text)
    assert what in str(caught.value)
