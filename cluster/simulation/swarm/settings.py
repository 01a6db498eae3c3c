"""The timers, switches and costs of one seed of the swarm."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from cluster.cluster_spec import Options
from cluster.model.settings import ABSENT_WITH_ZOOKEEPER, BY_RACK, ZOOKEEPER, Settings, classroom_timing

FETCH_BYTES = (250, 1_000, 1_048_576)
"""Most seeds need several fetches to copy or to read a log."""
MODES = ("fetch",) * 13 + ("kip279",) * 3 + ("kip101", "hw")
"""The last two may lose and diverge, which is excused, and so hides what others would show."""
SNAPSHOT_SHARE = 0.3
"""Of the seeds in which snapshots are written."""
LAGS = (0,) * 8 + (1, 5)


def draw_settings(random: Random) -> Settings:
    """Of a run without consumer groups."""
    scale = random.choice((0.5, 1.0, 1.0, 2.0))
    settings = classroom_timing().scaled(scale)
    return replace(
        settings,
        replica_lag_time_max_ms=random.choice((300, 1_000, settings.replica_lag_time_max_ms)),
        request_timeout_ms=random.choice((1_000, settings.request_timeout_ms)),
        high_watermark_checkpoint_interval_ms=random.choice((50, settings.high_watermark_checkpoint_interval_ms)),
        pre_vote=random.random() < 0.7,
        elr=random.random() < 0.7,
        hw_gate=random.random() < 0.8,
        flush_partitions=random.random() < 0.3,
        unclean_leader_election=random.random() < 0.1,
        truncation_mode=random.choice(MODES),
        lag_max_messages=random.choice(LAGS),
        auto_leader_rebalance=random.random() < 0.2,
        leader_imbalance_check_interval_ms=random.choice((1_000, 5_000)),
        fetch_max_bytes=random.choice(FETCH_BYTES),
    )


def for_groups(random: Random, settings: Settings, min_isr: int) -> Settings:
    """With consumer groups: their offsets topic is small, so that its partitions change leaders."""
    return replace(
        settings,
        offsets_topic_partitions=random.choice((1, 2)),
        offsets_topic_replicas=random.choice((1, 2, 3, 3, 3)),
        offsets_topic_min_isr=min_isr,
        group_min_session_timeout_ms=100,
        consumer_session_timeout_ms=settings.consumer_session_timeout_ms // random.choice((1, 3, 5)),
        consumer_rebalance_timeout_ms=settings.consumer_rebalance_timeout_ms // random.choice((1, 10)),
    )


def with_snapshots(random: Random, settings: Settings) -> Settings:
    """In a share of the seeds nodes write snapshots often, and keep few of them.

    Where only the newest is kept, or one is written for each record, none is fetched in the smallest pieces: each
    time it would be gone too soon. Source: KafkaMetadataLog.forgetSnapshotsBefore, which forgets at once.
    """
    if random.random() >= SNAPSHOT_SHARE:
        return settings
    drawn = replace(
        settings,
        metadata_log_max_record_bytes_between_snapshots=random.choice((1, 500, 2_000)),
        metadata_log_max_snapshot_interval_ms=random.choice((100, 1_000, 3_600_000)),
        metadata_max_retention_bytes=random.choice((1, 2_000, 8_000)),
        metadata_max_retention_ms=random.choice((1_000, 604_800_000)),
        fetch_snapshot_max_bytes=random.choice((100, 1_000, 1_048_576)),
    )
    if drawn.metadata_max_retention_bytes == 1 or drawn.metadata_log_max_record_bytes_between_snapshots == 1:
        return replace(drawn, fetch_snapshot_max_bytes=max(1_000, drawn.fetch_snapshot_max_bytes))
    return drawn


def with_racks(random: Random, settings: Settings, share: float) -> Settings:
    """In a share of the seeds brokers stand in racks, and consumers read in theirs."""
    if random.random() >= share:
        return settings
    return replace(settings, broker_racks=random.choice((2, 3, 3)), replica_selector=BY_RACK)


def with_fetch_sessions(random: Random, settings: Settings) -> Settings:
    """With slots for few sessions in half of them, so that some are given to others."""
    return replace(settings, fetch_sessions=True, fetch_session_slots=random.choice((1, 2, 1000, 1000)))


def draw_zookeeper(random: Random, settings: Settings) -> Settings:
    """In zookeeper mode. There are neither eligible leader replicas nor a rebalance by itself."""
    return replace(
        replace(settings, **ABSENT_WITH_ZOOKEEPER),  # type: ignore[arg-type]  # a test sees to their types
        control=ZOOKEEPER,
        elr=False,
        zookeeper_session_timeout_ms=random.choice((500, 1_000, settings.zookeeper_session_timeout_ms)),
        zookeeper_max_in_flight_requests=random.choice((1, 10, 10)),
        controller_epoch_check=random.random() < 0.7,
        isr_change_interval_ms=random.choice((50, settings.isr_change_interval_ms)),
        controlled_shutdown_retry_backoff_ms=random.choice((200, settings.controlled_shutdown_retry_backoff_ms)),
    )


def draw_options(random: Random) -> Options:
    """Of the machines and the network between them."""
    return Options(latency_us=random.choice(((60, 250), (60, 250), (200, 5_000), (1_000, 20_000))))
