"""Bugs of consumers that read from followers, and of the followers that serve them."""

from __future__ import annotations

from typing import Any

from cluster.model.identifiers import NO_NODE
from cluster.replication import waiting_fetches
from cluster.replication.state import LEADS, ReplicaState
from tests.support.bugs.planted import PlantedBug


def _all_that_it_has(answered: Any) -> Any:
    """A follower takes all of its log for committed while it answers a consumer."""

    def answer(state: ReplicaState, request: Any, *given: Any) -> Any:
        if state.role is LEADS or request.replica_id != NO_NODE:
            return answered(state, request, *given)
        known, state.high_watermark = state.high_watermark, state.end_offset
        try:
            return answered(state, request, *given)
        finally:
            state.high_watermark = known

    return answer


READER_BUGS = (
    PlantedBug(
        "follower-shows-its-tail", "replication", "a follower gives consumers what it does not know to be committed",
        frozenset({"P36"}),
        ((waiting_fetches, "records_for", _all_that_it_has), (waiting_fetches, "has_records", _all_that_it_has)),
        seeds=(92,),
    ),
)  # fmt: skip
