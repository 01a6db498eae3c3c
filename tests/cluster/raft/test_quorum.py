"""Whole elections in a small world: the scenarios R01-R09, and random faults."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cluster.model.effects import Send, SetTimer
from cluster.model.events import ElectionStarted, MetadataTruncated, RoleChanged, VoteRejected
from cluster.model.inputs import Disconnected, NodeStarted, StopRequested, TimerFired
from cluster.model.settings import Settings
from cluster.raft.quorum import Quorum
from cluster.raft.roles import Role
from tests.support.worlds.quorum_harness import MemoryLog, World


def test_a_cold_start_elects_one_leader_whose_first_record_is_committed_everywhere() -> None:
    world = World(voters=3, observers=2)
    leader = world.elect()
    world.run(lambda: all(quorum.high_watermark >= 1 for quorum in world.nodes.values()))
    assert {world.nodes[node].leader_id for node in world.ids} == {leader}
    assert {saved.leader_id for saved in world.saved.values() if saved} == {leader}


def test_observers_never_ask_for_votes() -> None:
    world = World(voters=3, observers=2)
    world.elect()
    for voter in world.voters:
        world.kill(voter)
    world.run_for(30_000)
    assert {world.nodes[node].role for node in (1, 2)} == {Role.OBSERVER}


def test_the_only_voter_elects_itself_at_once() -> None:
    world = World(voters=1)
    assert world.nodes[101].role is Role.LEADER
    assert world.elect() == 101
    world.kill(101)
    world.start(101)
    assert world.nodes[101].epoch == 2


def test_a_killed_leader_is_replaced_and_comes_back_as_resigned_then_follower() -> None:
    world = World()
    old = world.elect()
    epoch = world.nodes[old].epoch
    world.kill(old)
    new = world.elect()
    assert world.nodes[new].epoch > epoch
    world.start(old)
    assert world.nodes[old].role is Role.RESIGNED
    told = [event.role for _, node, event in world.events if node == old and isinstance(event, RoleChanged)]
    assert told[-1] == "resigned", "a voter says which role it wakes up in"
    world.run(lambda: world.nodes[old].role is Role.FOLLOWER)
    world.run(lambda: world.logs[old].marks() == world.logs[new].marks())


def test_a_leader_cut_off_resigns_and_its_tail_is_cut_when_it_returns() -> None:
    world = World()
    old = world.elect()
    world.isolate(old)
    lost = world.propose(old)
    world.run(lambda: world.nodes[old].role is not Role.LEADER, 3_100)
    new = world.elect()
    assert new != old
    world.run_for(20_000)
    assert world.nodes[old].epoch <= world.nodes[new].epoch
    world.cut.clear()
    world.run(lambda: world.nodes[old].role is Role.FOLLOWER)
    world.run(lambda: world.logs[old].marks() == world.logs[new].marks())
    assert any(isinstance(event, MetadataTruncated) and event.end_offset <= lost for _, _, event in world.events)
    assert world.leader() == new, "its return disturbs nobody"


def test_an_observer_that_reaches_no_voter_does_not_wait_for_the_request_timeout() -> None:
    world = World(observers=1)
    leader = world.elect()
    world.run(lambda: world.nodes[1].leader_id == leader)
    world.kill(leader)
    new = world.elect()
    elected_ms = world.now_ms
    world.run(lambda: world.nodes[1].leader_id == new)
    assert world.now_ms - elected_ms < world.settings.quorum_request_timeout_ms // 4


def test_a_follower_that_lost_its_connection_still_waits_for_its_fetch_timeout() -> None:
    world = World()
    leader = world.elect()
    epoch = world.nodes[leader].epoch
    follower = next(node for node in world.voters if node != leader)
    world.run_for(100)
    began = world.now_ms
    world.kill(leader)
    world.feed(follower, Disconnected(peer=leader))
    world.run(lambda: world.nodes[world.elect()].epoch > epoch)
    candidacies = [at for at, _, event in world.events if isinstance(event, ElectionStarted) and at > began]
    assert candidacies[0] - began > world.settings.quorum_fetch_timeout_ms // 2


def test_a_follower_cut_off_for_a_minute_changes_no_epoch_with_pre_vote() -> None:
    world = World()
    leader = world.elect()
    epoch = world.nodes[leader].epoch
    away = next(node for node in world.voters if node != leader)
    world.isolate(away)
    world.run_for(60_000)
    world.cut.clear()
    world.run(lambda: world.nodes[away].role is Role.FOLLOWER)
    assert (world.leader(), world.nodes[leader].epoch) == (leader, epoch)


def test_without_pre_vote_the_isolated_node_inflates_its_epoch_and_forces_an_election() -> None:
    world = World(settings=Settings(pre_vote=False))
    leader = world.elect()
    epoch = world.nodes[leader].epoch
    away = next(node for node in world.voters if node != leader)
    world.isolate(away)
    world.run_for(60_000)
    assert world.nodes[away].epoch > epoch + 5
    world.cut.clear()
    world.run(lambda: (world.leader() is not None) and world.nodes[world.elect()].epoch > epoch + 5)


def test_a_log_that_is_behind_cannot_win() -> None:
    world = World()
    leader = world.elect()
    behind = next(node for node in world.voters if node != leader)
    world.isolate(behind)
    world.propose(leader)
    world.run_for(200)
    world.cut.clear()
    world.kill(leader)
    new = world.elect()
    assert new not in (behind, leader)


def test_a_vote_survives_a_restart() -> None:
    world = World()
    world.run(lambda: any(saved and saved.voted_for != -1 for saved in world.saved.values()))
    voter = next(node for node, saved in world.saved.items() if saved and saved.voted_for != -1)
    before = world.saved[voter]
    world.kill(voter)
    world.start(voter)
    assert before is not None
    assert world.saved[voter] == before or world.nodes[voter].epoch > before.epoch


def test_a_leader_asked_to_stop_hands_over_faster_than_an_election_timeout() -> None:
    world = World()
    old = world.elect()
    epoch = world.nodes[old].epoch
    began = world.now_ms
    world.feed(old, StopRequested())
    world.run(lambda: world.nodes[old].is_stopped)
    world.kill(old)
    new = world.elect()
    assert world.nodes[new].epoch == epoch + 1
    assert world.now_ms - began < world.settings.quorum_election_timeout_ms


def test_five_voters_go_on_with_two_down_and_stop_with_three_down() -> None:
    world = World(voters=5)
    for _ in range(2):
        world.kill(world.elect())
    third = world.elect()
    high_watermark = world.nodes[third].high_watermark
    other = next(node for node in world.nodes if node != third)
    world.kill(other)
    world.run(lambda: world.nodes[third].role is not Role.LEADER, 3_100)
    world.run_for(30_000)
    assert world.leader() is None
    assert all(quorum.high_watermark <= high_watermark + 1 for quorum in world.nodes.values())


def test_refused_votes_and_roles_are_told() -> None:
    world = World(voters=5, seed=3)
    for _ in range(2):
        world.kill(world.elect())
    kinds = {type(event) for _, _, event in world.events}
    assert {ElectionStarted, RoleChanged} <= kinds
    assert all(event.why for _, _, event in world.events if isinstance(event, VoteRejected))


@pytest.mark.parametrize("seed", range(60))
def test_random_faults_never_break_election_safety_or_lose_what_is_committed(seed: int) -> None:
    world = World(voters=3 if seed % 2 else 5, observers=1, seed=seed, settings=Settings(pre_vote=bool(seed % 3)))
    dice = world.random
    for _ in range(40):
        world.run_for(dice.randint(20, 3_000))
        leader = world.leader()
        if leader is not None:
            world.propose(leader)
        up, down = sorted(world.nodes), sorted(set(world.ids) - set(world.nodes))
        action = dice.randrange(5)
        if action == 0 and len(up) > 2:
            world.kill(dice.choice(up), power_loss=bool(dice.randrange(2)))
        elif action == 1 and down:
            world.start(dice.choice(down))
        elif action == 2:
            world.isolate(dice.choice(world.ids))
        elif action == 3:
            world.cut.add((dice.choice(world.ids), dice.choice(world.ids)))
        else:
            world.cut.clear()
    world.cut.clear()
    for node in sorted(set(world.ids) - set(world.nodes)):
        world.start(node)
    world.run_for(10_000)
    leader = world.elect()
    wanted = world.propose(leader)
    world.run(lambda: all(quorum.high_watermark > wanted for quorum in world.nodes.values()))
    ends = {tuple(log.marks()[:wanted]) for log in world.logs.values()}
    assert len(ends) == 1


@pytest.mark.parametrize(("percent", "jitter_ms"), [(100, 1000), (25, 250), (0, 0)])
def test_the_election_timer_is_drawn_from_a_range_as_wide_as_the_settings_say(percent: int, jitter_ms: int) -> None:
    settings = replace(Settings(), quorum_election_timeout_ms=1000, quorum_election_spread_percent=percent)
    quorum = Quorum(101, (101, 102, 103), settings, MemoryLog(), None)
    timers = [effect for effect in quorum.handle(NodeStarted(), 0) if isinstance(effect, SetTimer)]
    assert [(timer.delay_ms, timer.jitter_ms) for timer in timers if timer.name == "quorum.election"] == [
        (1000, jitter_ms)
    ]


def test_the_timer_of_a_fetch_stays_when_it_is_answered_and_then_finds_nothing() -> None:
    world = World()
    leader = world.elect()
    follower = next(node for node in world.ids if node != leader)
    state = world.nodes[leader]._state
    world.run(lambda: follower in state.parked)
    timer = TimerFired(name=f"quorum.parked.{follower}")
    (answer,) = world.nodes[leader].handle(timer, world.now_ms)
    assert isinstance(answer, Send) and answer.target == follower
    assert world.nodes[leader].handle(timer, world.now_ms) == []
