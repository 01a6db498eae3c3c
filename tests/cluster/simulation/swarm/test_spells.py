"""The swarm lets one node at a time stutter, or holds some kinds of messages, and ends it again."""

from __future__ import annotations

from random import Random

from cluster.faults.grammar import parse_command
from cluster.faults.healing import Heal
from cluster.faults.links import Withhold
from cluster.faults.processes import Stutter
from cluster.simulation.swarm.plan import STUTTER_EVERY_S, STUTTER_SHARE, WITHHOLD_EVERY_S, WITHHOLD_SHARE, draw_plan
from cluster.simulation.swarm.spells import (
    ONE_KIND,
    ONE_KIND_SHARE,
    Draw,
    SwarmSpells,
    draw_one_kind,
    one_kind,
    stutter,
    withhold,
)
from tests.support.kinds import all_as


def sent(every_s: float, running: tuple[int, ...] = (1, 2), draw: Draw = stutter) -> list[str]:
    """What it sends in 200 s to nodes that are looked at ten times a second."""
    texts: list[str] = []

    def refuse(text: str) -> bool:
        texts.append(text)
        return False

    spells = SwarmSpells(Random(1), refuse, every_s, draw)
    for tenth in range(1, 2_000):
        spells.look(tenth / 10, running)
    return texts


def test_each_stutter_is_healed_before_the_next() -> None:
    texts = sent(4.0)
    assert len(texts) > 40
    for begun, ended in zip(texts[::2], texts[1::2], strict=False):
        command = parse_command(begun)
        assert isinstance(command, Stutter)
        assert parse_command(ended) == Heal(None, command)
    assert {command.node.node_id for command in all_as(Stutter, map(parse_command, texts[::2]))} == {1, 2}


def test_each_kind_of_message_is_withheld_and_passes_again() -> None:
    texts = sent(0.5, (1, 2, 101), withhold)
    faults = all_as(Withhold, map(parse_command, texts[::2]))
    for fault, ended in zip(faults, texts[1::2], strict=False):
        assert parse_command(ended) == Heal(None, fault)
    assert {"FetchRequest", "FetchResponse", "VoteResponse"} <= {name for fault in faults for name in fault.messages}
    assert sent(0.5, (1,), withhold) == [], "who is alone has no link"


def test_who_is_without_one_kind_is_so_on_all_its_links_and_each_is_healed() -> None:
    texts = sent(0.5, (1, 2, 101), one_kind)
    faults = all_as(Withhold, [command for text in texts if isinstance(command := parse_command(text), Withhold)])
    healed = [command.described for text in texts if isinstance(command := parse_command(text), Heal)]
    assert healed == faults[: len(healed)] and len(faults) - len(healed) <= 4
    for first, second in zip(faults[::2], faults[1::2], strict=False):
        assert first.messages == second.messages and len(first.messages) == 1
        assert len({*first.link[:2]} & {*second.link[:2]}) == 1, "two links of one node"
    names = {name for fault in faults for name in fault.messages}
    assert {name.removesuffix("Request").removesuffix("Response") for name in names} == {k for p in ONE_KIND for k in p}


def test_nothing_stutters_where_nothing_is_planned_or_nothing_runs() -> None:
    assert sent(0.0) == []
    assert sent(1.0, ()) == []


def test_some_plans_have_stutters_and_say_so() -> None:
    plans = [draw_plan(seed, 5.0) for seed in range(400)]
    stuttering = [plan for plan in plans if plan.stutter_every_s]
    assert abs(len(stuttering) / len(plans) - STUTTER_SHARE) < 0.07
    assert {plan.stutter_every_s for plan in stuttering} == set(STUTTER_EVERY_S)
    assert all(("stutter-every=" in str(plan)) == bool(plan.stutter_every_s) for plan in plans)


def test_some_plans_withhold_messages_and_say_so() -> None:
    plans = [draw_plan(seed, 5.0) for seed in range(400)]
    withholding = [plan for plan in plans if plan.withhold_every_s]
    assert abs(len(withholding) / len(plans) - WITHHOLD_SHARE) < 0.07
    assert {plan.withhold_every_s for plan in withholding} == set(WITHHOLD_EVERY_S)
    assert all(("withhold-every=" in str(plan)) == bool(plan.withhold_every_s) for plan in plans)


def test_some_plans_are_without_one_kind_now_and_then_and_say_so() -> None:
    plans = [draw_plan(seed, 5.0) for seed in range(400)]
    some = [plan for plan in plans if plan.one_kind_every_s]
    assert abs(len(some) / len(plans) - ONE_KIND_SHARE) < 0.07
    assert all(("one-kind-every=" in str(plan)) == bool(plan.one_kind_every_s) for plan in plans)
    assert [plan.one_kind_every_s for plan in plans] == [draw_one_kind(seed) for seed in range(400)]
