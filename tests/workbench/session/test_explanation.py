"""Why, in one sentence and a few steps."""

from __future__ import annotations

import re
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.rule_list import listed_rules
from tests.support.traces.played import PLAYS
from tests.support.traces.story import Story
from tests.support.traces.watched import Watched
from workbench.session.explanation import HOPS_MAX, YOU, Explanation, explanation
from workbench.session.recording import Recording
from workbench.telling.tell import TELLINGS
from workbench.telling.telling import DIM
from workbench.telling.template import OF_CODE

NOTABLE = sorted((kind for kind, telling in TELLINGS.items() if telling.tone != DIM), key=lambda kind: kind.__name__)
RULE_NAMES = {item.rule.name for item in listed_rules() if "_" in item.rule.name}
CODE = re.compile(r"\b[a-z]+_[a-z_]+\b|\b(?!ZooKeeper\b)[A-Z][a-z]+[A-Z]\w*|\.py\b")


def value_of(name: str, hint: Any) -> Any:
    """Something of that type: a name of code where the program itself words it."""
    if get_origin(hint) is tuple:
        inside = [part for part in get_args(hint) if part is not Ellipsis]
        return tuple(value_of(name, part) for part in inside)
    return {int: 1, bool: False, str: "some_name" if name in OF_CODE else "orders"}.get(hint, 1)


def an(kind: type) -> Any:
    """An event of the kind."""
    hints = {name: hint for name, hint in get_type_hints(kind).items() if name != "name"}
    return kind(**{name: value_of(name, hint) for name, hint in hints.items() if name in kind.__struct_fields__})  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", NOTABLE, ids=lambda kind: kind.__name__)
def test_every_kind_of_notable_event_has_a_sentence_without_a_name_of_code(kind: type) -> None:
    told = Story()
    told.begin()
    told.say(1, an(kind), trigger="timer controller.session_check")
    told.say(1, an(kind), cause=told.entries[-1].id)
    recording = Recording()
    recording.extend(told.entries)
    for index in (len(told.entries) - 2, len(told.entries) - 1):
        check(explanation(recording, index))


def check(found: Explanation) -> None:
    sentence = found.sentence
    assert sentence.startswith("Because ") and sentence.endswith(".") and "  " not in sentence
    for text in (sentence, *(hop.text for hop in found.hops)):
        assert not CODE.search(text), text
        assert not RULE_NAMES & set(re.findall(r"\w+", text)), text
    assert 1 <= len(found.hops) <= HOPS_MAX
    assert all(one.place < two.place for one, two in zip(found.hops, found.hops[1:], strict=False))


def recorded(name: str) -> Recording:
    made = Recording()
    made.extend(PLAYS[name]().entries)
    return made


def of(recording: Recording, kind: type, last: bool = True) -> tuple[int, Entry]:  # noqa: FBT001, FBT002
    found = [(index, entry) for index, entry in enumerate(recording.entries) if isinstance(entry.event, kind)]
    return found[-1 if last else 0]


@pytest.mark.parametrize("name", sorted(PLAYS))
def test_every_headline_can_be_asked_why(name: str) -> None:
    recording = recorded(name)
    for moment in recording.story.moments:
        check(explanation(recording, moment.place))


def test_who_leads_after_a_kill_is_explained_from_the_kill_with_the_two_numbers() -> None:
    recording = recorded("lost_record")
    index, _ = of(recording, ev.BecameLeader)
    _, fenced = of(recording, ev.BrokerFenced)
    assert fenced.decision is not None
    numbers = fenced.decision.numbers
    found = explanation(recording, index)
    assert found.question == "Why does n2 lead orders-0 in e1?"
    assert found.sentence == (
        f"Because n1 was silent for {numbers['silence_ms']} ms, longer than its session of "
        f"{numbers['session_timeout_ms']} ms, after n1, leader of orders-0, was killed; "
        "and n2 comes next in the list of those that were in sync, n2 and n3."
    )
    assert found.hops[0].lane == YOU and found.hops[0].text == "kill 1"
    assert [hop.lane for hop in found.hops][-1] == 2 and 3 <= len(found.hops) <= HOPS_MAX


