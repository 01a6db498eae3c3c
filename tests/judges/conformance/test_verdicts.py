"""Four verdicts, and a manifest in which each known failure has its reason."""

from pathlib import Path

import pytest

from judges.conformance.suites import FAILED, PASSED, SKIPPED
from judges.conformance.verdicts import (
    CHECK,
    FIXED,
    KNOWN,
    LEFT_OUT,
    PASS,
    REGRESSION,
    Known,
    is_good,
    judged,
    known_failures,
    lines_of,
    page_of,
)

MANIFEST = (Known("rskafka", "test_tls*", "TLS is not built"), Known("franz-go", "*", "another suite"))


def test_each_outcome_is_held_against_the_manifest() -> None:
    outcomes = {
        "test_a": PASSED, "test_b": FAILED, "test_c": SKIPPED, "test_tls_1": FAILED, "test_tls_2": PASSED,
    }  # fmt: skip
    found = {case.case: case.verdict for case in judged("rskafka", outcomes, MANIFEST)}
    assert found == {
        "test_a": PASS, "test_b": REGRESSION, "test_c": LEFT_OUT, "test_tls_1": KNOWN, "test_tls_2": FIXED,
    }  # fmt: skip


def test_what_passes_against_the_manifest_is_as_bad_as_what_fails() -> None:
    assert is_good({"rskafka": judged("rskafka", {"a": PASSED, "test_tls_1": FAILED}, MANIFEST)})
    assert not is_good({"rskafka": judged("rskafka", {"test_tls_1": PASSED}, MANIFEST)})
    assert not is_good({"rskafka": judged("rskafka", {"b": FAILED}, MANIFEST)})
    assert is_good({"rskafka": "no folder is named"})


def test_the_table_counts_and_names_what_is_unexpected() -> None:
    lines = lines_of({
        "rskafka": judged("rskafka", {"a": PASSED, "b": FAILED, "test_tls_1": FAILED}, MANIFEST),
        "franz-go": "no folder",
    })  # fmt: skip
    assert "| rskafka | 1 | 1 | 1 | 0 | 0 | not run |" in lines
    assert "| franz-go | not run: no folder | | | | | |" in lines
    assert "regression: rskafka b" in lines
    assert "known failure: rskafka, 1 for this: TLS is not built" in lines


@pytest.mark.parametrize(("outcome", "said"), [(PASSED, "nothing violated"), (FAILED, "VIOLATED")])
def test_the_page_says_of_each_suite_what_our_checker_said_of_its_cluster(outcome: str, said: str) -> None:
    page = page_of({"rskafka": judged("rskafka", {"a": PASSED, CHECK: outcome}, MANIFEST)})
    assert "| skipped | `workbench check` |" in page
    assert f" | 0 | {said} |" in page


def test_our_manifest_is_sound() -> None:
    assert all(item.why for item in known_failures())


@pytest.mark.parametrize(
    "text",
    ["[[failure]]\nsuite='rskafka'\ncase='a'\n", "[[failure]]\nsuite='other'\ncase='a'\nwhy='b'\n"],
    ids=["no reason", "no such suite"],
)
def test_a_manifest_that_says_too_little_is_refused(tmp_path: Path, text: str) -> None:
    (path := tmp_path / "known.toml").write_text(text)
    with pytest.raises(ValueError, match=r"known\.toml"):
        known_failures(path)
