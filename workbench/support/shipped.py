"""Where the data that comes along is: beside the packages in a clone, inside ours when it was installed."""

from __future__ import annotations

from pathlib import Path

OURS = Path(__file__).resolve().parent.parent


def shipped(name: str) -> Path:
    """The folder of that name, `lessons`, `campaigns` or `incidents`."""
    installed = OURS / "shipped_data" / name
    return installed if installed.is_dir() else OURS.parent / name
