"""`workbench attach` without a name takes the only run that is up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run
from workbench.cli.attaching import attach
from workbench.cli.runs import only_living
from workbench.support.refusal import BAD_DATA, USAGE, Refusal


def test_the_only_run_that_is_up_needs_no_name_and_of_several_all_are_named(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refused:
        attach(None, str(tmp_path), notes=False)
    assert (refused.value.code, str(refused.value)) == (BAD_DATA, "attach: no run is up")
    first, lock = create_run(tmp_path, ClusterSpec(title="one", controllers=3, brokers=3))
    assert only_living("attach", str(tmp_path)) == str(first)
    second, other = create_run(tmp_path, ClusterSpec(title="two", controllers=3, brokers=3))
    try:
        with pytest.raises(Refusal) as refused:
            attach(None, str(tmp_path), notes=False)
        said = str(refused.value)
        assert refused.value.code == USAGE and said.startswith("attach: which run? 2 are up")
        assert said.count("workbench attach ") == 2
    finally:
        os.close(lock)
        os.close(other)
    assert second != first
