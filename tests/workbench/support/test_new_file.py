"""What an export writes is there whole or not at all."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run
from tests.support.traces import story
from workbench.cli.sharing import Drawn, share
from workbench.support.new_file import new_file
from workbench.support.refusal import BUSY, ENVIRONMENT, Refusal

KINDS: dict[str, Callable[[str], tuple[str | None, Drawn]]] = {
    "--svg": lambda file: (None, Drawn(svg=file)),
    "--cast": lambda file: (None, Drawn(cast=file)),
    "--file": lambda file: (file, Drawn()),
}


@contextmanager
def full_disk(size_max: int) -> Iterator[None]:
    """No file may grow beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_max, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("kind", KINDS)
def test_an_export_that_fails_leaves_nothing_and_can_be_tried_again(kind: str, tmp_path: Path) -> None:
    run, _ = create_run(tmp_path, ClusterSpec(title="A story", controllers=3, brokers=2, combined=True))
    (run / "trace").rmdir()
    story.write_run(run, story.full_story())
    (tmp_path / "out").mkdir()
    file = tmp_path / "out" / "x"
    asked = KINDS[kind](str(file))
    with pytest.raises(Refusal, match="cannot write .*: File too large") as refused, full_disk(512):
        share(run, *asked)
    assert refused.value.code == ENVIRONMENT
    assert not list((tmp_path / "out").iterdir())
    assert share(run, *asked) == 0
    assert list((tmp_path / "out").iterdir()) == [file]


def test_a_file_that_came_meanwhile_keeps_its_place(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refused, new_file(str(tmp_path / "x")) as stream:
        stream.write(b"ours")
        (tmp_path / "x").write_text("theirs")
    assert refused.value.code == BUSY
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("x", "theirs")]


def test_a_link_that_leads_nowhere_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refusal, match="exists"), new_file(str(tmp_path / "x")):
        pass
    assert not (tmp_path / "elsewhere").exists()
