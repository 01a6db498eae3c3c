"""Commands about members of consumer groups are read, written and refused with a reason."""

from __future__ import annotations

import pytest

from cluster.faults.grammar import CommandError, parse_command
from cluster.language.members import MemberOrder, Subscribe


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("consume orders group=g1 member=a", Subscribe(("orders",), "g1", "a")),
        (
            "consume orders,users group=g1 member=a assignor=sticky,range instance=shelf-1 commit=each",
            Subscribe(("orders", "users"), "g1", "a", ("sticky", "range"), "shelf-1", "each"),
        ),
        (
            "consume orders group=g1 member=a protocol=consumer",
            Subscribe(("orders",), "g1", "a", ("uniform",), protocol="consumer"),
        ),
        ("member a kill", MemberOrder("a", "kill")),
    ],
)
def test_a_command_is_read_and_written(text: str, command: object) -> None:
    assert parse_command(text) == command
    assert parse_command(str(parse_command(text))) == command


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("consume orders group=g1", "needs a name"),
        ("consume orders,orders group=g1 member=a", "named twice"),
        ("consume orders group=g1 member=a assignor=fair", "not a choice"),
        ("consume orders group=g1 member=a commit=never", "not a choice"),
        ("consume orders group=g1 member=a protocol=new", "not a choice"),
        ("consume orders group=g1 member=a protocol=consumer assignor=sticky", "not a choice"),
        ("consume orders group=g1 member=a protocol=consumer assignor=range,uniform", "names one assignor"),
        ("consume orders group=g\u2028 member=a", "not a name"),
        ("consume __consumer_offsets group=g1 member=a", "internal"),
        ("member a", "missing"),
        ("member a dance", "not a choice"),
    ],
)
def test_a_bad_command_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(CommandError, match=why):
        parse_command(text)
