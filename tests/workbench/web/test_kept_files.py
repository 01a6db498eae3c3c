"""The service worker of a site names each file that a tab needs, with the digest of its content."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest

from workbench.web import kept_files
from workbench.web.kept_files import SERVICE_WORKER, list_files

WORKER = Path(kept_files.__file__).parent / "page" / SERVICE_WORKER


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
