"""Where the jars of Apache Kafka are, which do not come along; and where to get them."""

from __future__ import annotations

import os
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from workbench.analysis.java import find_java
from workbench.support.refusal import BAD_DATA, ENVIRONMENT, Refusal
from workbench.support.safe_text import safe_text

KAFKA = "WORKBENCH_KAFKA"
JAVA_MIN = 17
MAJOR = 4
POM = Path(__file__).with_name("jars.xml")
HOW = f"mvn -f {POM} dependency:copy-dependencies -DoutputDirectory=FOLDER brings them; --kafka or {KAFKA} names FOLDER"
NEEDED = {"kafka_2.13": "kafka/Kafka.class", "kafka-server-common": "", "kafka-clients": "", "kafka-metadata": ""}
"""Artifacts that must be there, and a class that the first must hold."""
_JAR = re.compile(r"(kafka_2\.13|kafka-server-common|kafka-clients|kafka-metadata)-(\d+)\.(\d+)\.(\d+)\.jar")


@dataclass(frozen=True, slots=True)
class Jars:
    """What starts a node of Apache Kafka."""

    java: Path
    folder: Path
    version: str
    """Of Kafka, as its jars say."""

    @property
    def class_path(self) -> str:
        """All jars of the folder."""
        return f"{self.folder}/*"


def jars_of(typed: str | None) -> Jars:
    """The jars that are named. Refusal says what is missing, and where to get it."""
    named = typed or os.environ.get(KAFKA)
    if not named:
        raise Refusal(ENVIRONMENT, f"no folder with the jars of Apache Kafka is named: {HOW}")
    folder = Path(named).expanduser()
    shown = safe_text(str(folder), 200)
    if not folder.is_dir():
        raise Refusal(ENVIRONMENT, f"{shown} is no folder: {HOW}")
    version = _version(folder, shown)
    java = find_java()
    if java is None or java.version < JAVA_MIN:
        raise Refusal(ENVIRONMENT, f"Apache Kafka {version} needs Java {JAVA_MIN} or newer; install it")
    return Jars(java.executable, folder.resolve(), version)


def _version(folder: Path, shown: str) -> str:
    found = {match[1]: match for path in sorted(folder.glob("*.jar")) if (match := _JAR.fullmatch(path.name))}
    missing = sorted(NEEDED.keys() - found.keys())
    if missing:
        raise Refusal(ENVIRONMENT, f"{shown} lacks {', '.join(f'{name}-4.x.jar' for name in missing)}: {HOW}")
    versions = sorted({f"{match[2]}.{match[3]}.{match[4]}" for match in found.values()})
    if len(versions) > 1:
        raise Refusal(BAD_DATA, f"{shown} mixes Kafka {' and '.join(versions)}: empty it first; {HOW}")
    if int(found["kafka_2.13"][2]) < MAJOR:
        raise Refusal(BAD_DATA, f"{shown} holds Kafka {versions[0]}, needed is {MAJOR}.x: {HOW}")
    core = folder / found["kafka_2.13"][0]
    try:
        with zipfile.ZipFile(core) as jar:
            jar.getinfo(NEEDED["kafka_2.13"])
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        why = f"{safe_text(str(core), 200)} is no jar of Kafka ({safe_text(str(error), 100)})"
        raise Refusal(BAD_DATA, f"{why}: {HOW}") from error
    return versions[0]
