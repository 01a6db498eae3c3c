"""Kafka's own kafka-acls hears that the brokers look at no ACLs."""

from __future__ import annotations

import pytest

from tests.support.clients.driver import Unable
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.quorum_tool import QuorumTool

pytestmark = pytest.mark.slow
COMMAND = "org.apache.kafka.tools.AclCommand"
RULE = "--topic", "orders", "--allow-principal", "User:ann", "--operation", "Read"


@pytest.mark.parametrize("words", [("--list",), ("--add", "--force", *RULE), ("--remove", "--force", *RULE)])
def test_the_tool_says_that_there_is_no_authorizer(lab: LivingLab, words: tuple[str, ...]) -> None:
    try:
        tool = QuorumTool(lab.bootstrap, COMMAND)
    except Unable as reason:
        pytest.skip(str(reason))
    _, said = tool.run(*words)
    assert "SecurityDisabledException" in said and "No authorizer is configured" in said
