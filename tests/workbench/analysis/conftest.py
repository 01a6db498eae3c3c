"""One Spark session for all tests of the analysis; without Spark or Java they are skipped and say why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    pytest.importorskip("pyspark", reason="the analysis extra is not installed: make install-analysis")
    from workbench.analysis.java import find_java
    from workbench.analysis.spark import how_java_ended, make_session

    java = find_java()
    if java is None or not java.serves:
        pytest.skip("no Java 17 or newer")
    session = make_session(cores=2)
    yield session
    ended = how_java_ended()
    assert ended is None, f"the Java of the session ended by itself during the tests: {ended}"
    session.stop()
