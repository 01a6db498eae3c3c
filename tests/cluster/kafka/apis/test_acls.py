"""Who asks for ACLs is told that nobody looks at any, once for each thing that was asked."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.kafka.api import Api
from cluster.kafka.apis import acls
from cluster.kafka.apis.acls import CREATE_ACLS, DELETE_ACLS, DESCRIBE_ACLS
from cluster.kafka.broker_view import BrokerView
from cluster.model.errors import ErrorCode
from tests.support.clients.client_world import ENDPOINTS, request_of, told

VIEW = BrokerView(node_id=1, cluster_id="c1", controller_id=1, brokers=ENDPOINTS, partitions={})
TOPIC, READ, ALLOW, LITERAL = 2, 3, 3, 3
ACL = TOPIC, "orders", LITERAL, "User:ann", "*", READ, ALLOW


def answer(api: Api, version: int, message: Any) -> Any:
    request = request_of(api, version, message)
    return told(request, api.begin(request, VIEW).response())


@pytest.mark.parametrize("version", DESCRIBE_ACLS.versions)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_each_acl_is_refused_in_every_version(version: int, count: int) -> None:
    found = answer(DESCRIBE_ACLS, version, acls.DescribeAclsRequest(*ACL))
    assert found.resources == []
    added = answer(CREATE_ACLS, version, acls.CreateAclsRequest([acls.AclCreation(*ACL)] * count)).results
    removed = answer(DELETE_ACLS, version, acls.DeleteAclsRequest([acls.DeleteAclsFilter(*ACL)] * count)).filter_results
    assert (len(added), len(removed)) == (count, count)
    assert {each.error_code for each in (found, *added, *removed)} == {ErrorCode.SECURITY_DISABLED}
    assert {each.error_message for each in (found, *added, *removed)} == {acls.WORDS}
