"""Commands about topics and their records: a built-in client carries each of them out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import Annotated, Any

from cluster.language import words as w
from cluster.language.command import Command
from cluster.language.words import CommandError, Known, Wait, Word, key, switch, whole
from cluster.model.identifiers import OFFSETS_TOPIC, TRANSACTIONS_TOPIC, NodeId, Offset, TopicPartition
from cluster.model.settings import Settings
from cluster.model.topic_settings import (
    CLEANUP_POLICY,
    COMMIT_RULE,
    DELETE_RETENTION_MS,
    DIRTY_RATIO,
    RETENTION_BYTES,
    RETENTION_MS,
    SEGMENT_MS,
    SMALL_SEGMENT_BYTES,
)

COUNT_MAX = 1_000_000
OFFSET_MAX = 1 << 39
RATE_MAX = 1000
KEYS_MAX = 100
PARTITIONERS = ("java", "librdkafka", "round-robin", "random")
COMMIT_RULES = ("isr", "majority")
CLEANUPS = ("delete", "compact", "compact,delete")
OFF = "off"
UNSET = -1
CANCEL = "cancel"
HIGH_WATERMARK = "-1"
"""In place of an offset: all that is committed."""
_RUN = re.compile(r"(.{0,40}?)([0-9]{1,3})[.]{2}([0-9]{1,3})")
_ACKS = {"all": -1, "-1": -1, "0": 0, "1": 1}


def _topics(known: Known) -> list[str]:
    return list(known.topics)


def _one_partition(text: str, where: str) -> TopicPartition:
    return w.topic_partition(text, where, needs_index=True)


def _assigned(text: str, where: str) -> tuple[NodeId, ...]:
    brokers = tuple(w.number(part, where, 1, 99) for part in text.split(","))
    if len(set(brokers)) != len(brokers):
        raise CommandError("a broker is named twice", where, text)
    return brokers


def _assigned_text(brokers: tuple[NodeId, ...]) -> str:
    return ",".join(map(str, brokers))


def _name(text: str, where: str) -> str:
    return w.topic_name(text, where, (OFFSETS_TOPIC, TRANSACTIONS_TOPIC))


def _acks(text: str, where: str) -> int:
    return w.choice(text, where, _ACKS)


def acks_text(acks: int) -> str:
    """As it is written: all for -1."""
    return "all" if acks < 0 else str(acks)


def _keys(text: str, where: str) -> tuple[str, ...]:
    keys: list[str] = []
    for part in text.split(","):
        run = _RUN.fullmatch(part)
        numbers = range(int(run[2]), int(run[3]) + 1) if run else ()
        keys += [w.name(f"{run[1]}{number}", where) for number in numbers] if run else [w.name(part, where)]
        if not 0 < len(keys) <= KEYS_MAX or (run and not numbers):
            raise CommandError("not a run of keys", where, text, f"1 to {KEYS_MAX} keys, for example user-1..9")
    return tuple(keys)


def _value(text: str, _where: str) -> str:
    return text[:200]


def _before(text: str, where: str) -> Offset:
    return -1 if text == HIGH_WATERMARK else w.number(text, where, 0, OFFSET_MAX)


def _target(text: str, where: str) -> tuple[NodeId, ...]:
    return () if text == CANCEL else _assigned(text, where)


def _target_text(brokers: tuple[NodeId, ...]) -> str:
    return _assigned_text(brokers) or CANCEL


def _unclean(text: str, _where: str) -> bool:
    if text != "unclean":
        raise CommandError("unknown argument", "elect", text, "unclean")
    return True


def _unclean_text(_unclean: bool) -> str:
    return "unclean"


def _rate(text: str, where: str) -> int:
    if text == OFF:
        return 0
    try:
        return w.number(text, where, 1, RATE_MAX)
    except CommandError as error:
        raise CommandError("not a rate", where, text, f"off, or 1 to {RATE_MAX} records a second") from error


def _rate_text(rate_per_s: int) -> str:
    return str(rate_per_s or OFF)


def _bound(name: str, offer: str, read: Callable[[str, str], int], form: str = "{}") -> Word:
    return Word(offer, read, form.format, (offer,), key=name, label=name, is_always_written=False)


Topic = Annotated[TopicPartition, Word("TOPIC[-P]", w.topic_partition, offers=_topics, label="topic")]
Partition = Annotated[TopicPartition, Word("TOPIC-P", _one_partition, offers=_topics, label="partition")]


class CreateTopic(
    Command,
    verb="topic",
    help=f"Create a topic; {OFFSETS_TOPIC} too, before its first group: "
    "who leads a partition of it coordinates groups.",
):
    """Ask the controller for a topic."""

    topic: Annotated[str, Word("NAME", _name, label="name")]
    partitions: Annotated[int, key("partitions", "1", whole(1, 64), "1")] = 1
    replicas: Annotated[int, key("replicas", "3", whole(1, 9), "3")] = 3
    """Copies of each partition."""
    min_isr: Annotated[int, key("min-isr", "1", whole(1, 9), "2")] = 1
    """min.insync.replicas."""
    assign: Annotated[
        tuple[NodeId, ...],
        Word("1,2,3", _assigned, _assigned_text, key="assign", is_always_written=False),
    ] = ()
    """Brokers of every partition in order, the first is preferred; empty lets the controller place them."""
    wait: Wait = True
    """Whether the command is done only when the answer is there."""
    retries: Annotated[bool, switch("retries", "yes", "no", default=True)] = True
    """Whether the client tries again after an error that may pass. It looks for the controller in any case."""
    commit_rule: Annotated[
        str,
        key("commit-rule", "|".join(COMMIT_RULES), w.one_of(*COMMIT_RULES), *COMMIT_RULES, is_always_written=False),
    ] = ""
    """Who commits a record, by having it: the whole ISR, or a majority of the replicas; empty: as the run has it."""
    segment_bytes: Annotated[int, _bound("segment-bytes", "1KiB", w.size_bytes)] = UNSET
    """segment.bytes, with no least size (internal.segment.bytes); -1 for the default, as of all below."""
    segment_ms: Annotated[int, _bound("segment-ms", "2s", w.duration_ms, "{}ms")] = UNSET
    """segment.ms."""
    retention_bytes: Annotated[int, _bound("retention-bytes", "4KiB", w.size_bytes)] = UNSET
    """retention.bytes of each partition."""
    retention_ms: Annotated[int, _bound("retention-ms", "10s", w.duration_ms, "{}ms")] = UNSET
    """retention.ms."""
    cleanup: Annotated[
        str,
        key("cleanup", "|".join(CLEANUPS), w.one_of(*CLEANUPS), *CLEANUPS, is_always_written=False),
    ] = ""
    """cleanup.policy: old segments go, or of each key only the newest record stays, or both."""
    dirty_percent: Annotated[
        int,
        Word(
            "50%",
            whole(0, 100),
            "{}".format,
            ("50",),
            key="dirty-percent",
            label="dirty-percent",
            is_always_written=False,
        ),
    ] = UNSET
    """min.cleanable.dirty.ratio, in percent."""
    delete_retention_ms: Annotated[int, _bound("delete-retention", "1s", w.duration_ms, "{}ms")] = UNSET
    """delete.retention.ms."""

    @property
    def configs(self) -> tuple[tuple[str, str], ...]:
        """(setting, value) each of those that are set, by Kafka's names."""
        given = {
            SMALL_SEGMENT_BYTES: self.segment_bytes,
            SEGMENT_MS: self.segment_ms,
            RETENTION_BYTES: self.retention_bytes,
            RETENTION_MS: self.retention_ms,
            DELETE_RETENTION_MS: self.delete_retention_ms,
        }
        bounds = tuple((name, str(value)) for name, value in given.items() if value != UNSET)
        if self.cleanup:
            bounds += ((CLEANUP_POLICY, self.cleanup),)
        if self.dirty_percent != UNSET:
            bounds += ((DIRTY_RATIO, f"{self.dirty_percent / 100:g}"),)
        return ((COMMIT_RULE, self.commit_rule), *bounds) if self.commit_rule else bounds

    @classmethod
    def settle(cls, given: dict[str, Any]) -> dict[str, Any]:
        """A replica for each broker that is assigned, and no more in sync than there are."""
        assign = given.get("assign", ())
        replicas = given.setdefault("replicas", len(assign) or cls.replicas)
        if assign and replicas != len(assign):
            raise CommandError("does not fit assign", "topic: replicas", str(replicas), str(len(assign)))
        if given.get("topic") == TRANSACTIONS_TOPIC:  # as it is when a coordinator has it made
            given.setdefault("min_isr", min(Settings().transaction_state_min_isr, replicas))
        min_isr = given.get("min_isr", cls.min_isr)
        if min_isr > replicas:
            what = "no acks=all write could ever succeed"
            raise CommandError(what, "topic: min-isr", str(min_isr), f"1 to {replicas}")
        return given


