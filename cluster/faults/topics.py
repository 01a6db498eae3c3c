"""Commands about topics and their records, as data: a built-in client carries each of them out."""

from __future__ import annotations

from msgspec import Struct

from cluster.model.identifiers import NodeId, Offset, TopicPartition


class CreateTopic(Struct, frozen=True):
    """Ask the controller for a topic."""

    topic: str
    """Its name."""
    partitions: int = 1
    """How many."""
    replicas: int = 3
    """Copies of each."""
    min_isr: int = 1
    """min.insync.replicas."""
    assign: tuple[NodeId, ...] = ()
    """Brokers of every partition in order, the first is preferred; empty lets the controller place them."""
    wait: bool = True
    """Whether the command is done only when the answer is there."""
    retries: bool = True
    """Whether the client tries again after an error that may pass. It looks for the controller in any case."""


class Produce(Struct, frozen=True):
    """Write records through a built-in client."""

    topic_partition: TopicPartition
    """Where to."""
    count: int
    """How many records."""
    acks: int = -1
    """-1 all, 1 leader only, 0 none."""
    value: str = "value"
    """Text that each record begins with."""
    batch: int = 1
    """Records in one request."""
    in_flight: int = 1
    """Requests on their way at a time."""
    wait: bool = True
    """Whether the command is done only when the last answer is there."""
    retries: bool = True
    """Whether the client tries again after an error that may pass."""
    idempotent: bool = False
    """Whether batches carry sequence numbers, so that a retry is written once; with acks=all and retries only."""


class Consume(Struct, frozen=True):
    """Read records through a built-in client, up to the high watermark."""

    topic_partition: TopicPartition
    """Where from."""
    offset: int = 0
    """First offset."""
    wait: bool = True
    """Whether the command is done only when the end is reached."""


class Elect(Struct, frozen=True):
    """Ask the controller for an election of one partition's leader."""

    topic_partition: TopicPartition
    """Which partition."""
    unclean: bool = False
    """False elects the preferred leader; true takes any live replica and may lose records."""


class DeleteRecords(Struct, frozen=True):
    """Delete what stands before an offset from the front of a partition, through a built-in client. Source: KIP-107."""

    topic_partition: TopicPartition
    """Which partition."""
    before_offset: Offset
    """First that is kept; -1 for the high watermark, so that nothing committed is."""
    wait: bool = True
    """Whether the command is done only when every living replica has followed."""
