"""The report of a campaign: one HTML page with everything in it, which asks the network for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from workbench.analysis.campaign.curves import can_be_drawn, curves
from workbench.analysis.campaign.differences import PAIRED, Difference, sentence
from workbench.analysis.campaign.heatmap import heatmap
from workbench.analysis.campaign.measures import MEASURES
from workbench.analysis.campaign.plan import Campaign, Cell
from workbench.analysis.campaign.quantiles import quantiles
from workbench.analysis.campaign.summary import Finding, Summary
from workbench.analysis.campaign.words import findings, interval, number
from workbench.analysis.report.drawing import PALETTE, words
from workbench.analysis.report.html import document, many

_STYLE = (
    PALETTE
    + """body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:1180px;
margin:2rem auto;padding:0 1.2rem}
h1{font-size:1.7rem;margin-bottom:.2rem}
p.question{font-size:1.12rem;color:var(--soft);margin:.2rem 0 1rem;max-width:58rem}
h2{margin-top:2.8rem;border-top:2px solid var(--ink);padding-top:.6rem;font-size:1.25rem}
p.note,span.note{color:var(--soft);font-size:.88rem}p.means{margin:.2rem 0 .8rem;max-width:58rem}
ul{max-width:58rem;margin:.5rem 0;padding-left:1.2rem}li{margin:.25rem 0}
.facts{display:flex;flex-wrap:wrap;gap:.5rem 2.2rem;margin:1rem 0;padding:.7rem 1rem;
background:var(--head);border-radius:6px}
.facts div{font-size:.85rem;color:var(--soft)}.facts b{display:block;font-size:1.15rem;color:var(--ink)}
.wide{overflow-x:auto}table{border-collapse:collapse}
table.heat{border-spacing:2px;border-collapse:separate;margin-left:-2px}
table.heat th{font-weight:600;font-size:.86rem;padding:.25rem .6rem;text-align:center;vertical-align:bottom}
table.heat th.axis{font-weight:400;color:var(--soft);font-size:.82rem}
table.heat th.row{text-align:left;vertical-align:middle;max-width:15rem}
table.heat td{padding:0;min-width:5.6rem;text-align:center;border-radius:3px}
table.heat td a{display:block;padding:.38rem .45rem;text-decoration:none}
table.heat td a:hover{outline:2px solid var(--ink);border-radius:3px}
table.heat b{display:block;font-size:1rem;font-variant-numeric:tabular-nums;white-space:nowrap}
table.heat i{display:block;font-style:normal;font-size:.72rem;opacity:.85;white-space:nowrap}
svg.bar{width:76px;height:10px;display:block;margin:.1rem auto 0}
table.heat td.begins{border-left:7px solid var(--paper);background-clip:padding-box}
td.hole{background:var(--head);color:var(--soft);padding:.6rem!important;font-size:.85rem}
p.legend{margin:.5rem 0 0}
span.key{display:inline-block;padding:.1rem .55rem;font-size:.8rem;min-width:3.2rem;text-align:center}
p.legend .note{margin-left:.8rem}
table.list{font-size:.84rem}
table.list th,table.list td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:left}
table.list th{background:var(--head);vertical-align:bottom}
table.list td.n{font-variant-numeric:tabular-nums;white-space:nowrap}
tr:target{background:var(--mark)}code{background:var(--head);padding:.05rem .3rem;border-radius:3px;font-size:.86em}
p.alarm{background:var(--pale);border-left:4px solid var(--bad);padding:.5rem .8rem}
p.fine{background:var(--fine);border-left:4px solid var(--good);padding:.5rem .8rem}
@media print{body{max-width:none}table.heat td,span.key{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
a{color:var(--link)}@media (max-width:640px){body{margin:.5rem auto;padding:0 .5rem}h1{font-size:1.3rem}}
"""
)
_ALWAYS = (
    "An interval says how far the numbers would move with other seeds. It says nothing of how well the simulation "
    "resembles your machines.",
    "The simulation runs the same protocol code as the real processes, on one virtual clock: a step of a node takes no "
    "time, and latencies, starts and disks are drawn from ranges.",
    "Cells of one seed share their luck (latencies, timers), so their differences are often surer than the intervals "
    "of each.",
)


def page(
    summary: Summary,
    recordings: dict[tuple[int, int], str],
    notes: list[tuple[Cell, int, str]],
    made: datetime,
    held: Sequence[tuple[str, list[Difference]]] = (),
) -> str:
    """The whole page.

    Args:
        recordings: (cell, seed) to the command that opens its recording.
        notes: (cell, seed, why) of the runs that were recorded for what they show.
        held: what the cells were held against, and how they differ from it.
    """
    campaign = summary.campaign
    parts = [f"<h1>{words(campaign.title)}</h1>", f'<p class="question">{words(campaign.question, 400)}</p>']
    parts += [_facts(summary), _judged(summary), _look(recordings, notes), _faults(campaign)]
    for name in campaign.measures:
        parts.append(_measure(summary, name))
    for against, compared in held:
        parts.append(_differences(against, compared))
    parts.append("<h2>What these numbers do not show</h2>")
    parts.append(_list([*campaign.not_shown, *_ALWAYS]))
    parts.append(_cells(summary, recordings))
    stamp = made.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    parts.append(f'<p class="note">Made {stamp} by the KRaft Workbench from {words(campaign.name)}.toml.</p>')
    return document(words(campaign.title), _STYLE, "\n".join(parts))


def _facts(summary: Summary) -> str:
    first, last = summary.seeds
    facts = (
        (f"{len(summary.campaign.cells)}", "cells"),
        (f"{first} to {last}", "seeds in each cell"),
        (f"{summary.rows:,}", "simulated clusters"),
        (f"{summary.simulated_s / 3600:,.1f} h", "of virtual time"),
        (f"{summary.events:,}", "events judged"),
        (summary.digest, "digest of all outcomes"),
    )
    return f'<div class="facts">{"".join(f"<div><b>{value}</b>{what}</div>" for value, what in facts)}</div>'


def _judged(summary: Summary) -> str:
    """What the checker said."""
    parts = []
    if summary.violated:
        lines = [_finding(item) for item in summary.violated]
        parts.append(f'<p class="alarm">The checker found broken promises that nothing excuses:</p>{_list(lines)}')
    else:
        beside = " beside what this campaign expects" if summary.expected else ""
        text = f"The checker judged every event of every run and found no broken promise without an excuse{beside}."
        parts.append(f'<p class="fine">{text}</p>')
    if summary.expected:
        for expected in summary.campaign.expected:
            findings = [_finding(item) for item in summary.expected if item.rule == expected.rule]
            if findings:
                sentence = (
                    f"Rule {words(expected.rule)} is broken as this campaign expects: {words(expected.why, 400)}."
                )
                parts.append(f"<p>{sentence}</p>")
                parts.append(f"<details><summary>{many(len(findings), 'cell')}</summary>{_list(findings)}</details>")
    if summary.excused:
        sentence = ", ".join(f"{rule} in {many(runs, 'run')}" for rule, runs in summary.excused)
        parts.append(
            f'<p class="note">Broken after an assumption they lean on was broken: {words(sentence, 400)}. '
            "<code>workbench check RUN</code> names the assumption and the event.</p>"
        )
    return "".join(parts)


def _finding(item: Finding) -> str:
    seeds = ", ".join(map(str, item.seeds))
    return f"{item.rule} in {many(item.runs, 'run')} of cell {item.cell.number} ({item.cell.title}), seeds {seeds}"


def _look(recordings: dict[tuple[int, int], str], notes: list[tuple[Cell, int, str]]) -> str:
    rows = [
        f"<tr><td>{words(why)}</td><td>{words(cell.title, 200)}</td><td class=n>{seed}</td>"
        f"<td><code>{words(recordings[cell.number, seed], 300)}</code></td></tr>"
        for cell, seed, why in notes
        if (cell.number, seed) in recordings
    ]
    if not rows:
        return ""
    head = "<tr><th>why</th><th>cell</th><th>seed</th><th>rewind it in a terminal</th></tr>"
    return f'<h2>Runs worth a look</h2><div class="wide"><table class="list">{head}{"".join(rows)}</table></div>'


def _faults(campaign: Campaign) -> str:
    with_steps = [item for item in campaign.faults if item.steps]
    if not with_steps:
        return ""
    lines = "".join(f"<li><b>{words(item.name)}</b>: {words(item.text, 400)}</li>" for item in with_steps)
    return f"<h2>What goes wrong</h2><ul>{lines}</ul>"


def _measure(summary: Summary, name: str) -> str:
    measure = MEASURES[name]
    parts = [f"<h2>{words(measure.title)}</h2>", f'<p class="means">{words(measure.text, 400)}</p>']
    if can_be_drawn(summary):
        parts.append(f"<figure>{curves(summary, measure)}</figure>")
    parts += [heatmap(summary, measure), quantiles(summary, measure), _list(findings(summary, measure))]
    return "".join(parts)


def _differences(against: str, changes: list[Difference]) -> str:
    parts = [f"<h2>Differences from {words(against)}</h2>", f'<p class="note">{PAIRED}</p>']
    for title in dict.fromkeys(item.measure.title for item in changes):
        lines = [sentence(item) for item in changes if item.measure.title == title]
        parts.append(f"<h3>{words(title)}</h3>{_list(lines)}")
    return "".join(parts) if changes else ""


def _list(lines: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{words(line, 600)}</li>' for line in lines)}</ul>" if lines else ""


def _cells(summary: Summary, recordings: dict[tuple[int, int], str]) -> str:
    """Every cell with its seeds, its numbers, and the run that shows each of them best."""
    campaign = summary.campaign
    heads = [*(axis.label for axis in campaign.axes), *(MEASURES[name].title for name in campaign.measures)]
    head = "<th>cell</th>" + "".join(f"<th>{words(item)}</th>" for item in heads) + "<th>seeds</th>"
    lines = []
    first, last = summary.seeds
    for cell in campaign.cells:
        levels = "".join(f"<td>{words(level)}</td>" for _, level in cell.levels)
        numbers = "".join(_number(summary, name, cell) for name in campaign.measures)
        recorded = [f"<br>seed {seed}: <code>{words(text, 300)}</code>"
                    for (number_, seed), text in recordings.items() if number_ == cell.number]  # fmt: skip
        seeds = f"<td>{first} to {last}{''.join(recorded)}</td>"
        lines.append(f'<tr id="cell-{cell.number}"><td class="n">{cell.number}</td>{levels}{numbers}{seeds}</tr>')
    note = (
        f"Each cell has the seeds {first} to {last}. The seed named behind a value shows it best; "
        f"<code>workbench campaign FILE --record CELL:SEED</code> records any of them for the terminal. "
        "The same seed gives the same run, to the byte."
    )
    table = f'<div class="wide"><table class="list"><tr>{head}</tr>{"".join(lines)}</table></div>'
    return f'<h2>Every cell</h2><p class="note">{note}</p>{table}'


def _number(summary: Summary, name: str, cell: Cell) -> str:
    item = summary.at(name, cell)
    if item is None:
        return "<td></td>"
    seed = f"<br><span class=note>seed {item.seed}</span>" if item.seed is not None else ""
    return f'<td class="n">{number(item.measure, item.value)}<br><span class=note>{interval(item)}</span>{seed}</td>'
