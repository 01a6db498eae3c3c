"""What link faults do to frames."""

from __future__ import annotations

import pytest

from cluster.faults.effects_on_links import (
    CutLink,
    Delay,
    DelayedLink,
    Direction,
    LimitedLink,
    LinkFault,
    LinkRules,
    WithheldMessages,
    from_plain,
    to_plain,
)

WAY = Direction(1, 2)


def test_without_faults_nothing_is_held_or_late() -> None:
    rules = LinkRules()
    assert not rules.cuts
    assert not rules.shapes(WAY)


def test_a_cut_holds_its_own_direction_and_prevents_connecting_both_ways() -> None:
    rules = LinkRules([CutLink(source=1, target=2)])
    assert rules.cuts == {WAY}
    assert rules.is_cut(1, 2)
    assert rules.is_cut(2, 1)
    assert not rules.is_cut(1, 3)


def test_delays_add_up_and_the_lowest_rate_counts() -> None:
    rules = LinkRules(
        [
            DelayedLink(source=1, target=2, delay_ms=100, jitter_ms=10),
            DelayedLink(source=1, target=2, delay_ms=50),
            LimitedLink(source=1, target=2, bytes_per_second=1000),
            LimitedLink(source=1, target=2, bytes_per_second=400),
        ]
    )
    assert rules.delays[WAY] == Delay(150, 10)
    assert rules.rates[WAY] == 400
    assert rules.shapes(WAY)
    assert not rules.shapes(Direction(2, 1))


@pytest.mark.parametrize(
    "fault",
    [
        CutLink(source=1, target=2, fault_id=3),
        DelayedLink(source=1, target=2, delay_ms=5, jitter_ms=1),
        LimitedLink(source=2, target=1, bytes_per_second=9),
        WithheldMessages(source=1, target=2, messages=("VoteRequest", "VoteResponse"), fault_id=4),
    ],
)
def test_a_fault_comes_back_from_json_as_it_was(fault: LinkFault) -> None:
    assert from_plain(to_plain(fault)) == fault


@pytest.mark.parametrize("plain", [{"kind": "teleport", "source": 1, "target": 2}, {}, {"kind": "cut", "source": 1}])
def test_what_is_no_link_fault_is_a_mistake(plain: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="link fault"):
        from_plain(plain)
