"""Network commands as link faults."""

from __future__ import annotations

import pytest

from cluster.faults.effects_on_links import (
    CutLink,
    DelayedLink,
    Direction,
    LimitedLink,
    LinkFault,
    LinkRules,
    UnkindLink,
    Unkindness,
    WithheldMessages,
    from_plain,
    to_plain,
)
from cluster.faults.fault import Fault
from cluster.faults.grammar import parse_command
from cluster.faults.processes import Kill
from cluster.language.command import Command, resolve
from cluster.language.words import CommandError, NodeName
from cluster.model.identifiers import FIRST_CLIENT_ID
from cluster.model.messages import MESSAGES

NODES = (1, 2, 3)


def link_faults(command: Command, nodes: tuple[int, ...], fault_id: int = 0) -> tuple[LinkFault, ...]:
    assert isinstance(command, Fault)
    return command.rules(nodes, fault_id)


def _ways(text: str) -> list[tuple[int, int]]:
    return [(fault.source, fault.target) for fault in link_faults(parse_command(text), NODES)]


def test_a_partition_cuts_between_groups_and_not_inside() -> None:
    assert _ways("partition 1,2|3") == [(1, 3), (3, 1), (2, 3), (3, 2)]
    assert len(_ways("partition 1|2|3")) == 6


def test_a_kind_is_named_whole_or_without_its_end() -> None:
    (fault,) = link_faults(parse_command("withhold 1>2 vote,FetchResponse"), NODES, 7)
    assert isinstance(fault, WithheldMessages)
    assert (fault.source, fault.target, fault.fault_id) == (1, 2, 7)
    assert fault.messages == ("VoteRequest", "VoteResponse", "FetchResponse")
    assert len(_ways("withhold 1-2 Fetch")) == 2
    with pytest.raises(CommandError, match=r"no such message.*VoteRequest"):
        parse_command("withhold 1>2 Votes")


@pytest.mark.parametrize("kind", MESSAGES)
def test_every_kind_of_message_can_be_withheld(kind: str) -> None:
    """Between nodes, and between clients and a broker: EndTxn passes there only."""
    for ends, way in (("1>2", (1, 2)), ("client>1", (FIRST_CLIENT_ID, 1)), ("1>client", (1, FIRST_CLIENT_ID))):
        command = parse_command(f"withhold {ends} {kind}")
        assert str(command) == f"withhold {ends} {kind}"
        numbered = resolve(command, lambda name: FIRST_CLIENT_ID if name.part else name.node_id)
        rules = LinkRules(link_faults(numbered, NODES))
        assert str(numbered) == str(command)
        assert rules.withheld == {Direction(*way): {kind}}


def test_isolate_cuts_every_link_of_the_node() -> None:
    assert _ways("isolate 2") == [(2, 1), (1, 2), (2, 3), (3, 2)]


def test_an_arrow_is_one_way_and_a_dash_both() -> None:
    assert link_faults(parse_command("cut 1>2"), NODES, 7) == (CutLink(source=1, target=2, fault_id=7),)
    assert _ways("cut 1-2") == [(1, 2), (2, 1)]
    assert _ways("cut 1>2,3-1") == [(1, 2), (3, 1), (1, 3)]
    delayed = DelayedLink(source=1, target=2, delay_ms=5, jitter_ms=1)
    assert link_faults(parse_command("delay 1>2 5ms 1ms"), NODES) == (delayed,)
    assert link_faults(parse_command("slow-link 1>2 100"), NODES) == (
        LimitedLink(source=1, target=2, bytes_per_second=100),
    )


def test_commands_of_no_link_have_none() -> None:
    assert _ways("kill 1") == []


def test_names_become_numbers() -> None:
    def find(name: NodeName) -> int:
        return {"controller": 101, "leader": 2}[name.part]

    assert resolve(parse_command("kill controller"), find) == Kill(NodeName(101))
    assert resolve(parse_command("cut leader(orders-0)>3"), find) == parse_command("cut 2>3")
    assert resolve(parse_command("partition 1,controller|2"), find) == parse_command("partition 1,101|2")
    assert resolve(parse_command("produce orders 1"), find) == parse_command("produce orders 1")


def test_unkindness_between_two_nodes_and_between_everybody() -> None:
    (there,) = link_faults(parse_command("lose 1>2 10%"), (1, 2, 3), 4)
    assert there == UnkindLink(source=1, target=2, lost=10, fault_id=4)
    both = link_faults(parse_command("reorder 1-2 10% 50ms"), (1, 2, 3))
    assert [(rule.source, rule.target) for rule in both] == [(1, 2), (2, 1)]
    everybody = link_faults(parse_command("duplicate all 5%"), (1, 2))
    ways = {(rule.source, rule.target) for rule in everybody}
    assert ways == {(1, 2), (2, 1), (1, 1001), (1001, 1), (2, 1001), (1001, 2)}
    rules = LinkRules([*everybody, there])
    assert rules.unkind[Direction(1, 2)] == Unkindness(0.1, 0.05, 0.0, (1, 1))
    assert not rules.shapes(Direction(1, 2))
    assert from_plain(to_plain(there)) == there
