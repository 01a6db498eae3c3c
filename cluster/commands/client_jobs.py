"""A command as a built-in client is told it, and what came of it in one line."""

from __future__ import annotations

from dataclasses import dataclass, field

from cluster.clients import transactional
from cluster.commands.world import ClientCommand
from cluster.lab import Answer
from cluster.language.members import MemberOrder, Subscribe
from cluster.language.topics import AlterTopic, Consume, CreateTopic, DeleteRecords, Elect, Load, Produce, Reassign
from cluster.language.transactions import TxnAbort, TxnArrive, TxnBegin, TxnCommand, TxnCommit, TxnProduce
from cluster.language.voters import AddVoter, RemoveVoter
from cluster.language.znodes import AskZooKeeper
from cluster.model.errors import ErrorCode
from cluster.model.events import Event, OperationFailed, OperationRedirected, OperationSucceeded, OperationUnknown
from cluster.model.identifiers import METADATA, NO_NODE, NodeId
from cluster.model.inputs import ClientRequest
from cluster.model.messages import ZooKeeperCode
from cluster.model.topic_settings import MIN_ISR

NAMES = {
    Produce: "producer",
    Consume: "consumer",
    Load: "load",
    CreateTopic: "admin",
    AlterTopic: "admin",
    DeleteRecords: "admin",
    Elect: "admin",
    Reassign: "admin",
    AddVoter: "admin",
    RemoveVoter: "admin",
    AskZooKeeper: "tool",
}

Whole = Consume | CreateTopic | AlterTopic | DeleteRecords | Elect | Reassign | AddVoter | RemoveVoter | AskZooKeeper
"""Commands that are refused or done as a whole."""
STEP_OF: dict[type, str] = {
    TxnBegin: transactional.BEGIN,
    TxnProduce: transactional.PRODUCE,
    TxnCommit: transactional.COMMIT,
    TxnAbort: transactional.ABORT,
    TxnArrive: transactional.ARRIVE,
}


@dataclass(slots=True)
class Outcome:
    """What a client's events said so far."""

    records: int = 0
    """Acknowledged or read."""
    first: int = -1
    """Lowest offset acknowledged or read; -1 for none."""
    last: int = -1
    """Highest offset (inclusive)."""
    per_partition: dict[int, int] = field(default_factory=dict)
    """Records of a produce, by partition."""
    values: list[str] = field(default_factory=list)
    """As told by the events."""
    refused: dict[str, int] = field(default_factory=dict)
    """Error name to how many operations certainly did nothing."""
    unknown: dict[str, int] = field(default_factory=dict)
    """Error name to how many operations may or may not have happened."""
    went_on_at: list[int] = field(default_factory=list)
    """Of a consumer: the log starts at which it went on when what it wanted next had been deleted."""
    read_from: NodeId = NO_NODE
    """Of a consumer: the replica that the leader sent it to last; -1 for none."""
    was_behind: bool = False
    """Of a consumer: what it wanted next is out of range, and no answer came since."""

    def note(self, event: Event) -> None:
        """Take in one event of the client."""
        match event:
            case OperationSucceeded():
                self.records += event.count
                if event.function == "produce":
                    self.per_partition[event.partition] = self.per_partition.get(event.partition, 0) + event.count
                if self.was_behind:
                    self.went_on_at.append(event.base_offset)
                    self.was_behind = False
                if event.base_offset >= 0:
                    self.first = event.base_offset if self.first < 0 else min(self.first, event.base_offset)
                    self.last = max(self.last, event.base_offset + event.count - 1)
                self.values += event.values
            case OperationRedirected(target=target):
                self.read_from = target
            case OperationFailed(function="consume", error=ErrorCode.OFFSET_OUT_OF_RANGE):
                self.was_behind = True
            case OperationFailed(error=error) | OperationUnknown(error=error):
                name = ErrorCode(error).name if error > 0 and error in set(ErrorCode) else "NO_ANSWER"
                if event.function == "znode" and error in set(ZooKeeperCode):
                    name = ZooKeeperCode(error).name
                counted = self.unknown if isinstance(event, OperationUnknown) else self.refused
                counted[name] = counted.get(name, 0) + 1


