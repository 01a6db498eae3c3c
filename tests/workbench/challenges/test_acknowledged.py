from __future__ import annotations

from cluster.model.events import OperationInvoked, OperationSucceeded
from workbench.challenges.acknowledged import ALL, Acknowledged
from workbench.session.views.cluster import ClusterView

ASKED = OperationInvoked(
    client_id="p", operation_id=1, function="produce", topic="orders", partition=0, acks=ALL, value=""
)
DONE = OperationSucceeded(
    client_id="p", operation_id=1, function="produce", topic="orders", partition=0, base_offset=4, count=3, values=()
)


def test_records_count_once_they_are_acknowledged_and_without_a_leader_nothing_is_known_to_be_lost() -> None:
    acknowledged = Acknowledged()
    acknowledged.apply(ASKED)
    assert acknowledged.count == 0
    acknowledged.apply(DONE)
    assert acknowledged.count == 3 and acknowledged.lost(ClusterView(), ALL) == 0
