"""Every setting that a topic of Kafka has, and whether it acts here.

What does not act is kept and told all the same: tools set it, and read it again. Defaults are Kafka's, but for two:
nothing is deleted by its age where nobody asks for it (Kafka: seven days), and a segment has 64 MiB (Kafka: 1 GiB), so
that a start after a kill has little to read. Source: Kafka TopicConfig, LogConfig, ServerTopicConfigSynonyms (4.1); the
sentences are our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from cluster.model.identifiers import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from cluster.model.setting_definition import Definition, Kind
from cluster.model.settings import Settings

MIN_ISR = "min.insync.replicas"
UNCLEAN = "unclean.leader.election.enable"
MAX_MESSAGE_BYTES = "max.message.bytes"
COMMIT_RULE, MAJORITY = "commit.rule", "majority"
TIMES_TYPE = "message.timestamp.type"
TIMES_BEFORE_MAX, TIMES_AFTER_MAX = "message.timestamp.before.max.ms", "message.timestamp.after.max.ms"
SEGMENT_BYTES, SEGMENT_MS, SMALL_SEGMENT_BYTES = "segment.bytes", "segment.ms", "internal.segment.bytes"
RETENTION_BYTES, RETENTION_MS, CLEANUP_POLICY = "retention.bytes", "retention.ms", "cleanup.policy"
DELETE_RETENTION_MS, DIRTY_RATIO = "delete.retention.ms", "min.cleanable.dirty.ratio"
_LEAST_LAG, _MOST_LAG = "min.compaction.lag.ms", "max.compaction.lag.ms"
_TIERED = "remote.storage.enable"
_BOOLEAN, _STRING, _INT = Kind.BOOLEAN, Kind.STRING, Kind.INT
_LONG, _DOUBLE, _LIST = Kind.LONG, Kind.DOUBLE, Kind.LIST
_FOREVER = str((1 << 63) - 1)
_DAY_MS = 86_400_000
_CODECS = ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")

TOPIC_SETTINGS: Final[dict[str, Definition]] = {
    each.name: each
    for each in (
        Definition(
            MIN_ISR, _INT, "1", "So many replicas must be in sync for a write with acks=all.", MIN_ISR, acts=True,
            lowest=1,
        ),
        Definition(
            UNCLEAN, _BOOLEAN, "false", "Whether a replica that may lack records can lead when no other is left.",
            UNCLEAN, acts=True,
        ),
        Definition(
            MAX_MESSAGE_BYTES, _INT, "1048588", "Largest record batch that is taken, as it comes from the producer.",
            "message.max.bytes", acts=True, lowest=0,
        ),
        Definition(
            COMMIT_RULE, _STRING, "isr", "Who must have a record before it is committed. Kafka has no such setting.",
            acts=True, choices=("isr", MAJORITY),
        ),
        Definition(
            CLEANUP_POLICY, _LIST, "delete", "What becomes of old records: deleted by age or size, compacted by key.",
            "log.cleanup.policy", acts=True, choices=("compact", "delete"),
        ),
        Definition(
            "compression.gzip.level", _INT, "-1", "How hard the broker compresses with gzip.",
            "compression.gzip.level", lowest=-1, highest=9, never=0,
        ),
        Definition(
            "compression.lz4.level", _INT, "9", "How hard the broker compresses with lz4.", "compression.lz4.level",
            lowest=1, highest=17,
        ),
        Definition(
            "compression.type", _STRING, "producer", "How batches are compressed in the log; producer leaves them.",
            "compression.type", choices=_CODECS,
        ),
        Definition(
            "compression.zstd.level", _INT, "3", "How hard the broker compresses with zstd.",
            "compression.zstd.level", lowest=-131_072, highest=22,
        ),
        Definition(
            DELETE_RETENTION_MS, _LONG, str(_DAY_MS), "How long compaction keeps the mark of a deleted key.",
            "log.cleaner.delete.retention.ms", acts=True, lowest=0,
        ),
        Definition(
            "file.delete.delay.ms", _LONG, "60000", "How long a deleted log file stays on the disk.",
            "log.segment.delete.delay.ms", lowest=0,
        ),
        Definition(
            "flush.messages", _LONG, _FOREVER, "After so many records the log is flushed.",
            "log.flush.interval.messages", lowest=1,
        ),
        Definition(
            "flush.ms", _LONG, _FOREVER, "After so long the log is flushed.", "log.flush.interval.ms", lowest=0,
        ),
        Definition(
            "follower.replication.throttled.replicas", _LIST, "", "Followers that copy at a bounded rate.",
        ),
        Definition(
            "index.interval.bytes", _INT, "4096", "How much log lies between two entries of the offset index.",
            "log.index.interval.bytes", lowest=0,
        ),
        Definition(
            "leader.replication.throttled.replicas", _LIST, "", "Leaders that are copied from at a bounded rate.",
        ),
        Definition(
            "local.retention.bytes", _LONG, "-2", "How much of a tiered log stays on the broker's own disk.",
            "log.local.retention.bytes", lowest=-2,
        ),
        Definition(
            "local.retention.ms", _LONG, "-2", "How long a tiered log stays on the broker's own disk.",
            "log.local.retention.ms", lowest=-2,
        ),
        Definition(
            _MOST_LAG, _LONG, _FOREVER, "At the latest after so long a record is compacted.",
            "log.cleaner.max.compaction.lag.ms", lowest=1,
        ),
        Definition(
            TIMES_AFTER_MAX, _LONG, "3600000", "How far ahead of the broker's clock a record may be.",
            "log.message.timestamp.after.max.ms", acts=True, lowest=0,
        ),
        Definition(
            TIMES_BEFORE_MAX, _LONG, _FOREVER, "How far behind the broker's clock a record may be.",
            "log.message.timestamp.before.max.ms", acts=True, lowest=0,
        ),
        Definition(
            TIMES_TYPE, _STRING, "CreateTime", "Whose clock the times of records are of.",
            "log.message.timestamp.type", acts=True, choices=("CreateTime", "LogAppendTime"),
        ),
        Definition(
            DIRTY_RATIO, _DOUBLE, "0.5", "With this share of new records a log is compacted.",
            "log.cleaner.min.cleanable.ratio", acts=True, lowest=0, highest=1,
        ),
        Definition(
            _LEAST_LAG, _LONG, "0", "Not before so long a record is compacted.", "log.cleaner.min.compaction.lag.ms",
            acts=True, lowest=0,
        ),
        Definition("preallocate", _BOOLEAN, "false", "Whether log files get their full size at once.",
                   "log.preallocate"),
        Definition("remote.log.copy.disable", _BOOLEAN, "false", "Whether a tiered log is no longer copied away."),
        Definition(
            "remote.log.delete.on.disable", _BOOLEAN, "false", "Whether tiered data goes when tiering is switched off.",
        ),
        Definition(_TIERED, _BOOLEAN, "false", "Whether old log files move to another storage."),
        Definition(
            RETENTION_BYTES, _LONG, "-1", "Above this size of a partition the oldest segments go; -1 keeps all.",
            "log.retention.bytes", acts=True,
        ),
        Definition(
            RETENTION_MS, _LONG, "-1", "After so long segments go; -1 keeps all.", "log.retention.ms", acts=True,
            lowest=-1,
        ),
        Definition(
            SEGMENT_BYTES, _INT, str(64 << 20), "At this size a log file is closed and the next one begun.",
            "log.segment.bytes", acts=True, lowest=1 << 20,
        ),
        Definition(
            "segment.index.bytes", _INT, str(10 << 20), "Largest size of an index file.", "log.index.size.max.bytes",
            lowest=4,
        ),
        Definition(
            "segment.jitter.ms", _LONG, "0", "At most so much of segment.ms is left to chance.", "log.roll.jitter.ms",
            lowest=0,
        ),
        Definition(
            SEGMENT_MS, _LONG, str(7 * _DAY_MS), "After so long a log file is closed, full or not.", "log.roll.ms",
            acts=True, lowest=1,
        ),
    )
}  # fmt: skip
INTERNAL_SETTINGS: Final[dict[str, Definition]] = {
    SMALL_SEGMENT_BYTES: Definition(
        SMALL_SEGMENT_BYTES, _INT, "", "As segment.bytes, and goes before it; it has no least size.", acts=True,
        lowest=1,
    ),
}  # fmt: skip
"""Can be set, and are told nobody, as in Kafka: what only tests want. Source: KIP-1030."""
SETTABLE: Final = TOPIC_SETTINGS | INTERNAL_SETTINGS


class Retention(NamedTuple):
    """How much of a log a topic keeps. Source: Kafka LogConfig."""

    limit_bytes: int = -1
    """retention.bytes; -1 for no bound."""
    limit_ms: int = -1
    """retention.ms; -1 for no bound."""

    @property
    def is_bounded(self) -> bool:
        """Whether anything ever goes."""
        return self.limit_bytes >= 0 or self.limit_ms >= 0


def is_compacted(own: Mapping[str, str]) -> bool:
    """Whether compaction is among its policies, by the settings of its own."""
    return "compact" in _policies(own)


def _policies(own: Mapping[str, str]) -> set[str]:
    return {each.strip() for each in own.get(CLEANUP_POLICY, TOPIC_SETTINGS[CLEANUP_POLICY].default).split(",")}


def retention_of(own: Mapping[str, str]) -> Retention:
    """Of a topic with these settings of its own; one that is compacted only keeps its segments."""
    if "delete" not in _policies(own):
        return Retention()
    return Retention(int(own.get(RETENTION_BYTES, -1)), int(own.get(RETENTION_MS, -1)))


class Compaction(NamedTuple):
    """How a log is compacted. Source: Kafka LogConfig."""

    dirty_ratio: float = 0.5
    """min.cleanable.dirty.ratio: more than this share of what can be compacted is new."""
    delete_retention_ms: int = _DAY_MS
    """delete.retention.ms."""
    least_lag_ms: int = 0
    """min.compaction.lag.ms."""


def compaction_of(topic: str, own: Mapping[str, str]) -> Compaction | None:
    """Of a topic with these settings of its own; None when it keeps old values. Internal ones never do."""
    if topic not in (OFFSETS_TOPIC, TRANSACTIONS_TOPIC) and not is_compacted(own):
        return None
    ratio, retention_ms = (own.get(name, TOPIC_SETTINGS[name].default) for name in (DIRTY_RATIO, DELETE_RETENTION_MS))
    return Compaction(float(ratio), int(retention_ms), int(own.get(_LEAST_LAG, 0)))


def rolling_of(own: Mapping[str, str], segment_bytes: int) -> tuple[int, int]:
    """At which size in bytes, and after how many milliseconds, a topic's logs go on in a new file.

    Args:
        segment_bytes: of a topic that does not say.
    """
    size = int(own.get(SMALL_SEGMENT_BYTES) or own.get(SEGMENT_BYTES) or segment_bytes)
    return size, int(own.get(SEGMENT_MS) or TOPIC_SETTINGS[SEGMENT_MS].default)


def default_of(name: str, settings: Settings) -> str:
    """What a topic has that does not set it."""
    match name:
        case "unclean.leader.election.enable":
            return "true" if settings.unclean_leader_election else "false"
        case "max.message.bytes":
            return str(settings.max_message_bytes)
        case "commit.rule":
            return settings.commit_rule
        case _:
            return SETTABLE[name].default


def commits_by_majority(own: Mapping[str, str], settings: Settings) -> bool:
    """Whether a majority of the replicas commits what a topic with these settings holds; else its ISR does."""
    return own.get(COMMIT_RULE, settings.commit_rule) == MAJORITY


def why_not(own: Mapping[str, str]) -> str:
    """Why a topic cannot have these settings, in a clause; empty when it can. Source: LogConfig.validate."""
    for name, value in own.items():
        setting = SETTABLE.get(name)
        reason = f"there is no setting {name[:60]!a} of topics" if setting is None else setting.what_is_wrong(value)
        if reason:
            return reason
    least, most = (int(own.get(name, TOPIC_SETTINGS[name].default)) for name in (_LEAST_LAG, _MOST_LAG))
    if least > most:
        return f"{_LEAST_LAG} {least} is more than {_MOST_LAG} {most}"
    if own.get(_TIERED, "").strip().lower() == "true":
        return f"{_TIERED}: there is no tiered storage here"
    return ""
