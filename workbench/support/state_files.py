"""Small files that remember something of a user: a JSON object each, written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import platformdirs

from cluster.ordinary_file import read_ordinary

FILE_MAX = 1 << 20


def state_folder() -> Path:
    """WORKBENCH_HOME, or the user's state folder."""
    named = os.environ.get("WORKBENCH_HOME")
    return Path(named) if named else platformdirs.user_state_path("kraft-workbench")


def read_state(path: Path) -> dict[str, Any]:
    """The object in a file; empty when it is missing or damaged."""
    try:
        state = json.loads(read_ordinary(path, FILE_MAX, follow=True))
    except (OSError, ValueError, RecursionError):
        return {}
    return state if isinstance(state, dict) else {}


def wrong_state(path: Path) -> str:
    """What is wrong with a file, in a clause; empty when it holds an object or is not there."""
    try:
        state = json.loads(read_ordinary(path, FILE_MAX, follow=True))
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"cannot be read: {error.strerror or type(error).__name__}"
    except (ValueError, RecursionError):
        return "is damaged"
    return "" if isinstance(state, dict) else "is damaged"


def write_state(path: Path, content: dict[str, Any]) -> None:
    """Whole or not at all."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(path, json.dumps(content, indent=1) + "\n")


def write_whole(path: Path, text: str) -> Path:
    """Replace a file, whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, "utf-8")
    return temporary.replace(path)
