"""The folder of static files: what is built, and the sentence where it cannot be."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.support.web.tab_site import tab_site
from workbench.support.refusal import ENVIRONMENT, USAGE, Refusal
from workbench.web.kept_files import SERVICE_WORKER
from workbench.web.site import ENGINE, MARKER, build_site, kept_folder, packages


def test_a_folder_with_files_of_somebody_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(Refusal, match="is not empty and no site of ours") as refusal:
        build_site(tmp_path)
    assert refusal.value.code == USAGE
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine")
    with pytest.raises(Refusal, match="name another folder"):
        build_site(tmp_path / "site")
    assert (tmp_path / "site").read_text() == "mine"


def test_documentation_that_was_not_built_is_missed_before_anything_is_brought(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="has no index.html: make docs builds it"):
        build_site(tmp_path / "site", tmp_path / "kept", tmp_path)
    assert not (tmp_path / "kept").exists()


def test_without_node_one_sentence_says_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Refusal, match=r"could not be brought: this needs npm, which is not installed") as refusal:
        build_site(tmp_path / "site", tmp_path / "kept")
    assert refusal.value.code == ENVIRONMENT
    assert not (tmp_path / "site").exists()


def test_packages_that_do_not_come_are_one_sentence_with_the_last_word_of_who_brings_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text("#!/bin/sh\necho one >&2\nprintf 'no \\033[31mnetwork\\n' >&2\nexit 1\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{npm.parent}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(Refusal) as refusal:
        packages(ENGINE, tmp_path / "kept")
    assert re.fullmatch(r"the engine of a tab could not be brought: no [^\x1b]*network", str(refusal.value))
    with pytest.raises(Refusal):
        packages(ENGINE, tmp_path / "kept")  # what came half is not taken for whole


def test_in_a_clone_the_engine_is_kept_below_its_build() -> None:
    assert kept_folder() == Path(__file__).parents[3] / "build" / "tab"


@pytest.mark.first
@pytest.mark.tab
def test_the_site_holds_what_its_pages_name_and_its_service_worker_keeps_it() -> None:
    site = tab_site()
    assert (site / MARKER).exists()
    for page in ("index.html", "tab.html"):
        text = (site / page).read_text("utf-8")
        for name in re.findall(r'(?:href|src)="([^"#:]+)[#"]', text):
            assert name == "docs/index.html" or (site / name).is_file(), f"{page} names {name}"
    kept = (site / SERVICE_WORKER).read_text("utf-8")
    assert all(f'"{name}"' in kept for name in ("index.html", "tab.html", "worker.js", "engine/pyodide.asm.wasm"))
