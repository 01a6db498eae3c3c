"""Prepares the tab's Python before the program is loaded: called by the worker, once."""

from __future__ import annotations

import asyncio
import gc
import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.web.tab import Tab


def begin(tell: Callable[[str, Any], None], home: str, columns: int, rows: int) -> Tab:
    """The program's half of a tab. tell: takes the kind of a message, and what it says."""
    for name, folder in (("WORKBENCH_HOME", "runs"), ("XDG_STATE_HOME", "state"), ("XDG_CONFIG_HOME", "config")):
        os.environ[name] = f"{home}/{folder}"
    os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LANG="C.UTF-8")
    os.environ["TEXTUAL_DRIVER"] = "workbench.web.driver:TabDriver"
    warnings.filterwarnings("ignore", message="As the c extension couldn't be imported")
    if not hasattr(asyncio.tasks, "_set_task_name"):  # gone in Python 3.14, and the loop of a tab still calls it
        asyncio.tasks._set_task_name = _name_task  # type: ignore[attr-defined]
    gc.disable()  # a thousand modules make no garbage, and looking for some takes a fifth of the time
    from workbench.web.tab import Tab

    gc.freeze()
    gc.enable()
    return Tab(tell, home, (columns, rows))


def _name_task(task: asyncio.Task[Any], name: str | None) -> None:
    if name is not None:
        task.set_name(name)
