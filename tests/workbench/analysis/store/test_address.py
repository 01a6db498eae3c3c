"""What is named by the address of a file system is brought here, and what was made is taken there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from workbench.analysis.store.address import Elsewhere, is_address
from workbench.support.refusal import ENVIRONMENT, Refusal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("named", ["s3a://bucket/x", "hdfs:/x", "file:///x"])
def test_an_address_has_a_scheme(named: str) -> None:
    assert is_address(named)


@pytest.mark.parametrize("named", [None, "", "x", "/x/y", "./s3a", "c:/x"])
def test_a_path_is_no_address(named: str | None) -> None:
    assert not is_address(named)


@pytest.mark.spark
def test_a_folder_is_copied_from_an_address_and_to_one_in_place_of_what_was_there(
    spark: SparkSession, tmp_path: Path
) -> None:
    far = tmp_path / "far"
    (far / "trace").mkdir(parents=True)
    (far / "trace" / "0-0.trace").write_bytes(b"events")
    here = tmp_path / "here" / "run"
    (here / "old").mkdir(parents=True)
    Elsewhere(spark, far.as_uri()).fetch(here)
    assert [path.name for path in here.iterdir()] == ["trace"]
    assert (here / "trace" / "0-0.trace").read_bytes() == b"events"

    made = tmp_path / "made"
    table = made / "tables" / "runs" / "run=a"
    table.mkdir(parents=True)
    (table / "part-0.parquet").write_bytes(b"new")
    there = tmp_path / "there" / "tables" / "runs" / "run=a"
    there.mkdir(parents=True)
    (there / "part-9.parquet").write_bytes(b"old")
    Elsewhere(spark, (tmp_path / "there").as_uri()).put(made, [table])
    assert [path.name for path in there.iterdir() if not path.name.startswith(".")] == ["part-0.parquet"]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("nosuch://bucket/x", "'nosuch://bucket/x': .*No FileSystem for scheme"),
        ("hdfs://127.0.0.1:9/x", "'hdfs://127.0.0.1:9/x': .*(ConnectException|no answer within)"),
    ],
)
def test_a_file_system_that_cannot_be_reached_is_told_in_one_sentence(
    spark: SparkSession, address: str, told: str
) -> None:
    with pytest.raises(Refusal, match=told) as refused:
        Elsewhere(spark, address)
    assert refused.value.code == ENVIRONMENT and len(str(refused.value).splitlines()) == 1


@pytest.mark.spark
def test_where_there_is_nothing_nothing_is_copied(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="there is no such folder"):
        Elsewhere(spark, (tmp_path / "nosuch").as_uri()).fetch(tmp_path / "here")
