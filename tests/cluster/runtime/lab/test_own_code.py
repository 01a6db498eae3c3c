"""What a child process of ours runs."""

from __future__ import annotations

import os
import site
from pathlib import Path

import pytest

import cluster
from cluster.runtime.lab import own_code
from cluster.runtime.lab.own_code import PACKAGE_ROOT, child_environment


def test_the_folder_of_this_code_comes_before_what_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(("/somewhere/else", "")))
    assert child_environment()["PYTHONPATH"] == f"{PACKAGE_ROOT}{os.pathsep}/somewhere/else"
    assert (PACKAGE_ROOT / "cluster" / "__init__.py").samefile(Path(cluster.__file__))


def test_what_is_installed_is_not_put_before_the_standard_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(own_code, "PACKAGE_ROOT", Path(site.getsitepackages()[0]).resolve())
    assert "PYTHONPATH" not in child_environment()


def test_a_child_gets_nothing_it_does_not_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_TEST_PASSWORD", "hunter2")
    assert "WORKBENCH_TEST_PASSWORD" not in child_environment()
    assert child_environment()["PATH"] == os.environ["PATH"]
