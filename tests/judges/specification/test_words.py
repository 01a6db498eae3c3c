"""A rejection in words."""

from __future__ import annotations

from judges.specification.judge import NOT_JUDGED, REJECTED, Judged
from judges.specification.replication_states import ADDED
from judges.specification.words import ACTIONS, chain_of, lines_of
from tests.judges.specification.test_replication_states import line_of
from tests.support.specification.outside import entries_of


def rejected() -> Judged:
    states = line_of("p06_classic_loss", "fetch")
    at = next(at for at, state in enumerate(states) if state.label == "follow" and "cuts" in state.said)
    return Judged(REJECTED, "Kip320", "", 18, {"restart": 2}, 1.0, at + 1, states[at], states[at - 1], True, ("hw",))


def test_a_rejection_names_the_step_its_event_and_what_the_specification_allows() -> None:
    text = "\n".join(lines_of(rejected(), "orders-0", ADDED))
    assert "Step 13 fits no behaviour: n2, a broker follows a leader and cuts its log" in text
    assert "told by n2-1#" in text and "cut to the own high watermark" in text
    assert "It allows: a leader advances its high watermark." in text and "added 2 times: restart" in text
    assert "before: n2: LEO 2 HW 1" in text and "after:  n2: LEO 1 HW 1" in text


def test_what_led_to_the_step_is_told_back_to_where_it_began() -> None:
    state = rejected().state
    assert state is not None and state.entry is not None
    chain = chain_of(entries_of("p06_classic_loss"), state.entry)
    assert len(chain) >= 2 and all(line.startswith("  because ") for line in chain)


def test_a_run_that_was_not_judged_says_why_and_nothing_else() -> None:
    assert lines_of(Judged(NOT_JUDGED, "Kip320", "no \x1b word"), "x", ADDED) == [
        "x against Kip320: NOT JUDGED, because no \u241b word"
    ]


def test_every_action_that_was_added_has_its_sentence() -> None:
    assert set(ADDED) <= set(ACTIONS)
