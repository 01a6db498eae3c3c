"""What a voter answers to requests of older and newer epochs, and the commit rules that need a whole quorum."""

from __future__ import annotations

import pytest

from cluster.model.effects import Append, Emit, HaltNode, PersistElection, Send, SetTimer, Truncate
from cluster.model.election_state import ElectionState
from cluster.model.errors import ErrorCode
from cluster.model.events import MetadataHighWatermarkAdvanced, RoleChanged
from cluster.model.identifiers import METADATA, EpochEnd
from cluster.model.inputs import Flushed, Received, TimerFired
from cluster.model.messages import (
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchResponse,
    Message,
    VoteRequest,
    VoteResponse,
)
from cluster.model.metadata_records import NoOpRecord
from cluster.model.record_batch import Record, encode_batch
from cluster.raft.roles import Role
from cluster.raft.timers import ELECTION_TIMER, FETCH_RETRY_TIMER, RESEND_TIMER
from tests.support.worlds.quorum_harness import World


def fetch(epoch: int, *, replica: int, offset: int = 0, last_epoch: int = 0) -> FetchRequest:
    return FetchRequest(
        replica_id=replica,
        topic=METADATA.topic,
        partition=METADATA.partition,
        current_leader_epoch=epoch,
        fetch_offset=offset,
        last_fetched_epoch=last_epoch,
        max_wait_ms=0,
    )


def vote(epoch: int, *, voter: int, candidate: int) -> VoteRequest:
    return VoteRequest(voter_id=voter, candidate_id=candidate, epoch=epoch, last_epoch=0, last_offset=0, pre_vote=False)


def answer(world: World, node: int, sender: int, message: Message) -> Message:
    """What the node says to this request at once."""
    effects = world.feed(node, Received(sender=sender, correlation=4_000, message=message))
    said = [effect.message for effect in effects if isinstance(effect, Send) and effect.correlation == 4_000]
    assert len(said) == 1
    return said[0]


@pytest.fixture
def world() -> World:
    world = World()
    old = world.elect()
    world.kill(old)
    world.elect()
    world.start(old)
    world.run(lambda: world.nodes[old].role is Role.FOLLOWER)
    return world


def roles(world: World) -> tuple[int, int, int]:
    """(leader, a follower, the epoch)."""
    leader = world.leader()
    assert leader is not None
    follower = next(node for node in world.voters if node != leader)
    return leader, follower, world.nodes[leader].epoch


def test_a_request_of_an_older_epoch_is_fenced_and_told_the_newer_one(world: World) -> None:
    leader, follower, epoch = roles(world)
    requests: list[Message] = [
        fetch(epoch - 1, replica=follower),
        BeginQuorumEpochRequest(leader_id=follower, epoch=epoch - 1),
        EndQuorumEpochRequest(leader_id=follower, epoch=epoch - 1, preferred_candidates=()),
        vote(epoch - 1, voter=leader, candidate=follower),
    ]
    for request in requests:
        said = answer(world, leader, follower, request)
        assert said.error == ErrorCode.FENCED_LEADER_EPOCH, type(request).__name__  # type: ignore[union-attr]
        known = said.leader_epoch if isinstance(said, FetchResponse) else said.epoch  # type: ignore[union-attr]
        assert known == epoch
    assert world.nodes[leader].role is Role.LEADER


def test_a_fetch_of_a_newer_epoch_is_answered_with_unknown_leader_epoch(world: World) -> None:
    leader, follower, epoch = roles(world)
    said = answer(world, leader, follower, fetch(epoch + 1, replica=follower))
    assert isinstance(said, FetchResponse)
    assert (said.error, said.leader_epoch) == (ErrorCode.UNKNOWN_LEADER_EPOCH, epoch)


def test_a_follower_that_is_asked_for_records_names_the_leader(world: World) -> None:
    leader, follower, epoch = roles(world)
    other = next(node for node in world.voters if node not in (leader, follower))
    said = answer(world, follower, other, fetch(epoch, replica=other))
    assert isinstance(said, FetchResponse)
    assert (said.error, said.leader_id, said.leader_epoch) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, leader, epoch)


def test_a_newer_epoch_in_any_request_ends_a_leadership(world: World) -> None:
    leader, follower, epoch = roles(world)
    answer(world, leader, follower, BeginQuorumEpochRequest(leader_id=follower, epoch=epoch + 3))
    assert (world.nodes[leader].role, world.nodes[leader].epoch) == (Role.FOLLOWER, epoch + 3)