def client_name(command: ClientCommand, number: int) -> str:
    """What the client of the number-th command is called; a member of a group has a name of its own."""
    if isinstance(command, Subscribe):
        return command.member
    if isinstance(command, TxnCommand):
        return command.producer
    return f"{NAMES[type(command)]}-{number}"


def request_of(command: ClientCommand) -> ClientRequest:
    """The command as a client is told."""
    match command:
        case Produce():
            return ClientRequest(operation="produce", arguments=_of_produce(command))
        case Consume(topic_partition=tp, offset=offset, rack=rack, isolation=isolation):
            where: dict[str, str | int] = {"topic": tp.topic, "partition": tp.partition}
            how: dict[str, str | int] = {"offset": offset, "rack": rack, "isolation": isolation}
            return ClientRequest(operation="consume", arguments=where | how)
        case TxnCommand():
            return ClientRequest(operation=STEP_OF[type(command)], arguments=_of_step(command))
        case Load(topic_partition=tp, rate_per_s=rate_per_s, acks=acks):
            return ClientRequest(
                operation="load",
                arguments={"topic": tp.topic, "partition": tp.partition, "rate_per_s": rate_per_s, "acks": acks},
            )
        case CreateTopic():
            return ClientRequest(operation="create_topic", arguments=_of_topic(command))
        case AlterTopic(topic=topic, min_isr=min_isr):
            return ClientRequest(operation="alter_topic", arguments={"topic": topic, MIN_ISR: min_isr})
        case Subscribe():
            arguments: dict[str, str | int] = {
                "group": command.group,
                "topics": ",".join(command.topics),
                "assignors": ",".join(command.assignors),
                "instance": command.instance,
                "commit": command.commit,
                "protocol": command.protocol,
            }
            return ClientRequest(operation="subscribe", arguments=arguments)
        case MemberOrder(order=order):
            return ClientRequest(operation=order, arguments={})
        case DeleteRecords(topic_partition=tp, before_offset=before_offset):
            return ClientRequest(
                operation="delete_records",
                arguments={"topic": tp.topic, "partition": tp.partition, "before_offset": before_offset},
            )
        case AskZooKeeper(action=action, path=path, data=data):
            return ClientRequest(operation="znode", arguments={"action": action, "path": path, "data": data})
        case Elect(topic_partition=tp, unclean=unclean):
            return ClientRequest(
                operation="elect", arguments={"topic": tp.topic, "partition": tp.partition, "unclean": int(unclean)}
            )
        case Reassign(topic_partition=tp, target=target):
            arguments = {"topic": tp.topic, "partition": tp.partition, "replicas": ",".join(map(str, target))}
            return ClientRequest(operation="reassign", arguments=arguments)
        case AddVoter() | RemoveVoter():
            return ClientRequest(
                operation="add_voter" if isinstance(command, AddVoter) else "remove_voter",
                arguments={
                    "topic": METADATA.topic,
                    "voter": command.node.node_id,
                    "directory": command.directory,
                    "retries": int(command.retries),
                },
            )


def _of_topic(command: CreateTopic) -> dict[str, str | int]:
    return {
        "topic": command.topic,
        "partitions": command.partitions,
        "replication_factor": command.replicas,
        "min_insync_replicas": command.min_isr,
        "assignment": ",".join(map(str, command.assign)),
        "retries": int(command.retries),
        "configs": " ".join(f"{name}={value}" for name, value in command.configs),
    }


def _of_step(command: TxnCommand) -> dict[str, str | int]:
    if not isinstance(command, TxnProduce):
        return {}
    topic, partition = command.topic_partition
    return {
        "topic": topic,
        "partition": partition,
        "count": command.count,
        "value": command.value,
        "late": int(command.late),
    }


def _of_produce(command: Produce) -> dict[str, str | int]:
    return {
        "topic": command.topic_partition.topic,
        "partition": command.topic_partition.partition,
        "count": command.count,
        "acks": command.acks,
        "value": command.value,
        "batch": command.batch,
        "in_flight": command.in_flight,
        "retries": int(command.retries),
        "idempotent": int(command.idempotent),
        "keys": ",".join(command.keys),
        "partitioner": command.partitioner,
        "spoil": command.spoil,
    }


