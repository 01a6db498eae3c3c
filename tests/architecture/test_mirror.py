"""Each file of the product with behaviour has a test file of the same path; what tests reach for is public."""

from __future__ import annotations

from tests.architecture.allowances import differences

HINT = "add what is missing; after a file moved or was mended: python -m tests.architecture.allowances"


def test_each_file_with_behaviour_has_its_test_file() -> None:
    assert differences("without_tests") == [], HINT


def test_tests_go_through_the_public_doors() -> None:
    assert differences("private_reaches") == [], HINT
