from __future__ import annotations

from pathlib import Path

import pytest

from workbench.session import index_file
from workbench.session.index_file import HEAD_BYTES, KEY_NAME, PICTURE, ROW, DamagedIndex, IndexFile


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    (tmp_path / "runs" / "r").mkdir(parents=True)
    return tmp_path / "runs" / "r" / "screen.index"


def filled(path: Path) -> tuple[IndexFile, int]:
    file = IndexFile(path)
    place = file.put(b"picture", PICTURE)
    file.put(b"row 0", ROW)
    file.put(b"row 1", ROW)
    return file, place


def rows(path: Path) -> list[bytes]:
    file = IndexFile(path)
    try:
        return [content for _, content in file.rows()]
    finally:
        file.close()


def test_what_was_put_is_there_for_the_next(path: Path) -> None:
    file, place = filled(path)
    file.close()
    again = IndexFile(path)
    assert ([content for _, content in again.rows()], again.end) == ([b"row 0", b"row 1"], path.stat().st_size)
    assert again.get(place, PICTURE) == b"picture"
    with pytest.raises(DamagedIndex):
        again.get(place, ROW)
    assert (path.stat().st_mode & 0o777, (path.parents[2] / KEY_NAME).stat().st_mode & 0o777) == (0o600, 0o600)


@pytest.mark.parametrize("cut", [1, 4, HEAD_BYTES, HEAD_BYTES + 4])
def test_a_half_written_end_is_left_out(path: Path, cut: int) -> None:
    filled(path)[0].close()
    path.write_bytes(path.read_bytes()[:-cut])
    assert rows(path) == [b"row 0"]


def test_a_changed_byte_ends_it(path: Path) -> None:
    filled(path)[0].close()
    content = bytearray(path.read_bytes())
    content[content.index(b"row 0")] ^= 1
    path.write_bytes(content)
    assert rows(path) == []


def test_one_of_another_user_and_one_of_another_program_say_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(path)[0].close()
    monkeypatch.setattr(index_file, "program", lambda: b"a newer one")
    assert rows(path) == []
    monkeypatch.undo()
    monkeypatch.setenv("WORKBENCH_HOME", str(path.parents[2]))
    (path.parents[2] / KEY_NAME).write_bytes(b"k" * 32)
    assert rows(path) == []


@pytest.mark.parametrize("content", [b"", b"\xff" * 100, b"\0" * 4096])
def test_garbage_says_nothing(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert rows(path) == []


def test_two_screens_do_not_write_one_file(path: Path) -> None:
    first, place = filled(path)
    second = IndexFile(path)
    assert (first.is_kept, second.is_kept) == (True, False)
    second.put(b"other")
    assert first.get(place, PICTURE) == b"picture" and list(second.rows()) == []


def test_without_a_place_to_keep_it_there_is_one_for_this_screen(tmp_path: Path, path: Path) -> None:
    for where in (None, tmp_path / "no" / "folder"):
        file = IndexFile(where)
        assert not file.is_kept and file.get(file.put(b"piece")) == b"piece"
        file.close()
