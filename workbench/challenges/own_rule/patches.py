"""Where a learner's rule is put: in the place of the cluster's own one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.controller import partition_changes
from cluster.controller.rules.leader_election import Choice, Election
from cluster.model.identifiers import NO_NODE
from cluster.model.messages import ProduceRequest
from cluster.raft import election
from cluster.raft.roles import Role
from cluster.replication import epoch_ends, following, isr, replica_manager, waiting_produces, watermark
from cluster.replication.rules.truncation import Cut
from workbench.challenges.bugs.planted_bug import PlantedBug
from workbench.challenges.own_rule.kinds import Kind

Ask = Callable[..., Any]
"""Calls the learner's function by the names of its parameters; what it answers has been checked."""
REASON = "as your rule says"


def _grant_vote(ask: Ask) -> Any:
    def change(sound: Any) -> Any:
        def granted(facts: Any, request: Any) -> Any:
            ruling = sound(facts, request)
            is_bound = facts.role in (Role.LEADER, Role.CANDIDATE, Role.RESIGNED) or facts.leader_id != NO_NODE
            ruling.value = ruling.granted = ask(
                candidate=request.candidate_id,
                voted_for=None if facts.voted_for == NO_NODE else facts.voted_for,
                knows_leader=is_bound,
                own_log_end=tuple(facts.log_end),
                candidate_log_end=(request.last_epoch, request.last_offset),
            )
            ruling.reason = REASON
            return ruling

        return granted

    return ((election, "grant_vote", change),)


def _leave_isr(ask: Ask) -> Any:
    def change(sound: Any) -> Any:
        def left(replica_id: int, log_end: int, leader_end: int, behind_ms: int, lag_time_max_ms: int) -> Any:
            ruling = sound(replica_id, log_end, leader_end, behind_ms, lag_time_max_ms)
            ruling.value = ruling.granted = ask(
                log_end=log_end, leader_end=leader_end, behind_ms=behind_ms, lag_time_max_ms=lag_time_max_ms
            )
            ruling.reason = REASON
            return ruling

        return left

    return ((isr, "shrink_isr", change),)


def _elect(ask: Ask) -> Any:
    def change(sound: Any) -> Any:
        def elected(candidates: Any, how: Election) -> Any:
            ruling = sound(candidates, how)
            if how is Election.PREFERRED:
                return ruling
            leader = candidates.state.leader
            answer = ask(
                replicas=candidates.state.replicas,
                holders=candidates.target_isr or candidates.target_elr,
                in_service=tuple(sorted(candidates.eligible)),
                leader=None if leader == NO_NODE else leader,
            )
            if answer is None and ruling.value.unclean:
                return ruling  # what is left when nobody holds all: the last known leader, or an unclean election
            chosen = NO_NODE if answer is None else answer
            ruling.value = Choice(leader=chosen, from_elr=answer is not None and answer not in candidates.target_isr)
            ruling.granted, ruling.reason = answer is not None, REASON
            return ruling

        return elected

    return ((partition_changes, "elect_leader", change),)


def _cut(ask: Ask) -> Any:
    def change(sound: Any) -> Any:
        def cut(epochs: Any, log_end: int, diverging: Any) -> Any:
            ruling = sound(epochs, log_end, diverging)
            offset = ask(
                own_epochs=epochs.entries(),
                log_end=log_end,
                leader_epoch=diverging.epoch,
                leader_epoch_end=diverging.end_offset,
            )
            ruling.value, ruling.reason = Cut(min(offset, log_end), ruling.value.is_last), REASON
            return ruling

        return cut

    return ((following, "truncation_point", change), (epoch_ends, "truncation_point", change))


def _move_high_watermark(ask: Ask) -> Any:
    def change(sound: Any) -> Any:
        def moved(known: int, ends: Any, isr_size: int, min_isr: int, *, hw_gate: bool) -> Any:
            ruling = sound(known, ends, isr_size, min_isr, hw_gate=hw_gate)
            value = ask(
                high_watermark=known,
                log_ends=tuple(offset for _, offset in ends),
                isr_size=isr_size,
                min_isr=min_isr if hw_gate else 0,
            )
            ruling.value, ruling.granted, ruling.reason = value, value != known, REASON
            return ruling

        return moved

    return ((watermark, "advance_high_watermark", change),)


def _acknowledge(ask: Ask) -> Any:
    def change(sound: Any) -> Any:
        def is_done(state: Any, waiting: Any) -> Any:
            if waiting.acks != -1:
                return sound(state, waiting)
            return ask(
                records_end=waiting.end_offset,
                high_watermark=state.high_watermark,
                leader_end=state.end_offset,
                isr_size=len(state.isr),
                min_isr=state.min_insync_replicas,
            )

        return is_done

    def at_once(requests: Any) -> Any:
        """It is asked when records are appended, too."""
        on_produce, unknown = requests[ProduceRequest]

        def produce(state: Any, *given: Any) -> Any:
            effects = on_produce(state, *given)
            return effects + waiting_produces.answer_waiting(state)

        return {**requests, ProduceRequest: (produce, unknown)}

    return ((waiting_produces, "is_done", change), (replica_manager, "REQUESTS", at_once))


PATCHES: dict[str, Callable[[Ask], tuple[tuple[Any, str, Callable[[Any], Any]], ...]]] = {
    "grant_vote": _grant_vote,
    "leave_isr": _leave_isr,
    "elect": _elect,
    "cut": _cut,
    "move_high_watermark": _move_high_watermark,
    "acknowledge": _acknowledge,
}
"""By the name of the function."""


def bug_of(kind: Kind, ask: Ask) -> PlantedBug:
    """The learner's rule in force, as something that can be planted."""
    return PlantedBug(kind.name, "own", kind.says, frozenset(), PATCHES[kind.name](ask))
