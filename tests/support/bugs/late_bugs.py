"""Bugs that break nothing that is written: something does not come in time, or a new coordinator knows too little."""

from __future__ import annotations

from typing import Any

from cluster.clients import client
from cluster.controller.rules import leader_election
from cluster.groups import loading
from cluster.groups.group_state import GroupState
from cluster.model.ruling import Ruling, yes_or_no
from cluster.raft import election, following, serving
from cluster.raft.roles import Role
from cluster.replication import isr, watermark
from tests.support.bugs.planted import PlantedBug


def _counts_anybody(note_contact: Any) -> Any:
    """Whoever fetches keeps a leader in office, voter or not."""

    def noted(state: Any, voter: int) -> Any:
        return note_contact(state, voter if voter in state.voters else state.others[0])

    return noted


def _campaigns_once(on_election_timeout: Any) -> Any:
    return lambda state, now_ms: on_election_timeout(state, now_ms) if state.epoch < 2 else []


def _nobody_else(is_valid: Any) -> Any:
    return lambda self, broker_id: is_valid(self, broker_id) and broker_id == self.state.leader


def _lets_nobody_in(_expand_isr: Any) -> Any:
    return lambda *_facts: yes_or_no(False, "planted")


def _answers_nobody(_answer_waiting: Any) -> Any:
    return lambda _state: []


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
    def taken(self: Any, record: Any) -> None:
        take(self, record)
        self.offsets.clear()

    return taken


LATE_BUGS = (
    PlantedBug("campaigns-once", "quorum", "nobody campaigns after the first epoch",
               frozenset({"L1"}), ((election, "on_election_timeout", _campaigns_once),), seeds=(2,)),
    PlantedBug("learns-nothing-later", "quorum", "a broker learns no high watermark of later epochs",
               frozenset({"L7"}), ((following, "_learn_high_watermark", _observers_learn_nothing_later),)),
    PlantedBug("elects-nobody-else", "replication", "only who leads may lead",
               frozenset({"L2"}), ((leader_election.Candidates, "is_valid", _nobody_else),)),
    PlantedBug("lets-nobody-in", "replication", "nobody comes back into the ISR",
               frozenset({"L3"}), ((isr, "expand_isr", _lets_nobody_in),)),
    PlantedBug("is-impatient", "replication", "a follower that is level with its leader leaves the ISR",
               frozenset({"L11"}), ((isr, "shrink_isr", _impatient),)),
    PlantedBug("answers-nobody", "clients", "a leader answers no producer when its records are committed",
               frozenset({"L4"}), ((watermark, "answer_waiting", _answers_nobody),), seeds=(1,)),
    PlantedBug("waits-for-ever", "clients", "a client does not give up when its time is over",
               frozenset({"C16"}), ((client, "DELIVERY_FACTOR", _for_ever),), seeds=(14,)),
    PlantedBug("begins-anew", "groups", "a new coordinator knows no generation",
               frozenset({"GR4"}), ((loading, "_group", _begins_anew),), seeds=(22,)),
    PlantedBug("forgets-offsets", "groups", "a new coordinator knows no committed offsets",
               frozenset({"GR8", "GR10"}), ((loading.Loading, "take", _without_offsets),), seeds=(6,)),
)  # fmt: skip
COUNTS_ANYBODY = PlantedBug(
    "counts-anybody",
    "quorum",
    "observers that fetch keep a leader in office",
    frozenset({"L12"}),
    ((serving, "note_contact", _counts_anybody),),
)
"""Seeds seldom cut the voters apart and leave the observers to both sides, so a script does."""
