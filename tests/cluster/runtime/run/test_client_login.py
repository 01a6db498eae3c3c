"""The file with the password of a run's Kafka clients."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cluster.runtime.run.client_login import LOGIN, LoginError, make_login, read_login


def test_each_run_has_a_password_of_its_own_in_a_private_file(tmp_path: Path) -> None:
    passwords = set()
    before = os.umask(0)
    try:
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            make_login(tmp_path / name)
            assert (tmp_path / name / LOGIN).stat().st_mode & 0o777 == 0o600
            passwords.add(read_login(tmp_path / name).password)
    finally:
        os.umask(before)
    assert len(passwords) == 2 and min(map(len, passwords)) >= 24


def test_a_file_that_is_there_already_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / LOGIN).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=LOGIN):
        make_login(tmp_path)
    with pytest.raises(LoginError):
        read_login(tmp_path)


@pytest.mark.parametrize(
    "text", ["", "sasl.username=u\n", "sasl.username=\nsasl.password=p\n", "no equals sign\n", "\0\xff"]
)
def test_who_cannot_know_the_password_serves_nobody(tmp_path: Path, text: str) -> None:
    (tmp_path / LOGIN).write_text(text, "latin-1")
    with pytest.raises(LoginError, match=LOGIN):
        read_login(tmp_path)


def test_a_pipe_does_not_hang_the_start(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / LOGIN)
    with pytest.raises(LoginError):
        read_login(tmp_path)
