"""The fault of one message: how it is written, and the rule that it is."""

from __future__ import annotations

import pytest

from cluster.faults.effects_on_links import NEXT, LinkRules, PluckedMessage, from_plain, to_plain
from cluster.faults.grammar import parse_command
from cluster.faults.plucking import Pluck
from cluster.language.words import CommandError


def pluck(text: str) -> Pluck:
    command = parse_command(text)
    assert isinstance(command, Pluck) and str(parse_command(str(command))) == str(command)
    return command


def test_the_rule_says_which_message_and_what_becomes_of_it() -> None:
    (rule,) = pluck("pluck 1>2 VoteResponse drop number=17").rules((1, 2, 3), 4)
    assert rule == PluckedMessage(source=1, target=2, message="VoteResponse", fate="drop", number=17, fault_id=4)
    (late,) = pluck("pluck 1>2 voteresponse 1.5s").rules((1, 2, 3))
    assert isinstance(late, PluckedMessage)
    assert (late.message, late.fate, late.delay_ms, late.number) == ("VoteResponse", "delay", 1500, NEXT)
    assert from_plain(to_plain(late)) == late
    assert LinkRules((rule, late)).plucks == {(1, 2): (rule, late)}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("pluck 1-2 VoteResponse drop", "a message goes one way: '1-2'; allowed: 1>2"),
        ("pluck 1>2 Vote drop", "one kind of message: 'Vote'; allowed: VoteRequest or VoteResponse"),
        ("pluck 1>2 VoteResponse eat", "no fate of a message: 'eat'; allowed: drop, hold, pass, or how late, as 200ms"),
        ("pluck 1>2 VoteResponse 2h", "not a duration"),
        ("pluck 1>2 VoteResponse drop number=-4", "not a whole number"),
        ("pluck 1>2 VoteResponse", "something is missing"),
    ],
)
def test_what_no_message_can_be_meant_by_is_refused_with_what_may_stand_there(text: str, why: str) -> None:
    with pytest.raises(CommandError, match=r".*") as refused:
        parse_command(text)
    assert why in str(refused.value)
