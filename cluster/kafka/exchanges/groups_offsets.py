"""OffsetCommit, OffsetFetch, OffsetDelete: how far groups have read. Source: KIP-211, KIP-496, KIP-709 (many groups).

Retention that old clients name in a commit (versions 2 to 4) is not looked at: the brokers' own holds for all.
"""

from __future__ import annotations

from collections.abc import Sequence

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import client_error
from cluster.kafka.exchanges.exchange import Exchange
from cluster.kafka.exchanges.groups_membership import OneAnswer
from cluster.kafka.frames import Request
from cluster.kafka.schema import offset_commit as commit_schema
from cluster.kafka.schema import offset_delete as delete_schema
from cluster.kafka.schema import offset_fetch as fetch_schema
from cluster.model.identifiers import UNKNOWN_OFFSET
from cluster.model.messages import (
    Message,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
)

_TOP_ERROR_FROM, _MANY_GROUPS_FROM, _MEMBER_EPOCHS_FROM = 2, 8, 9


class OffsetCommitExchange(OneAnswer):
    """What becomes of one OffsetCommit request."""

    __slots__ = ()

    def _asked(self) -> OffsetCommitRequest:
        message = self._request.message
        return OffsetCommitRequest(
            group=message.group_id,
            generation=message.generation_id_or_member_epoch,
            member_id=message.member_id,
            instance_id=message.group_instance_id or "",
            offsets=tuple(
                (
                    topic.name,
                    item.partition_index,
                    item.committed_offset,
                    item.committed_leader_epoch,
                    item.committed_metadata or "",
                )
                for topic in message.topics
                for item in topic.partitions
            ),
            knows_member_epochs=self._request.version >= _MEMBER_EPOCHS_FROM,
        )

    def response(self) -> commit_schema.OffsetCommitResponse:
        """What became of each, in the order of the request."""
        told: OffsetCommitResponse = self._answer
        errors = iter(told.partitions)
        topics = [
            commit_schema.OffsetCommitResponseTopic(
                topic.name,
                [
                    commit_schema.OffsetCommitResponsePartition(item.partition_index, self._error(next(errors)[2]))
                    for item in topic.partitions
                ],
            )
            for topic in self._request.message.topics
        ]
        return commit_schema.OffsetCommitResponse(topics=topics)


class OffsetFetchExchange(Exchange):
    """What becomes of one OffsetFetch request: of one group, or from version 8 on of many."""

    __slots__ = ("_answers", "_request")

    def __init__(self, request: Request) -> None:
        self._request = request
        self._answers: dict[str, OffsetFetchResponse] = {}
        message = request.message
        if request.version < _MANY_GROUPS_FROM:
            self.requests = [_asked(message.group_id, message.topics)]
        else:
            by_group = {each.group_id: _asked_by_member(each) for each in message.groups}
            self.requests = list(by_group.values())

    @property
    def is_complete(self) -> bool:
        """Whether every group is answered for."""
        return len(self._answers) == len(self.requests)

    def answer(self, asked: OffsetFetchRequest, response: OffsetFetchResponse) -> Sequence[Message]:
        """Take the answer for one group."""
        self._answers.setdefault(asked.group, response)
        return ()

    def response(self) -> fetch_schema.OffsetFetchResponse:
        """The offsets by group, or of the one group that old versions ask for."""
        message = self._request.message
        if self._request.version >= _MANY_GROUPS_FROM:
            return fetch_schema.OffsetFetchResponse(groups=[self._group(each.group_id) for each in message.groups])
        told = self._answers[message.group_id]
        error = client_error(told.error, ApiKey.OFFSET_FETCH, self._request.version)
        if not error:
            return fetch_schema.OffsetFetchResponse(topics=_topics(told))
        if self._request.version >= _TOP_ERROR_FROM:
            return fetch_schema.OffsetFetchResponse(error_code=error)
        topics = [
            fetch_schema.OffsetFetchResponseTopic(
                topic.name,
                [
                    fetch_schema.OffsetFetchResponsePartition(index, UNKNOWN_OFFSET, -1, "", error)
                    for index in topic.partition_indexes
                ],
            )
            for topic in message.topics
        ]
        return fetch_schema.OffsetFetchResponse(topics=topics)

    def _group(self, group: str) -> fetch_schema.OffsetFetchResponseGroup:
        told = self._answers[group]
        error = client_error(told.error, ApiKey.OFFSET_FETCH, self._request.version)
        topics: dict[str, fetch_schema.OffsetFetchResponseTopics] = {}
        for topic, partition, offset, leader_epoch, metadata in told.offsets:
            item = fetch_schema.OffsetFetchResponsePartitions(partition, offset, leader_epoch, metadata)
            topics.setdefault(topic, fetch_schema.OffsetFetchResponseTopics(topic)).partitions.append(item)
        return fetch_schema.OffsetFetchResponseGroup(group, list(topics.values()), error)


def _asked(
    group: str,
    topics: Sequence[fetch_schema.OffsetFetchRequestTopic | fetch_schema.OffsetFetchRequestTopics] | None,
) -> OffsetFetchRequest:
    """No topics at all ask for every offset of the group."""
    if topics is None:
        return OffsetFetchRequest(group=group)
    partitions = tuple((topic.name, index) for topic in topics for index in topic.partition_indexes)
    return OffsetFetchRequest(group=group, partitions=partitions)


def _asked_by_member(asked: fetch_schema.OffsetFetchRequestGroup) -> OffsetFetchRequest:
    """Members of groups of the newer protocol say who they are, from version 9 on."""
    request = _asked(asked.group_id, asked.topics)
    request.member_id, request.member_epoch = asked.member_id, asked.member_epoch
    return request


def _topics(told: OffsetFetchResponse) -> list[fetch_schema.OffsetFetchResponseTopic]:
    topics: dict[str, fetch_schema.OffsetFetchResponseTopic] = {}
    for topic, partition, offset, leader_epoch, metadata in told.offsets:
        item = fetch_schema.OffsetFetchResponsePartition(partition, offset, leader_epoch, metadata)
        topics.setdefault(topic, fetch_schema.OffsetFetchResponseTopic(topic)).partitions.append(item)
    return list(topics.values())


class OffsetDeleteExchange(OneAnswer):
    """What becomes of one OffsetDelete request."""

    __slots__ = ()

    def _asked(self) -> OffsetDeleteRequest:
        message = self._request.message
        partitions = tuple((topic.name, item.partition_index) for topic in message.topics for item in topic.partitions)
        return OffsetDeleteRequest(group=message.group_id, partitions=partitions)

    def response(self) -> delete_schema.OffsetDeleteResponse:
        """What became of each; with an error for all there is nothing else."""
        told: OffsetDeleteResponse = self._answer
        if told.error:
            return delete_schema.OffsetDeleteResponse(error_code=self._error(told.error))
        topics: dict[str, delete_schema.OffsetDeleteResponseTopic] = {}
        for topic, partition, error in told.partitions:
            item = delete_schema.OffsetDeleteResponsePartition(partition, self._error(error))
            topics.setdefault(topic, delete_schema.OffsetDeleteResponseTopic(topic)).partitions.append(item)
        return delete_schema.OffsetDeleteResponse(topics=list(topics.values()))
