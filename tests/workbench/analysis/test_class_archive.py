"""Spark's classes are archived by the first session, and used by the next."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import platformdirs
import pytest

from tests.support.processes.watching import until
from workbench.analysis.class_archive import UNUSED_SECONDS_MAX, _is_whole, archive_option

WHOLE, TORN = b"\xa8\xba\x0b\xf0rest", b"\0\0\0\0rest"


def _at_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a cache folder of its own."""
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)


@pytest.fixture
def spark_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    _at_home(tmp_path, monkeypatch)
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    (tmp_path / "spark" / "jars").mkdir(parents=True)
    (tmp_path / "spark" / "jars" / "a.jar").write_bytes(b"1")
    (tmp_path / "java").write_bytes(b"1")
    return tmp_path / "spark"


def _asked(spark_home: Path) -> tuple[str, Path]:
    """(the option without its value, the file that it names)."""
    option, _, named = archive_option(spark_home.parent / "java", spark_home).strip('"').partition("=")
    return option, Path(named)


def test_what_a_session_left_is_used_by_the_next_when_it_is_whole(spark_home: Path) -> None:
    option, left = _asked(spark_home)
    assert option == "-XX:ArchiveClassesAtExit"
    left.write_bytes(TORN)
    assert _asked(spark_home)[0] == "-XX:ArchiveClassesAtExit"
    left.write_bytes(WHOLE)
    option, used = _asked(spark_home)
    assert (option, used.read_bytes()) == ("-XX:SharedArchiveFile", WHOLE)
    other = used.with_name(f"{used.name}.1")
    other.write_bytes(WHOLE)
    assert _asked(spark_home) == (option, used)
    assert not other.exists(), "one is enough"


def test_other_jars_need_another_archive(spark_home: Path) -> None:
    _, left = _asked(spark_home)
    left.write_bytes(WHOLE)
    _, used = _asked(spark_home)
    (spark_home / "jars" / "a.jar").write_bytes(b"22")
    option, other = _asked(spark_home)
    assert option == "-XX:ArchiveClassesAtExit" and not other.name.startswith(used.name)
    assert used.exists(), "its session may still be at work"
    long_ago = time.time() - UNUSED_SECONDS_MAX - 1
    os.utime(used, (long_ago, long_ago))
    _asked(spark_home)
    assert not used.exists()


def test_none_is_kept_where_others_may_write_or_java_would_refuse(
    spark_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _asked(spark_home)[1].parent
    folder.chmod(0o777)
    assert archive_option(spark_home.parent / "java", spark_home) == ""
    folder.chmod(0o700)
    (spark_home / "conf").mkdir()
    (spark_home / "conf" / "spark-defaults.conf").write_text("")
    assert archive_option(spark_home.parent / "java", spark_home) == ""
    (spark_home / "conf" / "spark-defaults.conf").unlink()
    (spark_home / "jars" / "a.jar").unlink()
    (spark_home.parent / "java").unlink()
    assert archive_option(spark_home.parent / "java", spark_home) == "", "no such Java"


@pytest.mark.spark
@pytest.mark.slow
def test_a_session_that_uses_an_archive_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason="the analysis extra is not installed: make install-analysis")
    code = (
        "from workbench.analysis.spark import make_session; s = make_session(cores=1); "
        "options = s.conf.get('spark.driver.extraJavaOptions'); "
        "print(s.range(3).count(), *[w for w in ('ArchiveClassesAtExit', 'SharedArchiveFile') if w in options])"
    )
    _at_home(tmp_path, monkeypatch)
    cache = platformdirs.user_cache_path("kraft-workbench", appauthor=False)

    def said() -> list[str]:
        words = [sys.executable, "-c", code]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300)
        return done.stdout.split()

    def is_left() -> bool:
        return any(_is_whole(path) for path in cache.glob("*.jsa.*"))

    assert said() == ["3", "ArchiveClassesAtExit"]
    until(is_left, 240, "an archive; Java writes its head last")
    assert said() == ["3", "SharedArchiveFile"]
