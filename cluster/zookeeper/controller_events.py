"""What a controller does when ZooKeeper has something new: brokers, topics, deletions, ISR changes.

Each begins with a read that sets the watch anew, so the last change is never missed; changes in between are.
Source: Kafka KafkaController.processBrokerChange, processTopicChange, processTopicDeletion, and
processIsrChangeNotification.
"""

from __future__ import annotations

from collections.abc import Iterable

from cluster.controller.rules.topics import first_state
from cluster.model.effects import Emit
from cluster.model.events import BrokersFound, TopicCreated, TopicDeleted
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.zookeeper.context import Wanted
from cluster.zookeeper.flows import children, delete, get
from cluster.zookeeper.office import Office
from cluster.zookeeper.paths import (
    BROKER_IDS,
    DELETE_TOPICS,
    ISR_CHANGES,
    TOPICS,
    BadData,
    broker_path,
    config_path,
    decode_assignment,
    decode_configs,
    decode_partitions,
    partition_path,
    state_path,
    topic_path,
)
from cluster.zookeeper.rules.pushes import compare_brokers
from cluster.zookeeper.state_machine import Steps

CREATED = "created"


def load(office: Office) -> Steps[None]:
    """Read all there is, watched. Source: KafkaController.initializeControllerContext."""
    context = office.context
    live = yield from _read_brokers()
    context.set_live(live)
    for broker_id in live:
        office.channels.add(broker_id)
    names = (yield [children(TOPICS, watch=True)])[0].last.children
    yield from _read_topics(office, names)
    notes = (yield [children(ISR_CHANGES, watch=True)])[0].last.children
    # Listed before the states are read, so what these notes tell of is among what is read. A note that was listed later
    # might tell of a write that the read has missed, and would be deleted with it: no broker would ever hear of the
    # change.
    yield [delete(f"{ISR_CHANGES}/{note}") for note in notes]
    missing = yield from office.machine.read(sorted(context.image.partitions))
    yield from office.machine.create(missing, lambda where: _first(office, where))


def on_brokers(office: Office) -> Steps[None]:
    """Brokers came, went, or are other processes than before."""
    context = office.context
    registered = yield from _read_brokers()
    ruling = compare_brokers(context.live(), registered, by_epoch=context.settings.broker_epochs)
    new, dead, bounced = ruling.value
    seen = BrokersFound(new=new, dead=dead, bounced=bounced, controller_epoch=context.epoch)
    office.out.append(Emit(seen, ruling.decision))
    if not ruling.granted:
        return
    gone = (*bounced, *dead)
    context.set_live({node: epoch for node, epoch in registered.items() if node not in (*bounced, *new)})
    for broker_id in gone:
        office.channels.remove(broker_id)
    if gone:
        yield from _on_gone(office, frozenset(gone))
    context.set_live(registered)
    for broker_id in (*bounced, *new):
        office.channels.add(broker_id)
    if bounced or new:
        yield from _on_come(office, frozenset((*bounced, *new)))


def _on_gone(office: Office, gone: frozenset[NodeId]) -> Steps[None]:
    """Source: KafkaController.onBrokerFailure."""
    context = office.context
    why = f"broker {', '.join(map(str, sorted(gone)))} is gone"
    hosted = [where for where, state in sorted(context.image.partitions.items()) if gone & set(state.replicas)]
    done = yield from office.machine.change(hosted, lambda where: context.without(where, gone, why))
    office.machine.push(done)


def _on_come(office: Office, come: frozenset[NodeId]) -> Steps[None]:
    """Others hear of it; it hears of everything. Source: KafkaController.onBrokerStartup."""
    context, machine = office.context, office.machine
    partitions = context.image.partitions
    others = frozenset(context.live()) - come
    machine.update_metadata([], only_to=others)
    machine.push(partitions, only_to=come)
    leaderless = [where for where, state in sorted(partitions.items()) if state.leader not in context.image.brokers]
    why = f"broker {', '.join(map(str, sorted(come)))} came"
    stateless = yield from machine.read(leaderless)  # none of their replicas was there when they were made
    with_state = [where for where in leaderless if where not in stateless]
    done = yield from machine.change(with_state, lambda where: context.elect(where, why), are_fresh=True)
    done += yield from machine.create(stateless, lambda where: _first(office, where))
    if done:
        machine.push(done)
    yield from on_topic_deletion(office)


