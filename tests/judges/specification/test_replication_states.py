"""Steps as a line of states."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from cluster.model import events as ev
from judges.specification.causal_order import Recording
from judges.specification.not_judged import NotJudged
from judges.specification.replication_states import ADDED, State, states_of
from judges.specification.replication_steps import steps_of
from tests.support.specification.outside import entries_of
from tests.support.specification.tampering import ORDERS, changed, places, told_early


def line_of(scenario: str, mode: str) -> list[State]:
    return states_of(steps_of(Recording(entries_of(scenario)), ORDERS, mode))


def test_each_state_says_all_that_is_seen_and_a_batch_is_a_step_for_each_record() -> None:
    states = line_of("p05_acks_1_loss", "fetch")
    assert states[0].label == "init" and states[0].decision.epoch == -1 and states[1].label == "elect"
    written = [state for state in states if state.label == "write"]
    assert [len(state.replicas[0].log) for state in written[:5]] == [1, 2, 3, 4, 5]
    last = states[-1].replicas
    assert last[0].log == last[1].log == last[2].log and {one.high_watermark for one in last} == {6}


def test_a_tail_that_went_with_the_power_is_not_a_restart() -> None:
    labels = Counter(state.label for state in line_of("p08_classic_divergence", "hw"))
    assert labels["lost-tail"] == 1 and labels["restart"] == 2 and "lost-tail" in ADDED
    assert "lost-tail" not in Counter(state.label for state in line_of("p06_classic_loss", "hw"))


def test_a_clean_election_from_outside_the_isr_is_judged_where_nobody_is_eligible() -> None:
    entries = list(entries_of("p04_unclean_election"))
    (at,) = places(entries, ev.PartitionDecided, unclean=True)
    steps = steps_of(Recording(changed(unclean=lambda e: False)(entries, at)), ORDERS, "fetch")
    labels = Counter(state.label for state in states_of(steps))
    assert (labels["unclean"], labels["kraft-elect"]) == (0, 1)
    forged = changed(unclean=lambda e: False, isr=lambda e: e.replicas)(entries, at)
    assert "kraft-elect" in {state.label for state in states_of(steps_of(Recording(forged), ORDERS, "fetch"))}


def test_a_follower_out_of_the_isr_with_all_records_was_not_heard_or_is_no_step_of_any_specification() -> None:
    entries = list(entries_of("p37_last_fetch_is_cut"))
    assert "shrink-unheard" in {state.label for state in line_of("p37_last_fetch_is_cut", "fetch")}
    heard = next(one for one in reversed(entries) if isinstance(one.event, ev.FollowerProgress))
    (at,) = [at for at, one in enumerate(entries) if isinstance(one.event, ev.IsrProposed) and one.event.isr == (1, 2)]
    asked = replace(heard.event, replica_id=3, log_end_offset=3)
    before = replace(entries[at], event=asked)
    again, seq = replace(entries[at], seq=entries[at].seq + 1), entries[at].seq
    later = [replace(one, seq=one.seq + 1) if (one.node, one.incarnation) == (1, 0) and one.seq > seq else one
             for one in entries]  # fmt: skip
    told = [*later[:at], before, again, *later[at + 1 :]]
    labels = {state.label for state in states_of(steps_of(Recording(told), ORDERS, "fetch"))}
    assert "shrink" in labels and "shrink-unheard" not in labels


def test_a_high_watermark_past_what_a_member_asked_for_is_no_step_of_any_specification() -> None:
    entries = list(entries_of("p04_unclean_election"))
    assert "hw-early" not in {state.label for state in line_of("p04_unclean_election", "fetch")}
    told = told_early(entries, places(entries, ev.HighWatermarkAdvanced, role="leader")[0])
    assert "hw-early" in {state.label for state in states_of(steps_of(Recording(told), ORDERS, "fetch"))}


def test_a_leader_that_writes_its_isr_to_zookeeper_decides_it() -> None:
    grown = [state.said for state in line_of("z06_zombie_leader", "fetch") if state.label in ("expand", "shrink")]
    assert grown == ["member 3"]


def test_an_eligible_leader_replica_is_not_judged() -> None:
    with pytest.raises(NotJudged, match="KIP-966"):
        line_of("p27_elr_all_die", "fetch")
