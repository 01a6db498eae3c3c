"""The tool that plants mistakes plants each where it says, nowhere else, and tells who sees it."""

from __future__ import annotations

import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import pytest

from cluster.model.identifiers import NO_NODE, LogEnd
from cluster.model.messages import VoteRequest
from cluster.raft.roles import Role
from cluster.raft.rules.votes import VoterFacts, grant_pre_vote, majority
from cluster.rule_list import listed_rules
from tests.mutants.answers import Answers
from tests.mutants.crowds import Fate, crowds, of_crowd
from tests.mutants.forks import in_forks
from tests.mutants.known import read_known
from tests.mutants.plant import Probes, can_be_planted, function_of, plant
from tests.mutants.reasons import NUMBERS, SAME, TIME, Why, first_difference
from tests.mutants.rooms import LEFT_OUT, RULES, chosen, files, of_file, part
from tests.mutants.sites import ROOT, Mutant
from tests.mutants.swarm_judge import KINDS, Sound, kind, sound

MUTANTS = {mutant.name: mutant for mutant in chosen(())}
TOO_FEW = "cluster/raft/rules/votes.py:majority:voter_count // 2 + 1: 1 -> 0"
SHORT_WAY = next(name for name in read_known().equivalent if ":diverging_epoch:" in name)
DEADLY = (
    "cluster/raft/rules/votes.py:grant_vote:yes_or_no(False, refusal, _compared_logs(facts, request)): False -> True",
    "cluster/controller/rules/reassignment.py:next_leader_epoch:leader != state.leader or bool(gone) without clause 1",
    "cluster/replication/watermark.py:_move:if not ruling.granted -> False",
)

SEED = 1
"""Of the swarm, in which all of these matter but one."""
HARMLESS = "cluster/raft/rules/votes.py:grant_pre_vote:refusal or 'would vote: its log is not behind' with and"
LATER = "cluster/broker/lifecycle.py:BrokerLifecycle._backoff_ms:interval_ms // 20: 20 -> 19"


def test_every_mutant_has_a_name_of_its_own_and_those_that_are_known_are_there() -> None:
    assert len(MUTANTS) == sum(len(of_file(file)) for file in files())
    known = read_known()
    assert not [name for name in (*known.equivalent, *known.free) if name not in MUTANTS]


def test_every_file_that_is_left_out_is_there() -> None:
    assert not [name for name in LEFT_OUT if not (ROOT / "cluster" / f"{name}.py").is_file()]


def test_seeds_in_turns_meet_transactions_changing_voters_and_the_mode_with_zookeeper() -> None:
    asked = [kind(seed) for seed in range(1, 1 + len(KINDS))]
    assert {name for each in asked for name in each} == {"transactions", "voter_changes", "fetch_sessions", "control"}
    assert {} in asked


