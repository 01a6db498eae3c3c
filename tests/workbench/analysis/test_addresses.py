"""`sql` and `campaign` take addresses as `analyse` does; here `file://`, through Hadoop's file systems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.traces.made_campaign import TINY
from workbench.support.refusal import BAD_DATA, ENVIRONMENT, Refusal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.analysis.store.tables import Store

pytestmark = pytest.mark.spark


def _sql(query: str, home: Path, *runs: str, out: str | None = None) -> int:
    from workbench.cli.sql import Asked, sql

    return sql(Asked(query=query, runs=runs, out=out, table_format="csv", master=None, data_dir=str(home)))


def test_tables_that_stand_at_an_address_are_asked(
    spark: SparkSession, analysed: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from workbench.analysis.store.address import Elsewhere

    far = (tmp_path / "far").as_uri()
    Elsewhere(spark, far).put(analysed.folder, analysed.made_of(analysed.made_runs))
    assert _sql("select run from runs", tmp_path / "home", out=far) == 0
    assert capsys.readouterr().out.split() == ["run", *analysed.made_runs]
    with pytest.raises(Refusal, match="no events: name the runs") as refused:
        _sql("select count(*) from events", tmp_path / "another", out=far)
    assert refused.value.code == BAD_DATA


def test_a_run_at_an_address_is_brought_and_asked(
    spark: SparkSession, recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spark is not None
    assert _sql("select count(*) > 100 as many from events", tmp_path / "home", recorded.as_uri()) == 0
    assert capsys.readouterr().out.split() == ["many", "True"]


def test_a_campaign_and_its_results_stand_at_addresses_and_go_on_from_there(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from workbench.cli.campaign import Asked, campaign

    assert spark is not None
    file, far = tmp_path / "tiny.toml", tmp_path / "far"
    file.write_text(TINY)
    words = {"record": (), "against": "", "until": "", "master": None, "data_dir": str(tmp_path / "home")}
    for again, told in (False, "what was made is in"), (True, "runs are there already"):
        asked = Asked(file=file.as_uri(), seeds=1, out=far.as_uri(), **words)  # type: ignore[arg-type]
        campaign(asked)
        assert told in "".join(capsys.readouterr()), again
        assert (far / "report.html").is_file() and (far / "cells.csv").is_file()
        assert len(list((far / "outcomes").glob("part-*.parquet"))) == 1


@pytest.mark.parametrize("address", ["nosuch://bucket/x", "file:///nosuch/x"])
def test_what_cannot_be_reached_is_told_in_one_sentence(spark: SparkSession, tmp_path: Path, address: str) -> None:
    assert spark is not None
    with pytest.raises(Refusal, match=f"'{address}.*': ") as refused:
        _sql("select 1", tmp_path / "home", out=address)
    assert refused.value.code == ENVIRONMENT and len(str(refused.value).splitlines()) == 1
