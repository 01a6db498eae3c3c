"""The file beside a recording from which its screen opens at once: blocks, each with a code that only we can make.

The code is keyed by a secret of the user and by the program that folds events. So a block that is damaged, half
written, from somebody else or from another version of the program is known as such, and is made anew.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from cluster.ordinary_file import read_ordinary
from cluster.runtime.run.file_lock import take_lock
from workbench.support.places import home_folder
from workbench.support.refusal import Refusal

NAME = "screen.index"
STATE = ".state"
"""Ending of the file beside it, which is replaced again and again."""
KEY_NAME = ".index-key"
KEY_BYTES = 32
CODE_BYTES = 16
HEAD_BYTES = 4 + 1 + CODE_BYTES
"""Before each block: length of its content, kind, code."""
BLOCK_BYTES_MAX = 64 << 20
PIECE, PICTURE, ROW, BESIDE = b"c", b"s", b"p", b"f"
"""Kinds of blocks: a piece of a long sequence, a picture, what is known of a page of entries, the file beside."""
ROOT = Path(__file__).parents[2]
FOLDS = ("cluster/model", "cluster/picture", "workbench/session", "workbench/telling")
"""Where the code stands that makes what an index holds, as folders of modules."""


class DamagedIndex(Exception):
    """A block is not what was written there."""


class IndexFile:
    """Appends blocks and reads them again. Without a file of its own it uses a nameless one, gone when it is closed."""

    def __init__(self, path: Path | None = None) -> None:
        """Take the index at path, which nobody else may use meanwhile; a nameless one where that cannot be had."""
        self._key = b""
        self._handle = -1
        self._beside = None if path is None else path.with_suffix(STATE)
        if path is not None:
            with suppress(OSError, Refusal):
                self._key = _key()
                self._handle = _taken(path)
        self.is_kept = self._handle >= 0
        """Whether it is there for the next who opens the recording."""
        if not self.is_kept:
            self._key = secrets.token_bytes(KEY_BYTES)
            with tempfile.TemporaryFile() as file:
                self._handle = os.dup(file.fileno())
        self.end = 0
        """One past the last good block, in bytes."""

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._handle)

    def cut(self, end: int) -> None:
        """Forget what lies from there on."""
        self.end = end
        os.ftruncate(self._handle, end)

    def put(self, content: bytes, kind: bytes = PIECE) -> int:
        """Append a block; where it is. OSError when the disk is full."""
        place = self.end
        block = b"".join((len(content).to_bytes(4, "big"), kind, self._code(place, kind, content), content))
        if os.pwrite(self._handle, block, place) != len(block):
            raise OSError("the disk is full")
        self.end += len(block)
        return place

    def get(self, place: int, kind: bytes = PIECE) -> bytes:
        """The content of a block. DamagedIndex when it is not what was put there."""
        head = os.pread(self._handle, HEAD_BYTES, place)
        size = int.from_bytes(head[:4], "big")
        content = os.pread(self._handle, size, place + HEAD_BYTES) if size <= BLOCK_BYTES_MAX else b""
        if len(content) != size or head[4:] != kind + self._code(place, kind, content):
            raise DamagedIndex(f"block at byte {place}")
        return content

    def rows(self) -> Iterator[tuple[int, bytes]]:
        """Place and content of each page's block, in order, as far as all are good; `end` is then past the last."""
        place, size = 0, os.fstat(self._handle).st_size
        while place < size:
            head = os.pread(self._handle, HEAD_BYTES, place)
            after = place + HEAD_BYTES + int.from_bytes(head[:4], "big")
            if len(head) < HEAD_BYTES or after > size:
                return
            if head[4:5] == ROW:
                try:
                    content = self.get(place, ROW)
                except DamagedIndex:
                    return
                self.end = after
                yield place, content
            place = after

    def write_beside(self, content: bytes) -> None:
        """Have this, and nothing older, in the file beside. OSError when the disk refuses."""
        if self._beside is None or not self.is_kept:
            return
        half = self._beside.with_suffix(f"{STATE}-half")
        handle = os.open(half, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(self._code(0, BESIDE, content))
            file.write(content)
        half.replace(self._beside)

    def read_beside(self) -> bytes:
        """What was written there last. DamagedIndex when it is not that; OSError when there is none."""
        if self._beside is None or not self.is_kept:
            raise DamagedIndex("nothing is kept")
        whole = read_ordinary(self._beside, BLOCK_BYTES_MAX)
        content = whole[CODE_BYTES:]
        if whole[:CODE_BYTES] != self._code(0, BESIDE, content):
            raise DamagedIndex("the file beside")
        return content

    def _code(self, place: int, kind: bytes, content: bytes) -> bytes:
        digest = hashlib.blake2b(kind + place.to_bytes(8, "big"), key=self._key, digest_size=CODE_BYTES)
        digest.update(content)
        return digest.digest()


def _taken(path: Path) -> int:
    handle = take_lock(path)
    if handle is None:
        raise OSError("another screen has it")
    return handle


def _key() -> bytes:
    """Of indexes that were made by this user with this program. OSError where none can be kept."""
    home = home_folder()
    if not (home / "runs").is_dir():
        raise OSError("no runs are kept here")
    place = home / KEY_NAME
    with suppress(FileExistsError):
        handle = os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
    secret = read_ordinary(place, KEY_BYTES)
    if len(secret) != KEY_BYTES:
        raise OSError("not a key")
    return hashlib.blake2b(program(), key=secret, digest_size=KEY_BYTES).digest()


@cache
def program() -> bytes:
    """Which code folds events: another one may make something else of them."""
    digest = hashlib.blake2b(digest_size=KEY_BYTES)
    for folder in FOLDS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.digest()
