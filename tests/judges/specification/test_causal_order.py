"""Causes come first, whatever the clocks say."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from judges.specification.causal_order import Recording, asker
from judges.specification.not_judged import NotJudged
from tests.support.specification.outside import entries_of


def test_a_cause_comes_before_what_it_led_to_though_its_clock_is_ahead() -> None:
    entries = list(entries_of("p06_classic_loss"))
    at, late = next((at, one) for at, one in enumerate(entries) if one.event.name == "rep.appended" and one.node == 2)
    early = next(at for at, one in enumerate(entries) if one.id == late.cause)
    entries[early] = replace(entries[early], t_ns=late.t_ns + 10**9)
    order = [one.id for one in Recording(entries).entries]
    assert order.index(entries[early].id) < order.index(entries[at].id)


def test_causes_in_a_circle_end_and_are_no_recording() -> None:
    entries = [one for one in entries_of("p06_classic_loss") if one.event.name.startswith(("part.", "rep."))]
    first, last = entries[0], entries[-1]
    entries[0] = replace(first, cause=last.id)
    entries[-1] = replace(last, cause=first.id)
    with pytest.raises(NotJudged, match="causes go round in a circle"):
        Recording(entries)


def test_the_first_entry_of_a_step_says_what_was_handled() -> None:
    recording = Recording(entries_of("p06_classic_loss"))
    copied = next(one for one in recording.entries if one.event.name == "rep.appended" and one.node == 2)
    assert asker(recording.handler(copied), "FetchResponse") == 1 and copied in recording.beside(copied)
    assert asker(recording.handler(copied), "VoteResponse") is None
