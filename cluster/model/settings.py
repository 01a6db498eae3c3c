"""Each timeout and limit of a run: our name, unit, Kafka's default and Kafka's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import cache
from typing import NamedTuple

CLASSROOM_FACTOR = 1 / 6
"""Timers of the classroom profile are Kafka's defaults times this, but for those that nobody waits for."""
UNSCALED = ("metadata_max_idle_interval_ms", "metadata_log_max_snapshot_interval_ms", "metadata_max_retention_ms")

KRAFT, ZOOKEEPER = "kraft", "zookeeper"
BY_RACK = "rack"
CHOICES = {
    "truncation_mode": ("hw", "kip101", "kip279", "fetch"),
    "commit_rule": ("isr", "majority"),
    "control": (KRAFT, ZOOKEEPER),
    "replica_selector": ("leader", BY_RACK),
}
ABSENT_WITH_ZOOKEEPER: dict[str, str | bool | int] = {
    "commit_rule": "isr",
    "auto_leader_rebalance": False,
    "dynamic_quorum": False,
    "spare_controllers": 0,
    "auto_join": False,
}
"""Settings that ask for what is not there with control=zookeeper, and the one value that asks for nothing."""
TIMER_MAX_MS = 8_640_000_000
"""A hundred days, for who sets a timer by hand."""
STRETCHED_MAX = 1000
"""How many times longer a whole run may be told to take its timers."""
COUNT_MAX = (1 << 31) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One run's settings. Names ending in _ms are scaled by the timing profile."""

    quorum_election_timeout_ms: int = 1000
    """controller.quorum.election.timeout.ms: election timer is drawn from [T, 2T), T being this."""
    quorum_election_spread_percent: int = 100
    """Width of that range in percent of T: 100 gives [T, 2T), 0 always T. Kafka's is fixed at 100."""
    quorum_fetch_timeout_ms: int = 2000
    """controller.quorum.fetch.timeout.ms: follower gives up; check-quorum is 1.5x, BeginQuorumEpoch period 0.5x."""
    quorum_election_backoff_max_ms: int = 1000
    """controller.quorum.election.backoff.max.ms: staggered start after EndQuorumEpoch."""
    quorum_request_timeout_ms: int = 2000
    """controller.quorum.request.timeout.ms."""
    quorum_retry_backoff_ms: int = 20
    """controller.quorum.retry.backoff.ms."""
    quorum_fetch_max_wait_ms: int = 500
    """How long a leader holds an empty quorum fetch; not configurable in Kafka."""
    metadata_max_idle_interval_ms: int = 500
    """metadata.max.idle.interval.ms: the active controller appends a NoOpRecord."""
    metadata_log_max_record_bytes_between_snapshots: int = 20_971_520
    """metadata.log.max.record.bytes.between.snapshots: a node writes a snapshot once it has applied so much."""
    metadata_log_max_snapshot_interval_ms: int = 3_600_000
    """metadata.log.max.snapshot.interval.ms: and once its newest one is so old."""
    metadata_max_retention_bytes: int = 104_857_600
    """metadata.max.retention.bytes: of log and snapshots; the log is cut in front of a newer snapshot past it."""
    metadata_max_retention_ms: int = 604_800_000
    """metadata.max.retention.ms: and of the age of a snapshot that has a newer one."""
    fetch_snapshot_max_bytes: int = 1_048_576
    """controller.quorum.fetch.snapshot.max.bytes: of one chunk of a snapshot."""
    broker_heartbeat_interval_ms: int = 2000
    """broker.heartbeat.interval.ms."""
    broker_session_timeout_ms: int = 9000
    """broker.session.timeout.ms: fenced after silence this long."""
    replica_lag_time_max_ms: int = 30000
    """replica.lag.time.max.ms: out of the ISR when not caught up for this long; checked every half of it."""
    replica_fetch_wait_max_ms: int = 500
    """replica.fetch.wait.max.ms."""
    replica_fetch_backoff_ms: int = 1000
    """replica.fetch.backoff.ms."""
    request_timeout_ms: int = 30000
    """request.timeout.ms: a client or broker gives up on an answer; acks=all waits this long on the broker."""
    retry_backoff_ms: int = 100
    """retry.backoff.ms of clients."""
    high_watermark_checkpoint_interval_ms: int = 5000
    """replica.high.watermark.checkpoint.interval.ms."""
    log_retention_check_interval_ms: int = 300_000
    """log.retention.check.interval.ms: how often each broker looks for segments that its topics' retention lets go."""
    log_cleaner_backoff_ms: int = 15_000
    """log.cleaner.backoff.ms: how often each broker looks for logs to compact."""
    leader_imbalance_check_interval_ms: int = 300_000
    """leader.imbalance.check.interval.seconds."""
    pre_vote: bool = True
    """KIP-996."""
    elr: bool = True
    """KIP-966, eligible leader replicas."""
    hw_gate: bool = True
    """The high watermark stands still while |ISR| < min.insync.replicas (Kafka 3.7+)."""
    unclean_leader_election: bool = False
    """unclean.leader.election.enable."""
    truncation_mode: str = "fetch"
    """How a follower finds what to cut: hw (before 0.11), kip101 (0.11 to 1.1), kip279 (2.0 to 2.6), fetch (2.7 on)."""
    commit_rule: str = "isr"
    """Who must have a record before it is committed: the whole ISR, or a majority of the replicas, which Kafka does not
    have. Of topics that do not say."""
    lag_max_messages: int = 0
    """replica.lag.max.messages (before 0.9, then 4000): so many behind is out of the ISR; 0 judges by time alone."""
    broker_racks: int = 0
    """broker.rack: broker 1 stands in rack r1, 2 in r2, and so on in turn over so many racks; 0 for no racks."""
    fetch_sessions: bool = False
    """Brokers and members of groups fetch in sessions (KIP-227), as Kafka's always do: one request for all that they
    want of a leader, which names only what changed. False asks for each partition by itself."""
    fetch_session_slots: int = 1000
    """max.incremental.fetch.session.cache.slots: so many fetch sessions a broker remembers."""
    replica_selector: str = "leader"
    """replica.selector.class: leader reads from the leader only; rack sends a consumer to a replica in its own rack."""
    auto_leader_rebalance: bool = False
    """auto.leader.rebalance.enable; Kafka's default is true, here a preferred election is asked for."""
    flush_partitions: bool = False
    """True flushes data partitions before acknowledging; Kafka's default leaves it to the page cache."""
    host_fsync: bool = False
    """True also calls the host's fsync; false only keeps the books of what would be durable."""
    fetch_max_bytes: int = 1_048_576
    """replica.fetch.max.bytes, controller.quorum.fetch.max.bytes; max.partition.fetch.bytes of a built-in consumer."""
    max_message_bytes: int = 1_048_588
    """max.message.bytes: largest encoded batch taken from a client."""
    offsets_topic_partitions: int = 50
    """offsets.topic.num.partitions: of __consumer_offsets, made when the first group is looked for."""
    offsets_topic_replicas: int = 3
    """offsets.topic.replication.factor; a run with fewer brokers takes as many as it has."""
    offsets_topic_min_isr: int = 1
    """min.insync.replicas of __consumer_offsets; Kafka takes the broker's default."""
    offsets_commit_timeout_ms: int = 5000
    """offsets.commit.timeout.ms: how long a group's record may wait for its replicas."""
    offsets_retention_ms: int = 604_800_000
    """offsets.retention.minutes: how long an empty group keeps its offsets."""
    offsets_retention_check_interval_ms: int = 600_000
    """offsets.retention.check.interval.ms."""
    offset_metadata_max_bytes: int = 4096
    """offset.metadata.max.bytes."""
    group_min_session_timeout_ms: int = 6000
    """group.min.session.timeout.ms."""
    group_max_session_timeout_ms: int = 1_800_000
    """group.max.session.timeout.ms."""
    group_initial_rebalance_delay_ms: int = 3000
    """group.initial.rebalance.delay.ms: how long an empty group waits for more members."""
    group_new_member_join_timeout_ms: int = 300_000
    """How long a new member may wait for its first generation; not configurable in Kafka."""
    consumer_group_session_timeout_ms: int = 45_000
    """group.consumer.session.timeout.ms: silence after which a member of a group of the newer protocol is out."""
    consumer_group_heartbeat_interval_ms: int = 5000
    """group.consumer.heartbeat.interval.ms: how often such a member is told to come."""
    consumer_group_max_size: int = 2_147_483_647
    """group.consumer.max.size."""
    consumer_session_timeout_ms: int = 45_000
    """session.timeout.ms of built-in group members."""
    consumer_heartbeat_interval_ms: int = 3000
    """heartbeat.interval.ms of built-in group members."""
    consumer_rebalance_timeout_ms: int = 300_000
    """max.poll.interval.ms of built-in group members: how long a rebalance waits for them."""
    consumer_auto_commit_interval_ms: int = 5000
    """auto.commit.interval.ms of built-in group members."""
    transaction_version: int = 2
    """transaction.version: with 2 a producer's epoch grows with each transaction (KIP-890, 4.0); 1 is as before."""
    transaction_verification: bool = True
    """transaction.partition.verification.enable: a leader asks before it begins a transaction (3.6, KIP-890)."""
    transaction_state_partitions: int = 50
    """transaction.state.log.num.partitions: of __transaction_state, made when the first coordinator is looked for."""
    transaction_state_replicas: int = 3
    """transaction.state.log.replication.factor; a run with fewer brokers takes as many as it has."""
    transaction_state_min_isr: int = 2
    """transaction.state.log.min.isr; at most as many as there are replicas."""
    transaction_max_timeout_ms: int = 900_000
    """transaction.max.timeout.ms: the longest that a producer may ask for."""
    transaction_abort_interval_ms: int = 10_000
    """transaction.abort.timed.out.transaction.cleanup.interval.ms: how often it is looked for those out of time."""
    transactional_id_expiration_ms: int = 604_800_000
    """transactional.id.expiration.ms: how long an id without a transaction is remembered."""
    transactional_id_cleanup_interval_ms: int = 3_600_000
    """transaction.remove.expired.transaction.cleanup.interval.ms."""
    control: str = KRAFT
    """Who decides: kraft, a quorum of controllers; or zookeeper, one broker that won a race, as before Kafka 4.0."""
    zookeeper_session_timeout_ms: int = 18_000
    """zookeeper.session.timeout.ms: 6000 before 2.5."""
    zookeeper_max_in_flight_requests: int = 10
    """zookeeper.max.in.flight.requests: before 1.1 the controller asked one thing at a time."""
    broker_epochs: bool = True
    """True tells two lives of a broker apart in zookeeper mode (KIP-380, 2.2)."""
    controller_epoch_check: bool = True
    """True has a controller write to ZooKeeper only while /controller_epoch is its own (2.2)."""
    isr_change_interval_ms: int = 2500
    """How often a broker looks whether it has ISR changes to tell in zookeeper mode; it tells them after twice that."""
    controlled_shutdown_max_retries: int = 3
    """controlled.shutdown.max.retries, in zookeeper mode."""
    controlled_shutdown_retry_backoff_ms: int = 5000
    """controlled.shutdown.retry.backoff.ms, in zookeeper mode."""
    auto_create_topics: bool = True
    """auto.create.topics.enable: a topic that a Kafka client asks for and nobody has created is created."""
    client_pipelining: bool = False
    """Kafka serves one request of a connection at a time; true takes up to 16 before the first is answered."""
    client_auth: bool = False
    """True serves Kafka clients only after SASL/PLAIN with the password in the run's folder."""
    dynamic_quorum: bool = False
    """kraft.version 1 (KIP-853): voters stand in the metadata log; false takes them from controller.quorum.voters."""
    spare_controllers: int = 0
    """Of a dynamic quorum: so many of the last controllers begin as observers, formatted without initial voters."""
    auto_join: bool = False
    """controller.quorum.auto.join.enable (KIP-1186): a controller that is no voter asks to become one."""
    voter_directories: bool = True
    """A voter is a number and its disk (KIP-853); false takes another disk under the same number for the same voter."""
    voter_change_waits: bool = True
    """A new leader changes voters only once it has committed in its epoch; false is the Raft bug of 2015."""
    trace: bool = True
    """False writes no node events; for measuring only."""

    @property
    def is_zookeeper(self) -> bool:
        """Whether brokers are told who leads by a controller that won a race, not by a log of metadata."""
        return self.control == ZOOKEEPER

    def scaled(self, factor: float) -> Settings:
        """All timers times factor, at least 1 ms each."""
        timers = {name: max(1, round(getattr(self, name) * factor)) for name in setting_names() if name.endswith("_ms")}
        return replace(self, **timers)


