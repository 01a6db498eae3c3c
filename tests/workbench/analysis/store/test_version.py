"""Stored events and tables are named by all code that makes them."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.analysis.store.version import MAKING, READING, ROOT, digest_of, sources

FINDING = {
    "cluster/cluster_spec.py",
    "cluster/runtime/run",
    "cluster/kafka/credentials.py",
    "workbench/course/progress.py",
    "workbench/support/state_files.py",
}
"""Where a run is, who lives in it and who may log in, but not what its events say."""
CARRYING = {"store/address", "store/claim", "class_archive", "java", "master", "spark", "store/version"}
"""Modules of the analysis that say where and when something is made, but not what."""


def _imported(path: Path) -> Iterator[Path]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in ("cluster", "workbench"):
            for name in (node.module, *(f"{node.module}.{item.name}" for item in node.names)):
                place = ROOT / name.replace(".", "/")
                yield from (found for found in (place.with_suffix(".py"), place / "__init__.py") if found.is_file())


def _all_imported(begin: list[Path]) -> set[str]:
    found: set[Path] = set()
    while begin:
        path = begin.pop()
        if path not in found:
            found.add(path)
            begin += _imported(path)
    return {str(path.relative_to(ROOT)) for path in found}


def _but(names: set[str]) -> set[str]:
    carrying = {f"workbench/analysis/{name}.py" for name in CARRYING} | {"workbench/support/refusal.py"}
    return {name for name in names - carrying if not any(name.startswith(item) for item in FINDING)}


def test_whatever_makes_an_event_or_a_table_is_in_its_version() -> None:
    here = ROOT / "workbench" / "analysis"
    reading = _but(_all_imported([here / "reading" / "rows.py"]))
    assert reading <= {str(path.relative_to(ROOT)) for path in sources(READING)}
    making = _but(_all_imported([here / "judge.py", here / "store" / "tables.py", *(here / "tables").glob("*.py")]))
    assert making <= {str(path.relative_to(ROOT)) for path in sources(MAKING)} | {"workbench/support/safe_text.py"}


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sources")
    for name in ("cluster", "workbench"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("workbench/analysis/reading/rows.py", (True, True)),
        ("cluster/trace/entry.py", (True, True)),
        ("cluster/model/events/group.py", (True, True)),
        ("workbench/analysis/tables/faults.py", (False, True)),
        ("workbench/analysis/judge.py", (False, True)),
        ("cluster/invariants/trace.py", (False, True)),
        ("workbench/analysis/report/page.py", (False, False)),
    ],
)
def test_a_version_changes_with_the_code_that_it_names(copied: Path, name: str, changed: tuple[bool, bool]) -> None:
    before = digest_of(READING, copied), digest_of(MAKING, copied)
    text = (copied / name).read_text("utf-8")
    (copied / name).write_text(f"{text}\nFIXED = True\n", "utf-8")
    after = digest_of(READING, copied), digest_of(MAKING, copied)
    (copied / name).write_text(text, "utf-8")
    assert (before[0] != after[0], before[1] != after[1]) == changed
