"""Kafka's own kafka-transactions lists, describes, finds what hangs, and ends it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model.settings import classroom_timing
from tests.support.clients.driver import Unable
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.quorum_tool import QuorumTool

pytestmark = pytest.mark.slow
COMMAND = "org.apache.kafka.tools.TransactionsCommand"
WHERE = ("--topic", "paid", "--partition", "0")


@pytest.fixture
def unverified(tmp_path: Path) -> Iterator[LivingLab]:
    """Brokers that ask no coordinator about a transaction, as before KIP-890."""
    settings = replace(classroom_timing(), transaction_verification=False)
    made = LivingLab(tmp_path, ClusterSpec(title="Hangs", settings=settings))
    yield made
    made.close()


def test_the_tool_lists_describes_finds_what_hangs_and_ends_it(unverified: LivingLab) -> None:
    try:
        tool = QuorumTool(unverified.bootstrap, COMMAND)
    except Unable as reason:
        pytest.skip(str(reason))

    def rows(*words: str) -> list[list[str]]:
        code, told = tool.run(*words)
        assert code == 0, told
        return [line.split() for line in told.splitlines()[1:]]

    def do(*commands: str) -> None:
        for command in commands:
            unverified.do(command)

    do("topic paid assign=2,3", "txn begin A id=shop", "txn produce A paid 5", "txn commit A")
    do("txn begin B id=bank", "txn produce B paid 4")
    states = {name: state for name, _, _, state in rows("list")}
    assert states == {"shop": "CompleteCommit", "bank": "Ongoing"}
    (bank,) = rows("describe", "--transactional-id", "bank")
    assert (bank[1], bank[4], bank[-1]) == ("bank", "Ongoing", "paid-0")
    code, told = tool.run("describe", "--transactional-id", "nobody")
    assert code != 0 and "the ID could not be found" in told
    assert [row[-1] for row in rows("describe-producers", *WHERE)] == ["None", "6"]
    assert rows("find-hanging", "--broker-id", "2") == [], "its coordinator knows of it"
    rows("forceTerminateTransaction", "--transactionalId", "bank")
    assert {row[0]: row[-1] for row in rows("list")}["bank"] == "Empty"

    do("txn begin C id=till version=1", "txn produce C paid 1", "txn produce C paid 1 late=yes", "txn abort C")
    do("txn arrive C", "produce paid 1 value=behind")
    (hangs,) = rows("find-hanging", "--broker-id", "2")
    assert hangs[:2] == ["paid", "0"]
    assert "0 records read" in unverified.do("consume paid from=13 isolation=read_committed")
    rows("abort", *WHERE, "--start-offset", hangs[5])
    assert rows("find-hanging", "--broker-id", "2") == []
    assert "behind" in unverified.do("consume paid from=13 isolation=read_committed")
    code, told = tool.run("abort", *WHERE, "--start-offset", hangs[5])
    assert code != 0 and "Could not find any open transactions starting at offset" in told