class AlterTopic(
    Command,
    verb="alter",
    help="Change how many members the ISR of a topic must have for acks=all (min.insync.replicas).",
):
    """Ask the controller for another value of a topic's setting. Source: KIP-339."""

    topic: Annotated[str, Word("TOPIC", w.name, offers=_topics, label="topic")]
    min_isr: Annotated[int, key("min-isr", "2", whole(1, 9), "1", "2", is_always_written=True)]
    """min.insync.replicas from now on; more than there are replicas are allowed, as in Kafka."""


class Produce(Command, verb="produce", help="Write records."):
    """Write records through a built-in client."""

    topic_partition: Topic
    count: Annotated[int, Word("COUNT", whole(1, COUNT_MAX), offers=("1", "5", "10", "100"))]
    acks: Annotated[
        int,
        Word("all|0|1", _acks, acks_text,
             ("all", "1", "0"), key="acks"),
    ] = -1  # fmt: skip
    """-1 all, 1 leader only, 0 none."""
    value: Annotated[str, Word("text", _value, key="value")] = "value"
    """Text that each record begins with."""
    batch: Annotated[int, key("batch", "1", whole(1, 1000), "10")] = 1
    """Records in one request."""
    in_flight: Annotated[int, key("in-flight", "1", whole(1, 100), "5")] = 1
    """Requests on their way at a time."""
    wait: Annotated[bool, switch("wait", "yes", "no", default=True, is_always_written=True)] = True
    """Whether the command is done only when the last answer is there."""
    retries: Annotated[bool, switch("retries", "yes", "no", default=True, is_always_written=True)] = True
    """Whether the client tries again after an error that may pass."""
    idempotent: Annotated[bool, switch("idempotent", "on", "off", default=False)] = False
    """Whether batches carry sequence numbers, so that a retry is written once; with acks=all and retries only."""

    keys: Annotated[
        tuple[str, ...],
        Word("K[,K]|K1..3", _keys, ",".join, ("ann", "ann,ben,cat", "user-1..9"), key="key", is_always_written=False),
    ] = ()
    """Keys that the records have in turn; user-1..3 is user-1,user-2,user-3."""
    partitioner: Annotated[
        str,
        key("partitioner", "|".join(PARTITIONERS), w.one_of(*PARTITIONERS), *PARTITIONERS, is_always_written=False),
    ] = ""
    """Chooses one of the topic's partitions for each record; empty: all go to the one that is named."""
    spoil: Annotated[int, key("spoil", "1", whole(1, COUNT_MAX), "1", is_always_written=False)] = 0
    """Number of the batch in which a bit flips on its first way, so that the leader refuses it; 0 for none."""

    @classmethod
    def settle(cls, given: dict[str, Any]) -> dict[str, Any]:
        """An idempotent producer waits for all and tries again; a partition is either named or chosen."""
        named = given["topic_partition"]
        if given.get("partitioner") and named.partition:
            what = "a partitioner chooses the partition itself"
            raise CommandError(what, "produce: topic", str(named), named.topic)
        if given.get("idempotent") and (given.get("acks", -1) != -1 or not given.get("retries", True)):
            raise CommandError("needs acks=all and retries=yes", "produce: idempotent", "on", "off")
        return given

    @property
    def arguments(self) -> str:
        """The value may have blanks."""
        value = f"value={self.value}"
        return super().arguments.replace(value, shlex.quote(value), 1)


