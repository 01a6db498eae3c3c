"""A node that is behind the log start fetches a snapshot in chunks, and nothing half loaded is ever used."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from cluster.model.effects import (
    AdvanceLogStart,
    DeleteSnapshots,
    Effect,
    Emit,
    Flush,
    HaltNode,
    InstallSnapshot,
    Send,
    SetTimer,
    WriteSnapshot,
)
from cluster.model.errors import ErrorCode
from cluster.model.events import RoleChanged, SnapshotFetchEnded, SnapshotInstalled, SnapshotRejected
from cluster.model.identifiers import METADATA, LogEnd, SnapshotId
from cluster.model.inputs import Flushed, NodeStarted, Received, TimerFired
from cluster.model.leader_epochs import LeaderEpochs
from cluster.model.log_view import KeptSnapshot, SegmentFacts
from cluster.model.messages import (
    BeginQuorumEpochRequest,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    Message,
    VoteRequest,
    VoteResponse,
)
from cluster.model.metadata_records import TopicRecord
from cluster.model.settings import Settings
from cluster.model.snapshot import encode_snapshot
from cluster.model.voters import Voter
from cluster.raft.quorum import Quorum
from cluster.raft.roles import Role
from cluster.raft.snapshots import Applied, Made, on_fetch_snapshot_request, write_when_due
from cluster.raft.state import QuorumState
from cluster.raft.timers import ELECTION_TIMER, FETCH_RETRY_TIMER, FETCH_TIMER, RETENTION_TIMER, set_check_timer
from cluster.raft.voter_history import VoterHistory
from cluster.raft.voter_sets import adopt

ME, LEADER, OTHER = 103, 101, 102
S10, S20 = SnapshotId(10, 2), SnapshotId(20, 3)
ASKS = (FetchRequest, FetchSnapshotRequest)
DATA = encode_snapshot(S20, [TopicRecord(topic="orders", topic_id=1, min_insync_replicas=1)], 7)
SETTINGS = replace(Settings(), fetch_snapshot_max_bytes=100)


class Log:
    """A LogView of which only the ends matter."""

    def __init__(self, start: int = 0, end: LogEnd | None = None) -> None:
        self.log_start_offset, self._end = start, end or LogEnd(0, 0)
        self.leader_epochs = LeaderEpochs([(end.epoch, start)] if end else [])

    adopted_epoch = cleaned_offset = -1
    log_end_offset = flushed_offset = property(lambda self: self._end.offset)
    last_epoch = property(lambda self: self._end.epoch)

    def segments(self) -> tuple[SegmentFacts, ...]:
        return ()

    def end(self) -> LogEnd:
        return self._end

    def end_of_cut(self, end_offset: int) -> int:
        return end_offset

    def begin_after(self, snapshot_id: SnapshotId) -> None:
        self.log_start_offset, self._end = snapshot_id.end_offset, LogEnd(snapshot_id.epoch, snapshot_id.end_offset)

    def read(self, start_offset: int, max_bytes: int, end_offset: int | None = None) -> bytes:
        raise AssertionError("nothing is read here")


class Snapshots:
    """A SnapshotView over bytes."""

    log_bytes = 1000

    def __init__(self, held: dict[SnapshotId, bytes]) -> None:
        self.held = held

    @property
    def kept(self) -> tuple[KeptSnapshot, ...]:
        return tuple(KeptSnapshot(one, len(data), 0) for one, data in sorted(self.held.items()))

    def read(self, snapshot_id: SnapshotId, position: int = 0, max_bytes: int | None = None) -> bytes | None:
        return self.held[snapshot_id][position:][:max_bytes] if snapshot_id in self.held else None


def _sent(effects: list[Effect]) -> list[Message]:
    return [effect.message for effect in effects if isinstance(effect, Send)]


def _receive(node: Quorum, sender: int, message: Message, correlation: int = 4) -> list[Effect]:
    return node.handle(Received(sender=sender, correlation=correlation, message=message), 0)


class Follower:
    """A voter with an empty log that its leader has told to fetch snapshot 20."""

    def __init__(self, voters: tuple[int, ...] = (LEADER, OTHER, ME)) -> None:
        self.log = Log()
        self.node = Quorum(ME, voters, SETTINGS, self.log, None)
        self.node.handle(NodeStarted(), 0)
        begin = BeginQuorumEpochRequest(leader_id=LEADER, epoch=5)
        asked = self._asked(_receive(self.node, LEADER, begin))
        assert isinstance(asked, FetchRequest)
        self.tell_of_a_snapshot()

    def tell_of_a_snapshot(self) -> None:
        told = FetchResponse(topic=METADATA.topic, partition=0, leader_id=LEADER, leader_epoch=5, snapshot=S20)
        self._asked(_receive(self.node, LEADER, told, self.correlation))

    def _asked(self, effects: list[Effect]) -> Message:
        asked = next(effect for effect in effects if isinstance(effect, Send) and isinstance(effect.message, ASKS))
        self.correlation, self.request = asked.correlation, asked.message
        return asked.message

    def chunk(self, **other: object) -> FetchSnapshotResponse:
        assert isinstance(self.request, FetchSnapshotRequest)
        position = self.request.position
        data = DATA[position : position + self.request.max_bytes]
        sound = FetchSnapshotResponse(
            leader_id=LEADER, leader_epoch=5, snapshot_id=S20, size_bytes=len(DATA), position=position, data=data
        )
        return changed(sound, **other)

    def get(self, response: Message) -> list[Effect]:
        effects = _receive(self.node, LEADER, response, self.correlation)
        if any(isinstance(message, ASKS) for message in _sent(effects)):
            self._asked(effects)
        return effects

    def retry(self) -> Message:
        return self._asked(self.node.handle(TimerFired(name=FETCH_RETRY_TIMER), 0))


def test_chunks_are_asked_for_one_after_the_other_and_take_the_place_of_the_log_together() -> None:
    follower, positions = Follower(), []
    effects: list[Effect] = []
    while not any(isinstance(effect, InstallSnapshot) for effect in effects):
        assert isinstance(follower.request, FetchSnapshotRequest)
        positions.append(follower.request.position)
        effects = follower.get(follower.chunk())
    assert positions == list(range(0, len(DATA), 100))
    install = next(place for place, effect in enumerate(effects) if isinstance(effect, InstallSnapshot))
    assert effects[install] == InstallSnapshot(S20, DATA)
    told = effects[install + 1]
    assert isinstance(told, Emit) and isinstance(told.event, SnapshotInstalled)
    assert effects[-1] == Flush(METADATA)


def test_what_a_snapshot_stands_for_is_committed_once_it_is_in_place() -> None:
    follower = Follower()
    while isinstance(follower.request, FetchSnapshotRequest):
        effects = follower.get(follower.chunk())
        if any(isinstance(effect, InstallSnapshot) for effect in effects):
            break
    assert follower.node.high_watermark == -1
    follower.log.begin_after(S20)
    asked = _sent(follower.node.handle(Flushed(topic_partition=METADATA, end_offset=20), 0))[-1]
    assert follower.node.high_watermark == 20
    assert isinstance(asked, FetchRequest) and (asked.fetch_offset, asked.last_fetched_epoch) == (20, 3)


def _with_a_first_chunk() -> Follower:
    follower = Follower()
    follower.get(follower.chunk())
    return follower


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"error": ErrorCode.SNAPSHOT_NOT_FOUND}, "SNAPSHOT_NOT_FOUND"),
        ({"error": ErrorCode.POSITION_OUT_OF_RANGE}, "POSITION_OUT_OF_RANGE"),
        ({"error": 12345}, "error 12345"),
        ({"position": 0}, "a chunk from byte 0 came where 100 was due"),
        ({"snapshot_id": S10}, "a chunk of another snapshot came"),
        ({"size_bytes": 7}, f"its size is 7 now, it was {len(DATA)}"),
        ({"data": b""}, f"a chunk of 0 bytes does not fit into {len(DATA)}"),
        ({"data": DATA}, f"a chunk of {len(DATA)} bytes does not fit into {len(DATA)}"),
    ],
)
def test_a_chunk_that_does_not_fit_ends_it_and_the_leader_is_asked_anew(other: dict[str, object], why: str) -> None:
    follower = _with_a_first_chunk()
    effects = follower.get(follower.chunk(**other))
    ended = [effect.event for effect in effects if isinstance(effect, Emit)]
    assert ended == [SnapshotFetchEnded(end_offset=20, epoch=3, fetched_bytes=100, why=why)]
    assert isinstance(follower.retry(), FetchRequest)


def test_a_snapshot_with_a_bit_that_flipped_on_the_way_is_not_used() -> None:
    follower = _with_a_first_chunk()
    while True:
        sound = follower.chunk()
        effects = follower.get(changed(sound, data=bytes([sound.data[0] ^ 1]) + sound.data[1:]))
        events = [effect.event for effect in effects if isinstance(effect, Emit)]
        if events:
            break
    assert [type(event) for event in events] == [SnapshotRejected, SnapshotFetchEnded]
    assert not any(isinstance(effect, InstallSnapshot) for effect in effects)
    assert isinstance(follower.retry(), FetchRequest)


def test_a_chunk_is_a_successful_fetch_so_a_pre_vote_is_refused() -> None:
    follower = Follower()
    _receive(follower.node, LEADER, BeginQuorumEpochRequest(leader_id=LEADER, epoch=5))
    follower.get(follower.chunk())
    asked = VoteRequest(voter_id=ME, candidate_id=OTHER, epoch=5, last_epoch=9, last_offset=99, pre_vote=True)
    (answer,) = _sent(_receive(follower.node, OTHER, asked))
    assert isinstance(answer, VoteResponse) and not answer.granted


def test_who_asks_for_votes_gives_it_up() -> None:
    follower = _with_a_first_chunk()
    effects = follower.node.handle(TimerFired(name=FETCH_TIMER), 0)
    assert any(isinstance(effect, Emit) and isinstance(effect.event, SnapshotFetchEnded) for effect in effects)


def test_a_chunk_that_is_lost_is_asked_for_again() -> None:
    follower = _with_a_first_chunk()
    again = follower.retry()
    assert isinstance(again, FetchSnapshotRequest) and again.position == 100


def test_an_observer_whose_leader_has_refused_a_chunk_asks_that_leader_anew() -> None:
    observer = Follower((LEADER, OTHER))
    observer.get(observer.chunk(error=ErrorCode.SNAPSHOT_NOT_FOUND))
    effects = observer.node.handle(TimerFired(name=FETCH_RETRY_TIMER), 0)
    assert [effect.target for effect in effects if isinstance(effect, Send)] == [LEADER]


def test_a_late_chunk_is_dropped() -> None:
    follower = _with_a_first_chunk()
    assert _receive(follower.node, LEADER, follower.chunk(), follower.correlation - 4) == []


def test_another_leader_ends_it() -> None:
    """It may have another snapshot; nothing of the first is used."""
    follower = _with_a_first_chunk()
    effects = _receive(follower.node, OTHER, BeginQuorumEpochRequest(leader_id=OTHER, epoch=6))
    assert any(isinstance(effect, Emit) and isinstance(effect.event, SnapshotFetchEnded) for effect in effects)
    (asked,) = [message for message in _sent(effects) if isinstance(message, ASKS)]
    assert isinstance(asked, FetchRequest)


def test_a_snapshot_that_ends_below_what_is_committed_ends_the_node() -> None:
    own = Snapshots({SnapshotId(30, 4): b""})
    node = Quorum(ME, (LEADER, OTHER, ME), SETTINGS, Log(0, LogEnd(4, 40)), None, 0, own)
    node.handle(NodeStarted(), 0)
    effects = _receive(node, LEADER, BeginQuorumEpochRequest(leader_id=LEADER, epoch=5))
    sent = [effect for effect in effects if isinstance(effect, Send) and isinstance(effect.message, ASKS)]
    correlation = sent[0].correlation
    told = FetchResponse(topic=METADATA.topic, partition=0, leader_id=LEADER, leader_epoch=5, snapshot=S20)
    assert any(isinstance(effect, HaltNode) for effect in _receive(node, LEADER, told, correlation))


def _leading(view: Snapshots, settings: Settings = SETTINGS) -> Quorum:
    """It leads epoch 4 with a log from 10 on."""
    node = Quorum(LEADER, (LEADER, OTHER, ME), settings, Log(10, LogEnd(3, 25)), None, 0, view)
    node.handle(NodeStarted(), 0)
    asked = node.handle(TimerFired(name=ELECTION_TIMER), 0)
    while node.role is not Role.LEADER:
        request = next(effect for effect in asked if isinstance(effect, Send))
        assert isinstance(request.message, VoteRequest)
        yes = VoteResponse(epoch=request.message.epoch, granted=True, pre_vote=request.message.pre_vote)
        asked = _receive(node, OTHER, yes, request.correlation)
    return node


@pytest.fixture
def view() -> Snapshots:
    """Of 10 and of 20."""
    return Snapshots({S10: b"x" * 50, S20: DATA})


@pytest.fixture
def leader(view: Snapshots) -> Quorum:
    return _leading(view)


def _fetch(epoch: int, offset: int, last_epoch: int) -> FetchRequest:
    return FetchRequest(
        replica_id=ME, topic=METADATA.topic, partition=0, current_leader_epoch=epoch, fetch_offset=offset,
        last_fetched_epoch=last_epoch, max_wait_ms=0,
    )  # fmt: skip


def test_a_leader_names_its_newest_snapshot_to_who_is_below_its_log_start(leader: Quorum) -> None:
    (answer,) = _sent(_receive(leader, ME, _fetch(leader.epoch, 5, 1)))
    assert isinstance(answer, FetchResponse)
    assert (answer.error, answer.snapshot, answer.records, answer.diverging) == (0, S20, b"", None)


def _ask(leader: Quorum, **other: object) -> FetchSnapshotResponse:
    sound = FetchSnapshotRequest(
        replica_id=ME, current_leader_epoch=leader.epoch, snapshot_id=S20, position=100, max_bytes=30
    )
    (answer,) = _sent(_receive(leader, ME, changed(sound, **other)))
    assert isinstance(answer, FetchSnapshotResponse)
    return answer


def test_a_leader_gives_the_bytes_that_are_asked_for(leader: Quorum) -> None:
    answer = _ask(leader)
    assert (answer.error, answer.size_bytes, answer.position, answer.data) == (0, len(DATA), 100, DATA[100:130])
    assert len(_ask(leader, max_bytes=0).data) == 1, "it always moves on"


@pytest.mark.parametrize(
    ("other", "error"),
    [
        ({"snapshot_id": SnapshotId(15, 3)}, ErrorCode.SNAPSHOT_NOT_FOUND),
        ({"position": -1}, ErrorCode.POSITION_OUT_OF_RANGE),
        ({"position": len(DATA)}, ErrorCode.POSITION_OUT_OF_RANGE),
        ({"current_leader_epoch": 1}, ErrorCode.FENCED_LEADER_EPOCH),
        ({"current_leader_epoch": 99}, ErrorCode.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_a_leader_refuses_what_it_cannot_give(leader: Quorum, other: dict[str, object], error: ErrorCode) -> None:
    answer = _ask(leader, **other)
    assert (answer.error, answer.data) == (error, b"")


def test_a_snapshot_that_vanishes_in_the_middle_is_not_found(leader: Quorum, view: Snapshots) -> None:
    assert _ask(leader).error == 0
    del view.held[S20]
    assert _ask(leader).error == ErrorCode.SNAPSHOT_NOT_FOUND


@pytest.mark.parametrize(("disk", "is_heard"), [("b", True), ("new", False)])
def test_a_chunk_is_contact_with_a_voter_only_for_the_disk_that_votes(
    view: Snapshots, disk: str, is_heard: bool
) -> None:
    voters = VoterHistory((Voter(LEADER, "a"), Voter(OTHER, "b")))
    state = QuorumState(LEADER, (), SETTINGS, Log(10, LogEnd(3, 25)), directory_id="a", history=voters, snapshots=view)
    adopt(state, "as its disk has them")
    state.role, state.epoch, state.leader_id = Role.LEADER, 4, LEADER
    asked = FetchSnapshotRequest(
        replica_id=OTHER, current_leader_epoch=4, snapshot_id=S20, position=0, max_bytes=30, directory_id=disk
    )
    effects = on_fetch_snapshot_request(state, OTHER, 4, asked)
    assert (set_check_timer(state) in effects) is is_heard
    (answer,) = _sent(effects)
    assert isinstance(answer, FetchSnapshotResponse) and answer.data == DATA[:30], "an observer is given it, too"


def test_a_follower_gives_none() -> None:
    node = Follower().node
    request = FetchSnapshotRequest(replica_id=OTHER, current_leader_epoch=5, snapshot_id=S20, position=0, max_bytes=9)
    (answer,) = _sent(_receive(node, OTHER, request))
    assert isinstance(answer, FetchSnapshotResponse) and answer.error == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_the_log_start_moves_before_the_snapshot_behind_it_goes(view: Snapshots) -> None:
    leader = _leading(view, replace(SETTINGS, metadata_max_retention_bytes=0))
    effects = leader.handle(TimerFired(name=RETENTION_TIMER), 0)
    kinds = [type(effect) for effect in effects]
    assert AdvanceLogStart(METADATA, 20) in effects and DeleteSnapshots(S20) in effects
    assert kinds.index(AdvanceLogStart) < kinds.index(DeleteSnapshots)
    assert effects[-1] == SetTimer(RETENTION_TIMER, 0), "it looks again at once"


def test_nothing_goes_while_retention_allows_it(leader: Quorum) -> None:
    effects = leader.handle(TimerFired(name=RETENTION_TIMER), 0)
    assert not any(isinstance(effect, AdvanceLogStart | DeleteSnapshots) for effect in effects)


def test_a_chunk_that_names_a_newer_leader_is_not_taken_and_that_leader_is_asked() -> None:
    follower = _with_a_first_chunk()
    effects = follower.get(follower.chunk(leader_id=OTHER, leader_epoch=6))
    roles = [effect.event.role for effect in effects if isinstance(effect, Emit) and type(effect.event) is RoleChanged]
    assert roles == ["follower"], "at once"
    (asked,) = [effect for effect in effects if isinstance(effect, Send)]
    assert (asked.target, type(asked.message)) == (OTHER, FetchRequest)


@pytest.mark.parametrize(("log_start_offset", "is_due"), [(0, False), (1, True)])
def test_a_log_that_begins_behind_a_snapshot_that_is_gone_gets_another_at_once(
    log_start_offset: int, is_due: bool
) -> None:
    applied = Applied(snapshot_id=S20, applied_bytes=0, age_ms=0)
    made = Made(data=DATA, record_count=1, digest="")
    effects = write_when_due(applied, Snapshots({}), log_start_offset, SETTINGS, lambda _: made)
    assert (WriteSnapshot(S20, DATA) in effects) is is_due
