"""The `rules` command: every rule of the protocol with its source, or one rule with its code."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import groupby

from cluster.rule_list import ListedRule, listed_rules
from workbench.support.option_types import visible
from workbench.support.refusal import USAGE, Refusal


def rules(name: str, *, as_json: bool) -> int:
    """Print all rules, or those of a name. Returns the exit code; Refusal for a name that no rule has."""
    chosen = _named(name) if name else listed_rules()
    if as_json:
        print(json.dumps([_row(item, with_code=bool(name)) for item in chosen]))
    elif name:
        for item in chosen:
            _show(item)
    else:
        print("\n".join(_lines(chosen)))
    return 0


def _named(name: str) -> list[ListedRule]:
    """Those called so, or `machine.name`: two machines may have a rule of the same name."""
    rules = [item for item in listed_rules() if name in (item.rule.name, f"{item.machine}.{item.rule.name}")]
    if not rules:
        near = get_close_matches(name, sorted({item.rule.name for item in listed_rules()}), n=3, cutoff=0.5)
        hint = f"did you mean {', '.join(near)}?" if near else "workbench rules lists all"
        raise Refusal(USAGE, f"rules: no rule '{visible(name)}'; {hint}")
    return rules


def _lines(chosen: Sequence[ListedRule]) -> list[str]:
    lines: list[str] = []
    for file, items in groupby(chosen, key=lambda item: item.file):
        lines += ["", file] if lines else [file]
        for item in items:
            lines += [f"  {item.rule.name}", f"      {item.rule.says}", f"      Source: {item.rule.told_source}"]
    return lines


def _show(item: ListedRule) -> None:
    code = inspect.getsource(item.rule.function)
    print(f"{item.machine}.{item.rule.name}, {item.file}:{item.line}")
    print(f"Source: {item.rule.told_source}\n")
    if not sys.stdout.isatty():
        print(code)
        return
    from rich.console import Console
    from rich.syntax import Syntax

    Console().print(Syntax(code, "python", theme="ansi_dark", background_color="default"))


def _row(item: ListedRule, *, with_code: bool) -> dict[str, str | int]:
    row: dict[str, str | int] = {
        "machine": item.machine,
        "name": item.rule.name,
        "says": item.rule.says,
        "source": item.rule.source,
        "kafka": item.rule.kafka,
        "file": item.file,
        "line": item.line,
    }
    if with_code:
        row["code"] = inspect.getsource(item.rule.function)
    return row
