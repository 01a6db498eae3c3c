"""The quorum as labelled steps."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import NodeId
from tests.support.specification.outside import entries_of
from workbench.specification.causal_order import Recording
from workbench.specification.not_judged import NotJudged
from workbench.specification.quorum_line import ADDED, QuorumState, quorum_line
from workbench.specification.words import ACTIONS


def line_of(scenario: str) -> list[QuorumState]:
    return quorum_line(Recording(entries_of(scenario)))[0]


def went_on(*steps: tuple[NodeId, str, ev.Event]) -> list[str]:
    """The labels that a quiet quorum, led by 103 in epoch 1 and with three records, gets for what happens next.

    steps: who, what was handled, what was told of it.
    """
    entries: list[Entry] = list(entries_of("r01_cold_start"))
    quiet = len(quorum_line(Recording(entries))[0])
    now, clock = max(one.t_ns for one in entries), max(one.lamport for one in entries)
    for at, (node, trigger, event) in enumerate(steps, start=1):
        last = max((one for one in entries if one.node == node), key=lambda one: one.seq)
        entries.append(
            replace(last, seq=last.seq + 1, t_ns=now + at * 1000, lamport=clock + at, cause=None, trigger=trigger,
                    decision=None, event=event)
        )  # fmt: skip
    return [state.label for state in quorum_line(Recording(entries))[0][quiet:]]


def role_of(role: str, leader: NodeId) -> ev.RoleChanged:
    return ev.RoleChanged(role=role, epoch=1, leader_id=leader, voted_for=-1, why="")


def appended(role: str) -> ev.MetadataAppended:
    return ev.MetadataAppended(base_offset=3, end_offset=5, epochs=((1, 3), (1, 4)), kinds=("A", "B"), role=role)


def test_an_election_is_a_round_of_pre_votes_and_one_of_votes() -> None:
    labels = [state.label for state in line_of("r01_cold_start")]
    assert labels[:2] == ["init", "timeout"] and labels.index("conclude") < labels.index("become-leader")
    assert set(labels) - {"init"} <= set(ACTIONS) and set(ADDED) <= set(ACTIONS)


def test_a_fetch_that_brought_records_is_sent_answered_and_handled() -> None:
    counted = Counter(state.label for state in line_of("r02_kill_leader"))
    assert counted["send-fetch"] == counted["accept-fetch"] >= counted["handle-fetch"] > 0


def test_the_rest_of_a_batch_asks_for_nothing_more() -> None:
    ends = ((102, 3), (103, 5))
    counted = ev.MetadataHighWatermarkAdvanced(epoch=1, high_watermark=3, role="leader", log_end_offsets=ends)
    labels = went_on(
        (103, "timer controller.session_check", appended("leader")), (103, "FetchRequest from 102", counted),
        (102, "FetchResponse from 103", appended("follower")),
    )  # fmt: skip
    assert labels[-4:] == ["send-fetch", "accept-fetch", "handle-fetch", "batch-tail"]
    assert labels.count("send-fetch") == 1, "a second one would tell the leader of half a batch"


def test_a_leader_that_an_answer_names_ends_the_round_in_that_step() -> None:
    asked = (102, "timer quorum.fetch", role_of("prospective", -1))
    labels = went_on(asked, (102, "VoteResponse from 101", role_of("follower", 103)))
    assert labels == ["timeout", "vote-request", "vote-response"]


def test_an_answer_that_comes_after_its_round_is_told_as_late() -> None:
    asked = (102, "timer quorum.fetch", role_of("prospective", -1))
    gave_up = (102, "timer quorum.election", role_of("unattached", -1))
    learned = (102, "VoteResponse from 101", role_of("follower", 103))
    assert went_on(asked, gave_up, learned) == ["timeout", "lose", "conclude", "late-vote"]


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


@pytest.mark.parametrize(
    ("scenario", "why"),
    [("v05_bug_of_2015", r"may change \(KIP-853\)"), ("z01_race", "ZooKeeper keeps the metadata")],
)
def test_voters_in_the_log_and_zookeeper_are_not_judged(scenario: str, why: str) -> None:
    with pytest.raises(NotJudged, match=why):
        line_of(scenario)


def test_a_fetch_that_is_answered_late_and_an_answer_to_an_announcement_only_name_a_leader() -> None:
    later = ev.RoleChanged(role="unattached", epoch=2, leader_id=-1, voted_for=-1, why="")
    asked = (102, "timer quorum.fetch", role_of("prospective", 103))
    assert went_on(asked, (102, "FetchResponse from 103", later)) == ["timeout", "late-fetch"]
    assert went_on((103, "BeginQuorumEpochResponse from 102", later)) == ["begin-answer"]
