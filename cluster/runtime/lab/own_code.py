"""What a child process of ours runs: the code of the process that starts it, whatever else is installed."""

from __future__ import annotations

import os
import site
from pathlib import Path

import cluster

KEPT_ENVIRONMENT = (
    "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "PYTHONHASHSEED", "VIRTUAL_ENV", "WORKBENCH_HOME",
)  # fmt: skip
PACKAGE_ROOT = Path(cluster.__file__).resolve().parent.parent
"""The folder that holds the package `cluster` of this process."""


def child_environment() -> dict[str, str]:
    """The few variables a child needs, and where it finds this process's own code.

    A child works in the run's folder and looks for modules with -P, so it would take an installed copy of another
    clone before the one whose command was typed.
    """
    kept = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
    places = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
    # What is installed is found anyway; naming its folder would put all of it before the standard library.
    if str(PACKAGE_ROOT) not in {str(Path(place).resolve()) for place in site.getsitepackages()}:
        places.insert(0, str(PACKAGE_ROOT))
    return {**kept, "PYTHONPATH": os.pathsep.join(places)} if places else kept