class Consume(Command, verb="consume", help="Read records below the high watermark, once or as a member of a group."):
    """Read records through a built-in client, up to the high watermark."""

    topic_partition: Topic
    offset: Annotated[int, key("from", "0", whole(0, OFFSET_MAX), "0")] = 0
    wait: Wait = True
    """Whether the command is done only when the end is reached."""
    isolation: Annotated[
        str,
        key(
            "isolation",
            "read_committed",
            w.one_of("read_committed", "read_uncommitted"),
            "read_committed",
            is_always_written=False,
        ),
    ] = "read_uncommitted"
    """isolation.level: read_committed leaves out records of transactions that are open or aborted."""
    rack: Annotated[str, key("rack", "r1", w.name, "r1", "r2", is_always_written=False)] = ""
    """Of the client (client.rack): a leader may send it to a replica there. Empty reads from the leader only."""

    @classmethod
    def fits(cls, words: list[str]) -> bool:
        """A member of a group names its group."""
        return not any(word.startswith("group=") for word in words[1:])


class Load(
    Command,
    verb="load",
    help="A producer and a consumer that go on by themselves, at so many records a second; off ends them.",
):
    """A workload of a producer and a consumer, until it is ended or the run is over."""

    rate_per_s: Annotated[int, Word("off|RATE", _rate, _rate_text, (OFF, "2", "20", "200"), label="rate")]
    """Records that become due each second; 0 ends the work."""
    acks: Annotated[
        int,
        Word("all|0|1", _acks, acks_text,
             ("all", "1", "0"), key="acks"),
    ] = -1  # fmt: skip
    """-1 all, 1 leader only, 0 none."""
    topic_partition: Annotated[
        TopicPartition,
        Word("orders-0", w.topic_partition, offers=_topics, key="topic", is_always_written=False),
    ] = TopicPartition("orders", 0)
    """Written and read."""


