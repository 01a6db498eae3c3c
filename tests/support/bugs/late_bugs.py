"""Bugs that break nothing that is written: something does not come in time, or a new coordinator knows too little."""

from __future__ import annotations

from typing import Any

from cluster.clients import client
from cluster.groups import loading
from cluster.groups.group_state import GroupState
from cluster.model.ruling import Ruling
from cluster.raft import election, following
from cluster.raft.roles import Role
from cluster.replication import isr
from tests.support.bugs.planted import PlantedBug
from workbench.challenges.bugs.sealed import sealed_bug


def _campaigns_once(on_election_timeout: Any) -> Any:
    return lambda state, now_ms: on_election_timeout(state, now_ms) if state.epoch < 2 else []


def _impatient(shrink_isr: Any) -> Any:
    """Who is level with the leader is late, too, when it has not asked for a tenth of the time."""

    def judged(replica_id: int, log_end: int, leader_end: int, silence_ms: int, limit_ms: int) -> Ruling[bool]:
        ruling: Ruling[bool] = shrink_isr(replica_id, log_end, leader_end, silence_ms, limit_ms)
        ruling.granted = ruling.granted or silence_ms * 10 > limit_ms
        return ruling

    return judged


def _observers_learn_nothing_later(learn: Any) -> Any:
    def learned(state: Any, *offsets: int) -> Any:
        return [] if state.role is Role.OBSERVER and state.epoch > 2 else learn(state, *offsets)

    return learned


def _for_ever(_factor: int) -> int:
    return 60


def _begins_anew(group_of: Any) -> Any:
    def begun(*facts: Any) -> Any:
        group = group_of(*facts)
        group.generation, group.state = 0, GroupState.EMPTY
        group.members.clear()
        group.static_ids.clear()
        return group

    return begun


def _without_offsets(take: Any) -> Any:
    def taken(self: Any, *given: Any) -> None:
        take(self, *given)
        self.offsets.clear()

    return taken


LATE_BUGS = (
    *map(sealed_bug, ("replication/elects-nobody-else", "replication/lets-nobody-in", "clients/answers-nobody")),
    PlantedBug("campaigns-once", "quorum", "nobody campaigns after the first epoch",
               frozenset({"L1"}), ((election, "on_election_timeout", _campaigns_once),), seeds=(2,)),
    PlantedBug("learns-nothing-later", "quorum", "a broker learns no high watermark of later epochs",
               frozenset({"L7"}), ((following, "learn_high_watermark", _observers_learn_nothing_later),), seeds=(6,)),
    PlantedBug("is-impatient", "replication", "a follower that is level with its leader leaves the ISR",
               frozenset({"L11"}), ((isr, "shrink_isr", _impatient),), seeds=(33,)),
    PlantedBug("waits-for-ever", "clients", "a client does not give up when its time is over",
               frozenset({"C16"}), ((client, "DELIVERY_FACTOR", _for_ever),), seeds=(14,)),
    PlantedBug("begins-anew", "groups", "a new coordinator knows no generation",
               frozenset({"GR4"}), ((loading, "_group", _begins_anew),), seeds=(22,)),
    PlantedBug("forgets-offsets", "groups", "a new coordinator knows no committed offsets",
               frozenset({"GR8", "GR10"}), ((loading.Loading, "take", _without_offsets),), seeds=(6,)),
)  # fmt: skip
COUNTS_ANYBODY = sealed_bug("quorum/counts-anybody")
"""Seeds seldom cut the voters apart and leave the observers to both sides, so a script does."""