@pytest.mark.parametrize("kind", [ev.FaultInjected, ev.ProcessExited, ev.FaultApplied])
def test_a_kill_is_explained_by_who_asked_for_it(kind: type) -> None:
    recording = recorded("split_vote")
    found = explanation(recording, of(recording, kind)[0])
    assert found.sentence == "Because the script asked for it: kill 103."
    assert (found.hops[0].lane, found.hops[0].text) == (YOU, "kill 103")


def test_who_leads_a_new_partition_is_explained_by_the_order_of_its_replicas() -> None:
    """The answer was: Because created."""
    recording = recorded("lost_record")
    index, _ = of(recording, ev.BecameLeader, last=False)
    assert explanation(recording, index).sentence == (
        "Because orders-0 is new, and n1 is the first in service of its replicas n1, n2 and n3."
    )


def test_an_isr_that_shrinks_is_explained_by_how_long_it_was_behind() -> None:
    recording = recorded("isr_shrinks")
    index, proposed = of(recording, ev.IsrProposed, last=False)
    assert proposed.decision is not None
    behind_ms = proposed.decision.numbers["not_caught_up_ms"]
    limit_ms = proposed.decision.numbers["replica.lag.time.max.ms"]
    sentence = explanation(recording, index).sentence
    assert f"n3 had not caught up for {behind_ms} ms, and {limit_ms} ms are allowed" in sentence
    assert "after the network was cut: what n3 sends to n1" in sentence


def test_a_write_is_refused_because_of_two_numbers() -> None:
    recording = recorded("refused")
    index, _ = of(recording, ev.ProduceRefused)
    assert "acks=all needs 2 in sync, and 1 is" in explanation(recording, index).sentence


def test_a_cut_is_explained_by_where_the_logs_part() -> None:
    recording = recorded("lost_record")
    index, cut = of(recording, ev.ReplicaTruncated)
    assert isinstance(cut.event, ev.ReplicaTruncated)
    sentence = explanation(recording, index).sentence
    assert (
        f"went to {cut.event.old_end_offset}, and the leader's log parts from it at {cut.event.end_offset}" in sentence
    )


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_an_election_is_explained_by_how_long_nothing_was_heard(seed: int) -> None:
    """It said 510 ms where a timer of 333 ms ran out: from the last time that the trace told of the timer."""
    world = Watched(seed=seed, controllers=3, brokers=3)
    world.until(lambda: world.cluster().quorum_leader > 0)
    world.run_until(lambda: False, 2.0)
    world.do("kill controller")
    world.run_until(lambda: False, 4.0)
    recording = Recording()
    recording.extend(world.entries)
    killed = next(at for at, entry in enumerate(recording.entries) if isinstance(entry.event, ev.ProcessExited))
    asked = next(at for at in range(killed, len(recording.entries))
                 if isinstance(recording.entries[at].event, ev.ElectionStarted))  # fmt: skip
    sentence = explanation(recording, asked).sentence
    found = re.search(r"heard nothing from the leader of the quorum for (\d+) ms, longer than it waits", sentence)
    timers = [entry.event for entry in recording.entries[:asked] if entry.node == recording.entries[asked].node
              and isinstance(entry.event, ev.TimerSet) and entry.event.timer == "fetch"]  # fmt: skip
    assert found is not None and int(found[1]) == timers[-1].length_ms, sentence
    assert sentence.count("heard nothing") == 1, "the same is not said twice"
    hops = [hop.text for hop in explanation(recording, asked).hops]
    assert any(text.startswith("begins to ask around in e1: no successful fetch in time") for text in hops), hops
    assert not any("PROSPECTIVE" in text for text in hops)
