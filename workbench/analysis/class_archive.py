"""Spark's classes as Java keeps them: read and checked once, mapped into memory by every later start of a session.

Spark loads some 14,000 classes. With an archive of them (JEP 350) a session starts with half of the processor time.
Java itself checks that an archive was made by the same Java from the same jars, and goes on without it if not.
"""

from __future__ import annotations

import os
import shutil
import time
from hashlib import sha256
from pathlib import Path

import platformdirs

FREE_BYTES_MIN = 2 << 30
"""With less room on the disk no archive is made: one takes about 200 MB."""
UNUSED_SECONDS_MAX = 30 * 86_400
"""One that was not used for so long is deleted."""
NAME = "spark-classes-"


def archive_option(java: Path, spark_home: Path) -> str:
    """The argument for Java: use the archive, or leave one when the session ends. Empty where none can be kept.

    Args:
        java: the executable.
        spark_home: holds the jars.
    """
    settings = Path(os.environ.get("SPARK_CONF_DIR", spark_home / "conf"))
    if settings.is_dir() and any(settings.iterdir()):
        return ""  # Java archives nothing while a folder with files is in its class path.
    try:
        folder = _private_folder()
        if folder is None:
            return ""
        archive = folder / f"{NAME}{_digest(java, spark_home)}.jsa"
        _tidy(folder, archive)
        if archive.exists():
            os.utime(archive)
            return f'"-XX:SharedArchiveFile={archive}"'
        room = shutil.disk_usage(folder).free >= FREE_BYTES_MIN
    except OSError:
        return ""
    return f'"-XX:ArchiveClassesAtExit={archive}.{os.getpid()}"' if room else ""


def _private_folder() -> Path | None:
    """Where it is kept; None when others may write there, since Java runs what an archive says."""
    folder = platformdirs.user_cache_path("kraft-workbench", appauthor=False)
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    status = folder.stat()
    is_private = status.st_uid == os.getuid() and not status.st_mode & 0o022
    return folder if is_private and not set('"\\') & set(str(folder)) else None


def _digest(java: Path, spark_home: Path) -> str:
    """Another one for another Java, and for other jars."""
    digest = sha256()
    for path in (java, *sorted((spark_home / "jars").glob("*.jar"))):
        status = path.stat()
        digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:12]


def _tidy(folder: Path, archive: Path) -> None:
    """Let what a session left take its place, and delete what is in nobody's use."""
    for left in sorted(folder.glob(f"{archive.name}.*")):
        if archive.exists():
            left.unlink(missing_ok=True)
        elif _is_whole(left):
            left.replace(archive)
    for old in folder.glob(f"{NAME}*"):
        if time.time() - old.stat().st_mtime > UNUSED_SECONDS_MAX:
            old.unlink(missing_ok=True)


def _is_whole(path: Path) -> bool:
    """Java writes the head of an archive last."""
    with path.open("rb") as file:
        return any(file.read(4))
