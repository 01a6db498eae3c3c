"""Every setting that a topic of Kafka has, and whether it acts here.

What does not act is kept and told all the same: tools set it, and read it again. Defaults are Kafka's, but for those
of retention: nothing is ever deleted by age or size. Source: Kafka TopicConfig, LogConfig, ServerTopicConfigSynonyms
(4.1); the sentences are our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cluster.model.setting_definition import Definition, Kind
from cluster.model.settings import Settings

MIN_ISR = "min.insync.replicas"
UNCLEAN = "unclean.leader.election.enable"
MAX_MESSAGE_BYTES = "max.message.bytes"
TIMES_TYPE = "message.timestamp.type"
TIMES_BEFORE_MAX, TIMES_AFTER_MAX = "message.timestamp.before.max.ms", "message.timestamp.after.max.ms"
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
            "cleanup.policy", _LIST, "delete", "What becomes of old records: deleted, or the newest of each key kept.",
            "log.cleanup.policy", choices=("compact", "delete"),
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
            "delete.retention.ms", _LONG, str(_DAY_MS), "How long compaction keeps the mark of a deleted key.",
            "log.cleaner.delete.retention.ms", lowest=0,
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
            "min.cleanable.dirty.ratio", _DOUBLE, "0.5", "With this share of new records a log is compacted.",
            "log.cleaner.min.cleanable.ratio", lowest=0, highest=1,
        ),
        Definition(
            _LEAST_LAG, _LONG, "0", "Not before so long a record is compacted.", "log.cleaner.min.compaction.lag.ms",
            lowest=0,
        ),
        Definition("preallocate", _BOOLEAN, "false", "Whether log files get their full size at once.",
                   "log.preallocate"),
        Definition("remote.log.copy.disable", _BOOLEAN, "false", "Whether a tiered log is no longer copied away."),
        Definition(
            "remote.log.delete.on.disable", _BOOLEAN, "false", "Whether tiered data goes when tiering is switched off.",
        ),
        Definition(_TIERED, _BOOLEAN, "false", "Whether old log files move to another storage."),
        Definition(
            "retention.bytes", _LONG, "-1", "Above this size of a partition the oldest records go; -1 keeps all.",
            "log.retention.bytes",
        ),
        Definition(
            "retention.ms", _LONG, "-1", "After so long records go; -1 keeps all.", "log.retention.ms", lowest=-1,
        ),
        Definition(
            "segment.bytes", _INT, str(1 << 30), "At this size a log file is closed and the next one begun.",
            "log.segment.bytes", lowest=1 << 20,
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
            "segment.ms", _LONG, str(7 * _DAY_MS), "After so long a log file is closed, full or not.", "log.roll.ms",
            lowest=1,
        ),
    )
}  # fmt: skip


def default_of(name: str, settings: Settings) -> str:
    """What a topic has that does not set it."""
    match name:
        case "unclean.leader.election.enable":
            return "true" if settings.unclean_leader_election else "false"
        case "max.message.bytes":
            return str(settings.max_message_bytes)
        case _:
            return TOPIC_SETTINGS[name].default


def why_not(own: Mapping[str, str]) -> str:
    """Why a topic cannot have these settings, in a clause; empty when it can. Source: LogConfig.validate."""
    for name, value in own.items():
        known = TOPIC_SETTINGS.get(name)
        reason = f"there is no setting {name[:60]!a} of topics" if known is None else known.what_is_wrong(value)
        if reason:
            return reason
    least, most = (int(own.get(name, TOPIC_SETTINGS[name].default)) for name in (_LEAST_LAG, _MOST_LAG))
    if least > most:
        return f"{_LEAST_LAG} {least} is more than {_MOST_LAG} {most}"
    if own.get(_TIERED, "").strip().lower() == "true":
        return f"{_TIERED}: there is no tiered storage here"
    return ""
