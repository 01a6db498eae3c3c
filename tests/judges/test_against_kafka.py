"""Bad input of `workbench against-kafka`: each is told with what to do."""

from pathlib import Path

import pytest

from judges.against_kafka import Asked, against_kafka, all_scripts
from judges.apache_kafka.jars import KAFKA
from workbench.support.refusal import BAD_DATA, ENVIRONMENT, USAGE, Refusal


def refused(asked: Asked) -> Refusal:
    with pytest.raises(Refusal) as caught:
        against_kafka(asked)
    return caught.value


def test_no_script(tmp_path: Path) -> None:
    assert refused(Asked((), str(tmp_path))).code == USAGE


def test_no_jars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KAFKA, raising=False)
    found = refused(Asked(all_scripts()[:1]))
    assert (found.code, "mvn -f" in str(found)) == (ENVIRONMENT, True)


def test_a_script_that_is_none(tmp_path: Path) -> None:
    (path := tmp_path / "x.txt").write_text("nonsense\n")
    assert refused(Asked((path,), str(tmp_path))).code == BAD_DATA
    assert refused(Asked((tmp_path / "absent.txt",), str(tmp_path))).code == BAD_DATA
