"""All that a browser keeps for us as one file, to take along and to take in elsewhere."""

from __future__ import annotations

import io
import shutil
import tarfile
from pathlib import Path, PurePosixPath

from cluster.runtime.run.folder import FACTS
from workbench.support.refusal import BAD_DATA, Refusal

KINDS = ("runs", "state", "config")
"""Folders of what is kept."""
UNPACKED_MAX = 256 << 20
MEMBERS_MAX = 20_000
NO_ARCHIVE = "this file holds neither a run nor what was exported here; nothing was taken in"


def pack_all(home: Path) -> bytes:
    """The whole folder; neither user nor time of this browser goes along."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for path in sorted(home.rglob("*")):
            if path.is_file() and not path.is_symlink():
                member = tarfile.TarInfo(str(path.relative_to(home)))
                content = path.read_bytes()
                member.size, member.mode = len(content), 0o600
                archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def take_in(data: bytes, home: Path) -> str:
    """Write what is not here yet; tells how much that was. Refusal for what is no such file: nothing is written."""
    try:
        files = _read(data)
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise Refusal(BAD_DATA, NO_ARCHIVE) from error
    if not files:
        raise Refusal(BAD_DATA, NO_ARCHIVE)
    written = 0
    for name, content in files.items():
        path = home / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            written += 1
    stayed = len(files) - written
    return f"{written} files came in" + (f"; {stayed} were here already and stayed as they are" if stayed else "")


def _read(data: bytes) -> dict[str, bytes]:
    """Path below the home, to content. ValueError for what is not ours, TarError or OSError for no archive."""
    files: dict[str, bytes] = {}
    left = UNPACKED_MAX
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        for member in archive:
            left -= member.size
            parts = PurePosixPath(member.name).parts
            if left < 0 or len(files) >= MEMBERS_MAX or ".." in parts or member.name.startswith("/"):
                raise ValueError(member.name)
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None:
                files[member.name] = content.read()
    if all(name.partition("/")[0] in KINDS for name in files):
        return files
    tops = {name.partition("/")[0] for name in files}
    if len(tops) != 1 or f"{next(iter(tops))}/{FACTS}" not in files:
        raise ValueError("neither an export nor a run")
    return {f"runs/runs/{name}": content for name, content in files.items()}


def forget_all(home: Path) -> None:
    """Delete all of it."""
    for path in home.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