class OldWay(NamedTuple):
    """A value of a setting that brings back how it was before a correction, and what nobody promises then."""

    setting: str
    value: bool | str
    breaks: str
    """The assumption that does not hold then, for example A10; rules that lean on it for other reasons too say so."""
    why: str
    excuses: frozenset[str] = frozenset()
    """Ids of the rules that lean on it for this reason alone; empty for none."""
    within: tuple[str, bool | str] | None = None
    """A setting and the value with which it has an effect; None where it always has."""

    def is_in(self, settings: Mapping[str, object]) -> bool:
        """Whether a run with these settings goes that way."""
        has_effect = self.within is None or settings.get(self.within[0]) == self.within[1]
        return has_effect and settings.get(self.setting) == self.value


OLD_WAYS = (
    OldWay("truncation_mode", "hw", "A4", "followers truncate to their own high watermark"),
    OldWay(
        "truncation_mode", "kip101", "A4",
        "followers truncate by the epoch of KIP-101, which can leave logs apart (KIP-279)",
    ),
    OldWay(
        "voter_change_waits", False, "A10", "the correction of 2015 is switched off",
        frozenset(("R1", "R9", "R11", "R12", "R14", "R17", "R24", "R25", "R26")), ("dynamic_quorum", True),
    ),
    OldWay(
        "transaction_verification", False, "A12", "the verification of KIP-890 is switched off", frozenset(("TX5",))
    ),
    OldWay(
        "broker_epochs", False, "A14", "a broker that came back unseen is taken for the life before (before KIP-380)",
        frozenset(("L2", "L3", "L4", "L5", "L6", "L10")), ("control", ZOOKEEPER),
    ),
)  # fmt: skip
"""Every other old way keeps all rules, or breaks an assumption only where something happens, such as an election."""