def _told_errors(outcome: Outcome) -> str:
    """What did not succeed, in words; empty when everything did."""
    refused = outcome.refused
    if outcome.was_behind and not refused and not outcome.unknown:
        refused = {ErrorCode.OFFSET_OUT_OF_RANGE.name: 1}
    return "; ".join(
        f"{what}: " + ", ".join(f"{name} ({times})" if times > 1 else name for name, times in sorted(errors.items()))
        for what, errors in (("refused", refused), ("unknown", outcome.unknown))
        if errors
    )


def _stepped(command: TxnCommand, outcome: Outcome, errors_told: str) -> str:
    """What a step of a transaction brought about."""
    name = command.producer
    if errors_told and not (isinstance(command, TxnProduce) and command.late):
        return f"{name}: {errors_told}"
    match command:
        case TxnBegin():
            return ": ".join([f"{name} begins a transaction", *outcome.values])
        case TxnProduce(late=True):
            return f"{name} gives up a request that is still on its way"
        case TxnProduce():
            return f"{name}: {_written(command, outcome, '')}"
        case TxnArrive():
            return f"{name}: what was late is written"
        case TxnCommit():
            return f"{name} has committed its transaction"
        case TxnAbort():
            return f"{name} has aborted its transaction"
        case _:
            raise AssertionError(f"{command} is no step of a transaction")


def _written(command: Produce | TxnProduce, outcome: Outcome, errors_told: str) -> str:
    offsets = f", offsets {outcome.first} to {outcome.last}" if outcome.first >= 0 else ""
    if outcome.first == outcome.last >= 0:
        offsets = f", offset {outcome.first}"
    if isinstance(command, Produce) and command.partitioner:
        topic, counts = command.topic_partition.topic, sorted(outcome.per_partition.items())
        offsets = "".join(f", {count} in {topic}-{partition}" for partition, count in counts)
    text = f"{outcome.records} of {command.count} record{'s' * (command.count != 1)} acknowledged{offsets}"
    return f"{text}; {errors_told}" if errors_told else text


def _read(outcome: Outcome) -> str:
    shown = ", ".join(outcome.values[:5]) + (" ..." if len(outcome.values) > 5 else "")
    served = f" from n{outcome.read_from}" if outcome.read_from != NO_NODE else ""
    text = f"{outcome.records} record{'s' * (outcome.records != 1)} read{served}{': ' * bool(shown)}{shown}"
    return f"{text}; what was before offset {outcome.went_on_at[-1]} is deleted" if outcome.went_on_at else text


def summary(command: ClientCommand, outcome: Outcome) -> Answer:
    """One line on what became of it. A refusal is an outcome: the command itself was carried out."""
    errors_told = _told_errors(outcome)
    match command:
        case TxnCommand():
            return Answer(True, _stepped(command, outcome, errors_told))
        case Produce():
            return Answer(True, _written(command, outcome, errors_told))
        case Load():
            return Answer(True, "the load has ended")
        case Subscribe(member=member, group=group):
            return Answer(True, f"{member} has left group {group}")
        case MemberOrder(member=member, order=order):
            return Answer(True, f"{member}: {order}")
        case _:
            return Answer(not errors_told, errors_told or _done(command, outcome))


def _done(command: Whole, outcome: Outcome) -> str:
    """What a command brought about that nobody refused."""
    match command:
        case Consume():
            return _read(outcome)
        case DeleteRecords(topic_partition=tp):
            return f"{tp} begins at offset {outcome.first}"
        case CreateTopic(topic=topic):
            return f"topic {topic} is created"
        case AlterTopic(topic=topic, min_isr=min_isr):
            return f"topic {topic} has {MIN_ISR}={min_isr}"
        case AddVoter(node=node):
            return f"node {node} votes from now on"
        case RemoveVoter(node=node):
            return f"node {node} votes no more"
        case AskZooKeeper(action=action, path=path):
            return " ".join([f"{action} {path}", *outcome.values])
        case Reassign(topic_partition=tp, target=target):
            return f"{tp} is on its way to {','.join(map(str, target))}" if target else f"{tp} goes back"
        case Elect(topic_partition=tp):
            return f"an election for {tp} was run"
