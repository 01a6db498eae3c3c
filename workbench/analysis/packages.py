"""What must be installed besides the tool itself before anything can be analysed."""

from __future__ import annotations

import importlib.util

from workbench.support.refusal import ENVIRONMENT, Refusal

PACKAGES = ("pyspark", "pyarrow", "pandas")
INSTALL = "make install-analysis, or pip install 'kraft-workbench[analysis]'"


def need_packages(who: str) -> None:
    """Refusal when one is missing; `who` needs them, in words."""
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise Refusal(ENVIRONMENT, f"{who} needs {', '.join(missing)}: {INSTALL}")