@cache
def setting_names() -> tuple[str, ...]:
    """Names of all settings, in order."""
    return tuple(item.name for item in fields(Settings))


def setting_complaint(plain: Mapping[str, object]) -> tuple[str, str] | None:
    """The first setting that is none or has a value it cannot have, and what is allowed; None when all are fine."""
    defaults = Settings()
    for name, value in plain.items():
        if name not in setting_names():
            near = get_close_matches(name, setting_names(), n=3, cutoff=0.0)
            return name, f"only what is a setting, such as {', '.join(near)}"
        present = getattr(defaults, name)
        least, most = (1, TIMER_MAX_MS * STRETCHED_MAX) if name.endswith("_ms") else (0, COUNT_MAX)
        if type(value) is not type(present):
            return name, {bool: "true, false", int: "a whole number"}.get(type(present), "a text")
        if isinstance(value, str) and value not in CHOICES[name]:
            return name, ", ".join(CHOICES[name])
        if type(value) is int and not least <= value <= most:
            return name, f"{least} to {most}"
    return None


def zookeeper_complaint(plain: Mapping[str, object]) -> tuple[str, str] | None:
    """The first setting that asks for what zookeeper mode does not have, and what is allowed; None when none does."""
    if plain.get("control") != ZOOKEEPER:
        return None
    for name, nothing in ABSENT_WITH_ZOOKEEPER.items():
        if plain.get(name, nothing) != nothing:
            return name, f"{'off' if nothing is False else nothing} with control=zookeeper"
    return None


def kafka_timing() -> Settings:
    """Kafka's real defaults."""
    return Settings()


def classroom_timing() -> Settings:
    """All timers scaled together so that a fault shows its effect within about 2 s.

    Nothing waits for the NoOpRecord of an idle quorum, nor for a snapshot: more of them would only fill the trace.
    """
    kafka = Settings()
    return replace(kafka.scaled(CLASSROOM_FACTOR), **{name: getattr(kafka, name) for name in UNSCALED})
