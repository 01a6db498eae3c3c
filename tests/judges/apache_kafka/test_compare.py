"""What is the same, what differs, and what is explained."""

from pathlib import Path

import pytest

from judges.apache_kafka.compare import (
    Compared,
    Explanation,
    as_plain,
    compared,
    explanations,
    lines_of,
    page_of,
)
from judges.apache_kafka.playing import KAFKA, PROCESSES, SIMULATION, Played
from judges.apache_kafka.states import Moment
from workbench.support.refusal import BAD_DATA, Refusal

WHY = "Kafka waits for the next change"


def played(isr: str, *, checked: int = 3, failed: str = "", end: str = "") -> Played:
    more = {"log end of orders-0 on 1": end} if end else {}
    return Played([Moment("kill 1", {"leader of orders-0": "2", "ISR of orders-0": isr, **more})], failed, checked)


def worlds(kafka: Played) -> dict[str, Played]:
    return {SIMULATION: played("2,3"), PROCESSES: played("2,3"), KAFKA: kafka}


def test_equal_worlds_count_states_and_expectations() -> None:
    found = compared("p01", worlds(played("2,3")), ())
    assert (found.same, found.differences, found.unexplained) == (5, (), 0)
    assert lines_of(found) == ["p01: 5 answers the same, 0 differ (1 moments, 0 s)"]


def test_a_difference_names_the_answer_of_each_world() -> None:
    found = compared("p01", worlds(played("3")), ())
    (item,) = found.differences
    assert (item.what, dict(item.seen)) == ("ISR of orders-0", {SIMULATION: "2,3", PROCESSES: "2,3", KAFKA: "3"})
    assert found.unexplained == 1
    assert "UNEXPLAINED" in lines_of(found)[-1]


def test_what_one_world_does_not_say_differs() -> None:
    found = compared("p01", worlds(played("2,3", end="5")), ())
    assert [dict(item.seen)[SIMULATION] for item in found.differences] == ["-"]


def test_an_explanation_fits_by_case_and_by_what_differs() -> None:
    known = (Explanation("p02*", "ISR of *", "another"), Explanation("p0*", "ISR of *", WHY))
    assert [item.why for item in compared("p01", worlds(played("3")), known).differences] == [WHY]
    assert compared("p11", worlds(played("3")), known).unexplained == 1


def test_an_expectation_that_fails_in_one_world_is_a_difference() -> None:
    found = compared("p01", worlds(played("2,3", failed="expect isr orders-0 = 2: it was 3", checked=1)), ())
    assert [item.what for item in found.differences] == ["the script's expectations"]
    assert found.same == 3, "two answers of the moment, and the one expectation that held everywhere"


def test_a_world_that_shows_fewer_moments_is_a_difference_by_itself() -> None:
    found = compared("p01", worlds(Played([], "", 3)), ())
    assert [item.what for item in found.differences] == ["moments that were reached"]


def test_the_page_counts_and_names_what_was_not_judged() -> None:
    cases = [compared("p01", worlds(played("3")), ()), Compared("p06", not_judged="a switch | of old")]
    page = page_of("4.1.2", (SIMULATION, PROCESSES, KAFKA), cases)
    assert "1 clusters were compared: 4 answers are the same in all worlds, 1 differ, 1 of these without" in page
    assert "| p06 | a switch / of old |" in page
    assert as_plain(cases[1])["not_judged"] == "a switch | of old"


def test_our_manifest_can_be_read() -> None:
    assert all(one.why for one in explanations())


@pytest.mark.parametrize(
    "text",
    [
        "[[difference]]\ncase = 'p01'\nwhat = '*'\n",
        "[[difference]]\ncase='a'\nwhat='b'\nwhy=' '\n",
        "difference = 3",
        "[",
    ],
)
def test_a_manifest_without_a_reason_is_refused(tmp_path: Path, text: str) -> None:
    (path := tmp_path / "explained.toml").write_text(text)
    with pytest.raises(Refusal) as caught:
        explanations(path)
    assert caught.value.code == BAD_DATA
