"""What a client has to do, and what is on its way."""

from __future__ import annotations

from msgspec import Struct, field

from cluster.clients.partitioners import Partitioner
from cluster.clients.transactional import Transactional
from cluster.model.identifiers import NO_NODE, NodeId, Offset, TopicPartition
from cluster.model.messages import Message
from cluster.model.ruling import Decision
from cluster.model.settings import Settings

CORRELATION_STEP, CORRELATION_REMAINDER = 4, 3
RETRY_TIMER = "client.retry"
REQUEST_TIMER = "client.request"
"""When the first of the requests on the way has waited long enough."""


class Operation(Struct):
    """One request until its outcome is known."""

    operation_id: int
    """Unique per client."""
    request: Message
    """As sent at each attempt."""
    digests: tuple[str, ...] = ()
    """CRC of the batch a produce carries, as hex."""
    count: int = 0
    partition: int = 0
    """Of the client's topic."""
    function: str = ""
    """When it is not what the client was asked to do: init_producer_id, metadata."""
    deadline_ms: int = 0
    """When it is given up."""
    attempt: int = 0
    """From 1 once sent."""
    target: NodeId = NO_NODE
    """Whom it asked last."""
    last_error: int = 0
    """Of the newest attempt; -1 for no answer."""
    is_spoilt: bool = False
    """A bit of it flips on its first way."""
    is_doubtful: bool = False
    """An earlier attempt may have taken effect."""
    expires_ms: int = 0
    """When its newest attempt has waited long enough."""


class Gathering(Struct):
    """A batch that is not full yet."""

    partition: int
    numbers: list[int]
    """Of its records, from 1."""
    choice: Decision | None = None
    """Why its first record goes there; None when the command names the partition."""


class ClientState(Struct, kw_only=True):
    """What a built-in client knows of the cluster, and what it still waits for."""

    client_id: str
    """Untrusted text."""
    node_id: NodeId
    """From 1001."""
    brokers: tuple[NodeId, ...]
    """All of the run."""
    controllers: tuple[NodeId, ...]
    """All of the run."""
    settings: Settings
    first_correlation: int = 0
    """Added to every correlation, so that several clients can share a connection."""
    counter: int = 0
    operation_count: int = 0
    function: str = ""
    """What it is doing; empty when idle."""
    topic_partition: TopicPartition = TopicPartition("", 0)
    acks: int = -1
    retries: bool = True
    """Whether an error that may pass is tried again."""
    leaders: dict[int, NodeId] = field(default_factory=dict)
    """Of partitions, as far as known; for what a controller does, the active one."""
    leader_epochs: dict[int, int] = field(default_factory=dict)
    """Newest seen in metadata, by partition: what an out-of-date broker says is not believed."""
    next_target: int = 0
    """Whom to ask for metadata next, or which controller to try."""
    asked_metadata: int = -1
    """Correlation of the metadata request on its way."""
    on_way: dict[int, Operation] = field(default_factory=dict)
    """Sent, by correlation."""
    to_send: list[Operation] = field(default_factory=list)
    """Waiting for a leader, or for the back-off."""
    wakes_ms: int = 0
    """When the request timer is over, while anything is on its way."""
    is_backing_off: bool = False
    """The retry timer runs."""
    left: int = 0
    """Records still to be put in batches."""
    batch_count: int = 0
    """Of this command, so far."""
    made: int = 0
    """Records already in batches, and those of earlier commands that are counted on."""
    value: str = ""
    """Text that each record begins with."""
    keys: tuple[str, ...] = ()
    """Of the records, in turn."""
    partitioner: Partitioner | None = None
    """Chooses a partition for each record; None when the command names one."""
    gathered: dict[int, Gathering] = field(default_factory=dict)
    """By partition: batches that have room."""
    spoil: int = 0
    """Number of the batch in which a bit flips on its first way; 0 for none."""
    batch: int = 1
    """Records in one request."""
    in_flight: int = 1
    """Requests at a time."""
    idempotent: bool = False
    """Of a produce: batches carry sequence numbers, so that the leader writes each of them once."""
    producer_id: int = -1
    """As a broker gave it; -1 before."""
    producer_epoch: int = -1
    """As a broker gave it."""
    next_sequences: dict[int, int] = field(default_factory=dict)
    """By partition: of the next record; 0 when it is missing."""
    offset: Offset = 0
    """Of a consumer: next to read."""
    max_wait_ms: int = 0
    """Of a consumer: how long a broker may hold an empty answer."""
    rack: str | None = None
    """Of a consumer that reads from followers too; None for one that reads from leaders only."""
    read_replica: NodeId = NO_NODE
    """Of such a consumer: where the leader sent it, until that fails."""
    read_committed: bool = False
    """Of a consumer: isolation.level=read_committed."""
    until_offset: Offset = -1
    """Of a consumer: where it ends (exclusive); -1 before the first answer."""

    transaction: Transactional | None = None
    """Of a producer that writes in transactions."""
    late: bool = False
    """Of such a one: what it produces stays on its way."""
    has_failed: bool = False
    """Of such a one: a request of the step that it does was given up."""

    def waits_for_older(self, operation: Operation) -> bool:
        """Whether an operation on the same partition that was begun earlier has no outcome yet."""
        open_ones = (*self.on_way.values(), *self.to_send)
        before, partition = operation.operation_id, operation.partition
        return any(other.operation_id < before and other.partition == partition for other in open_ones)

    def key_of(self, number: int) -> str:
        """Of a record by its number; empty for none."""
        return self.keys[(number - 1) % len(self.keys)] if self.keys else ""

    @property
    def lacks_leader(self) -> bool:
        """Whether something waits that nobody is known to lead."""
        return any(operation.partition not in self.leaders for operation in self.to_send)

    def correlation(self) -> int:
        """A number for the next request; this client has not used it yet."""
        self.counter += 1
        return self.first_correlation + self.counter * CORRELATION_STEP + CORRELATION_REMAINDER
