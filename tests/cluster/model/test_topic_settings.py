"""Every setting of a topic, and which values it takes."""

from __future__ import annotations

import pytest

from cluster.model.settings import Settings
from cluster.model.topic_settings import (
    TOPIC_SETTINGS,
    Compaction,
    Retention,
    compaction_of,
    default_of,
    retention_of,
    rolling_of,
    why_not,
)

LONG_MAX = (1 << 63) - 1


def test_every_default_fits_and_every_setting_says_what_it_is_for() -> None:
    for name, each in TOPIC_SETTINGS.items():
        assert name == each.name
        assert each.what_is_wrong(default_of(name, Settings())) == ""
        assert each.words.endswith((".", "!"))
        assert each.acts == ("no effect here" not in each.documentation)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("retention.ms", "-1"),
        ("retention.ms", " +604800000 "),
        ("retention.bytes", str(-LONG_MAX - 1)),
        ("cleanup.policy", "compact, delete"),
        ("compression.type", "zstd"),
        ("compression.zstd.level", "-131072"),
        ("min.cleanable.dirty.ratio", ".25"),
        ("min.cleanable.dirty.ratio", "1e-1"),
        ("preallocate", "TRUE"),
        ("leader.replication.throttled.replicas", "*"),
        ("leader.replication.throttled.replicas", "0:1,1:2"),
        ("message.timestamp.type", "LogAppendTime"),
    ],
)
def test_what_kafka_takes_is_taken(name: str, value: str) -> None:
    assert why_not({name: value}) == ""


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"no.such": "1"}, "there is no setting 'no.such' of topics"),
        ({"retention.ms": "-2"}, "retention.ms: '-2' is less than -1"),
        ({"retention.ms": "soon"}, "retention.ms: 'soon' is no whole number"),
        ({"retention.ms": "\u0662"}, "retention.ms: '\\u0662' is no whole number"),
        ({"retention.ms": str(LONG_MAX + 1)}, f"retention.ms: '{LONG_MAX + 1}' is beyond {LONG_MAX}"),
        ({"segment.bytes": "2147483648"}, "segment.bytes: '2147483648' is beyond 2147483647"),
        ({"segment.bytes": "1000"}, "segment.bytes: '1000' is less than 1048576"),
        ({"cleanup.policy": "keep"}, "cleanup.policy: 'keep' holds more than compact and delete"),
        ({"compression.gzip.level": "0"}, "compression.gzip.level: '0' is none: -1 to 9 without 0"),
        ({"min.cleanable.dirty.ratio": "nan"}, "min.cleanable.dirty.ratio: 'nan' is no number"),
        ({"preallocate": "yes"}, "preallocate: 'yes' is neither true nor false"),
        ({"message.timestamp.type": "createtime"}, "message.timestamp.type: 'createtime' is none of "),
        ({"follower.replication.throttled.replicas": "1"}, "follower.replication.throttled.replicas: '1' is neither"),
        ({"min.compaction.lag.ms": "5", "max.compaction.lag.ms": "4"}, "min.compaction.lag.ms 5 is more than"),
        ({"remote.storage.enable": "true"}, "remote.storage.enable: there is no tiered storage here"),
        ({"retention.ms": "9" * 5000}, "retention.ms: 5000 characters"),
    ],
)
def test_what_it_does_not_take_is_refused_with_the_reason(own: dict[str, str], words: str) -> None:
    assert why_not(own).startswith(words)


def test_only_a_topic_that_deletes_has_bounds() -> None:
    assert retention_of({}) == Retention(-1, -1)
    assert not retention_of({}).is_bounded
    assert retention_of({"retention.bytes": "7", "retention.ms": "9"}) == Retention(7, 9)
    assert retention_of({"retention.bytes": "7", "cleanup.policy": "compact"}) == Retention()
    assert retention_of({"retention.bytes": "7", "cleanup.policy": "compact,delete"}) == Retention(7, -1)


def test_the_small_size_of_tests_goes_before_the_usual_one() -> None:
    assert rolling_of({}, 5) == (5, 604_800_000)
    assert rolling_of({"segment.bytes": "1048576", "segment.ms": "9"}, 5) == (1_048_576, 9)
    assert rolling_of({"segment.bytes": "1048576", "internal.segment.bytes": "80"}, 5)[0] == 80


@pytest.mark.parametrize("policy", ["compact", "compact,delete", "delete, compact"])
def test_a_topic_that_compacts_says_how(policy: str) -> None:
    own = {"cleanup.policy": policy, "min.cleanable.dirty.ratio": "0.1", "delete.retention.ms": "7"}
    assert compaction_of("users", own) == Compaction(0.1, 7, 0)
    assert retention_of(own | {"retention.ms": "5"}).is_bounded == ("delete" in policy)


def test_internal_topics_are_compacted_and_others_only_when_asked() -> None:
    assert compaction_of("users", {}) is None
    assert compaction_of("users", {"cleanup.policy": "delete"}) is None
    assert compaction_of("__consumer_offsets", {}) == compaction_of("__transaction_state", {}) == Compaction()
