"""The console command's first module. Its name is ours alone: it looks whose packages the common names lead to."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

NAMES = ("workbench", "cluster", "judges")
ENVIRONMENT = 3
"""The exit code, as in workbench.support.refusal, which may be out of reach."""


def main() -> None:
    """Run the command line, unless a package of another project stands before one of ours: nothing of it is run."""
    ours = Path(__file__).resolve().parent
    for name in NAMES:
        spec = find_spec(name)
        file = Path((spec and spec.origin) or ours / name / "__init__.py")
        if file.resolve() != ours / name / "__init__.py":
            taken = f"the module {name} is taken from {file}, not from {ours}".encode("unicode_escape").decode()
            cure = "start in another folder, without PYTHONPATH, in an environment without that package"
            sys.stderr.write(f"workbench: {taken}; {cure}\n")
            sys.exit(ENVIRONMENT)
    from workbench.cli.start import main as start

    start()
