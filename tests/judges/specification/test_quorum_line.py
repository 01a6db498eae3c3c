"""The quorum as labelled steps."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import NodeId
from judges.specification.causal_order import Recording
from judges.specification.not_judged import NotJudged
from judges.specification.quorum_line import quorum_line
from judges.specification.quorum_state import ADDED, QuorumState
from judges.specification.words import ACTIONS
from tests.support.specification.outside import entries_of


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


def test_an_answer_that_comes_after_its_round_is_one_like_others() -> None:
    asked = (102, "timer quorum.fetch", role_of("prospective", -1))
    gave_up = (102, "timer quorum.election", role_of("unattached", -1))
    learned = (102, "VoteResponse from 101", role_of("follower", 103))
    assert went_on(asked, gave_up, learned) == ["timeout", "give-up", "vote-request", "vote-response"]


def test_a_round_that_a_majority_has_refused_is_given_up_while_answers_are_out() -> None:
    told = list(entries_of("r17_five_voters", 7))
    labels = Counter(state.label for state in quorum_line(Recording(told))[0])
    at = next(at for at, one in enumerate(told) if is_refusal_of_a_majority(one))
    told[at] = replace(told[at], event=replace(told[at].event, granted=True))
    assert labels["give-up"] == 1 + Counter(state.label for state in quorum_line(Recording(told))[0])["give-up"]


def is_refusal_of_a_majority(entry: Entry) -> bool:
    event = entry.event
    return isinstance(event, ev.VoteReceived) and event.pre_vote and event.rejected_count == event.needed


def test_what_was_handled_once_comes_again_before_it_is_handled_again() -> None:
    states = quorum_line(Recording(entries_of("r17_five_voters", 1)))[0]
    for at, state in enumerate(states):
        if state.label == "again":
            assert states[at + 1].message == state.message and states[at + 1].label in ("vote-request", "vote-response")


def test_a_cut_is_where_the_leader_says_that_the_logs_part() -> None:
    states = line_of("r05_tail_truncation")
    at = next(at for at, state in enumerate(states) if state.label == "diverging")
    assert len(states[at].voters[0].log) == 4 and len(states[at + 1].voters[0].log) == 2


def test_disks_that_forget_are_not_judged() -> None:
    with pytest.raises(NotJudged, match="voter 101 came back without its epoch"):
        line_of("r13_wiped_voter")


@pytest.mark.parametrize(
    ("scenario", "why"),
    [("r14_duplicates_and_reordering", "loses, doubles or overtakes frames"),
     ("s01_leader_dies_while_it_gives_a_snapshot", "took over a snapshot")],
)  # fmt: skip
def test_an_unkind_network_and_a_snapshot_taken_over_are_not_judged(scenario: str, why: str) -> None:
    with pytest.raises(NotJudged, match=why):
        line_of(scenario)


def came_back(**told: int) -> list[Entry]:
    """102, which died as it voted for 103 in epoch 1, comes back with a quorum-state of that kind."""
    entries = list(entries_of("r18_dies_as_it_votes"))
    for at, one in enumerate(entries):
        is_later = (one.node, one.incarnation) == (102, 1)
        if is_later and isinstance(one.event, ev.QuorumBooted):
            entries[at] = replace(one, event=replace(one.event, **told))
        elif is_later and isinstance(one.event, ev.RoleChanged) and "voted_for" in told:
            entries[at] = replace(one, event=replace(one.event, voted_for=told["voted_for"]))
    return entries


def test_an_epoch_that_only_a_disk_knows_is_not_judged_and_a_vote_is_taken_over() -> None:
    with pytest.raises(NotJudged, match="voter 102 died between an epoch on its disk and the event that tells it"):
        line_of("r18_dies_as_it_votes")
    states = quorum_line(Recording(came_back(voted_for=103)))[0]
    at = next(at for at, state in enumerate(states) if state.said == "a vote that only its disk knows of")
    assert [state.label for state in states[at : at + 2]] == ["vote-request", "restart"]
    assert states[at].voters[1].voted == states[at + 1].voters[1].voted == 103


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
