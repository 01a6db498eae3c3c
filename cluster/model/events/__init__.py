"""The event catalogue: everything a node or the lab can say. Names are never changed, only added."""

from __future__ import annotations

from typing import TypeAlias, get_args

from cluster.model.events.client import (
    ExpectationChecked,
    LessonStep,
    OperationFailed,
    OperationInvoked,
    OperationRetried,
    OperationSucceeded,
    OperationUnknown,
    PredictionAnswered,
)
from cluster.model.events.consumer import (
    ConsumerAssigned,
    ConsumerCommitted,
    ConsumerEnded,
    ConsumerPolled,
    ConsumerPositioned,
    ConsumerRevoked,
)
from cluster.model.events.controller import (
    AlterPartitionRefused,
    BrokerFenced,
    BrokerRegistered,
    BrokerStateChanged,
    BrokerUnfenced,
    ControlledShutdownBegun,
    ControllerActivated,
    ControllerDeactivated,
    PartitionApplied,
    PartitionDecided,
    RegistrationRefused,
    TopicConfigChanged,
    TopicCreated,
    TopicDeleted,
)
from cluster.model.events.group import (
    ConsumerGroupLoaded,
    ConsumerGroupTargeted,
    ConsumerMemberReconciled,
    CoordinatorLoaded,
    CoordinatorResigned,
    GroupAssigned,
    GroupGenerationBegan,
    GroupMemberJoined,
    GroupMemberLeft,
    GroupRequestRefused,
    GroupStateChanged,
    OffsetCommitRefused,
    OffsetsCommitted,
    OffsetsForgotten,
)
from cluster.model.events.kafka_client import (
    ClientConnected,
    ClientDisconnected,
    ClientRefused,
    ClientRequested,
    ClientResponseLost,
)
from cluster.model.events.lab import (
    CommandRejected,
    FaultApplied,
    FaultInjected,
    FaultReverted,
    FramesHeld,
    FramesReleased,
    LinkConnected,
    LinkReset,
    PortTaken,
    PowerLost,
    ProcessExited,
    ProcessReady,
    ProcessStarted,
    RunEnded,
    RunResumed,
    RunStarted,
)
from cluster.model.events.producer import ProduceDuplicated, ProducerIdGiven, ProducerIdsAllocated
from cluster.model.events.quorum import (
    ElectionStarted,
    LeaderElected,
    MetadataAppended,
    MetadataDiverged,
    MetadataHighWatermarkAdvanced,
    MetadataTruncated,
    QuorumBooted,
    RoleChanged,
    VoteGranted,
    VoteReceived,
    VoteRejected,
)
from cluster.model.events.replica import (
    BecameFollower,
    BecameLeader,
    CorruptBatchRefused,
    EpochEndAnswered,
    FetchRefused,
    FollowerProgress,
    HighWatermarkAdvanced,
    IsrCommitted,
    IsrProposed,
    IsrRefused,
    LogStartAdvanced,
    ProduceAnswered,
    ProduceRefused,
    ReplicaAppended,
    ReplicaDiverged,
    ReplicaLagging,
    ReplicaTruncated,
)
from cluster.model.events.storage import (
    ElectionPersisted,
    Fsynced,
    LogRecovered,
    LogRemoved,
    StorageError,
)

