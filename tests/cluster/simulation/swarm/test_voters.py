"""The swarm asks for changes of the voters, and replaces no disk without which a quorum is gone."""

from __future__ import annotations

from random import Random
from typing import cast

from cluster.commands.clients import Job
from cluster.faults.grammar import parse_command
from cluster.language.voters import AddVoter, RemoveVoter
from cluster.model.events import LeaderElected, RoleChanged, VotersChanged
from cluster.picture.cluster_state import ClusterState
from cluster.simulation.swarm.plan import VOTERS_SHARE, draw_plan
from cluster.simulation.swarm.voters import SwarmVoters
from tests.support.traces.traces import Trace

CONTROLLERS = (101, 102, 103, 104)


def picture(*voters: int) -> ClusterState:
    """All controllers live, and the first leads these."""
    trace, state = Trace(), ClusterState()
    trace.run(dynamic_quorum=True)
    for node in CONTROLLERS:
        trace.start(node, "controller")
        disks = tuple(f"disk-{voter}" for voter in voters)
        told = VotersChanged(
            epoch=1, offset=2, voters=voters, directories=disks, directory_id=f"disk-{node}", why="by hand"
        )
        trace.add(node, told)
    leader = voters[0]
    trace.add(leader, RoleChanged(role="leader", epoch=1, leader_id=leader, voted_for=leader, why="by hand"))
    trace.add(leader, LeaderElected(epoch=1, epoch_start_offset=0, votes=voters))
    for entry in trace.entries:
        state.apply(entry)
    return state


def swarm_of(*, replaces: bool, answers: bool = True) -> tuple[SwarmVoters, list[AddVoter | RemoveVoter], list[str]]:
    asked: list[AddVoter | RemoveVoter] = []
    sent: list[str] = []

    def begin(command: AddVoter | RemoveVoter) -> list[Job]:
        asked.append(command)
        return cast("list[Job]", ["an answer"]) if answers else []

    def send(command: str) -> bool:
        sent.append(command)
        return True

    return SwarmVoters(Random(1), begin, send, CONTROLLERS, 0.5, replaces=replaces), asked, sent


def test_voters_are_added_and_removed_by_commands() -> None:
    swarm, asked, sent = swarm_of(replaces=False)
    state = picture(101, 102, 103)
    for tenth in range(1, 500):
        swarm.look(tenth / 10, state)
    assert 60 < len(asked) < 150
    assert {type(command) for command in asked} == {AddVoter, RemoveVoter}
    assert all(parse_command(str(command)) == command and not command.wait for command in asked)
    assert sent == [] and not swarm.unanswered()


def test_no_voter_is_removed_while_another_change_waits_for_its_answer() -> None:
    """Found by the swarm, seed 320913 with all parts: two that waited left one voter of three."""
    swarm, asked, _ = swarm_of(replaces=False, answers=False)
    for tenth in range(1, 500):
        swarm.look(tenth / 10, picture(101, 102, 103))
    assert swarm.unanswered()
    assert len(asked) > 20 and not any(isinstance(command, RemoveVoter) for command in asked[1:])


def test_a_disk_is_replaced_only_while_a_majority_of_the_others_lives() -> None:
    swarm, asked, sent = swarm_of(replaces=True)
    state = picture(101, 102, 103)
    for tenth in range(1, 500):
        swarm.look(tenth / 10, state)
    wiped = {command.removeprefix("wipe ") for command in sent if command.startswith("wipe")}
    assert len(wiped & {"101", "102", "103"}) == 1, "of three voters one may go; who observes may any time"
    assert asked == []


def test_some_plans_have_voters_that_change_and_all_have_when_asked() -> None:
    plans = [draw_plan(seed, 5.0) for seed in range(400)]
    dynamic = [plan for plan in plans if plan.change_voters_every_s]
    assert abs(len(dynamic) / 400 - VOTERS_SHARE) < 0.05
    assert all(plan.config.settings.dynamic_quorum and "voters-every=" in str(plan) for plan in dynamic)
    assert any(plan.replaces_disks and plan.config.settings.auto_join for plan in dynamic)
    asked = [draw_plan(seed, 5.0, voter_changes=True) for seed in range(50)]
    assert all(plan.config.settings.dynamic_quorum for plan in asked)
    both = [plan for plan in dynamic if plan.config.settings.fetch_snapshot_max_bytes < 1_048_576]
    assert len(both) > 3, "their snapshots name the voters"
    assert all(plan.config.controllers - plan.config.settings.spare_controllers >= 1 for plan in asked)
