"""The folder of static files: what is built, and the sentence where it cannot be."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from tests.support.web.tab_site import tab_site
from workbench.support.refusal import ENVIRONMENT, USAGE, Refusal
from workbench.web.site import ENGINE, MARKER, PAGE, SERVICE_WORKER, build_site, kept_folder, list_files, packages


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


WORKER = PAGE / SERVICE_WORKER


def listed(site: Path) -> dict[str, str]:
    found = re.search(r"^const FILES = (\{.*?\});$", (site / SERVICE_WORKER).read_text("utf-8"), re.M | re.S)
    assert found is not None
    files = json.loads(found[1])
    assert isinstance(files, dict)
    return files


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "engine").mkdir()
    for name in ("index.html", "tab.html", "engine/pyodide.mjs", "docs/index.html", ".kraft-workbench-site"):
        (tmp_path / name).write_text(name)
    shutil.copy(WORKER, tmp_path)
    return tmp_path


def test_each_file_of_a_tab_is_named_with_its_digest_and_nothing_else(site: Path) -> None:
    list_files(site)
    names = ("engine/pyodide.mjs", "index.html", "tab.html")
    assert listed(site) == {name: hashlib.sha256(name.encode()).hexdigest() for name in names}


def test_another_content_is_another_service_worker_and_the_same_is_the_same(site: Path) -> None:
    made = []
    for content in ("one", "one", "two"):
        (site / "tab.html").write_text(content)
        shutil.copy(WORKER, site)
        list_files(site)
        made.append((site / SERVICE_WORKER).read_bytes())
    assert made[0] == made[1] != made[2]
