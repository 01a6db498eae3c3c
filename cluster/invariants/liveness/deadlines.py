"""How long things may take, in the run's own timeouts: the bounds of the liveness invariants. Contract 2.6."""

from __future__ import annotations

from cluster.invariants.ghost.ghost import Ghost

MS = 1_000_000
"""Nanoseconds."""
ROUNDS_WITH_PRE_VOTE = 5
ROUNDS_WITHOUT = 20
"""Without pre-vote a voter whose log is behind raises everybody's epoch and timer each time it is first to ask.

About every other round is lost so: it is first of three a third of the time, and now and then two ask at once. A bound
that a sound quorum misses once in a million has twenty rounds. Source: Raft paper 9.3, KIP-996 "Motivation".
"""
IN_TIME = ("A8",)
"""What every deadline leans on."""
FORGOTTEN = ("A1", "A8", "A11")
"""A quorum that forgets may forget that there are partitions, and brokers then wait for the epoch they know of."""
DELIVERY_REQUESTS = 4
LOST_REQUESTS = 2
ZOOKEEPER_SESSIONS = 3
"""A coordinator that comes back gives each session its whole timeout again; a controller's end, and then a broker's
next life, may each wait for one."""
EPOCHS_WITH_PRE_VOTE = 3
"""A round that is lost raises no epoch; one that is split does."""


class Deadlines:
    """Reads the timeouts that the run began with; Kafka's own where it names none."""

    def __init__(self, ghost: Ghost) -> None:
        self._ghost = ghost

    def setting_ns(self, name: str, default_ms: int) -> int:
        """One timeout."""
        setting = self._ghost.settings.get(name, default_ms)
        return int(setting) * MS if isinstance(setting, int | float) else default_ms * MS

    @property
    def _has_pre_vote(self) -> bool:
        return bool(self._ghost.settings.get("pre_vote", True))

    @property
    def epochs(self) -> int:
        """How many epochs an election may take."""
        return EPOCHS_WITH_PRE_VOTE if self._has_pre_vote else ROUNDS_WITHOUT

    def quorum_leader_ns(self) -> int:
        """For a quorum to find its leader: rounds of the longest election timeout, which is twice the shortest."""
        rounds = ROUNDS_WITH_PRE_VOTE if self._has_pre_vote else ROUNDS_WITHOUT
        return rounds * 2 * self.setting_ns("quorum_election_timeout_ms", 1000)

    def partition_leader_ns(self, silent_count: int = 1, *, has_lost: bool = False) -> int:
        """For every partition to get its leader, once a controller is active.

        Silent brokers are looked for every eighth of a session, and one is fenced each time. Source: Kafka
        ReplicationControlManager.maybeFenceOneStaleBroker.

        Args:
            has_lost: messages were lost before. ZooKeeper's controller sends a push again once its request is over.
        """
        if self._ghost.is_zookeeper:
            lost_ns = self.setting_ns("request_timeout_ms", 30_000) if has_lost else 0
            return ZOOKEEPER_SESSIONS * self.setting_ns("zookeeper_session_timeout_ms", 18_000) + 2_000 * MS + lost_ns
        session_ns = self.setting_ns("broker_session_timeout_ms", 9000)
        return session_ns + silent_count * (session_ns // 8) + 2_000 * MS

    def whole_isr_ns(self) -> int:
        """For every ISR to be whole, once a controller is active, beside the time it takes to copy records.

        A fetch and an AlterPartition on their way to a node that is gone are asked again after their timeout.
        """
        lag_ns = 2 * self.setting_ns("replica_lag_time_max_ms", 30_000)
        return self.partition_leader_ns() + lag_ns + LOST_REQUESTS * self.setting_ns("request_timeout_ms", 30_000)

    def delivery_ns(self) -> int:
        """For a client to learn what became of an operation. Source: KIP-91, delivery.timeout.ms."""
        return DELIVERY_REQUESTS * self.setting_ns("request_timeout_ms", 30_000)

    def metadata_ns(self) -> int:
        """For every broker to have what is committed, once there is a leader: it may have to find it first."""
        request_ns = self.setting_ns("quorum_request_timeout_ms", 2000)
        return 2_000 * MS + request_ns + self.setting_ns("quorum_fetch_timeout_ms", 2000)
