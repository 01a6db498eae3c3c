"""Files of others: ordinary ones only, and no more of them than allowed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.ordinary_file import StrangeFile, open_ordinary, read_ordinary, read_ordinary_or_pipe


def test_an_ordinary_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 200_000)
    assert read_ordinary(path, 200_000) == b"x" * 200_000


def test_a_file_larger_than_allowed_is_refused_and_only_so_much_of_it_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch()
    os.truncate(path, 20 << 30)
    with pytest.raises(StrangeFile) as told:
        read_ordinary(path, 1 << 20)
    assert told.value.strerror == "larger than 1048576 bytes, not read"


STRANGE: dict[str, Callable[[Path], object]] = {
    "not an ordinary file but a pipe": os.mkfifo,
    "not an ordinary file but a folder": Path.mkdir,
    "a link, and links are not followed here": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("what", STRANGE)
def test_what_is_no_ordinary_file_is_named_at_once(what: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    STRANGE[what](path)
    with pytest.raises(StrangeFile) as told:
        read_ordinary(path, 100)
    assert told.value.strerror == what


def test_a_link_may_be_followed_to_an_ordinary_file_and_to_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("here")
    (tmp_path / "good").symlink_to("a")
    (tmp_path / "bad").symlink_to("/dev/zero")
    assert read_ordinary(tmp_path / "good", 100, follow=True) == b"here"
    with pytest.raises(StrangeFile, match="not an ordinary file but a device"):
        read_ordinary(tmp_path / "bad", 100, follow=True)


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_ordinary(tmp_path / "a")


def test_a_pipe_that_nobody_writes_into_is_refused_at_once_where_pipes_are_taken(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a")
    with pytest.raises(StrangeFile, match="a pipe that nobody writes into"):
        read_ordinary_or_pipe(tmp_path / "a", 100)


def test_a_pipe_is_read_to_its_end_however_slowly_it_is_filled() -> None:
    read_end, write_end = os.pipe()
    begun = threading.Event()

    def fill() -> None:
        begun.wait()
        for _ in range(3):
            os.write(write_end, b"x" * 60_000)
        os.close(write_end)

    thread = threading.Thread(target=fill)
    thread.start()
    threading.Timer(0.05, begun.set).start()
    try:
        assert read_ordinary_or_pipe(Path(f"/dev/fd/{read_end}"), 1 << 20) == b"x" * 180_000
    finally:
        thread.join()
        os.close(read_end)


def test_a_pipe_without_an_end_is_read_no_further_than_allowed() -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, b"x" * 200)
    try:
        with pytest.raises(StrangeFile, match="larger than 100 bytes"):
            read_ordinary_or_pipe(Path(f"/dev/fd/{read_end}"), 100)
    finally:
        os.close(read_end)
        os.close(write_end)
