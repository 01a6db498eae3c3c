"""A broker becomes or ceases to be coordinator of a partition's groups. Source: Kafka CoordinatorRuntime.

The partition's log is read from its start to its end, one piece at a time. Requests are served once all that was read
is below the high watermark: what a later coordinator might not have is never told. Kafka serves them earlier, and may
for one round tell a consumer an offset that is older than one that was acknowledged.
"""

from __future__ import annotations

from itertools import islice

from msgspec import Struct, field

from cluster.coordination import reading
from cluster.coordination.fields import RecordError
from cluster.coordination.writing import drop
from cluster.groups.classic.rebalancing import answer_join, answer_sync
from cluster.groups.consumer.events import loaded as told_loaded
from cluster.groups.consumer.heartbeat import refuse_queue, resume
from cluster.groups.consumer.records import Replay, take
from cluster.groups.consumer.state import Topics
from cluster.groups.group_state import GroupState
from cluster.groups.records import LoadedGroup, read_group, read_key, read_offset
from cluster.groups.state import CommittedOffset, Group, Member, PendingOffset, Shard, Shared, found_group
from cluster.groups.timers import hear
from cluster.model.effects import CancelTimer, Effect, Emit
from cluster.model.errors import ErrorCode
from cluster.model.events import CoordinatorLoaded, CoordinatorResigned
from cluster.model.events.group import LOADED_TOLD_MAX
from cluster.model.identifiers import Offset, TopicPartition
from cluster.model.messages import JoinGroupResponse, SyncGroupResponse
from cluster.model.record_batch import BatchHeader, Record, numbered_records
from cluster.model.transaction_marker import read_marker


class Loading(Struct):
    """What was read so far."""

    groups: dict[str, LoadedGroup] = field(default_factory=dict)
    offsets: dict[tuple[str, TopicPartition], CommittedOffset] = field(default_factory=dict)
    """By group and partition."""
    consumers: dict[str, Replay] = field(default_factory=dict)
    """Groups of the newer protocol, by name."""
    pending: dict[int, list[tuple[Offset, Record]]] = field(default_factory=dict)
    """(offset, record) of transactions that are open, by producer id."""
    written: dict[tuple[str, TopicPartition], Offset] = field(default_factory=dict)
    """Where in the log the record of each offset stands."""
    is_read: bool = False
    """The log's end was reached."""

    def decide(self, producer_id: int, *, committed: bool) -> None:
        """A transaction has ended: its offsets count now, or are void."""
        for at_offset, record in self.pending.pop(producer_id, ()) if committed else ():
            self.take(record, at_offset)
        if not committed:
            self.pending.pop(producer_id, None)

    def take(self, record: Record, at_offset: Offset) -> None:
        """A later record of a key replaces an earlier one; a null value removes it; what cannot be read is skipped."""
        try:
            if take(self.consumers, record):
                return
            key = read_key(record.key or b"")
            if key is None:
                return
            name, where = key
            if where is None:
                if record.value is None:
                    self.groups.pop(name, None)
                else:
                    self.groups[name] = read_group(record.value)
            # The order of writing counts, but an offset of a transaction is taken only when its marker comes. A plain
            # commit that was written in between is newer than it:
            #
            #     7: offset 20, of a transaction    8: offset 30    9: the marker commits 7      so 30 it is
            #
            # Source: OffsetMetadataManager.replayEndTransactionMarker.
            elif self.written.get((name, where), -1) <= at_offset:
                self.written[name, where] = at_offset
                if record.value is None:
                    self.offsets.pop((name, where), None)
                else:
                    self.offsets[name, where] = read_offset(record.value)
        except RecordError:
            return


def read_on(shard: Shard, loading: Loading) -> list[Effect]:
    """Read one piece of the log, or find that nothing is left."""

    def take_batch(header: BatchHeader, batch: bytes | memoryview) -> None:
        if header.control:
            marker = read_marker(batch)
            if marker is not None:
                loading.decide(header.producer_id, committed=marker.committed)
        elif header.transactional:
            pending = loading.pending.setdefault(header.producer_id, [])
            pending += numbered_records(batch)
        else:
            for offset, record in numbered_records(batch):
                if offset >= shard.next_offset:
                    loading.take(record, offset)

    effects = reading.read_on(shard, take_batch)
    loading.is_read = not effects
    return effects


