"""The six rules that a learner may write: what each is given and answers, a right one, and where it is put."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cluster.controller import partition_changes
from cluster.controller.rules.leader_election import Choice, Election
from cluster.model.identifiers import NO_NODE
from cluster.model.messages import ProduceRequest
from cluster.raft import election
from cluster.raft.roles import Role
from cluster.replication import epoch_ends, following, isr, replica_manager, watermark
from cluster.replication.rules.truncation import Cut
from workbench.challenges.bugs.planted_bug import PlantedBug

Ask = Callable[..., Any]
"""Calls the learner's function by the names of its parameters; what it answers has been checked."""
REASON = "as your rule says"


@dataclass(frozen=True, slots=True)
class Kind:
    """One of them."""

    name: str
    """Of the function."""
    says: str
    """When it is asked, and what its answer means."""
    parameters: dict[str, str]
    """Name to what it is."""
    answers: str
    """yes or no, a broker, or an offset."""
    right: str
    """The source of a right one."""
    patches: Callable[[Ask], tuple[tuple[Any, str, Callable[[Any], Any]], ...]]
    """Puts it where the cluster's own one is."""

    def bug(self, ask: Ask) -> PlantedBug:
        """The learner's rule in force, as something that can be planted."""
        return PlantedBug(self.name, "own", self.says, frozenset(), self.patches(ask))


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
            found = ask(
                replicas=candidates.state.replicas,
                holders=candidates.target_isr or candidates.target_elr,
                in_service=tuple(sorted(candidates.eligible)),
                leader=None if leader == NO_NODE else leader,
            )
            if found is None and ruling.value.unclean:
                return ruling  # what is left when nobody holds all: the last known leader, or an unclean election
            chosen = NO_NODE if found is None else found
            ruling.value = Choice(leader=chosen, from_elr=found is not None and found not in candidates.target_isr)
            ruling.granted, ruling.reason = found is not None, REASON
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
            return effects + watermark.answer_waiting(state)

        return {**requests, ProduceRequest: (produce, unknown)}

    return ((watermark, "is_done", change), (replica_manager, "REQUESTS", at_once))


YES_NO, BROKER, OFFSET = "True or False", "a broker, or None for nobody", "an offset, 0 or more"
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "grant_vote",
            "A voter is asked for its vote in an epoch; True gives it.",
            {
                "candidate": "node that asks",
                "voted_for": "node that has the voter's vote of this epoch; None for nobody",
                "knows_leader": "whether the voter knows who leads this epoch, leads or asks for votes itself",
                "own_log_end": "(epoch of the last record, offset behind it) of the voter",
                "candidate_log_end": "the same of the candidate",
            },
            YES_NO,
            "    if knows_leader or voted_for not in (None, candidate):\n"
            "        return False\n"
            "    return candidate_log_end >= own_log_end\n",
            _grant_vote,
        ),
        Kind(
            "leave_isr",
            "A leader looks at a follower in the ISR now and then; True puts it out.",
            {
                "log_end": "offset behind the last record that it has fetched",
                "leader_end": "offset behind the leader's last record",
                "behind_ms": "how long ago it was last caught up",
                "lag_time_max_ms": "replica.lag.time.max.ms",
            },
            YES_NO,
            "    return log_end != leader_end and behind_ms > lag_time_max_ms\n",
            _leave_isr,
        ),
        Kind(
            "elect",
            "The controller looks for a partition's leader.",
            {
                "replicas": "the brokers of its assignment, in order",
                "holders": "those in the ISR; where it is empty, those that are known to hold all that is committed",
                "in_service": "brokers that are neither fenced nor shutting down",
                "leader": "who leads now; None for nobody",
            },
            BROKER,
            "    able = [broker for broker in replicas if broker in holders and broker in in_service]\n"
            "    if leader in able:\n"
            "        return leader\n"
            "    return able[0] if able else None\n",
            _elect,
        ),
        Kind(
            "cut",
            "A follower's log leaves the leader's; the answer is the offset that it cuts its log to.",
            {
                "own_epochs": "(epoch, its first offset) of the follower's log, oldest first",
                "log_end": "offset behind its last record",
                "leader_epoch": "newest epoch that the leader has and that is not newer than the follower's last one",
                "leader_epoch_end": "offset behind the last record of that epoch on the leader",
            },
            OFFSET,
            "    ends = [start for _, start in own_epochs[1:]] + [log_end]\n"
            "    shared = [end for (epoch, _), end in zip(own_epochs, ends) if epoch <= leader_epoch]\n"
            "    if not shared:\n"
            "        return min(leader_epoch_end, log_end)\n"
            "    if leader_epoch not in dict(own_epochs):\n"
            "        return shared[-1]\n"
            "    return min(shared[-1], leader_epoch_end)\n",
            _cut,
        ),
        Kind(
            "move_high_watermark",
            "A leader learns how far its followers are; the answer is its new high watermark.",
            {
                "high_watermark": "the present one",
                "log_ends": "log end offsets of the leader and of each follower that counts",
                "isr_size": "how many are in the ISR",
                "min_isr": "min.insync.replicas; 0 where the high watermark does not wait for it",
            },
            OFFSET,
            "    if isr_size < min_isr:\n"
            "        return high_watermark\n"
            "    return max(high_watermark, min(log_ends))\n",
            _move_high_watermark,
        ),
        Kind(
            "acknowledge",
            "A producer with acks=all waits for its answer; True answers it.",
            {
                "records_end": "offset behind the last record that it has written",
                "high_watermark": "of the leader",
                "leader_end": "offset behind the leader's last record",
                "isr_size": "how many are in the ISR",
                "min_isr": "min.insync.replicas",
            },
            YES_NO,
            "    return records_end <= high_watermark\n",
            _acknowledge,
        ),
    )
}
"""By the name of the function."""


def wrong_answer(kind: Kind, answer: object) -> str:
    """Why this is no answer of this kind; empty when it is one."""
    if kind.answers == YES_NO:
        is_right = isinstance(answer, bool)
    elif isinstance(answer, bool) or not isinstance(answer, int):
        is_right = kind.answers == BROKER and answer is None
    else:
        is_right = kind.answers == BROKER or 0 <= answer < 1 << 62
    return "" if is_right else f"it returned {ascii(answer)[:80]}; needed: {kind.answers}"


def example(kind: Kind) -> str:
    """A file with a right one, to start from."""
    told = "".join(f"        {name}: {what}.\n" for name, what in kind.parameters.items())
    head = f"def {kind.name}({', '.join(kind.parameters)}):\n"
    doc = f'    """{kind.says}\n\n    Args:\n{told}\n    Returns: {kind.answers}.\n    """\n'
    return head + doc + kind.right
