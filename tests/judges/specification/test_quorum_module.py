"""The quorum's line as a TLA+ module, and what KIP-996 says of it."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from cluster.model import events as ev
from judges.specification.judge import ACCEPTED, NOT_JUDGED, REJECTED, judge_quorum
from judges.specification.quorum_module import quorum_module
from tests.judges.specification.test_quorum_line import came_back, line_of
from tests.support.specification.outside import entries_of, tools

QUICK = ("r02_kill_leader", "r05_tail_truncation")
MORE = (
    "r01_cold_start", "r03_leader_cut_off", "r04_follower_cut_off", "r06_commit_rule", "r07_stale_log_cannot_win",
    "r08_vote_survives_restart", "r09_graceful_leader_stop", "r10_two_controllers_down", "r11_check_quorum",
)  # fmt: skip


def test_every_place_of_the_template_is_filled_in() -> None:
    states = line_of("r01_cold_start")
    made = quorum_module("Line0", states, states[0].nodes, stop=2)
    assert not re.search("@[A-Z]+@", made.text) and made.text.count("[a |->") == len(states)
    assert "InitClusterSize = 3" in made.configuration and "INVARIANT Tell" in made.configuration


@pytest.mark.judges
@pytest.mark.parametrize("scenario", QUICK)
def test_elections_and_fetches_are_those_of_kip_996(scenario: str) -> None:
    assert judge_quorum(entries_of(scenario), tools("kip996")).verdict == ACCEPTED


@pytest.mark.judges
@pytest.mark.slow
@pytest.mark.parametrize("scenario", MORE)
def test_other_elections_are_too(scenario: str) -> None:
    assert judge_quorum(entries_of(scenario), tools("kip996")).verdict == ACCEPTED


@pytest.mark.judges
@pytest.mark.parametrize("seed", [1, 7])
def test_five_voters_are_judged_though_rounds_end_while_answers_are_out(seed: int) -> None:
    judged = judge_quorum(entries_of("r17_five_voters", seed), tools("kip996"))
    assert judged.verdict == ACCEPTED and judged.added["give-up"] > 0


@pytest.mark.judges
def test_a_pre_vote_that_was_refused_and_is_counted_as_given_is_rejected() -> None:
    entries = list(entries_of("r17_five_voters"))
    for kind, field in ((ev.VoteRejected, None), (ev.VoteReceived, "granted")):
        at = next(at for at, one in enumerate(entries) if isinstance(one.event, kind) and one.event.pre_vote
                  and not getattr(one.event, "granted", False))  # fmt: skip
        event = entries[at].event
        fields = {name: getattr(event, name) for name in ev.VoteGranted.__struct_fields__ if not field}
        wrong = replace(event, granted=True) if field else ev.VoteGranted(**fields)
        told = [*entries[:at], replace(entries[at], event=wrong), *entries[at + 1 :]]
        assert judge_quorum(told, tools("kip996")).verdict == REJECTED


@pytest.mark.judges
@pytest.mark.parametrize(
    ("told", "verdict"),
    [({"voted_for": 103}, ACCEPTED), ({"voted_for": 101}, REJECTED), ({"epoch": 7}, REJECTED)],
)
def test_a_vote_on_a_disk_was_asked_for(told: dict[str, int], verdict: str) -> None:
    assert judge_quorum(came_back(**told), tools("kip996")).verdict == verdict


@pytest.mark.judges
def test_a_vote_that_is_forgotten_by_a_sound_disk_is_rejected() -> None:
    entries = list(entries_of("r09_graceful_leader_stop"))
    boots = [at for at, one in enumerate(entries) if isinstance(one.event, ev.QuorumBooted) and one.incarnation > 0]
    at = next(at for at in boots if getattr(entries[at].event, "voted_for", -1) not in (-1, entries[at].node))
    entries[at] = replace(entries[at], event=replace(entries[at].event, voted_for=-1))
    assert judge_quorum(entries, tools("kip996")).verdict == REJECTED


@pytest.mark.judges
def test_a_vote_for_another_and_a_leader_of_a_later_epoch_are_rejected() -> None:
    entries = list(entries_of("r02_kill_leader"))
    kinds = {"candidate": "voted_for", "leader": "epoch"}
    for role, field in kinds.items():
        changes = [(at, one.event) for at, one in enumerate(entries) if isinstance(one.event, ev.RoleChanged)]
        places = [at for at, event in changes if event.role == role]
        event = entries[places[-1]].event
        wrong = replace(event, **{field: getattr(event, field) + 1})
        changed = [*entries[: places[-1]], replace(entries[places[-1]], event=wrong), *entries[places[-1] + 1 :]]
        judged = judge_quorum(changed, tools("kip996"))
        assert judged.verdict == REJECTED and judged.state is not None, field


@pytest.mark.judges
def test_a_disk_that_forgot_is_not_judged() -> None:
    assert judge_quorum(entries_of("r13_wiped_voter"), tools("kip996")).verdict == NOT_JUDGED