def finish(shared: Shared, shard: Shard, loading: Loading, topics: Topics, now_ms: int) -> list[Effect]:
    """Serve the groups from now on. Members of theirs begin a session anew: nobody heard them meanwhile."""
    shard.is_loaded = True
    effects: list[Effect] = []
    for name, loaded in loading.groups.items():
        shard.groups[name] = _group(shared, shard, name, loaded, now_ms)
    for name, replay in loading.consumers.items():
        if replay.epoch >= 0:
            group = found_group(shared, shard, name, now_ms)
            group.consumer = replay.group()
            group.generation, group.state = group.consumer.epoch, group.consumer.state
    for (name, where), committed in loading.offsets.items():
        found_group(shared, shard, name, now_ms).offsets[where] = committed
    for producer_id, records in loading.pending.items():
        for at_offset, record in records:
            _pend(shared, shard, producer_id, at_offset, record, now_ms)
    ordered = sorted(shard.groups.items())
    offsets = (
        (name, where.topic, where.partition, committed.offset)
        for name, group in ordered
        for where, committed in sorted(group.offsets.items())
    )
    event = CoordinatorLoaded(
        partition=shard.partition,
        leader_epoch=shard.leader_epoch,
        end_offset=shard.next_offset,
        groups=tuple((name, group.generation) for name, group in islice(ordered, LOADED_TOLD_MAX)),
        offsets=tuple(islice(offsets, LOADED_TOLD_MAX)),
    )
    effects.append(Emit(event))
    for name, group in ordered:
        if group.consumer is not None:
            effects += [told_loaded(name, group.consumer, shard.next_offset, topics.name)]
            effects += resume(shared, group, now_ms)
        for member in group.members.values():
            effects += hear(shared, group, member, now_ms)
    return effects


def _pend(shared: Shared, shard: Shard, producer_id: int, at_offset: Offset, record: Record, now_ms: int) -> None:
    """What a transaction that is open wrote; what cannot be read is skipped."""
    try:
        key = read_key(record.key or b"")
        committed = None if record.value is None else read_offset(record.value)
    except RecordError:
        return
    if key is not None and key[1] is not None and committed is not None:
        group = found_group(shared, shard, key[0], now_ms)
        group.pending_offsets.setdefault(producer_id, {})[key[1]] = PendingOffset(at_offset, committed)


def _group(shared: Shared, shard: Shard, name: str, loaded: LoadedGroup, now_ms: int) -> Group:
    group = Group(
        name=name,
        partition=shard.partition,
        number=shared.number(),
        state=GroupState.STABLE if loaded.members else GroupState.EMPTY,
        since_ms=loaded.since_ms if loaded.since_ms >= 0 else now_ms,
        generation=loaded.generation,
        protocol_type=loaded.protocol_type,
        protocol=loaded.protocol,
        leader=loaded.leader,
    )
    for item in loaded.members:
        group.members[item.member_id] = Member(
            member_id=item.member_id,
            instance_id=item.instance_id,
            client_id=item.client_id,
            client_host=item.client_host,
            session_timeout_ms=item.session_timeout_ms,
            rebalance_timeout_ms=item.rebalance_timeout_ms,
            protocols=((loaded.protocol, item.subscription),),
            timer=f"groups.session.{shared.number()}",
            assignment=item.assignment,
            is_new=False,
            heard_ms=now_ms,
        )
        if item.instance_id:
            group.static_ids[item.instance_id] = item.member_id
    return group


def resign(shared: Shared, shard: Shard, now_ms: int) -> list[Effect]:
    """Forget all groups; whoever waits has to find the next coordinator."""
    error = ErrorCode.NOT_COORDINATOR
    effects: list[Effect] = [CancelTimer(shard.load_timer)]
    for group in shard.groups.values():
        group.state = GroupState.DEAD  # what its records still bring about is for nobody
        effects += refuse_queue(group, error)
        for member in group.members.values():
            effects += answer_join(group, member, JoinGroupResponse(error=error))
            effects += answer_sync(member, SyncGroupResponse(error=error))
        timers = [name for name, (owner, _) in shared.timers.items() if owner == group.name]
        for name in timers:
            del shared.timers[name]
            effects.append(CancelTimer(name))
    effects += drop(shared, shard.partition, now_ms)
    if shard.is_loaded:
        resigned = CoordinatorResigned(
            partition=shard.partition, leader_epoch=shard.leader_epoch, groups=len(shard.groups)
        )
        effects.append(Emit(resigned))
    return effects
