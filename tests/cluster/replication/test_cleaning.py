"""When a replica compacts its log."""

from __future__ import annotations

from cluster.model.effects import CleanLog, Emit
from cluster.model.events import CleaningBegan
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import Settings
from cluster.model.topic_settings import Compaction
from cluster.replication.cleaning import clean
from cluster.replication.state import FOLLOWS, LEADS, ReplicaRole, ReplicaState, Shared
from cluster.storage.disk import Disk
from cluster.storage.memory_files import MemoryFiles
from tests.cluster.storage.test_compaction import USERS, written

AT_ONCE = Compaction(0)


def replica(role: ReplicaRole = LEADS, high_watermark: int = 7, wanted: Compaction | None = AT_ONCE) -> ReplicaState:
    log = written(Disk(MemoryFiles()), *"ABABCAD")
    shared = Shared(broker_id=1, settings=Settings())
    state = ReplicaState(topic_partition=USERS, shared=shared, log=log, high_watermark=high_watermark)
    state.role, state.compaction, state.end_offset = role, wanted, 7
    return state


def test_the_event_with_its_decision_comes_first() -> None:
    event, asked = clean(replica(role=FOLLOWS), 77)
    assert isinstance(event, Emit) and isinstance(event.event, CleaningBegan) and event.decision is not None
    assert (event.event.end_offset, event.event.active_offset, event.event.role) == (6, 6, "follower")
    assert asked == CleanLog(USERS, 6, 86_400_000, 77)


def test_who_has_no_role_or_no_such_topic_keeps_all() -> None:
    assert clean(replica(role=ReplicaRole.IDLE), 0) == []
    assert clean(replica(wanted=None), 0) == []
    assert clean(replica(high_watermark=0), 0) == []


def test_nothing_is_compacted_beyond_the_last_stable_offset() -> None:
    """Else who reads committed records finds no value of a key: the old one went, and the new one lies further on."""
    disk = Disk(MemoryFiles())
    log = written(disk, *"AB")
    log.append(encode_batch([Record(b"C", b"open")], 2, 0, transactional=True, sequenced=(7, 0, 0)))
    log = written(disk, *"ABABA")
    state = replica(high_watermark=8)
    state.log = log
    ((told, _), (again, _)) = clean(state, 0), clean(replica(), 0)
    assert isinstance(told, Emit) and isinstance(told.event, CleaningBegan) and told.event.end_offset == 2
    assert isinstance(again, Emit) and isinstance(again.event, CleaningBegan) and again.event.end_offset == 6