def on_topics(office: Office) -> Steps[None]:
    """Topics were made, by this controller or by a tool, or their znodes are gone."""
    context = office.context
    names = (yield [children(TOPICS, watch=True)])[0].last.children
    for topic in sorted(set(context.image.topics) - set(names)):
        context.remove_topic(topic)
    new = [name for name in names if name not in context.image.topics]
    yield from _read_topics(office, new)
    added = [where for where in sorted(context.image.partitions) if where.topic in new]
    for topic in new:
        topic_state = context.image.topics.get(topic)
        if topic_state is not None:
            count = sum(where.topic == topic for where in added)
            minimum = topic_state.min_insync_replicas
            event = TopicCreated(
                topic=topic, topic_id=topic_state.topic_id, partitions=count, min_insync_replicas=minimum
            )
            office.out.append(Emit(event))
    made = yield from office.machine.create(added, lambda where: _first(office, where))
    if made:
        office.machine.push(made)


def on_isr_changes(office: Office) -> Steps[None]:
    """Leaders wrote ISRs: read them, tell all brokers' clients, take the notes away."""
    notes = (yield [children(ISR_CHANGES, watch=True)])[0].last.children
    if not notes:
        return
    paths = [f"{ISR_CHANGES}/{note}" for note in notes]
    answers = yield [get(path) for path in paths]
    changed: set[TopicPartition] = set()
    for answer in answers:
        if answer.is_ok:
            changed.update(_partitions_in(answer.last.data))
    partitions = sorted(changed & set(office.context.image.partitions))
    yield from office.machine.read(partitions)
    office.machine.update_metadata(partitions)
    yield [delete(path) for path in paths]


def on_topic_deletion(office: Office) -> Steps[None]:
    """Topics that are to go, go once all their replicas are there to drop them. Source: TopicDeletionManager."""
    names = (yield [children(DELETE_TOPICS, watch=True)])[0].last.children
    context = office.context
    for name in names:
        wheres = [where for where in sorted(context.image.partitions) if where.topic == name]
        replicas = {node for where in wheres for node in context.image.partitions[where].replicas}
        marker = f"{DELETE_TOPICS}/{name}"
        if not wheres:
            yield [delete(marker)]
        elif replicas <= set(context.image.brokers):
            yield from _delete_topic(office, name, wheres, replicas)
            yield [delete(marker)]


def _delete_topic(office: Office, name: str, wheres: list[TopicPartition], replicas: Iterable[NodeId]) -> Steps[None]:
    context = office.context
    topic = context.image.topics[name]
    office.machine.stop_replicas(wheres, sorted(replicas), delete=True)
    for where in wheres:
        yield [delete(state_path(where))]
        yield [delete(partition_path(where))]
    yield [delete(f"{topic_path(name)}/partitions")]
    context.remove_topic(name)
    yield [delete(topic_path(name)), delete(config_path(name))]
    office.out.append(Emit(TopicDeleted(topic=name, topic_id=topic.topic_id, partitions=len(wheres))))
    office.machine.update_metadata([], deleted=(name,))
    office.answer_deleted(name)


def _read_brokers() -> Steps[dict[NodeId, int]]:
    """Alive brokers with their broker epochs: the transactions that created their znodes."""
    names = (yield [children(BROKER_IDS, watch=True)])[0].last.children
    brokers = sorted(int(name) for name in names if name.isdecimal() and len(name) < 6)
    answers = yield [get(broker_path(broker_id)) for broker_id in brokers]
    return {broker_id: answer.last.czxid for broker_id, answer in zip(brokers, answers, strict=True) if answer.is_ok}


def _read_topics(office: Office, names: Iterable[str]) -> Steps[None]:
    """Assignments and settings; a topic whose znode holds nonsense is left alone."""
    asked = sorted(names)
    assignments = yield [get(topic_path(name)) for name in asked]
    configs = yield [get(config_path(name)) for name in asked]
    context = office.context
    for name, assigned, config in zip(asked, assignments, configs, strict=True):
        if not assigned.is_ok:
            continue
        try:
            partitions = decode_assignment(assigned.last.data)
            own = decode_configs(config.last.data) if config.is_ok else {}
        except BadData:
            continue
        context.add_topic(name, assigned.last.czxid, own)
        for index, replicas in sorted(partitions.items()):
            where = TopicPartition(name, index)
            context.image.partitions[where] = context.blank(where, replicas)


def _first(office: Office, where: TopicPartition) -> Wanted | None:
    """Of a new partition: the first of its replicas that is alive leads. None while there is none."""
    context = office.context
    state = context.image.partitions[where]
    minimum = context.image.topics[where.topic].min_insync_replicas
    ruling = first_state(context.image, state.topic_id, state.replicas, minimum, by_majority=False)
    if ruling.value.leader == NO_NODE:
        return None
    return Wanted(state=ruling.value, why=CREATED, unclean=False, decision=ruling.decision)


def _partitions_in(data: str) -> list[TopicPartition]:
    try:
        return decode_partitions(data)
    except BadData:
        return []
