"""Commands that built-in clients carry out: on records, topics, replicas, voters."""

from __future__ import annotations

from dataclasses import replace

from cluster.commands.desk import Desk
from cluster.commands.world import ClientCommand, CommandRefused
from cluster.lab import Answer
from cluster.language.members import MemberOrder, Subscribe
from cluster.language.topics import AlterTopic, CreateTopic, Load, Reassign
from cluster.language.transactions import TxnCommand, partition_of
from cluster.language.voters import AddVoter, RemoveVoter
from cluster.language.words import NodeName
from cluster.language.znodes import AskZooKeeper
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.model.settings import Settings
from cluster.model.topic_settings import MAJORITY
from cluster.picture.cluster_state import ClusterState

VoterChange = AddVoter | RemoveVoter
BROKERS_SECONDS = 5.0
POLL_SECONDS = 0.01


async def carry_out(desk: Desk, command: ClientCommand) -> Answer:
    """Check what can be checked from here, then let a client do it."""
    _must_fit(desk.world.settings, command)
    if isinstance(command, CreateTopic):
        if len(desk.world.brokers) < command.replicas:
            there = len(desk.world.brokers)
            raise CommandRefused(f"{command.replicas} replicas need as many brokers, there are {there}")
        await _wait_for_brokers(desk, command.assign, waits=command.retries and command.wait)
    elif isinstance(command, AlterTopic):
        _must_exist(desk, TopicPartition(command.topic, 0))
    elif isinstance(command, Subscribe):
        for topic in command.topics:
            _must_exist(desk, TopicPartition(topic, 0))
    elif isinstance(command, AddVoter | RemoveVoter):
        command = _with_disk(desk.world.cluster(), command, await desk.find(command.node))
    elif isinstance(command, TxnCommand):
        if (where := partition_of(command)) is not None:
            _must_exist(desk, where)
    elif isinstance(command, Reassign):
        _must_exist(desk, command.topic_partition)
        await _wait_for_brokers(desk, command.target, waits=bool(command.target) and command.wait)
    elif not isinstance(command, MemberOrder | AskZooKeeper) and command != Load(0):
        _must_exist(desk, command.topic_partition)
    return await desk.world.run_client(command)


def _must_fit(settings: Settings, command: ClientCommand) -> None:
    """CommandRefused for what a cluster of this kind does not have."""
    match command:
        case CreateTopic() if command.commit_rule == MAJORITY and settings.is_zookeeper:
            raise CommandRefused("commit-rule=majority: with control=zookeeper leaders come from the ISR; allowed: isr")
        case AlterTopic() if settings.is_zookeeper:
            raise CommandRefused("with control=zookeeper a topic keeps the settings it was made with")
        case AskZooKeeper() if not settings.is_zookeeper:
            raise CommandRefused("this cluster has no ZooKeeper; start one with control=zookeeper")
        case AddVoter() | RemoveVoter() if not settings.dynamic_quorum:
            raise CommandRefused("the voters of this run are fixed; a cluster with dynamic_quorum=on can change them")
        case _:
            pass


async def _wait_for_brokers(desk: Desk, named: tuple[NodeId, ...], *, waits: bool) -> None:
    """Replicas asked for while brokers are still registering get a moment of patience, not a refusal.

    Args:
        named: brokers that are meant; empty for all.
    """
    world = desk.world
    wanted = set(named) or set(world.brokers)
    if unknown := sorted(wanted - set(world.brokers)):
        raise CommandRefused(f"no broker {unknown[0]}; there are {', '.join(map(str, world.brokers))}")
    if not waits:
        return
    deadline = world.now_s() + BROKERS_SECONDS
    while world.now_s() < deadline:
        nodes = world.cluster().nodes
        running = {node for node in wanted if world.is_up(node) and not world.is_paused(node)}
        if all(node in nodes and nodes[node].fenced is False for node in running):
            return
        await world.pass_time(POLL_SECONDS)


def _with_disk(state: ClusterState, command: VoterChange, node: NodeId) -> VoterChange:
    """With its node as a number, and the disk that is meant.

    Of a new voter that is what its meta.properties says, which kafka-metadata-quorum reads; of an old one what the log
    of the leader says.
    """
    leader, described = state.nodes.get(state.leader_of_newest_epoch), state.nodes.get(node)
    disk = "" if described is None else described.directory_id
    if isinstance(command, RemoveVoter) and leader is not None:
        disk = dict(leader.voters).get(node, disk)
    return replace(command, node=NodeName(node), directory=command.directory or disk)


def _must_exist(desk: Desk, topic_partition: TopicPartition) -> None:
    """A topic that nobody created would only be found missing after the client's whole patience."""
    topics = desk.world.cluster().topics
    topic, partition = topic_partition
    if topic not in topics:
        way_out = f"there are {', '.join(sorted(topics))}" if topics else f"create it: topic {topic}"
        raise CommandRefused(f"no topic {topic}; {way_out}")
    if partition >= topics[topic]:
        raise CommandRefused(f"topic {topic} has partitions 0 to {topics[topic] - 1}")
