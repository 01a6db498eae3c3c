"""A campaign file (TOML) as a campaign. CampaignError for the first mistake; nothing was run then."""

from __future__ import annotations

import re
import tomllib
from codecs import BOM_UTF8
from copy import deepcopy
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from cluster.cluster_spec import Options
from cluster.faults.grammar import parse_command
from cluster.language.words import CommandError
from cluster.model.settings import classroom_timing, kafka_timing
from cluster.ordinary_file import StrangeFile, read_ordinary
from workbench.analysis.campaign.fields import CampaignError, Section, duration_ms, setting, share
from workbench.analysis.campaign.measures import MEASURES
from workbench.analysis.campaign.plan import (
    PLACE,
    WATCHED,
    Axis,
    Campaign,
    Cell,
    CellPlan,
    Expected,
    Load,
    Step,
    Trouble,
)

FILE_BYTES_MAX = 64 << 10
CELLS_MAX = 400
AXES_MAX = 4
LEVELS_MAX = 24
LATENCY_MAX_MS = 10_000
_TWICE = re.compile(r"Cannot declare \((.*)\) twice")
_NAME = re.compile(r"'([^']*)'")
TABLES = ("cluster", "times", "settings", "network", "topic", "load")
"""What an axis may set a key of."""


def read_campaign(path: Path) -> Campaign:
    """The campaign in a file."""
    try:
        data = read_ordinary(path, FILE_BYTES_MAX, follow=True)
    except StrangeFile as error:
        raise CampaignError(path.name, str(error.strerror)) from error
    except OSError as error:
        raise CampaignError(str(path), error.strerror or type(error).__name__) from error
    try:
        plain = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        what = f"is not UTF-8: byte {error.start} is {data[error.start]:#04x}"
        raise CampaignError(path.name, what, None, "save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        if data.startswith(BOM_UTF8):
            what = "begins with a byte order mark"
            raise CampaignError(path.name, what, None, "save it as UTF-8 without one") from error
        twice = _TWICE.sub(lambda match: f"[{'.'.join(_NAME.findall(match[1]))}] stands there twice", str(error))
        raise CampaignError(path.name, f"is not TOML: {twice}") from error
    return _campaign(path.stem, plain)


def _campaign(name: str, plain: dict[str, Any]) -> Campaign:
    top = Section("", plain)
    title, question = top.text("title", 80), top.text("question", 300)
    measures = top.texts("measures")
    if not measures:
        raise CampaignError("measures", "is empty", None, f"there are {', '.join(MEASURES)}")
    for measure in measures:
        if measure not in MEASURES:
            raise CampaignError("measures", "no such measure", measure, f"there are {', '.join(MEASURES)}")
    troubles = _troubles(top.section("faults"))
    axes = {name: _axis(name, item, troubles) for name, item in _axis_sections(top).items()}
    rows, columns = (_chosen(top, key, axes) for key in ("rows", "columns"))
    if used := [name for name in rows if name in columns]:
        raise CampaignError("columns", "stands in rows too", used[0])
    if unused := [name for name in axes if name not in (*rows, *columns)]:
        raise CampaignError("axes", "stands in neither rows nor columns", unused[0])
    expected = _expected(top.section("expected"), {name: axis for name, (axis, _) in axes.items()})
    base = {key: top.section(key).plain for key in TABLES} | {"fault": top.raw("fault", "none")}
    not_shown = top.texts("not_shown")
    top.done()
    cells = _cells(base, [axes[name] for name in (*rows, *columns)], troubles)
    return Campaign(
        name=name,
        title=title,
        question=question,
        not_shown=not_shown,
        measures=measures,
        expected=expected,
        rows=tuple(axes[name][0] for name in rows),
        columns=tuple(axes[name][0] for name in columns),
        faults=tuple({cell.plan.trouble.name: cell.plan.trouble for cell in cells}.values()),
        cells=cells,
    )


def _expected(section: Section, axes: dict[str, Axis]) -> tuple[Expected, ...]:
    """Of each rule why it may be broken, and at which levels of which axes; a text alone is about all cells."""
    all_expected = []
    for rule in section.plain:
        if isinstance(section.raw(rule), str):
            all_expected.append(Expected(rule=rule, why=section.text(rule, 300)))
            continue
        details = section.section(rule)
        why, where = details.text("why", 300), details.section("where")
        details.done()
        for name in where.plain:
            if name not in axes:
                raise CampaignError(where.place(name), "no such axis", name, f"there are {', '.join(axes)}")
            for level in where.texts(name, LEVELS_MAX):
                if level not in axes[name].levels:
                    allowed = f"there are {', '.join(axes[name].levels)}"
                    raise CampaignError(where.place(name), "no such level", level, allowed)
        chosen = tuple((name, where.texts(name, LEVELS_MAX)) for name in where.plain)
        all_expected.append(Expected(rule=rule, why=why, where=chosen))
    return tuple(all_expected)


def _axis_sections(top: Section) -> dict[str, Section]:
    axes = top.section("axes")
    if not 1 <= len(axes.plain) <= AXES_MAX:
        raise CampaignError("axes", f"there must be 1 to {AXES_MAX}", len(axes.plain), "write [axes.NAME] for each")
    return {name: axes.section(name) for name in axes.plain}


def _chosen(top: Section, key: str, axes: dict[str, Any]) -> tuple[str, ...]:
    chosen = top.texts(key, AXES_MAX)
    for name in chosen:
        if name not in axes:
            raise CampaignError(key, "no such axis", name, f"there are {', '.join(axes)}")
    return chosen


def _axis(
    name: str, section: Section, troubles: dict[str, Trouble]
) -> tuple[Axis, tuple[tuple[str, ...], tuple[Any, ...]]]:
    """The axis, and (what it sets, the value for each level)."""
    targets = section.raw("set")
    targets = [targets] if isinstance(targets, str) else targets
    if not isinstance(targets, list) or not targets or not all(isinstance(item, str) for item in targets):
        raise CampaignError(section.place("set"), "must name what is varied", targets, 'for example "load.acks"')
    for target in targets:
        table, dot, key = target.partition(".")
        if target != "fault" and not (dot and key and table in TABLES):
            allowed = f"fault, or TABLE.KEY with {', '.join(TABLES)}"
            raise CampaignError(section.place("set"), "cannot be varied", target, allowed)
    values = section.raw("values", list(troubles) if targets == ["fault"] else None)
    if not isinstance(values, list) or not 1 <= len(values) <= LEVELS_MAX:
        raise CampaignError(section.place("values"), f"must be a list of 1 to {LEVELS_MAX} values", values)
    names = section.raw("names", [_name(value) for value in values])
    is_named = isinstance(names, list) and all(isinstance(item, str) and item.isprintable() for item in names)
    if not is_named or len(names) != len(values) or len(set(names)) != len(names):
        raise CampaignError(section.place("names"), "must name each value, each differently", names)
    axis = Axis(name=name, label=section.text("label", 80, name), levels=tuple(names))
    section.done()
    return axis, (tuple(targets), tuple(values))


def _name(value: object) -> str:
    return "on" if value is True else "off" if value is False else str(value)


def _troubles(section: Section) -> dict[str, Trouble]:
    troubles = {"none": Trouble(name="none", text="Nothing happens.", steps=())}
    for name in section.plain:
        one = section.section(name)
        steps = tuple(_step(one.place("steps"), text) for text in one.texts("steps", 30))
        if list(steps) != sorted(steps, key=lambda step: step.at_ms):
            raise CampaignError(one.place("steps"), "are not in order of time")
        troubles[name] = Trouble(name=name, text=one.text("text", 300), steps=steps)
        one.done()
    return troubles


def _step(where: str, text: str) -> Step:
    moment, _, command = text.partition(" ")
    at_ms = duration_ms(where, moment, 600_000)
    try:
        parse_command(PLACE.sub(lambda found: str(100 + int(found[1])), command))
    except CommandError as error:
        raise CampaignError(where, f"in '{text[:80]}': {error}") from error
    return Step(at_ms=at_ms, command=command)


def _cells(
    base: dict[str, Any],
    axes: list[tuple[Axis, tuple[tuple[str, ...], tuple[Any, ...]]]],
    troubles: dict[str, Trouble],
) -> tuple[Cell, ...]:
    """Every combination, but those whose fault names a node that their watched log does not have."""
    cells: list[Cell] = []
    seen: dict[str, str] = {}
    for levels in product(*(range(len(axis.levels)) for axis, _ in axes)):
        plain = deepcopy(base)
        named = []
        for (axis, (targets, values)), level in zip(axes, levels, strict=True):
            named.append((axis.name, axis.levels[level]))
            for target in targets:
                table, _, key = target.partition(".")
                if target == "fault":
                    plain["fault"] = values[level]
                else:
                    plain[table][key] = values[level]
        where = ", ".join(f"{axis} {level}" for axis, level in named)
        try:
            plan = _plan(plain, troubles)
        except CampaignError as error:
            raise CampaignError(f"at {where}", str(error)) from error
        if plan.trouble.places() <= plan.members:
            same = seen.setdefault(plan.key(""), where)
            if same != where:
                raise CampaignError(f"at {where}", f"is the same as {same}")
            cells.append(Cell(number=len(cells) + 1, levels=tuple(named), plan=plan))
    if not 1 <= len(cells) <= CELLS_MAX:
        raise CampaignError("axes", f"must give 1 to {CELLS_MAX} cells", len(cells))
    return tuple(cells)


def _plan(plain: dict[str, Any], troubles: dict[str, Trouble]) -> CellPlan:
    cluster, times = Section("cluster", plain["cluster"]), Section("times", plain["times"])
    topic, load = Section("topic", plain["topic"]), Section("load", plain["load"])
    controllers, brokers = cluster.whole("controllers", 1, 9, 3), cluster.whole("brokers", 0, 9, 3)
    replicas = topic.whole("replicas", 1, max(1, brokers), min(3, max(1, brokers)))
    timing = cluster.choice("timing", ("classroom", "kafka"), "classroom")
    settings = classroom_timing() if timing == "classroom" else kafka_timing()
    given = {name: setting(f"settings.{name}", name, value) for name, value in plain["settings"].items()}
    fault = plain["fault"]
    if fault not in troubles:
        raise CampaignError("fault", "no such fault", fault, f"there are {', '.join(troubles)}")
    trouble_ms = times.duration_ms("trouble", 600_000, "10s", 100)
    trouble = troubles[fault]
    if trouble.steps and trouble.steps[-1].at_ms > trouble_ms:
        raise CampaignError("times.trouble", "ends before the last step of the fault", f"{trouble_ms} ms", fault)
    plan = CellPlan(
        controllers=controllers,
        brokers=brokers,
        settings=replace(settings, **given),  # type: ignore[arg-type]  # names and types are checked
        options=_options(Section("network", plain["network"])),
        replicas=replicas,
        min_isr=topic.whole("min_isr", 1, replicas, 1),
        watched=cluster.choice("watched", WATCHED, "partition" if brokers else "quorum"),
        load=Load(
            acks=load.choice("acks", ("all", "1", "0"), "all"),
            every_ms=load.duration_ms("every", 60_000, "20ms", 1),
            records=load.whole("records", 1, 1000, 1),
            waiting_max=load.whole("waiting", 0, 1000, 20),
        ),
        trouble=trouble,
        warm_up_ms=times.duration_ms("warm_up", 60_000, "2s"),
        shift_ms=times.duration_ms("shift", 60_000, "500ms"),
        trouble_ms=trouble_ms,
        calm_ms=times.duration_ms("calm", 600_000, "30s"),
    )
    for section in (cluster, times, topic, load):
        section.done()
    if plan.watched == "partition" and not brokers:
        raise CampaignError("cluster.watched", "there is no partition without a broker", plan.watched)
    return plan


def _options(network: Section) -> Options:
    pair = network.raw("latency_ms", [0.06, 0.25])
    is_pair = isinstance(pair, list) and len(pair) == 2 and all(isinstance(item, int | float) for item in pair)
    if not is_pair or not 0 < pair[0] < pair[1] <= LATENCY_MAX_MS:
        raise CampaignError("network.latency_ms", "must be least and largest", pair, "for example [0.06, 0.25]")
    loss, duplicate, reorder = (
        share(f"network.{name}", network.raw(name, 0.0)) for name in ("loss", "duplicate", "reorder")
    )
    network.done()
    latency_us = round(pair[0] * 1000), round(pair[1] * 1000)
    return Options(latency_us=latency_us, loss=loss, duplicate=duplicate, reorder=reorder)
