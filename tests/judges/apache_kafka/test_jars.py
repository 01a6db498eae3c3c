"""A folder of jars that is missing, mixed, too old or no jars at all."""

import zipfile
from pathlib import Path

import pytest

from judges.apache_kafka.jars import KAFKA, POM, jars_of
from workbench.support.refusal import BAD_DATA, ENVIRONMENT, Refusal

NAMES = ("kafka_2.13", "kafka-server-common", "kafka-clients", "kafka-metadata")


def folder_with(tmp_path: Path, version: str = "4.1.2", *, core: str = "kafka/Kafka.class", **others: str) -> Path:
    for name in NAMES:
        with zipfile.ZipFile(tmp_path / f"{name}-{others.get(name.replace('-', '_'), version)}.jar", "w") as jar:
            jar.writestr(core, "")
    return tmp_path


def refused(typed: str | None) -> Refusal:
    with pytest.raises(Refusal) as caught:
        jars_of(typed)
    assert str(POM) in str(caught.value), "it says where to get them"
    return caught.value


def test_a_whole_folder_tells_its_version(tmp_path: Path) -> None:
    try:
        assert jars_of(str(folder_with(tmp_path))).version == "4.1.2"
    except Refusal as refusal:
        assert "Java" in str(refusal), "a machine without Java says so"


def test_no_folder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KAFKA, raising=False)
    assert refused(None).code == ENVIRONMENT


def test_the_folder_may_be_named_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(KAFKA, str(tmp_path / "nowhere"))
    assert "nowhere is no folder" in str(refused(None))


def test_an_empty_folder_names_what_it_lacks(tmp_path: Path) -> None:
    assert "lacks kafka-clients-4.x.jar" in str(refused(str(tmp_path)))


def test_two_versions_beside_one_another_are_refused(tmp_path: Path) -> None:
    found = refused(str(folder_with(tmp_path, kafka_clients="4.0.0")))
    assert (found.code, "mixes Kafka 4.0.0 and 4.1.2" in str(found)) == (BAD_DATA, True)


def test_a_kafka_with_zookeeper_is_refused(tmp_path: Path) -> None:
    assert "holds Kafka 3.9.1, needed is 4.x" in str(refused(str(folder_with(tmp_path, "3.9.1"))))


def test_a_jar_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    assert "is no jar of Kafka" in str(refused(str(folder_with(tmp_path, core="other/Main.class"))))


def test_bytes_that_are_no_jar_are_refused(tmp_path: Path) -> None:
    (folder_with(tmp_path) / "kafka_2.13-4.1.2.jar").write_bytes(b"not a jar")
    assert refused(str(tmp_path)).code == BAD_DATA
