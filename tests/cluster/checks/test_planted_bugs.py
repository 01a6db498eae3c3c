"""The checker finds protocol bugs that are planted in the real code, and nothing in the code as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from storms import Storm, verdicts, violated

from cluster.checks.verdict import Verdict
from cluster.model.decision import Decision
from cluster.model.effects import Effect, PersistElection
from cluster.model.identifiers import LogEnd
from cluster.raft import election, fetching, leadership
from cluster.raft import rules as raft_rules
from cluster.raft.state import QuorumState
from cluster.replication import parked, rules, watermark

SEEDS = 12
STORM_S = 12.0
YES = Decision("planted", True, "a planted bug", "")
NO = Decision("planted", False, "a planted bug", "")
Plant = Callable[[pytest.MonkeyPatch], None]


def _votes_for_shorter_logs(patch: pytest.MonkeyPatch) -> None:
    honest = election.grant_vote
    patch.setattr(election, "grant_vote", lambda facts, asked: honest(replace(facts, log_end=LogEnd(0, 0)), asked))


def _votes_twice(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(raft_rules, "_vote_refusal", lambda _facts, _candidate: "")


def _forgets_its_vote(patch: pytest.MonkeyPatch) -> None:
    honest = QuorumState.move

    def move(state: QuorumState, *arguments: Any, **more: Any) -> list[Effect]:
        return [item for item in honest(state, *arguments, **more) if not isinstance(item, PersistElection)]

    patch.setattr(QuorumState, "move", move)


def _commits_records_of_older_epochs(patch: pytest.MonkeyPatch) -> None:
    honest = leadership.advance_high_watermark
    patch.setattr(leadership, "advance_high_watermark", lambda ends, _start, mark: honest(ends, -1, mark))


def _commits_what_one_voter_holds(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(raft_rules, "majority_offset", max)


def _skips_the_pre_vote(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(election, "campaign", election.become_candidate)


def _takes_all_it_holds_for_committed(patch: pytest.MonkeyPatch) -> None:
    honest = fetching._learn_high_watermark
    patch.setattr(
        fetching, "_learn_high_watermark", lambda state, mark: honest(state, max(mark, state.log.log_end_offset))
    )


def _counts_no_follower(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(watermark, "_counted_followers", lambda _state, _now: [])


def _lets_anybody_into_the_isr(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rules, "may_join_isr", lambda *_: YES)


def _acknowledges_at_once(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(watermark, "_is_done", lambda state, waiting: waiting.end_offset <= state.own_offset)


def _ignores_min_insync(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rules, "may_append", lambda *_: YES)


def _shows_consumers_everything(patch: pytest.MonkeyPatch) -> None:
    honest = parked.records_for

    def wide(state: Any, request: Any, told: int) -> Any:
        mark, state.high_watermark = state.high_watermark, state.end_offset
        try:
            return honest(state, request, told)
        finally:
            state.high_watermark = mark

    patch.setattr(parked, "records_for", wide)


def _cuts_one_record_too_many(patch: pytest.MonkeyPatch) -> None:
    honest = rules.truncation_point

    def point(*arguments: Any) -> tuple[int, Decision]:
        end_offset, decision = honest(*arguments)
        return max(0, end_offset - 1), decision

    patch.setattr(rules, "truncation_point", point)


def _never_sees_that_logs_part(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rules, "diverging_epoch", lambda *_: (None, NO))


@dataclass(frozen=True)
class Bug:
    """A planted bug and the rules of which at least one must catch it."""

    plant: Plant
    caught_by: str
    first_seed: int = 0

    @property
    def name(self) -> str:
        return self.plant.__name__.strip("_")


BUGS = (
    Bug(_votes_for_shorter_logs, "R4", first_seed=3),
    Bug(_votes_twice, "R2", first_seed=24),
    Bug(_forgets_its_vote, "R5 R6", first_seed=8),
    Bug(_commits_records_of_older_epochs, "R11"),
    Bug(_commits_what_one_voter_holds, "R11"),
    Bug(_skips_the_pre_vote, "R18"),
    Bug(_takes_all_it_holds_for_committed, "R17"),
    Bug(_counts_no_follower, "P6"),
    Bug(_lets_anybody_into_the_isr, "P12"),
    Bug(_acknowledges_at_once, "P18"),
    Bug(_ignores_min_insync, "P18", first_seed=11),
    Bug(_shows_consumers_everything, "C12"),
    Bug(_cuts_one_record_too_many, "P15"),
    Bug(_never_sees_that_logs_part, "P5 P16", first_seed=14),
)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_planted_bug_is_caught_by_its_rule(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    bug.plant(monkeypatch)
    seen: dict[int, dict[str, str]] = {}
    for seed in range(bug.first_seed, bug.first_seed + SEEDS):
        seen[seed] = violated(verdicts(Storm(seed).blow(STORM_S)))
        if set(bug.caught_by.split()) & set(seen[seed]):
            return
    pytest.fail(f"not caught in seeds {min(seen)} to {max(seen)}: {[found for found in seen.values() if found]}")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lies", [False, True])
def test_a_storm_over_the_code_as_it_is_violates_nothing(seed: int, lies: bool) -> None:
    table = verdicts(Storm(seed, lies=lies).blow(STORM_S))
    assert violated(table) == {}
    evaluated = {line.info.id for line in table if line.verdict is not Verdict.NOT_EVALUATED}
    assert {"R1", "R2", "R3", "R4", "R5", "R6", "R8", "R11", "R17", "P1", "P6", "C12", "T1", "T3", "T5"} <= evaluated


MODES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "lying disks": {"lies": True},
    "unkind network": {"unkind": True},
    "no pre-vote": {"pre_vote": False},
    "unclean elections": {"elr": False, "unclean_leader_election": True},
    "old truncation": {"truncation_mode": "hw"},
    "flushed partitions": {"flush_partitions": True},
}


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_hundred_storms_violate_nothing(mode: str) -> None:
    """With frames that vanish nothing is promised about when, so liveness is left out there."""
    families = "RPCT" if mode == "unkind network" else "RPCLT"
    for seed in range(1_000, 1_100):
        found = violated(verdicts(Storm(seed, **MODES[mode]).blow(20.0)))
        assert {rule: text for rule, text in found.items() if rule[0] in families} == {}, f"seed {seed}"