def test_a_node_that_hears_of_two_leaders_of_one_epoch_halts(world: World) -> None:
    """Somebody has forgotten a vote. Kafka's fault handler ends the process."""
    leader, follower, epoch = roles(world)
    other = next(node for node in world.voters if node not in (leader, follower))
    claim = Received(sender=other, correlation=8, message=BeginQuorumEpochRequest(leader_id=other, epoch=epoch))
    halt = HaltNode(f"epoch {epoch} has two leaders, {leader} and {other}")
    for node in (follower, leader):
        assert world.nodes[node].handle(claim, world.now_ms) == [halt]


def test_r06_a_record_of_an_older_epoch_is_committed_only_with_one_of_the_leader_s_own() -> None:
    world = World()
    old = world.elect()
    world.run_for(300)
    others = [node for node in world.voters if node != old]
    world.cut |= {(node, old) for node in others[1:]} | {(old, node) for node in others[1:]}
    offset = world.propose(old)
    world.run(lambda: world.logs[others[0]].log_end_offset > offset)
    world.kill(old)
    before = len(world.events)
    world.run(lambda: world.leader() == others[0] or world.leader() == others[1], 60_000)
    new = world.leader()
    assert new == others[0], "only the node with the longer log can win"
    start = world.nodes[new].epoch_start_offset
    assert start > offset, "the record of the older epoch lies before the leader's own"
    moved = [
        event.high_watermark
        for _, node, event in world.events[before:]
        if node == new and isinstance(event, MetadataHighWatermarkAdvanced) and event.role == "leader"
    ]
    assert moved[0] > start, "both become committed together"


@pytest.mark.parametrize(("heard", "stays"), [(2, True), (1, False)])
def test_r11_a_leader_of_five_stays_while_it_hears_two_of_them(heard: int, stays: bool) -> None:
    world = World(voters=5)
    leader = world.elect()
    epoch = world.nodes[leader].epoch
    silent = [node for node in world.voters if node != leader][heard:]
    world.cut |= {pair for node in silent for pair in ((node, leader), (leader, node))}
    world.run_for(3_100)
    still_leads = (world.nodes[leader].role, world.nodes[leader].epoch) == (Role.LEADER, epoch)
    assert still_leads == stays


def test_an_observer_whose_leader_is_gone_asks_around_and_forgets_nothing() -> None:
    """It follows until somebody names a leader of a higher epoch. Source: KafkaRaftClient.pollFollowerAsObserver."""
    world = World(voters=3, observers=1)
    leader = world.elect()
    world.run(lambda: world.nodes[1].leader_id == leader)
    epoch, seen = world.nodes[1].epoch, len(world.events)
    world.kill(leader)
    world.run(lambda: world.nodes[1].leader_id not in (leader, -1))
    told = [event for _, node, event in world.events[seen:] if node == 1 and isinstance(event, RoleChanged)]
    assert all(event.epoch > epoch for event in told)
    assert world.nodes[1].leader_id in world.voters


def test_a_follower_fetches_only_when_what_it_would_acknowledge_is_on_disk() -> None:
    world = World()
    world.run(lambda: len(world.leaders) > 0)
    leader = next(iter(world.leaders.values()))
    world.run(lambda: all(world.nodes[node].epoch == world.nodes[leader].epoch for node in world.voters))
    follower = next(node for node in world.voters if node != leader)
    log = world.logs[follower]
    records = world.logs[leader].read(0, 1 << 20)
    log.truncate(0)
    log.append(records)
    log.flushed_offset = 0
    begin = BeginQuorumEpochRequest(leader_id=leader, epoch=world.nodes[leader].epoch + 1)
    early = world.feed(follower, Received(sender=leader, correlation=4_000, message=begin))
    assert not [item for item in early if isinstance(item, Send) and isinstance(item.message, FetchRequest)]
    log.flushed_offset = log.log_end_offset
    later = world.feed(follower, Flushed(topic_partition=METADATA, end_offset=log.log_end_offset))
    sent = [item.message for item in later if isinstance(item, Send)]
    assert [message.fetch_offset for message in sent if isinstance(message, FetchRequest)] == [log.log_end_offset]


def test_a_node_ends_rather_than_cut_a_committed_record() -> None:
    world = World()
    world.run(lambda: len(world.leaders) > 0)
    leader = next(iter(world.leaders.values()))
    follower = next(node for node in world.voters if node != leader)
    world.run(lambda: world.nodes[follower].high_watermark > 0)
    asked = world.nodes[follower]._state.fetch_correlation
    committed = world.nodes[follower].high_watermark
    lost = FetchResponse(
        topic=METADATA.topic, partition=METADATA.partition, leader_id=leader, leader_epoch=world.nodes[leader].epoch,
        diverging=EpochEnd(0, 0),
    )  # fmt: skip
    effects = world.nodes[follower].handle(Received(sender=leader, correlation=asked, message=lost), world.now_ms)
    halted = [effect for effect in effects if isinstance(effect, HaltNode)]
    assert len(halted) == 1
    assert halted[0].why == f"the leader's log leaves ours at 0, below high watermark {committed}"
    assert not [effect for effect in effects if isinstance(effect, Truncate)]


