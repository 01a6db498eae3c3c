"""Commands about built-in producers with a transactional id."""

from __future__ import annotations

from typing import Annotated

from cluster.language import words as w
from cluster.language.command import Command
from cluster.language.topics import Topic
from cluster.language.words import Word, duration_ms, key, switch, whole
from cluster.model.identifiers import TopicPartition

TOGETHER = {
    "txn": "A producer P that writes in transactions: it begins one, writes, commits or aborts; late requests arrive."
}
RECORDS_MAX = 1000
Producer = Annotated[str, Word("P", w.name, label="producer")]
Wait = Annotated[bool, switch("wait", "yes", "no", default=True)]


class TxnCommand(Command):
    """A step of one producer."""

    producer: Producer


class TxnBegin(TxnCommand, verb="txn begin"):
    """A transaction begins. A producer that is new first gets its epoch, and shuts out who had its id before."""

    transactional_id: Annotated[str, key("id", "T", w.name, is_always_written=False)] = ""
    """transactional.id of a new producer; empty for its own name."""
    version: Annotated[int, key("version", "1|2", whole(1, 2), "1", is_always_written=False)] = 2
    """Of a new producer: 2 takes a new epoch from each end, 1 does not (transaction.version, KIP-890)."""
    timeout_ms: Annotated[
        int, Word("10s", duration_ms, "{}ms".format, ("10s",), key="timeout", is_always_written=False)
    ] = 60_000
    """transaction.timeout.ms of a new producer."""
    wait: Wait = True
    """Whether the command is done only when the last answer is there, as below."""


class TxnProduce(TxnCommand, verb="txn produce"):
    """Records become part of the open transaction, all in one request."""

    topic_partition: Topic
    count: Annotated[int, Word("COUNT", whole(1, RECORDS_MAX), offers=("1", "3"))]
    value: Annotated[str, Word("text", w.name, key="value", is_always_written=False)] = "value"
    """Text that each record begins with."""
    late: Annotated[bool, switch("late", "yes", "no", default=False)] = False
    """The request stays on its way until `txn arrive`; the producer gives it up."""
    wait: Wait = True


class TxnCommit(TxnCommand, verb="txn commit"):
    """All that the transaction wrote counts."""

    wait: Wait = True


class TxnAbort(TxnCommand, verb="txn abort"):
    """Nothing that the transaction wrote counts."""

    wait: Wait = True


class TxnArrive(TxnCommand, verb="txn arrive"):
    """The late requests of a producer reach the leaders, as they were sent."""

    wait: Wait = True


def partition_of(command: TxnCommand) -> TopicPartition | None:
    """Where it writes; None when it names no partition."""
    return command.topic_partition if isinstance(command, TxnProduce) else None
