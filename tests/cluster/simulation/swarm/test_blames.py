"""Errors that blame who asked are findings, unless something else may be the cause."""

from __future__ import annotations

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.events import OperationFailed
from cluster.simulation.swarm.blames import Blames
from tests.support.traces.traces import Trace


@pytest.mark.parametrize(
    ("function", "error", "is_blamed"),
    [
        ("reassign", ErrorCode.INVALID_REPLICATION_FACTOR, True),
        ("create_topic", ErrorCode.INVALID_REPLICATION_FACTOR, False),
        ("create_topic", ErrorCode.INVALID_CONFIG, True),
        ("produce", ErrorCode.NOT_ENOUGH_REPLICAS, False),
        ("reassign", ErrorCode.INVALID_REQUEST, False),
    ],
)
def test_only_what_depends_on_the_request_alone_blames_who_asked(
    function: str, error: ErrorCode, is_blamed: bool
) -> None:
    trace, blames = Trace(), Blames()
    failed = OperationFailed(
        client_id="admin-1", operation_id=1, function=function, topic="t", partition=0, error=error
    )
    trace.add(1001, failed)
    blames(trace.entries)
    assert bool(blames.sentence) is is_blamed
