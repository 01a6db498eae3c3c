"""What brokers, tools and clients ask of the controller of ZooKeeper's era.

Source: Kafka ZkAdminManager, KafkaController.processControlledShutdown, processReplicaLeaderElection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from cluster.controller.described_configs import of_topic
from cluster.controller.image import TopicState
from cluster.controller.rules.leader_election import Election
from cluster.controller.rules.replica_placement import place_replicas
from cluster.controller.rules.topics import create_topic, delete_topic
from cluster.model import messages as core
from cluster.model.effects import Emit
from cluster.model.errors import ErrorCode
from cluster.model.events import TopicConfigChanged
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.topic_settings import COMMIT_RULE, MAJORITY, MIN_ISR, SETTABLE
from cluster.zookeeper.context import Wanted
from cluster.zookeeper.controller_events import on_topic_deletion, on_topics
from cluster.zookeeper.flows import create
from cluster.zookeeper.office import Caller, Office
from cluster.zookeeper.paths import DELETE_TOPICS, config_path, encode_assignment, encode_configs, topic_path
from cluster.zookeeper.state_machine import Steps

NOT_BUILT = "not built with control=zookeeper"
BY_MAJORITY = f"{COMMIT_RULE} {MAJORITY}: not with control=zookeeper, leaders come from the ISR; allowed: isr"


def on_create_topic(office: Office, caller: Caller) -> Steps[None]:
    """Write the topic's znodes as a tool would, then look at them as at anybody's."""
    request: core.CreateTopicRequest = caller.request  # type: ignore[assignment]  # REQUESTS sees to it
    image = office.context.image
    ruling = create_topic(image, request)
    error, reason = ruling.value, ruling.reason
    if ruling.granted and dict(request.configs).get(COMMIT_RULE) == MAJORITY:
        error, reason = ErrorCode.INVALID_CONFIG, BY_MAJORITY
    if error != ErrorCode.NONE:
        office.answer(caller, core.CreateTopicResponse(error=error, reason=reason, leader_id=office.broker_id))
        return
    start = len(image.topics)
    placed = place_replicas(image, request.partitions, request.replication_factor, start).value
    replicas = dict(enumerate(request.assignments or placed))
    own = {name: SETTABLE[name].spelled(value) for name, value in request.configs}
    minimum = int(own.get(MIN_ISR, request.min_insync_replicas))
    if not request.validate_only:
        for name, value in own.items():
            event = TopicConfigChanged(topic=request.topic, config=name, value=value, is_default=False)
            office.out.append(Emit(event, ruling.decision))
        own.setdefault(MIN_ISR, str(minimum))
        topic = request.topic
        yield [create(config_path(topic), encode_configs(own))]
        answer = (yield [create(topic_path(topic), encode_assignment(replicas))])[0]
        if answer.error == core.ZooKeeperCode.NODE_EXISTS and not answer.is_repeated:
            exists = core.CreateTopicResponse(error=ErrorCode.TOPIC_ALREADY_EXISTS, leader_id=office.broker_id)
            office.answer(caller, exists)
            return
        yield from on_topics(office)
    topic_before = office.context.image.topics.get(request.topic)
    topic_state = topic_before or TopicState(topic_id=0, min_insync_replicas=minimum, own=own)
    done = core.CreateTopicResponse(
        leader_id=office.broker_id,
        topic_id=topic_state.topic_id,
        configs=of_topic(topic_state, office.settings),
    )
    office.answer(caller, done)


def on_delete_topic(office: Office, caller: Caller) -> Steps[None]:
    """Mark the topic; it goes as soon as all its replicas are there to drop it."""
    request: core.DeleteTopicRequest = caller.request  # type: ignore[assignment]
    ruling = delete_topic(office.context.image, request.topic)
    if not ruling.granted:
        refused = core.DeleteTopicResponse(error=ruling.value, reason=ruling.reason, leader_id=office.broker_id)
        office.answer(caller, refused)
        return
    yield [create(f"{DELETE_TOPICS}/{request.topic}")]
    yield from on_topic_deletion(office)
    waits = "it is marked; it goes once brokers with its replicas are back"
    late = core.DeleteTopicResponse(error=ErrorCode.REQUEST_TIMED_OUT, reason=waits, leader_id=office.broker_id)
    office.answer(caller, late)


def on_elect_leaders(office: Office, caller: Caller) -> Steps[None]:
    """The preferred replica, or with unclean anybody who is alive."""
    request: core.ElectLeadersRequest = caller.request  # type: ignore[assignment]
    context, where = office.context, TopicPartition(request.topic, request.partition)
    state = context.image.partitions.get(where)
    election = Election.UNCLEAN if request.unclean else Election.PREFERRED
    error = ErrorCode.NONE
    if state is None:
        error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    elif state.leader != NO_NODE if request.unclean else state.leader == state.replicas[0]:
        error = ErrorCode.ELECTION_NOT_NEEDED
    else:
        why = f"{election} election asked"
        done = yield from office.machine.change([where], lambda where: context.elect(where, why, election))
        office.machine.push(done)
        if not done:
            none = ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
            error = none[0] if request.unclean else none[1]
    office.answer(caller, core.ElectLeadersResponse(error=error, leader_id=office.broker_id))


def on_controlled_shutdown(office: Office, caller: Caller) -> Steps[None]:
    """Move its leaderships, take it out of ISRs, tell everybody. Source: KIP-49."""
    request: core.ControlledShutdownRequest = caller.request  # type: ignore[assignment]
    context, broker_id = office.context, request.broker_id
    broker = context.image.brokers.get(broker_id)
    if broker is None or broker.broker_epoch != request.broker_epoch:
        office.answer(caller, core.ControlledShutdownResponse(error=ErrorCode.STALE_BROKER_EPOCH))
        return
    context.image.brokers[broker_id] = replace(broker, in_controlled_shutdown=True)
    why, gone = f"broker {broker_id} shuts down", frozenset({broker_id})

    def decide(where: TopicPartition) -> Wanted | None:
        state = context.image.partitions[where]
        return context.elect(where, why) if state.leader == broker_id else context.without(where, gone, why)

    partitions = context.image.partitions
    in_isr = [(where, state) for where, state in sorted(partitions.items()) if broker_id in state.isr]
    hosted = [where for where, state in in_isr if len(state.replicas) > 1]
    done = yield from office.machine.change(hosted, decide)
    office.machine.push(done)
    led = [where for where, state in partitions.items() if state.leader == broker_id]
    office.machine.stop_replicas([where for where in done if where not in led], [broker_id], delete=False)
    office.answer(caller, core.ControlledShutdownResponse(remaining=len(led), leader_id=office.broker_id))


def refuse_partitions(office: Office, caller: Caller) -> Steps[None]:
    """Topics grow in KRaft mode only."""
    refused = core.CreatePartitionsResponse(
        error=ErrorCode.UNSUPPORTED_VERSION, reason=f"more partitions: {NOT_BUILT}", leader_id=office.broker_id
    )
    office.answer(caller, refused)
    yield from ()


def refuse_configs(office: Office, caller: Caller) -> Steps[None]:
    """Settings of topics change in KRaft mode only."""
    refused = core.AlterConfigsResponse(
        error=ErrorCode.UNSUPPORTED_VERSION, reason=f"another setting: {NOT_BUILT}", leader_id=office.broker_id
    )
    office.answer(caller, refused)
    yield from ()


def refuse_reassignment(office: Office, caller: Caller) -> Steps[None]:
    """Replicas move in KRaft mode only; /admin/reassign_partitions is not built."""
    refused = core.ReassignPartitionResponse(
        error=ErrorCode.UNSUPPORTED_VERSION, reason=f"other replicas: {NOT_BUILT}", leader_id=office.broker_id
    )
    office.answer(caller, refused)
    yield from ()


REQUESTS: dict[type, Callable[[Office, Caller], Steps[Any]]] = {
    core.CreateTopicRequest: on_create_topic,
    core.DeleteTopicRequest: on_delete_topic,
    core.ElectLeadersRequest: on_elect_leaders,
    core.ControlledShutdownRequest: on_controlled_shutdown,
    core.CreatePartitionsRequest: refuse_partitions,
    core.AlterConfigsRequest: refuse_configs,
    core.ReassignPartitionRequest: refuse_reassignment,
}
"""What only the controller does."""