def test_a_node_that_led_for_a_moment_has_not_forgotten_what_was_committed_before() -> None:
    """Found by the swarm, seed 41689 with damaged disks: a leader that counts anew was deposed before it knew."""
    world = World()
    first = world.elect()
    world.run(lambda: all(world.nodes[node].high_watermark > 0 for node in world.voters))
    world.kill(first)
    others = [node for node in world.voters if node != first]
    world.run(lambda: any(world.nodes[node].role is Role.LEADER for node in others))
    node, other = sorted(others, key=lambda item: world.nodes[item].role is not Role.LEADER)
    epoch = world.nodes[node].epoch + 1
    assert world.nodes[node].high_watermark < 0
    begin = BeginQuorumEpochRequest(leader_id=other, epoch=epoch)
    world.nodes[node].handle(Received(sender=other, correlation=1, message=begin), world.now_ms)
    asked = world.nodes[node]._state.fetch_correlation
    lost = FetchResponse(
        topic=METADATA.topic, partition=METADATA.partition, leader_id=other, leader_epoch=epoch,
        diverging=EpochEnd(0, 0),
    )  # fmt: skip
    effects = world.nodes[node].handle(Received(sender=other, correlation=asked, message=lost), world.now_ms)
    (halted,) = (effect for effect in effects if isinstance(effect, HaltNode))
    assert not [effect for effect in effects if isinstance(effect, Truncate)]
    assert halted.why.startswith("the leader's log leaves ours at 0, below high watermark")


def test_a_node_whose_log_no_batch_of_the_leader_continues_halts() -> None:
    """Found by the swarm, seed 42272 with damaged disks: a wiped quorum of one wrote its epochs anew, in other batches.

    Source: Kafka UnifiedLog.append, whose UnexpectedAppendOffsetException ends the process.
    """
    world = World()
    world.elect()
    leader = next(iter(world.leaders.values()))
    follower = next(node for node in world.voters if node != leader)
    world.run(lambda: world.nodes[follower].high_watermark > 0)
    end = world.logs[follower].log_end_offset
    wrong = FetchResponse(
        topic=METADATA.topic, partition=METADATA.partition, leader_id=leader, leader_epoch=world.nodes[leader].epoch,
        records=encode_batch([Record(None, b"a"), Record(None, b"b")], end - 1, world.nodes[leader].epoch),
    )  # fmt: skip
    asked = world.nodes[follower]._state.fetch_correlation
    (halted,) = world.nodes[follower].handle(Received(sender=leader, correlation=asked, message=wrong), world.now_ms)
    assert halted == HaltNode(f"the leader's batch begins at {end - 1}, and our log ends at {end}")


def test_a_follower_writes_no_bytes_that_fail_their_crc() -> None:
    """Source: KafkaRaftClient.appendAsFollower, which logs a CorruptRecordException and fetches again."""
    world = World()
    world.run(lambda: len(world.leaders) > 0)
    leader = next(iter(world.leaders.values()))
    follower = next(node for node in world.voters if node != leader)
    world.run(lambda: world.nodes[follower].high_watermark > 0)
    end, epoch = world.logs[follower].log_end_offset, world.nodes[leader].epoch
    whole = encode_batch([Record(None, b"x")], end, epoch)
    rotten = whole[:-1] + bytes([whole[-1] ^ 1])
    for records, is_written in ((rotten, False), (whole, True)):
        asked = world.nodes[follower]._state.fetch_correlation
        sent = FetchResponse(
            topic=METADATA.topic, partition=METADATA.partition, leader_id=leader, leader_epoch=epoch, records=records
        )
        effects = world.nodes[follower].handle(Received(sender=leader, correlation=asked, message=sent), world.now_ms)
        assert any(isinstance(effect, Append) for effect in effects) is is_written
        if not is_written:
            world.nodes[follower].handle(TimerFired(name=FETCH_RETRY_TIMER), world.now_ms)


def prospective(world: World) -> int:
    """A voter that asks for pre-votes in epoch 1, in which it has not voted, and hears from nobody."""
    for node in world.voters:
        world.isolate(node)
    world.kill(101)
    world.saved[101] = ElectionState(epoch=1)
    world.start(101)
    world.feed(101, TimerFired(name=ELECTION_TIMER))
    assert world.nodes[101].role is Role.PROSPECTIVE
    return 101


