"""Every message between nodes, by topic. Frames carry these with Kafka's field names.

A message has its number on the wire where it is declared: a fresh one is one above the largest, and an old one is never
given to another. It stands in the union of its file, and with that in `MESSAGES`.
"""

from __future__ import annotations

from typing import TypeAlias, get_args

from cluster.model.messages.brokers import *
from cluster.model.messages.configs import *
from cluster.model.messages.controller_pushes import *
from cluster.model.messages.fetch_sessions import *
from cluster.model.messages.group_offsets import *
from cluster.model.messages.groups import *
from cluster.model.messages.producers import *
from cluster.model.messages.quorum import *
from cluster.model.messages.records import *
from cluster.model.messages.replication import *
from cluster.model.messages.snapshots import *
from cluster.model.messages.topics import *
from cluster.model.messages.transactions import *
from cluster.model.messages.zookeeper import *

Message: TypeAlias = (
    BrokerMessage
    | ConfigMessage
    | FetchSessionMessage
    | GroupOffsetMessage
    | GroupMessage
    | ProducerMessage
    | PushMessage
    | QuorumMessage
    | RecordMessage
    | ReplicationMessage
    | SnapshotMessage
    | TopicMessage
    | TransactionMessage
    | ZooKeeperMessage
)
MESSAGES: dict[str, type[Message]] = {kind.__name__: kind for kind in get_args(Message)}
"""By name."""
