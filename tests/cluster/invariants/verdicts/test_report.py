"""The five verdicts."""

from __future__ import annotations

import pytest

from cluster.invariants.all_invariants import INVARIANTS
from cluster.invariants.verdicts.ledger import ASSUMPTIONS, Ledger
from cluster.invariants.verdicts.report import KEPT_MAX, Report, shown
from cluster.invariants.verdicts.verdict import Invariant, Verdict
from cluster.model.entry import EventId
from cluster.model.identifiers import METADATA, TopicPartition
from cluster.model.settings import OLD_WAYS, setting_complaint

FIRST, SECOND = EventId(1, 0, 0), EventId(2, 0, 0)
ORDERS = TopicPartition("orders", 0)


def report() -> Report:
    made = Report(Ledger())
    made.declare(Invariant("R1", "an invariant", "by hand", ("A1", "A3")))
    return made


def outcome(made: Report, *promised: str) -> Verdict:
    return made.table(promised)[0].verdict


def test_a_rule_that_was_never_looked_at_has_not_passed() -> None:
    assert outcome(report()) is Verdict.NOT_EVALUATED


def test_a_rule_that_was_checked_and_never_broken_holds() -> None:
    made = report()
    made.tally("R1").checks += 3
    assert outcome(made) is Verdict.HOLDS
    assert made.table()[0].checks == 3


def test_a_promised_violation_that_does_not_come_is_no_pass() -> None:
    made = report()
    made.tally("R1").checks += 1
    assert outcome(made, "R1") is Verdict.UNEXPECTED_PASS


def test_a_violation_is_expected_only_after_its_assumption_broke_in_its_scope() -> None:
    made = report()
    made.ledger.breaks("A3", FIRST, "for orders", ORDERS)
    made.tally("R1").violated("it broke", SECOND, scope=ORDERS)
    assert outcome(made) is Verdict.EXPECTED
    broken = made.table()[0].violations[0].broken
    assert broken is not None and (broken.assumption, broken.event) == ("A3", FIRST)
    made.tally("R1").violated("it broke elsewhere", SECOND, scope=METADATA)
    assert outcome(made) is Verdict.VIOLATED
    assert [item.sentence for item in made.table()[0].violations] == ["it broke elsewhere", "it broke"]


def test_an_assumption_that_the_rule_does_not_lean_on_excuses_nothing() -> None:
    made = report()
    made.ledger.breaks("A2", FIRST, "of no concern")
    made.tally("R1").violated("it broke", SECOND)
    assert outcome(made) is Verdict.VIOLATED


def test_an_assumption_that_breaks_later_excuses_nothing() -> None:
    made = report()
    made.tally("R1").violated("it broke", SECOND)
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
    made.tally("R1").violated("it broke", SECOND, assumptions=())
    assert outcome(made) is Verdict.VIOLATED


def test_all_violations_are_counted_and_the_first_ones_kept() -> None:
    made = report()
    for _ in range(KEPT_MAX + 5):
        made.tally("R1").violated("it broke", SECOND)
    line = made.table()[0]
    assert (line.violation_count, len(line.violations)) == (KEPT_MAX + 5, KEPT_MAX)


def test_a_promise_of_an_unknown_rule_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match="R9"):
        report().table(["R9"])


def test_rules_stand_in_the_order_of_their_numbers() -> None:
    made = Report(Ledger())
    for name in ("R10", "R2", "T1", "P3", "R1"):
        made.declare(Invariant(name, "", ""))
    assert [line.info.id for line in made.table()] == ["R1", "R2", "R10", "P3", "T1"]


def test_a_name_is_made_fit_for_a_sentence() -> None:
    assert shown("g\x1b[31m 1") == "g??31m?1"


def test_old_ways_name_rules_and_assumptions_that_there_are() -> None:
    for way in OLD_WAYS:
        assert way.excuses <= INVARIANTS.keys()
        assert way.breaks in ASSUMPTIONS
        assert setting_complaint({way.setting: way.value}) is None


def test_an_old_way_excuses_the_rules_that_it_names_also_where_a_case_leans_on_others() -> None:
    way = next(way for way in OLD_WAYS if way.setting == "broker_epochs")
    made = Report(Ledger())
    made.declare(Invariant("L2", "a leader", "by hand", ("A1",)))
    made.declare(Invariant("P1", "none lost", "by hand", ("A1",)))
    made.ledger.breaks(way.breaks, FIRST, way.why)
    for rule in ("L2", "P1"):
        made.tally(rule).violated("late", FIRST, assumptions=("A8",))
    verdicts = {line.info.id: line for line in made.table()}
    assert verdicts["L2"].verdict is Verdict.EXPECTED and way.breaks in verdicts["L2"].info.assumptions
    assert verdicts["P1"].verdict is Verdict.VIOLATED


@pytest.mark.parametrize(("control", "is_in"), [("zookeeper", True), ("kraft", False)])
def test_an_old_way_counts_only_where_it_has_an_effect(control: str, is_in: bool) -> None:
    way = next(way for way in OLD_WAYS if way.setting == "broker_epochs")
    assert way.is_in({"broker_epochs": False, "control": control}) is is_in
    assert not way.is_in({"broker_epochs": True, "control": control})
