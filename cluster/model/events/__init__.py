"""The event catalogue: everything a node or the lab can say. Names are never changed, only added.

An event is declared in the file of its machine, whose union at the end names it; this is the union of those unions.
"""

from __future__ import annotations

from typing import TypeAlias, get_args

from cluster.model.events.client import *
from cluster.model.events.client import ClientEvent as ClientEvent
from cluster.model.events.consumer import *
from cluster.model.events.consumer import ConsumerEvent as ConsumerEvent
from cluster.model.events.controller import *
from cluster.model.events.controller import ControllerEvent as ControllerEvent
from cluster.model.events.fetch_session import *
from cluster.model.events.fetch_session import FetchSessionEvent as FetchSessionEvent
from cluster.model.events.group import *
from cluster.model.events.group import GroupEvent as GroupEvent
from cluster.model.events.kafka_client import *
from cluster.model.events.kafka_client import KafkaClientEvent as KafkaClientEvent
from cluster.model.events.lab import *
from cluster.model.events.lab import LabEvent as LabEvent
from cluster.model.events.load import *
from cluster.model.events.load import LoadEvent as LoadEvent
from cluster.model.events.network import *
from cluster.model.events.network import NetworkEvent as NetworkEvent
from cluster.model.events.producer import *
from cluster.model.events.producer import ProducerEvent as ProducerEvent
from cluster.model.events.quorum import *
from cluster.model.events.quorum import QuorumEvent as QuorumEvent
from cluster.model.events.replica import *
from cluster.model.events.replica import ReplicaEvent as ReplicaEvent
from cluster.model.events.snapshot import *
from cluster.model.events.snapshot import SnapshotEvent as SnapshotEvent
from cluster.model.events.storage import *
from cluster.model.events.storage import StorageEvent as StorageEvent
from cluster.model.events.transaction import *
from cluster.model.events.transaction import TransactionEvent as TransactionEvent
from cluster.model.events.zookeeper import *
from cluster.model.events.zookeeper import ZooKeeperEvent as ZooKeeperEvent

Event: TypeAlias = (
    ClientEvent
    | ConsumerEvent
    | ControllerEvent
    | FetchSessionEvent
    | GroupEvent
    | KafkaClientEvent
    | LabEvent
    | NetworkEvent
    | LoadEvent
    | ProducerEvent
    | QuorumEvent
    | ReplicaEvent
    | SnapshotEvent
    | StorageEvent
    | TransactionEvent
    | ZooKeeperEvent
)
CATALOGUE: dict[str, type] = {kind.name: kind for kind in get_args(Event)}
"""Event class by its trace name."""
