"""What a browser keeps leaves as one file and comes back; no other file writes anything."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from cluster.runtime.run.folder import FACTS
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.web import archive
from workbench.web.archive import NO_ARCHIVE, forget_all, pack_all, take_in

KEPT = {"runs/runs/a-lab/run.json": b"{}", "runs/runs/a-lab/trace/1-0.trace": b"\x00\x01", "state/progress.json": b"[]",
        "config/settings.toml": b""}  # fmt: skip


def written(home: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(content)
    return home


def read(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def packed(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for member, content in members:
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def of_files(files: Mapping[str, bytes]) -> bytes:
    return packed(*((tarfile.TarInfo(name), content) for name, content in files.items()))


def link(name: str, target: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = tarfile.SYMTYPE, target
    return member


def test_all_that_is_kept_leaves_and_comes_back_to_the_byte(tmp_path: Path) -> None:
    home = written(tmp_path / "home", KEPT)
    file = pack_all(home)
    forget_all(home)
    assert home.is_dir() and read(home) == {}
    assert take_in(file, home) == "4 files came in"
    assert read(home) == KEPT


def test_what_is_here_already_stays_as_it_is(tmp_path: Path) -> None:
    home = written(tmp_path, {"state/progress.json": b"[5]"})
    assert take_in(of_files(KEPT), home) == "3 files came in; 1 were here already and stayed as they are"
    assert read(home)["state/progress.json"] == b"[5]"


def test_a_packed_run_comes_in_among_the_runs(tmp_path: Path) -> None:
    take_in(of_files({f"a-lab/{FACTS}": b"{}", "a-lab/trace/1-0.trace": b"x"}), tmp_path)
    assert set(read(tmp_path)) == {f"runs/runs/a-lab/{FACTS}", "runs/runs/a-lab/trace/1-0.trace"}


def test_neither_who_made_a_file_nor_when_goes_along_and_a_link_stays_here(tmp_path: Path) -> None:
    home = written(tmp_path / "home", KEPT)
    (tmp_path / "secret").write_bytes(b"secret")
    (home / "state" / "link").symlink_to(tmp_path / "secret")
    with tarfile.open(fileobj=io.BytesIO(pack_all(home)), mode="r:gz") as tar:
        members = tar.getmembers()
    assert {member.name for member in members} == set(KEPT)
    assert {(member.mtime, member.uid, member.uname) for member in members} == {(0, 0, "")}


NOTHING = b"\x00" * 10_000_000
HOSTILE = {
    "nothing at all": b"",
    "ten megabytes of nothing": NOTHING,
    "a picture": b"\x89PNG\r\n\x1a\n" + b"x" * 1000,
    "half an archive": of_files({"state/a": bytes(range(256)) * 400})[:200],
    "an archive of nothing": of_files({}),
    "an archive of a foreign file": of_files({"notes.txt": b"hello"}),
    "a way out": of_files({"state/../../out": b"x"}),
    "an address from the root": of_files({"/state/out": b"x"}),
    "a run and a file beside it": of_files({f"a/{FACTS}": b"{}", "b/x": b"x"}),
    "a folder without a run in it": of_files({"a/trace/1-0.trace": b"x"}),
    "a link out of it, and a file through the link": packed(
        (link("state/link", "/tmp"), b""), (tarfile.TarInfo("state/../link/x"), b"x")
    ),
    "ANSI as a name": of_files({"\x1b[2Jstate/x": b"x"}),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_such_file_is_one_sentence_and_nothing_is_written(data: bytes, tmp_path: Path) -> None:
    home = written(tmp_path / "home", KEPT)
    with pytest.raises(Refusal, match=f"^{NO_ARCHIVE}$") as refusal:
        take_in(data, home)
    assert refusal.value.code == BAD_DATA
    assert read(tmp_path) == {f"home/{name}": content for name, content in KEPT.items()}


def test_a_link_in_an_export_is_not_made(tmp_path: Path) -> None:
    take_in(packed((link("state/link", "/etc/passwd"), b""), (tarfile.TarInfo("state/a"), b"a")), tmp_path)
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["a"]


@pytest.mark.parametrize(("limit", "value"), [("UNPACKED_MAX", 1000), ("MEMBERS_MAX", 2)])
def test_an_archive_that_unpacks_to_too_much_is_refused(
    limit: str, value: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bomb = of_files({f"state/{number}": b"\x00" * 500 for number in range(3)})
    monkeypatch.setattr(archive, limit, value)
    with pytest.raises(Refusal, match=NO_ARCHIVE):
        take_in(bomb, tmp_path)
    assert read(tmp_path) == {}
