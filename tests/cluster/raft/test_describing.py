"""DescribeQuorum on a living quorum, and what a leader notes of a fetch."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NodeId
from cluster.model.messages import DescribeQuorumRequest, DescribeQuorumResponse
from tests.support.worlds.node_world import NodeWorld

ROLES = dict.fromkeys((101, 102, 103), ("controller",)) | dict.fromkeys((1, 2), ("broker",))


def described(world: NodeWorld, node: NodeId) -> DescribeQuorumResponse:
    answer = world.answered[world.send_as_client(node, DescribeQuorumRequest())]
    assert isinstance(answer, DescribeQuorumResponse)
    return answer


def ready() -> NodeWorld:
    world = NodeWorld(ROLES)
    world.until(lambda: world.active() != -1 and len(world.nodes[world.active()].image.unfenced_brokers()) == 2)
    return world


def test_the_leader_tells_of_voters_and_observers() -> None:
    world = ready()
    active = world.active()
    told = described(world, active)
    quorum = world.nodes[active].quorum
    assert (told.error, told.leader_id, told.leader_epoch) == (0, active, quorum.epoch)
    assert told.high_watermark == quorum.high_watermark
    assert [voter for voter, *_ in told.voters] == [101, 102, 103]
    assert [observer for observer, *_ in told.observers] == [1, 2]
    end = world.metadata_log(active).log_end_offset
    assert (active, end, 0, 0) in told.voters
    assert all(offset == end and 0 <= fetched_ms <= caught_up_ms < 1_000 for _, offset, fetched_ms, caught_up_ms
               in told.voters + told.observers if _ != active)  # fmt: skip


def test_another_node_names_the_leader() -> None:
    world = ready()
    active = world.active()
    for node in (1, *(voter for voter in (101, 102, 103) if voter != active)):
        told = described(world, node)
        assert (told.error, told.leader_id, told.voters) == (ErrorCode.NOT_CONTROLLER, active, ())


def test_a_voter_that_is_gone_falls_behind_in_the_description() -> None:
    world = ready()
    active = world.active()
    gone = next(voter for voter in (101, 102, 103) if voter != active)
    world.kill(gone)
    before = world.now_ms
    world.until(lambda: world.now_ms >= before + 2_000)
    told = {voter: (offset, fetched_ms, caught_up_ms) for voter, offset, fetched_ms, caught_up_ms
            in described(world, active).voters}  # fmt: skip
    offset, fetched_ms, caught_up_ms = told[gone]
    assert offset < told[active][0], "the idle quorum goes on writing"
    assert fetched_ms >= 1_900
    assert caught_up_ms >= fetched_ms


def test_a_leader_of_a_new_epoch_knows_nobody_yet() -> None:
    world = NodeWorld({101: ("controller",)})
    world.until(lambda: world.active() == 101)
    told = described(world, 101)
    assert ([voter for voter, *_ in told.voters], told.observers) == ([101], ())
