"""What may be another in a run that is played once more."""

from __future__ import annotations

import pytest

from cluster.model.settings import Settings
from workbench.session.changes import OFFERS, Change, WhatIfError, change_of


@pytest.mark.parametrize("text", OFFERS)
def test_all_that_is_offered_can_be_asked_for(text: str) -> None:
    change = change_of(text)
    assert change.words and change.settings(Settings()) is not None


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        ("acks=1", "produce orders 3 acks=all", "produce orders-0 3 acks=1"),
        ("acks=all", "load 2 acks=1", "load 2 acks=all"),
        ("min-isr=2", "topic orders replicas=3", "topic orders partitions=1 replicas=3 min-isr=2"),
        ("min-isr=3", "topic orders replicas=2", "topic orders partitions=1 replicas=2 min-isr=2"),
        ("disk=honest", "fsync lie 2", ""),
        ("disk=honest", "kill 2", "kill 2"),
        ("plucks=none", "pluck 1>2 VoteResponse drop number=17", ""),
        ("elr=off", "produce orders 3", "produce orders 3"),
    ],
)
def test_a_command_is_given_with_the_change(change: str, before: str, after: str) -> None:
    made = change_of(change).edit(before)
    assert made.startswith(after) if after else made == ""


def test_a_setting_is_turned_by_its_name_or_a_short_one() -> None:
    assert change_of("truncation=hw").settings(Settings()).truncation_mode == "hw"
    assert change_of("pre_vote=off").settings(Settings()).pre_vote is False
    assert change_of("lag_max_messages=4").settings(Settings()).lag_max_messages == 4
    assert Change("acks", "1").settings(Settings()) == Settings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("acks", "NAME=VALUE"), ("acks=2", "acks: '2'; allowed: all, 1, 0"), ("moon=full", "'moon' is nothing"),
        ("truncation=new", "hw, kip101, kip279, fetch"), ("elr=maybe", "on, off"), ("lag_max_messages=-1", "a number"),
        ("", "NAME=VALUE"), ("trace=off", "'trace' is nothing"),
    ],
)  # fmt: skip
def test_what_cannot_be_changed_is_told_with_what_can(text: str, said: str) -> None:
    with pytest.raises(WhatIfError, match=said.replace("'", ".").replace("-", ".")):
        change_of(text)