class DeleteRecords(
    Command,
    verb="delete-records",
    help="Delete the records before an offset, or with -1 all below the high watermark.",
):
    """Delete what stands before an offset from the front of a partition, through a built-in client. Source: KIP-107."""

    topic_partition: Partition
    before_offset: Annotated[Offset, Word("OFFSET|-1", _before, offers=(HIGH_WATERMARK, "5"), label="offset")]
    """First that is kept; -1 for the high watermark, so that nothing committed is."""
    wait: Wait = True
    """Whether the command is done only when every living replica has followed."""


class Elect(
    Command,
    verb="elect",
    help="Elect the preferred leader; unclean gives a partition without a leader any live replica.",
):
    """Ask the controller for an election of one partition's leader."""

    topic_partition: Partition
    unclean: Annotated[bool, Word("unclean", _unclean, _unclean_text, ("unclean",), is_always_written=False)] = False
    """False elects the preferred leader; true takes any live replica and may lose records."""


class Reassign(
    Command,
    verb="reassign",
    help="Move a partition to these brokers, the preferred leader first; cancel puts it back.",
):
    """Ask the controller to begin or to cancel a reassignment: it goes on by itself then. Source: KIP-455."""

    topic_partition: Partition
    target: Annotated[
        tuple[NodeId, ...], Word("1,2,3|cancel", _target, _target_text, ("2,3,4", CANCEL), label="brokers")
    ]
    """All that it is to have; empty cancels what goes on."""
    wait: Wait = True
    """Whether the command is done only when the controller has answered."""
