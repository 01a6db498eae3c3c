"""Clones of suites at pinned commits, made by the command itself: `make conformance` on a clean machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

CLONES = Path("build") / "conformance" / "suites"
MIRROR = "SUITES_MIRROR"
"""Names a folder with git repositories OWNER/NAME, or OWNER+NAME/repo, to clone from instead of the public address."""
SECONDS = 900
SAID = 150
"""Characters of what went wrong that are told."""


class Source(NamedTuple):
    """Where a suite comes from."""

    repository: str
    """OWNER/NAME."""
    commit: str
    packages: tuple[str, ...] = ()
    """Of Python, for the suite's own environment; names that begin with . or requirements are the clone's."""


SOURCES = {
    "kafka-python": Source(
        "dpkp/kafka-python",
        "a3b3836ff3a4b34ebaa42fd93500bfcb16c1e9b7",
        ("pytest", "pytest-timeout", "pytest-mock", "crc32c", "lz4", "python-snappy", "zstandard"),
    ),
    "confluent-kafka-python": Source(
        "confluentinc/confluent-kafka-python",
        "8b1c7a613434eee3d0e1287d624d7af04932f410",
        ("trivup", "confluent-kafka[avro,json,protobuf,schemaregistry]", "-r", "requirements/requirements-tests.txt"),
    ),
    "franz-go": Source("twmb/franz-go", "adb3a18abe14bdb230f1cd738d03623301013d42"),
    "rskafka": Source("influxdata/rskafka", "9e0dad678abac7c70a7873812bbcce1ede1563a2"),
}


def address_of(source: Source) -> str:
    """That of the mirror where there is one, else the public one."""
    mirror = os.environ.get(MIRROR)
    if mirror:
        folder = Path(mirror).expanduser()
        for name in (source.repository, f"{source.repository.replace('/', '+')}/repo"):
            if (folder / name).is_dir():
                return (folder / name).resolve().as_uri()
    return f"https://github.com/{source.repository}"


def got(suite: str) -> Path | str:
    """Its clone, made unless it is there, with its own environment; or in one sentence why there is none."""
    source = SOURCES[suite]
    clone, address = (CLONES / suite).resolve(), address_of(source)
    done = clone / ".git" / "conformance-commit"
    if done.is_file() and done.read_text("utf-8") == source.commit:
        return clone
    clone.mkdir(parents=True, exist_ok=True)
    steps: list[tuple[str, ...]] = [
        ("git", "init", "-q"),
        ("git", "fetch", "-q", "--depth", "1", address, source.commit),
        ("git", "checkout", "-q", "-f", "FETCH_HEAD"),
    ]
    if source.packages:
        pip = str(clone / ".venv" / "bin" / "python")
        steps.append((sys.executable, "-m", "venv", ".venv"))
        steps.append((pip, "-m", "pip", "install", "-q", "--disable-pip-version-check", *source.packages))
    for step in steps:
        try:
            ran = subprocess.run(step, cwd=clone, capture_output=True, text=True, timeout=SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"cannot be had from {address}: {error}"
        if ran.returncode:
            said = " ".join(ran.stderr.split())[-SAID:]
            return f"cannot be had from {address} ({said}); {MIRROR} may name a folder with clones"
    done.write_text(source.commit, "utf-8")
    return clone
