"""One Spark session for all tests of the analysis; without Spark or Java they are skipped and say why."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.analysis.store.tables import Store


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    pytest.importorskip("pyspark", reason="the analysis extra is not installed: make install-analysis")
    from workbench.analysis.java import find_java
    from workbench.analysis.spark import how_java_ended, make_session, suit

    java = find_java()
    if java is None or not java.serves:
        pytest.skip("no Java 17 or newer")
    session = make_session(cores=2)
    suit(session, is_small=True)
    session.conf.set("spark.sql.shuffle.partitions", "2")
    yield session
    ended = how_java_ended()
    assert ended is None, f"the Java of the session ended by itself during the tests: {ended}"
    session.stop()


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on real processes in which the leader dies."""
    from workbench.analysis.reading.ranges import find_folders

    home = tmp_path_factory.mktemp("home")
    script = Path(__file__).with_name("leader_dies.txt")
    words = [sys.executable, "-m", "workbench", "run", str(script), "--data-dir", str(home)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = find_folders(home / "runs")
    return folder


@pytest.fixture(scope="session")
def analysed(spark: SparkSession, recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """All tables of that run."""
    from workbench.analysis.reading.ranges import examine
    from workbench.analysis.store.tables import Store

    store = Store(tmp_path_factory.mktemp("analysed") / "out")
    source = examine(recorded)
    store.read(spark, [source])
    store.make_tables(spark, [source], lambda _what, _done, _total: None)
    return store
