"""Which module of somebody else stands before one that we need: PYTHONPATH goes before what is installed."""

from __future__ import annotations

import os
import sys
import traceback
from importlib.machinery import PathFinder
from pathlib import Path


def foreign_module(error: Exception) -> str:
    """`name is taken from path` of one in the way of the error, else of one that is loaded; else empty."""
    places = {str(Path(place).absolute()) for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place}
    others = [place for place in sys.path if str(Path(place).absolute()) not in places]
    passed = [frame.filename for frame in reversed(traceback.extract_tb(error.__traceback__))]
    loaded = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    for file in [getattr(error, "filename", None), *passed, *loaded]:
        for place in places:
            if file and Path(file).is_relative_to(place):
                name = Path(file).relative_to(place).parts[0].partition(".")[0]
                if PathFinder.find_spec(name, others):
                    return f"{name} is taken from {file}"
    return ""
