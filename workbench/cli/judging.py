"""`check`, and what `judges` brings where it is installed: it imports the product, which asks for it by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import typer

from workbench.support import option_types as option
from workbench.support.refusal import ENVIRONMENT, Refusal


def check(
    run: option.Run,
    salvage: option.Salvage = False,  # noqa: FBT002
    against: option.Against = "",
    specs: option.Specs = None,
    tlc: option.Tlc = None,
    partition: option.OnePartition = "",
    data_dir: option.DataDir = None,
    as_json: option.Json = False,  # noqa: FBT002
) -> None:
    """Judge a recorded run by its events, rule by rule. Exit 1 when one is violated.

    With --against: whether a public specification of Kafka allows what the run shows. Exit 1 when it does not, 3 when
    that cannot be judged.
    """
    from workbench.cli.check import check as judge
    from workbench.runs.find import recording_of

    if against or specs or tlc or partition:
        if not find_spec("judges"):
            raise Refusal(ENVIRONMENT, "--against needs the package judges, which is not installed beside workbench")
        judge_outside = import_module("judges.check_against").judge_outside
        typed = (against, specs, tlc, partition)
        raise typer.Exit(judge_outside(recording_of(run, data_dir), *typed, as_json=as_json, salvage=salvage))
    raise typer.Exit(judge(recording_of(run, data_dir), as_json=as_json, salvage=salvage))


def outside_commands() -> tuple[Callable[..., Any], ...]:
    """The commands that `judges/` adds; none where it is not installed."""
    return tuple(import_module("judges.commands").COMMANDS) if find_spec("judges") else ()
