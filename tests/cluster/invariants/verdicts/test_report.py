"""The five verdicts."""

from __future__ import annotations

import pytest

from cluster.invariants.verdicts.ledger import Ledger
from cluster.invariants.verdicts.report import KEPT_MAX, Report, shown
from cluster.invariants.verdicts.verdict import Invariant, Verdict
from cluster.model.entry import EventId
from cluster.model.identifiers import METADATA, TopicPartition

FIRST, SECOND = EventId(1, 0, 0), EventId(2, 0, 0)
ORDERS = TopicPartition("orders", 0)


def report() -> Report:
    made = Report(Ledger())
    made.declare([Invariant("X1", "an invariant", "by hand", ("A1", "A3"))])
    return made


def outcome(made: Report, *promised: str) -> Verdict:
    return made.table(promised)[0].verdict


def test_a_rule_that_was_never_looked_at_has_not_passed() -> None:
    assert outcome(report()) is Verdict.NOT_EVALUATED


def test_a_rule_that_was_checked_and_never_broken_holds() -> None:
    made = report()
    made.checked("X1", 3)
    assert outcome(made) is Verdict.HOLDS
    assert made.table()[0].checks == 3


def test_a_promised_violation_that_does_not_come_is_no_pass() -> None:
    made = report()
    made.checked("X1")
    assert outcome(made, "X1") is Verdict.UNEXPECTED_PASS


def test_a_violation_is_expected_only_after_its_assumption_broke_in_its_scope() -> None:
    made = report()
    made.ledger.breaks("A3", FIRST, "for orders", ORDERS)
    made.violated("X1", "it broke", [SECOND], scope=ORDERS)
    assert outcome(made) is Verdict.EXPECTED
    broken = made.table()[0].violations[0].broken
    assert broken is not None and (broken.assumption, broken.event) == ("A3", FIRST)
    made.violated("X1", "it broke elsewhere", [SECOND], scope=METADATA)
    assert outcome(made) is Verdict.VIOLATED
    assert [item.sentence for item in made.table()[0].violations] == ["it broke elsewhere", "it broke"]


def test_an_assumption_that_the_rule_does_not_lean_on_excuses_nothing() -> None:
    made = report()
    made.ledger.breaks("A2", FIRST, "of no concern")
    made.violated("X1", "it broke", [SECOND])
    assert outcome(made) is Verdict.VIOLATED


def test_an_assumption_that_breaks_later_excuses_nothing() -> None:
    made = report()
    made.violated("X1", "it broke", [SECOND])
    made.ledger.breaks("A1", FIRST, "too late")
    assert outcome(made) is Verdict.VIOLATED


def test_the_first_event_that_broke_an_assumption_is_kept() -> None:
    ledger = Ledger()
    ledger.breaks("A1", FIRST, "first")
    ledger.breaks("A1", SECOND, "second")
    assert [item.why for item in ledger.broken()] == ["first"]


def test_a_case_may_lean_on_other_assumptions_than_its_rule() -> None:
    made = report()
    made.ledger.breaks("A1", FIRST, "a lie")
    made.violated("X1", "it broke", [SECOND], assumptions=())
    assert outcome(made) is Verdict.VIOLATED


def test_all_violations_are_counted_and_the_first_ones_kept() -> None:
    made = report()
    for _ in range(KEPT_MAX + 5):
        made.violated("X1", "it broke", [SECOND])
    line = made.table()[0]
    assert (line.violation_count, len(line.violations)) == (KEPT_MAX + 5, KEPT_MAX)


def test_a_promise_of_an_unknown_rule_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match="X9"):
        report().table(["X9"])


def test_rules_stand_in_the_order_of_their_numbers() -> None:
    made = Report(Ledger())
    made.declare(Invariant(name, "", "") for name in ("R10", "R2", "T1", "P3", "R1"))
    assert [line.info.id for line in made.table()] == ["R1", "R2", "R10", "T1", "P3"]


def test_a_name_is_made_fit_for_a_sentence() -> None:
    assert shown("g\x1b[31m 1") == "g??31m?1"
