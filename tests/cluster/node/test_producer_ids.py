"""Producer ids of a whole cluster: none is given twice, whoever asks whom and whatever dies."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.messages import InitProducerIdRequest
from tests.support.worlds.replica_world import ReplicaWorld


def fresh_id(world: ReplicaWorld, node: int) -> int:
    """As a client that tries again until it has one."""
    for _ in range(50):
        answer = world.answer_of(world.send_as_client(node, InitProducerIdRequest(client_id="p")))
        if answer.error == ErrorCode.NONE:
            assert answer.producer_epoch == 0
            return int(answer.producer_id)
        assert answer.error == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        world.wait(50)
    raise AssertionError("no id")


def test_ids_are_unique_across_brokers_restarts_and_controllers() -> None:
    world = ReplicaWorld()
    ids = [fresh_id(world, node) for node in (1, 2, 3, 1)]
    world.kill(2)
    world.kill(world.active())
    world.start(2)
    ids += [fresh_id(world, node) for node in (1, 2, 3, 2)]
    assert len(set(ids)) == len(ids)
    assert ids[3] == ids[0] + 1, "one broker gives the ids of its block in order"
    assert ids[5] > max(ids[:4]), "a new life of a broker begins a new block"


def test_a_controller_has_no_ids_for_producers() -> None:
    world = ReplicaWorld()
    answer = world.answer_of(world.send_as_client(world.active(), InitProducerIdRequest(client_id="p")))
    assert answer.error == ErrorCode.COORDINATOR_NOT_AVAILABLE