def test_a_prospective_voter_that_grants_a_vote_stays_prospective_and_begins_its_round_anew() -> None:
    world = World()
    node = prospective(world)
    granted = world.feed(node, Received(sender=102, correlation=4_000, message=vote(1, voter=node, candidate=102)))
    assert world.nodes[node].role is Role.PROSPECTIVE
    assert (world.nodes[node].epoch, world.saved[node]) == (1, ElectionState(epoch=1, voted_for=102))
    told = [effect for effect in granted if isinstance(effect, PersistElection | Send | SetTimer | Emit)]
    kinds = [type(effect.event).__name__ if isinstance(effect, Emit) else type(effect).__name__ for effect in told]
    assert kinds[:4] == ["PersistElection", "RoleChanged", "VoteGranted", "Send"], "on disk before it is said"
    again = [effect.message for effect in granted if isinstance(effect, Send) and effect.correlation != 4_000]
    assert all(isinstance(message, VoteRequest) and message.pre_vote for message in again)
    assert len(again) == 2, "what was counted before is asked for again"
    assert any(isinstance(effect, SetTimer) and effect.name == ELECTION_TIMER for effect in granted)


def test_a_prospective_voter_that_hears_once_more_of_the_leader_it_knows_goes_on_with_its_round() -> None:
    world = World()
    leader = world.elect()
    epoch = world.nodes[leader].epoch
    node = next(other for other in world.voters if other != leader)
    world.run(lambda: world.nodes[node].leader_id == leader)
    world.isolate(leader)
    world.run(lambda: world.nodes[node].role is Role.PROSPECTIVE)
    assert (world.nodes[node].epoch, world.nodes[node].leader_id) == (epoch, leader)
    answer(world, node, leader, BeginQuorumEpochRequest(leader_id=leader, epoch=epoch))
    assert world.nodes[node].role is Role.PROSPECTIVE
    answer(world, node, leader, BeginQuorumEpochRequest(leader_id=leader, epoch=epoch + 1))
    assert world.nodes[node].role is Role.FOLLOWER


def test_a_pre_vote_of_the_round_before_the_vote_is_not_counted() -> None:
    world = World(voters=5)
    node = prospective(world)
    asked = [effect for effect in world.feed(node, TimerFired(name=RESEND_TIMER)) if isinstance(effect, Send)]
    yes = VoteResponse(epoch=1, leader_id=-1, granted=True, pre_vote=True)
    world.feed(node, Received(sender=103, correlation=asked[0].correlation, message=yes))
    answer(world, node, 102, vote(1, voter=node, candidate=102))
    world.feed(node, Received(sender=104, correlation=asked[0].correlation, message=yes))
    assert world.nodes[node].role is Role.PROSPECTIVE, "two yes of the round that is over"


def test_a_vote_that_was_given_is_given_again_and_moves_no_timer() -> None:
    world = World()
    for node in world.voters:
        world.isolate(node)
    answer(world, 101, 102, vote(3, voter=101, candidate=102))
    again = world.feed(101, Received(sender=102, correlation=4_001, message=vote(3, voter=101, candidate=102)))
    assert [effect.message.granted for effect in again if isinstance(effect, Send)] == [True]  # type: ignore[union-attr]
    assert not [effect for effect in again if isinstance(effect, SetTimer | PersistElection)]


def test_a_leader_that_only_observers_fetch_from_resigns() -> None:
    world = World(voters=3, observers=3)
    leader = world.elect()
    world.cut |= {pair for other in world.voters for pair in ((leader, other), (other, leader))}
    world.run_for(world.settings.quorum_fetch_timeout_ms * 3 // 2 + 10)
    assert world.nodes[leader].role is not Role.LEADER


def test_a_leader_does_not_count_its_own_copy_before_it_is_on_disk() -> None:
    world = World()
    leader = world.elect()
    world.run_for(100)
    voter = next(node for node in world.voters if node != leader)
    before, epoch = world.nodes[leader].high_watermark, world.nodes[leader].epoch
    base, effects = world.nodes[leader].append((NoOpRecord(),), world.now_ms)
    for effect in effects:
        if isinstance(effect, Append):
            world.logs[leader].append(effect.records)
    asked = fetch(epoch, replica=voter, offset=base + 1, last_epoch=epoch)
    world.feed(leader, Received(sender=voter, correlation=4_000, message=asked))
    assert world.nodes[leader].high_watermark == before, "one of three has it on disk"
    world.feed(leader, Flushed(topic_partition=METADATA, end_offset=base + 1))
    assert world.nodes[leader].high_watermark == base + 1
