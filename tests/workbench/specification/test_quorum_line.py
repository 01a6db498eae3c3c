"""The quorum as labelled steps."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from cluster.model import events as ev
from tests.support.specification.outside import entries_of
from workbench.specification.causal_order import Recording
from workbench.specification.not_judged import NotJudged
from workbench.specification.quorum_line import ADDED, QuorumState, quorum_line
from workbench.specification.words import ACTIONS


def line_of(scenario: str) -> list[QuorumState]:
    return quorum_line(Recording(entries_of(scenario)))[0]


def test_an_election_is_a_round_of_pre_votes_and_one_of_votes() -> None:
    labels = [state.label for state in line_of("r01_cold_start")]
    assert labels[:2] == ["init", "timeout"] and labels.index("conclude") < labels.index("become-leader")
    assert set(labels) - {"init"} <= set(ACTIONS) and set(ADDED) <= set(ACTIONS)


def test_a_fetch_that_brought_records_is_sent_answered_and_handled() -> None:
    counted = Counter(state.label for state in line_of("r02_kill_leader"))
    assert counted["send-fetch"] == counted["accept-fetch"] >= counted["handle-fetch"] > 0


def test_a_cut_is_where_the_leader_says_that_the_logs_part() -> None:
    states = line_of("r05_tail_truncation")
    at = next(at for at, state in enumerate(states) if state.label == "diverging")
    assert len(states[at].voters[0].log) == 4 and len(states[at + 1].voters[0].log) == 2


def test_disks_that_forget_are_not_judged() -> None:
    with pytest.raises(NotJudged, match="voter 101 came back without its epoch"):
        line_of("r13_wiped_voter")


def test_pre_votes_that_are_off_voters_that_change_and_no_quorum_are_not_judged() -> None:
    entries = list(entries_of("r01_cold_start"))
    began = next(at for at, one in enumerate(entries) if isinstance(one.event, ev.RunStarted))
    started = entries[began].event
    assert isinstance(started, ev.RunStarted)
    off = [*entries]
    off[began] = replace(entries[began], event=replace(started, config='{"pre_vote": false}'))
    boots = [at for at, one in enumerate(entries) if isinstance(one.event, ev.QuorumBooted)]
    last = entries[boots[-1]]
    assert isinstance(last.event, ev.QuorumBooted)
    grown = [*entries]
    grown[boots[-1]] = replace(last, event=replace(last.event, voters=(101, 102, 103, 104)))
    for changed, why in ((off, "pre-votes are off"), (grown, "the voters change"), ([], "no quorum")):
        with pytest.raises(NotJudged, match=why):
            quorum_line(Recording(changed))
