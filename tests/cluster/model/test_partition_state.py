"""What follows from the two sets of a reassignment."""

from __future__ import annotations

import msgspec

from cluster.model.partition_state import PartitionState

STATE = PartitionState(
    topic_id=1, replicas=(4, 1, 2), isr=(1, 2), leader=1, leader_epoch=0, partition_epoch=0, min_insync_replicas=1
)


def test_what_stays_is_all_but_who_leaves() -> None:
    moving = msgspec.structs.replace(STATE, adding_replicas=(4,), removing_replicas=(1,))
    assert (moving.is_reassigning, moving.target_replicas) == (True, (4, 2))
    assert (STATE.is_reassigning, STATE.target_replicas) == (False, (4, 1, 2))


def test_a_state_that_was_written_before_there_were_such_sets_has_none() -> None:
    written = msgspec.msgpack.decode(msgspec.msgpack.encode(STATE))[:-2]
    assert msgspec.convert(written, PartitionState) == STATE
