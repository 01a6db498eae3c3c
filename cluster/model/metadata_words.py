"""What each record of the metadata log says, in one clause for a reader."""

from __future__ import annotations

from typing import assert_never

from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.metadata_records import (
    BrokerRegistrationChangeRecord,
    ConfigRecord,
    KRaftVersionRecord,
    LeaderChangeRecord,
    MetadataRecord,
    NoOpRecord,
    PartitionRecord,
    ProducerIdsRecord,
    RegisterBrokerRecord,
    RemoveTopicRecord,
    SnapshotFooterRecord,
    SnapshotHeaderRecord,
    TopicRecord,
    VotersRecord,
)

WORDS_MAX = 50
"""Records of one batch that are told in words: a topic may have a thousand partitions."""


def words_of(record: MetadataRecord) -> str:
    """One clause, without the kind of the record. Untrusted text stands there as it is: who shows it makes it safe."""
    match record:
        case RegisterBrokerRecord():
            return f"broker {record.broker_id} has registered, {'fenced' if record.fenced else 'in service'}"
        case BrokerRegistrationChangeRecord():
            return f"broker {record.broker_id} {_change(record)}"
        case TopicRecord():
            return f"topic {record.topic} exists, min.insync.replicas {record.min_insync_replicas}"
        case PartitionRecord(state=state):
            leader = "no leader" if state.leader == NO_NODE else f"leader {state.leader}"
            name = f"{record.topic}-{record.partition}"
            return f"{name} {leader}, epoch {state.leader_epoch}, ISR {_numbers(state.isr)}: {record.why}"
        case LeaderChangeRecord():
            return f"{record.leader_id} leads the quorum, votes of {_numbers(record.granting_voters)}"
        case NoOpRecord():
            return "nothing: an idle quorum shows that it can commit"
        case ProducerIdsRecord():
            return f"broker {record.broker_id} may give away producer ids below {record.next_producer_id}"
        case ConfigRecord():
            value = "its default" if record.value is None else record.value
            return f"topic {record.topic} has {record.config} = {value}"
        case RemoveTopicRecord():
            return f"topic {record.topic} is deleted"
        case KRaftVersionRecord():
            return f"kraft.version {record.version}" + (": the voters stand in this log" if record.version else "")
        case VotersRecord():
            return f"the voters are {_numbers(tuple(voter.node_id for voter in record.voters))}"
        case SnapshotHeaderRecord():
            return f"a snapshot of all below {record.end_offset} begins"
        case SnapshotFooterRecord():
            return "the snapshot is whole"
        case _:
            assert_never(record)


def _change(record: BrokerRegistrationChangeRecord) -> str:
    if record.controlled_shutdown:
        return "leaves in order"
    return {1: "is fenced", -1: "is in service"}.get(record.fenced, "stays as it was")


def _numbers(nodes: tuple[NodeId, ...]) -> str:
    return ",".join(map(str, nodes)) or "nobody"
