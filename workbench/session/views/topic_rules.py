"""How the end of a topic changes the view. Its partitions go when it is committed, a log when its broker drops it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.entry import Entry
from cluster.model.events import storage
from cluster.model.identifiers import Offset, TopicPartition
from workbench.session.views.state import ViewState


def on_topic_deleted(view: ViewState, topic: str, base_offset: Offset) -> None:
    """It is committed; base_offset is where the metadata log ended before it (exclusive)."""
    view.deleted[topic] = base_offset
    view.partitions = {where: item for where, item in view.partitions.items() if where.topic != topic}
    view.lanes = {key: lane for key, lane in view.lanes.items() if key[1].topic != topic}


def on_log_removed(view: ViewState, entry: Entry, e: storage.LogRemoved) -> None:
    """A broker that was away drops its log late, perhaps when there is a new topic of that name."""
    view.lanes.pop((entry.node, TopicPartition(e.topic, e.partition)), None)


TOPIC_HANDLERS: dict[type, Callable[[ViewState, Entry, Any], None]] = {storage.LogRemoved: on_log_removed}
