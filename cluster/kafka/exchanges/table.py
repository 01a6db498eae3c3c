"""Which exchange serves which API, and whom it asks. To serve another API is one more row.

The advertised versions follow from these rows and from `cluster.kafka.apis`: a key without a row is not advertised, and
a client that sends it all the same is disconnected, as Kafka does.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Final

from msgspec import Struct

from cluster.kafka.apis import ApiKey
from cluster.kafka.exchanges import api_versions, sasl
from cluster.kafka.exchanges.alter_configs import AlterConfigsExchange, IncrementalAlterConfigsExchange
from cluster.kafka.exchanges.create_partitions import CreatePartitionsExchange
from cluster.kafka.exchanges.create_topics import CreateTopicsExchange
from cluster.kafka.exchanges.delete_records import DeleteRecordsExchange
from cluster.kafka.exchanges.delete_topics import DeleteTopicsExchange
from cluster.kafka.exchanges.describe_cluster import describe_cluster
from cluster.kafka.exchanges.describe_configs import DescribeConfigsExchange
from cluster.kafka.exchanges.describe_log_dirs import describe_log_dirs
from cluster.kafka.exchanges.describe_producers import DescribeProducersExchange
from cluster.kafka.exchanges.describe_quorum import DescribeQuorumExchange
from cluster.kafka.exchanges.describe_topic_partitions import describe_topic_partitions
from cluster.kafka.exchanges.elect_leaders import ElectLeadersExchange
from cluster.kafka.exchanges.exchange import BrokerView, Exchange, Known
from cluster.kafka.exchanges.fetch import FetchExchange
from cluster.kafka.exchanges.groups_consumer import ConsumerGroupDescribeExchange, ConsumerGroupHeartbeatExchange
from cluster.kafka.exchanges.groups_membership import (
    HeartbeatExchange,
    JoinGroupExchange,
    LeaveGroupExchange,
    SyncGroupExchange,
)
from cluster.kafka.exchanges.groups_offsets import OffsetCommitExchange, OffsetDeleteExchange, OffsetFetchExchange
from cluster.kafka.exchanges.groups_overview import (
    DeleteGroupsExchange,
    DescribeGroupsExchange,
    FindCoordinatorExchange,
    ListGroupsExchange,
)
from cluster.kafka.exchanges.init_producer_id import InitProducerIdExchange
from cluster.kafka.exchanges.list_config_resources import list_config_resources
from cluster.kafka.exchanges.list_offsets import ListOffsetsExchange
from cluster.kafka.exchanges.metadata import MetadataExchange
from cluster.kafka.exchanges.offset_for_leader_epoch import EpochEndExchange
from cluster.kafka.exchanges.produce import ProduceExchange
from cluster.kafka.exchanges.reassignments import alter_reassignments, list_reassignments
from cluster.kafka.exchanges.unregister_broker import unregister_broker
from cluster.kafka.exchanges.update_features import update_features
from cluster.kafka.frames import Request


class Whom(Enum):
    """Who is asked what an exchange asks."""

    BROKER = auto()
    """The machines of the broker that the client talks to: replicas, producer ids, group coordinator."""
    CONTROLLER = auto()
    """The active controller, wherever it is; asked again while it changes."""


Begin = Callable[[Request, BrokerView], Exchange]


class Row(Struct, frozen=True):
    """How one API is served."""

    begin: Begin
    """Makes the exchange of one request. It does not raise: what a client may not ask is a response with an error."""
    whom: Whom = Whom.BROKER
    """Who answers."""


TABLE: Final[dict[int, Row]] = {
    ApiKey.PRODUCE: Row(ProduceExchange),
    ApiKey.FETCH: Row(FetchExchange),
    ApiKey.LIST_OFFSETS: Row(ListOffsetsExchange),
    ApiKey.METADATA: Row(MetadataExchange, Whom.CONTROLLER),
    ApiKey.OFFSET_COMMIT: Row(lambda request, _view: OffsetCommitExchange(request)),
    ApiKey.OFFSET_FETCH: Row(lambda request, _view: OffsetFetchExchange(request)),
    ApiKey.FIND_COORDINATOR: Row(FindCoordinatorExchange.begin),
    ApiKey.JOIN_GROUP: Row(lambda request, _view: JoinGroupExchange(request)),
    ApiKey.HEARTBEAT: Row(lambda request, _view: HeartbeatExchange(request)),
    ApiKey.LEAVE_GROUP: Row(lambda request, _view: LeaveGroupExchange(request)),
    ApiKey.SYNC_GROUP: Row(lambda request, _view: SyncGroupExchange(request)),
    ApiKey.DESCRIBE_GROUPS: Row(lambda request, _view: DescribeGroupsExchange(request)),
    ApiKey.LIST_GROUPS: Row(lambda request, _view: ListGroupsExchange(request)),
    ApiKey.DELETE_GROUPS: Row(lambda request, _view: DeleteGroupsExchange(request)),
    ApiKey.OFFSET_DELETE: Row(lambda request, _view: OffsetDeleteExchange(request)),
    ApiKey.API_VERSIONS: Row(lambda request, view: Known(api_versions.answer(request, TABLE, view))),
    ApiKey.SASL_HANDSHAKE: Row(lambda _request, _view: Known(sasl.HANDSHAKE)),
    ApiKey.SASL_AUTHENTICATE: Row(lambda _request, _view: Known(sasl.AUTHENTICATE)),
    ApiKey.CREATE_TOPICS: Row(CreateTopicsExchange.begin, Whom.CONTROLLER),
    ApiKey.INIT_PRODUCER_ID: Row(lambda request, _view: InitProducerIdExchange(request)),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: Row(EpochEndExchange),
    ApiKey.ELECT_LEADERS: Row(lambda request, view: ElectLeadersExchange(request, view.partitions), Whom.CONTROLLER),
    ApiKey.DESCRIBE_CONFIGS: Row(DescribeConfigsExchange),
    ApiKey.DELETE_RECORDS: Row(DeleteRecordsExchange),
    ApiKey.DELETE_TOPICS: Row(DeleteTopicsExchange, Whom.CONTROLLER),
    ApiKey.CREATE_PARTITIONS: Row(lambda request, _view: CreatePartitionsExchange(request), Whom.CONTROLLER),
    ApiKey.ALTER_CONFIGS: Row(lambda request, _view: AlterConfigsExchange(request), Whom.CONTROLLER),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: Row(
        lambda request, _view: IncrementalAlterConfigsExchange(request), Whom.CONTROLLER
    ),
    ApiKey.DESCRIBE_QUORUM: Row(DescribeQuorumExchange, Whom.CONTROLLER),
    ApiKey.DESCRIBE_PRODUCERS: Row(DescribeProducersExchange),
    ApiKey.DESCRIBE_LOG_DIRS: Row(lambda request, view: Known(describe_log_dirs(request, view))),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: Row(lambda request, view: Known(alter_reassignments(request, view))),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: Row(lambda request, _view: Known(list_reassignments(request))),
    ApiKey.UPDATE_FEATURES: Row(lambda request, view: Known(update_features(request, view))),
    ApiKey.UNREGISTER_BROKER: Row(lambda request, view: Known(unregister_broker(request, view))),
    ApiKey.LIST_CONFIG_RESOURCES: Row(lambda request, view: Known(list_config_resources(request, view))),
    ApiKey.DESCRIBE_CLUSTER: Row(lambda request, view: Known(describe_cluster(request, view))),
    ApiKey.CONSUMER_GROUP_HEARTBEAT: Row(lambda request, _view: ConsumerGroupHeartbeatExchange(request)),
    ApiKey.CONSUMER_GROUP_DESCRIBE: Row(lambda request, _view: ConsumerGroupDescribeExchange(request)),
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: Row(lambda request, view: Known(describe_topic_partitions(request, view))),
}
"""By API key."""
