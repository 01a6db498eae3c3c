"""Writes decided states to their znodes and tells brokers of them. Source: Kafka ZkPartitionStateMachine,
ControllerBrokerRequestBatch, KafkaZkClient.updateLeaderAndIsr.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import TypeAlias, TypeVar

from msgspec.structs import replace

from cluster.controller.partition_changes import decided
from cluster.model.effects import Effect, Emit
from cluster.model.events import StateWriteRefused
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.messages import (
    LeaderAndIsrRequest,
    Operation,
    StopReplicaRequest,
    UpdateMetadataRequest,
    ZooKeeperCode,
)
from cluster.zookeeper.channels import Channels
from cluster.zookeeper.context import ControllerContext, Wanted
from cluster.zookeeper.flows import Answer, Request, create, get, put
from cluster.zookeeper.paths import (
    CONTROLLER_EPOCH,
    BadData,
    decode_state,
    encode_state,
    partition_path,
    state_path,
)

Value = TypeVar("Value")
Steps: TypeAlias = Generator[list[Request], list[Answer], Value]
"""A part of a flow that has a result."""
Decide: TypeAlias = Callable[[TopicPartition], Wanted | None]


class ControllerMoved(Exception):
    """Somebody else is the controller: ZooKeeper refused a write. Source: Kafka ControllerMovedException."""


class StateMachine:
    """The states of all partitions, as one controller writes them."""

    __slots__ = ("_broker_id", "_channels", "_out", "context")

    def __init__(self, broker_id: NodeId, context: ControllerContext, channels: Channels, out: list[Effect]) -> None:
        """`out`: where what is to be done is put."""
        self._broker_id, self._channels, self._out = broker_id, channels, out
        self.context = context

    def read(self, wheres: Iterable[TopicPartition]) -> Steps[list[TopicPartition]]:
        """Take in what the state znodes say; those that have none. ControllerMoved when a newer one wrote one."""
        asked = list(wheres)
        answers = yield [get(state_path(where)) for where in asked]
        missing = []
        for where, answer in zip(asked, answers, strict=True):
            before = self.context.image.partitions[where]
            if not answer.is_ok:
                missing.append(where)
                continue
            try:
                state, epoch = decode_state(answer.last.data, answer.last.version, before)
            except BadData:
                missing.append(where)
                continue
            if epoch > self.context.epoch:
                raise ControllerMoved
            self.context.image.partitions[where] = state
        return missing

    def create(self, wheres: Iterable[TopicPartition], first: Decide) -> Steps[list[TopicPartition]]:
        """First states of new partitions; those that have one now."""
        decisions = {where: decision for where in wheres if (decision := first(where)) is not None}
        yield [create(f"/brokers/topics/{topic}/partitions") for topic in sorted({where.topic for where in decisions})]
        yield [create(partition_path(where)) for where in decisions]
        epoch = self.context.epoch
        answers = yield [
            self._guarded(create(state_path(where), encode_state(decision.state, epoch)))
            for where, decision in decisions.items()
        ]
        done, there = [], []
        for (where, decision), answer in zip(decisions.items(), answers, strict=True):
            self._check_epoch(answer)
            if answer.is_ok:
                self._take(where, decision, 0)
                done.append(where)
            elif answer.error == ZooKeeperCode.NODE_EXISTS:
                there.append(where)
        yield from self.read(there)
        return [*done, *there]

    def change(
        self, wheres: Iterable[TopicPartition], decide: Decide, *, are_fresh: bool = False
    ) -> Steps[list[TopicPartition]]:
        """Read, decide and write; where somebody wrote meanwhile, all of it again. Those that were changed.

        Leaders write ISRs, and the controller hears of it late, so what it remembers is no ground to decide on.

        Args:
            are_fresh: they were read just now.
        """
        todo, done = list(wheres), []
        if not are_fresh:
            gone = yield from self.read(todo)
            todo = [where for where in todo if where not in gone]
        while todo:
            decisions = {where: decision for where in todo if (decision := decide(where)) is not None}
            epoch, partitions = self.context.epoch, self.context.image.partitions
            answers = yield [
                self._guarded(
                    put(state_path(where), encode_state(decision.state, epoch), partitions[where].partition_epoch)
                )
                for where, decision in decisions.items()
            ]
            todo = []
            for (where, decision), answer in zip(decisions.items(), answers, strict=True):
                self._check_epoch(answer)
                if answer.is_ok:
                    self._take(where, decision, answer.last.version)
                    done.append(where)
                else:
                    self._refused(where, answer.error)
                    todo.append(where)
            gone = yield from self.read(todo)
            own = [where for where in todo if self.context.image.partitions[where] == decisions[where].state]
            for where in own:  # it was sent twice, and the first was done
                self._take(where, decisions[where], decisions[where].state.partition_epoch)
            done += own
            todo = [where for where in todo if where not in gone and where not in own]
        return done

    def push(self, wheres: Iterable[TopicPartition], *, only_to: frozenset[NodeId] | None = None) -> None:
        """LeaderAndIsr to the replicas of these partitions, then UpdateMetadata to all brokers, or to some only."""
        context, in_order = self.context, sorted(wheres)
        for broker_id, broker_epoch in context.image.eligible_brokers().items():
            if only_to is not None and broker_id not in only_to:
                continue
            partitions = context.image.partitions
            kept = [where for where in in_order if broker_id in partitions[where].replicas]
            if kept:
                request = LeaderAndIsrRequest(
                    controller_id=self._broker_id,
                    controller_epoch=context.epoch,
                    broker_epoch=self._said(broker_epoch),
                    partitions=tuple((*where, partitions[where]) for where in kept),
                )
                self._channels.push(broker_id, request)
        self.update_metadata(in_order, only_to=only_to)

    def update_metadata(
        self,
        wheres: Iterable[TopicPartition],
        *,
        only_to: frozenset[NodeId] | None = None,
        deleted: tuple[str, ...] = (),
    ) -> None:
        """What brokers tell clients."""
        context, in_order = self.context, sorted(wheres)
        live, image = context.live(), context.image
        topics = sorted({where.topic for where in in_order})
        for broker_id, broker_epoch in live.items():
            if only_to is not None and broker_id not in only_to:
                continue
            request = UpdateMetadataRequest(
                controller_id=self._broker_id,
                controller_epoch=context.epoch,
                broker_epoch=self._said(broker_epoch),
                live_brokers=tuple(live.items()),
                partitions=tuple((*where, image.partitions[where]) for where in in_order),
                topics=tuple(
                    (name, image.topics[name].topic_id, tuple(image.topics[name].own.items())) for name in topics
                ),
                deleted=deleted,
            )
            self._channels.push(broker_id, request)

    def stop_replicas(self, wheres: Iterable[TopicPartition], brokers: Iterable[NodeId], *, delete: bool) -> None:
        """These brokers keep these partitions no more, or stop to follow them."""
        live, in_order = self.context.live(), tuple(sorted(wheres))
        for broker_id in brokers:
            if broker_id not in live:
                continue
            partitions = self.context.image.partitions
            kept = tuple(where for where in in_order if broker_id in partitions[where].replicas)
            request = StopReplicaRequest(
                controller_id=self._broker_id,
                controller_epoch=self.context.epoch,
                broker_epoch=self._said(live[broker_id]),
                partitions=tuple((topic, partition) for topic, partition in kept),
                delete=delete,
            )
            if kept:
                self._channels.push(broker_id, request)

    def _said(self, broker_epoch: int) -> int:
        return broker_epoch if self.context.settings.broker_epochs else -1

    def _guarded(self, request: Request) -> Request:
        """Only while this controller's epoch is the newest. Source: ControllerMovedException, since 2.2."""
        if not self.context.settings.controller_epoch_check:
            return request
        # The version of a state znode stops who has not read the newest state, not who is the controller no more:
        #
        #     1   controls in epoch 1, has read version 7 of a state, and stands still until its session is over
        #     2   controls in epoch 2, and has had no reason to write that state
        #     1   goes on and writes version 8: nobody has written since, so it would be taken
        #
        # With the check both stand in one transaction, and the older epoch is refused.
        check = Operation(kind="check", path=CONTROLLER_EPOCH, version=self.context.epoch_version)
        return (check, *request)

    def _check_epoch(self, answer: Answer) -> None:
        if len(answer.results) > 1 and answer.results[0].error == ZooKeeperCode.BAD_VERSION:
            raise ControllerMoved

    def _take(self, where: TopicPartition, decision: Wanted, version: int) -> None:
        state = replace(decision.state, partition_epoch=version)
        self.context.image.partitions[where] = state
        self._out.append(Emit(decided(where, state, decision.why, decision.unclean, ()), decision.decision))

    def _refused(self, where: TopicPartition, error: int) -> None:
        refused = StateWriteRefused(
            topic=where.topic,
            partition=where.partition,
            version=self.context.image.partitions[where].partition_epoch,
            error=error,
            controller_epoch=self.context.epoch,
        )
        self._out.append(Emit(refused))
