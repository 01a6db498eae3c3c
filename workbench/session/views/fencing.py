"""Which brokers are in service: decided by an active controller, and true once the metadata log has committed it.

A controller that loses its office before a decision is committed has decided nothing: its successor's log lacks the
record, and the broker is what it was before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.entry import Entry
from cluster.model.events import quorum
from cluster.model.identifiers import METADATA
from workbench.session.views.nodes import NOT_WRITTEN, FenceDecision
from workbench.session.views.state import ViewState


def decided(value: bool) -> Callable[[ViewState, Entry, Any], None]:
    """A controller fences or unfences a broker."""

    def decide(view: ViewState, entry: Entry, e: Any) -> None:
        node = view.node(e.broker_id)
        view.fencing.append(FenceDecision(entry.node, view.node(entry.node).epoch, e.broker_id, node.fenced))
        node.fenced, node.broker_epoch = value, e.broker_epoch

    return decide


def written(view: ViewState, entry: Entry, e: quorum.MetadataAppended) -> None:
    """The active controller's log ends behind its decisions now."""
    if e.role == "leader":
        view.fencing = [
            item._replace(end_offset=e.end_offset)
            if item.controller == entry.node and item.end_offset == NOT_WRITTEN
            else item
            for item in view.fencing
        ]


def committed(view: ViewState, entry: Entry, e: quorum.MetadataHighWatermarkAdvanced) -> None:
    """What lies below the high watermark stays."""
    view.fencing = [
        item
        for item in view.fencing
        if item.controller != entry.node or not NOT_WRITTEN < item.end_offset <= e.high_watermark
    ]


def succeeded(view: ViewState, entry: Entry, e: quorum.LeaderElected) -> None:
    """A new leader of the quorum: what its log lacks was never decided, newest first."""
    lane = view.lane(entry.node, METADATA)
    for item in reversed(view.fencing):
        has_it = NOT_WRITTEN < item.end_offset <= e.epoch_start_offset
        if not has_it or lane.epoch_at(item.end_offset - 1) != item.epoch:
            view.node(item.broker).fenced = item.before
    view.fencing = []