Event: TypeAlias = (
    RunStarted
    | RunEnded
    | RunResumed
    | ProcessStarted
    | PortTaken
    | ProcessReady
    | ProcessExited
    | FaultInjected
    | FaultApplied
    | FaultReverted
    | CommandRejected
    | PowerLost
    | Fsynced
    | LogRecovered
    | StorageError
    | QuorumBooted
    | RoleChanged
    | ElectionStarted
    | VoteGranted
    | VoteRejected
    | VoteReceived
    | LeaderElected
    | MetadataAppended
    | MetadataTruncated
    | MetadataDiverged
    | MetadataHighWatermarkAdvanced
    | ControllerActivated
    | ControllerDeactivated
    | BrokerRegistered
    | RegistrationRefused
    | BrokerFenced
    | BrokerUnfenced
    | ControlledShutdownBegun
    | TopicCreated
    | PartitionDecided
    | AlterPartitionRefused
    | PartitionApplied
    | BrokerStateChanged
    | BecameLeader
    | BecameFollower
    | ReplicaAppended
    | ReplicaTruncated
    | CorruptBatchRefused
    | ReplicaDiverged
    | EpochEndAnswered
    | FetchRefused
    | FollowerProgress
    | HighWatermarkAdvanced
    | IsrProposed
    | IsrCommitted
    | IsrRefused
    | ReplicaLagging
    | ProduceRefused
    | ProduceAnswered
    | OperationInvoked
    | OperationSucceeded
    | OperationFailed
    | OperationUnknown
    | OperationRetried
    | FramesHeld
    | FramesReleased
    | LinkReset
    | LinkConnected
    | LessonStep
    | ExpectationChecked
    | PredictionAnswered
    | ElectionPersisted
    | ProducerIdsAllocated
    | ProducerIdGiven
    | CoordinatorLoaded
    | CoordinatorResigned
    | GroupAssigned
    | GroupGenerationBegan
    | GroupMemberJoined
    | GroupMemberLeft
    | GroupRequestRefused
    | GroupStateChanged
    | OffsetCommitRefused
    | OffsetsCommitted
    | OffsetsForgotten
    | ConsumerGroupLoaded
    | ConsumerGroupTargeted
    | ConsumerMemberReconciled
    | ConsumerAssigned
    | ConsumerCommitted
    | ConsumerEnded
    | ConsumerPolled
    | ConsumerPositioned
    | ConsumerRevoked
    | ProduceDuplicated
    | ClientConnected
    | ClientDisconnected
    | ClientRefused
    | ClientRequested
    | ClientResponseLost
    | TopicConfigChanged
    | TopicDeleted
    | LogRemoved
    | LogStartAdvanced
)
CATALOGUE: dict[str, type] = {kind.name: kind for kind in get_args(Event)}
"""Event class by its trace name."""

__all__ = [
    "AlterPartitionRefused",
    "BecameFollower",
    "BecameLeader",
    "BrokerFenced",
    "BrokerRegistered",
    "BrokerStateChanged",
    "BrokerUnfenced",
    "CATALOGUE",
    "ClientConnected",
    "ClientDisconnected",
    "ClientRefused",
    "ClientRequested",
    "ClientResponseLost",
    "CommandRejected",
    "ConsumerAssigned",
    "ConsumerCommitted",
    "ConsumerEnded",
    "ConsumerPolled",
    "ConsumerPositioned",
    "ConsumerRevoked",
    "ControlledShutdownBegun",
    "ControllerActivated",
    "ControllerDeactivated",
    "CorruptBatchRefused",
    "ElectionPersisted",
    "ElectionStarted",
    "Event",
    "ExpectationChecked",
    "FaultApplied",
    "FaultInjected",
    "FaultReverted",
    "EpochEndAnswered",
    "FetchRefused",
    "FollowerProgress",
    "FramesHeld",
    "FramesReleased",
    "Fsynced",
    "CoordinatorLoaded",
    "CoordinatorResigned",
    "ConsumerGroupLoaded",
    "ConsumerGroupTargeted",
    "ConsumerMemberReconciled",
    "GroupAssigned",
    "GroupGenerationBegan",
    "GroupMemberJoined",
    "GroupMemberLeft",
    "GroupRequestRefused",
    "GroupStateChanged",
    "OffsetCommitRefused",
    "OffsetsCommitted",
    "OffsetsForgotten",
    "HighWatermarkAdvanced",
    "IsrCommitted",
    "IsrProposed",
    "IsrRefused",
    "LeaderElected",
    "LessonStep",
    "LinkConnected",
    "LinkReset",
    "LogRecovered",
    "LogRemoved",
    "LogStartAdvanced",
    "MetadataAppended",
    "MetadataDiverged",
    "MetadataHighWatermarkAdvanced",
    "MetadataTruncated",
    "OperationFailed",
    "OperationInvoked",
    "OperationRetried",
    "OperationSucceeded",
    "OperationUnknown",
    "PartitionApplied",
    "PartitionDecided",
    "PortTaken",
    "PowerLost",
    "PredictionAnswered",
    "ProcessExited",
    "ProcessReady",
    "ProcessStarted",
    "ProduceAnswered",
    "ProduceDuplicated",
    "ProduceRefused",
    "ProducerIdGiven",
    "ProducerIdsAllocated",
    "QuorumBooted",
    "RegistrationRefused",
    "ReplicaAppended",
    "ReplicaDiverged",
    "ReplicaLagging",
    "ReplicaTruncated",
    "RoleChanged",
    "RunEnded",
    "RunResumed",
    "RunStarted",
    "StorageError",
    "TopicConfigChanged",
    "TopicCreated",
    "TopicDeleted",
    "VoteGranted",
    "VoteReceived",
    "VoteRejected",
]