@pytest.mark.parametrize("file", files())
def test_a_mutant_fits_where_its_function_is(file: str) -> None:
    some = of_file(file)[:: max(1, len(of_file(file)) // 3)]
    assert not [mutant.name for mutant in some if not can_be_planted(mutant)]


def test_a_mistake_is_in_the_child_where_it_was_planted_and_in_no_other() -> None:
    def planted() -> int:
        plant(MUTANTS[TOO_FEW])
        return majority(5)

    found = dict(in_forks([("planted", planted), ("not", lambda: majority(5))], 2, 60))
    assert found == {"planted": 2, "not": 3}
    assert majority(5) == 3


def test_what_the_tool_itself_raises_is_no_death_of_a_mutant() -> None:
    def broken() -> int:
        raise ValueError("of the tool")

    with pytest.raises(AssertionError, match="of the tool"):
        list(in_forks([("broken", broken)], 1, 60))


def test_a_probe_tells_which_mistakes_would_make_a_difference() -> None:
    def watched() -> set[str]:
        probes = Probes()
        probes.plant("cluster/raft/rules/votes.py", of_file("cluster/raft/rules/votes.py"))
        assert majority(5) == 3, "a function that is watched does what it did"
        return probes.hits

    ((_, hits),) = in_forks([("watched", watched)], 1, 60)
    assert TOO_FEW in hits
    assert {name.split(":")[1] for name in hits} == {"majority"}


@pytest.mark.parametrize("name", DEADLY)
def test_the_swarm_sees_a_mistake_that_matters(name: str) -> None:
    (fate,) = _fates([MUTANTS[name]])
    assert fate.death is not None
    assert fate.death.where == str(SEED)


def test_the_swarm_sees_nothing_where_nothing_differs() -> None:
    (fate,) = _fates([MUTANTS[SHORT_WAY]])
    assert (fate.death, fate.differs) == (None, False)


@pytest.mark.slow
def test_a_crowd_tells_which_of_its_mistakes_is_wrong() -> None:
    fates = {fate.mutant.name: fate for fate in _fates([MUTANTS[SHORT_WAY], MUTANTS[DEADLY[0]], MUTANTS[HARMLESS]])}
    assert {name for name, fate in fates.items() if fate.death} == {DEADLY[0]}
    assert not fates[SHORT_WAY].differs
    assert fates[HARMLESS].differs


@pytest.mark.slow
@pytest.mark.parametrize(("name", "reason"), [(LATER, TIME), (HARMLESS, NUMBERS), (SHORT_WAY, SAME)])
def test_a_survivor_has_the_class_of_what_first_differs(name: str, reason: str) -> None:
    def work() -> Why:
        return first_difference(MUTANTS[name], [_sound()])

    ((_, found),) = in_forks([(name, work)], 1, 60)
    assert found.reason == reason


def test_mistakes_of_one_function_are_in_different_crowds() -> None:
    some = chosen(["raft/rules/"])[:40]
    made = crowds(some, 5)
    assert sorted(one.name for crowd in made for one in crowd) == sorted(one.name for one in some)
    assert all(len({one.function for one in crowd}) == len(crowd) <= 5 for crowd in made)


def _sound() -> Sound:
    found = sound(SEED, Probes(), Answers(()))
    return Sound(SEED, found.cpu_s, frozenset(MUTANTS), found.unexpected, found.trace)


def _fates(crowd: list[Mutant]) -> list[Fate]:
    def work() -> list[Fate]:
        return of_crowd(crowd, [_sound()], until_they_differ=True)

    ((_, fates),) = in_forks([("crowd", work)], 1, 60)
    assert isinstance(fates, list)
    return fates


@pytest.mark.slow
def test_a_pass_says_who_sees_what_and_goes_on_where_it_was(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.mutants", "--only", "raft/rules/votes.py:majority:", "--seeds", "1"]
    command += ["--judges", "unit", "--jobs", "1", "--results", str(tmp_path / "results.jsonl")]
    first = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "unit: 4/4" in first.stderr
    row = next(line.split() for line in first.stdout.splitlines() if line.startswith("raft"))
    assert row[1] == "4"
    assert "4/4" in row
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "unit:" not in again.stderr
    assert again.stdout == first.stdout


def test_the_rules_proper_are_what_is_listed_as_rules_and_the_epochs_of_a_log() -> None:
    listed = {rule.file for rule in listed_rules()}
    assert {file for file in files() if part(file) == RULES} == listed | {"cluster/model/leader_epochs.py"}


VOTES = "cluster/raft/rules/votes.py"
REQUEST = VoteRequest(voter_id=1, candidate_id=2, epoch=3, last_epoch=2, last_offset=5, pre_vote=True)


def test_a_rule_is_asked_what_it_would_have_answered_with_each_mistake() -> None:
    def asked() -> tuple[set[str], set[str]]:
        probes, answers = Probes(), Answers(of_file(VOTES))
        probes.plant(VOTES, of_file(VOTES))
        answers.plant(probes)
        facts = VoterFacts(
            role=Role.PROSPECTIVE, voted_for=NO_NODE, leader_id=NO_NODE, has_fetched=False, log_end=LogEnd(2, 5)
        )
        with answers.asked():
            assert grant_pre_vote(facts, REQUEST).granted, "a rule that is asked answers as it did"
            assert majority(5) == 3
        return answers.decides, answers.tells

    ((_, (decides, tells)),) = in_forks([("asked", asked)], 1, 60)
    assert TOO_FEW in decides
    assert HARMLESS in tells - decides


@pytest.mark.slow
def test_mistakes_that_change_no_answer_are_in_the_same_run() -> None:
    def work() -> tuple[int, list[str]]:
        rules = [mutant for mutant in MUTANTS.values() if part(mutant.file) == RULES]
        probes, answers = Probes(), Answers(rules)
        for file in files():
            probes.plant(file, of_file(file))
        before = {place: function_of(*place).__code__ for place in {(one.file, one.function) for one in rules}}
        answers.plant(probes)
        found = sound(SEED, probes, answers)
        for place, code in before.items():
            function_of(*place).__code__ = code
        some = [mutant for mutant in rules if mutant.name in found.same - found.tells]
        crowded = crowds(some, len(some))
        fates = [fate for crowd in crowded for fate in of_crowd(crowd, [found], meeting=attrgetter("same"))]
        return len(some), [fate.mutant.name for fate in fates if fate.differs]

    ((_, (count, differ)),) = in_forks([("same", work)], 1, 600)
    assert count > 100
    assert not differ
