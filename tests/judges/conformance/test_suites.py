"""Reports of three kinds of runners, and the environment of each suite."""

import sys
from pathlib import Path

import pytest

from judges.conformance.suites import (
    FAILED,
    PASSED,
    SKIPPED,
    SUITES,
    python_of,
    read_cargo,
    read_go,
    read_junit,
)

JUNIT = """<testsuites><testsuite>
<testcase classname="test.integration.test_admin" name="test_a[1]"/>
<testcase classname="test.integration.test_admin" name="test_b"><failure message="no"/></testcase>
<testcase classname="test.integration.test_admin" name="test_c"><skipped message="no"/></testcase>
<testcase classname="test.integration.test_admin" name="test_d"/>
<testcase classname="test.integration.test_admin" name="test_d"><error message="teardown"/></testcase>
</testsuite></testsuites>"""
GO = """{"Action":"run","Test":"TestA"}
not json
{"Action":"pass","Test":"TestA"}
{"Action":"run","Test":"TestB"}
{"Action":"output","Package":"kgo"}
{"Action":"run","Test":"TestC"}
{"Action":"skip","Test":"TestC"}
"""
CARGO = """running 3 tests
test test_one ... ok
test test_two ... FAILED
test test_three ... ignored, needs TLS
"""


def written(tmp_path: Path, text: str) -> Path:
    (path := tmp_path / "report").write_text(text)
    return path


def test_an_error_behind_a_case_makes_it_fail(tmp_path: Path) -> None:
    assert read_junit(written(tmp_path, JUNIT)) == {
        "test_admin::test_a[1]": PASSED, "test_admin::test_b": FAILED, "test_admin::test_c": SKIPPED,
        "test_admin::test_d": FAILED,
    }  # fmt: skip


def test_a_case_of_go_without_an_end_has_failed(tmp_path: Path) -> None:
    assert read_go(written(tmp_path, GO)) == {"TestA": PASSED, "TestB": FAILED, "TestC": SKIPPED}


def test_cases_of_cargo(tmp_path: Path) -> None:
    assert read_cargo(written(tmp_path, CARGO)) == {"test_one": PASSED, "test_two": FAILED, "test_three": SKIPPED}


@pytest.mark.parametrize("read", [read_junit, read_go, read_cargo])
def test_what_is_no_report_is_told(tmp_path: Path, read: object) -> None:
    assert callable(read)
    with pytest.raises(ValueError, match="no report"):
        read(written(tmp_path, "Segmentation fault\n"))


def test_each_suite_is_told_the_brokers_and_says_where_it_comes_from() -> None:
    for suite in SUITES:
        assert any("127.0.0.1:9092" in value for value in suite.environment(["127.0.0.1:9092"]).values()), suite.name
        assert suite.get.startswith("git clone https://github.com/"), suite.name


def test_a_clone_with_an_environment_of_its_own_runs_in_it(tmp_path: Path) -> None:
    assert python_of(tmp_path) == sys.executable
    (own := tmp_path / ".venv" / "bin" / "python").parent.mkdir(parents=True)
    own.touch()
    assert python_of(tmp_path) == str(own)
