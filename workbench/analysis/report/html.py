"""Pieces of the page: tables, figures, and values as people read them."""

from __future__ import annotations

from typing import Any, NamedTuple

from workbench.analysis.report.drawing import PALETTE, words
from workbench.analysis.report.slides import SCRIPT, SCRIPT_HASH

STYLE = (
    PALETTE
    + """*{box-sizing:border-box}html{scroll-behavior:smooth}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--ink);background:var(--page);margin:0}
main{max-width:1180px;margin:0 auto;padding:1.6rem 1.2rem 4rem}
h1{font-size:1.65rem;margin:.2rem 0 .1rem;letter-spacing:-.01em}
section{background:var(--paper);
border:1px solid var(--line);border-radius:10px;padding:.4rem 1.3rem 1.2rem;margin:1.5rem 0}
h2{font-size:1.25rem;margin:.9rem 0 .5rem}h2 small{font-weight:400;color:var(--soft);margin-left:.5rem}
h3{font-size:1.02rem;margin:1.7rem 0 .2rem}h4{font-size:.95rem;margin:1.1rem 0 .3rem;font-weight:600}
p.note{color:var(--soft);margin:.1rem 0 .6rem}
p.alarm{background:var(--pale);border-left:4px solid var(--bad);padding:.5rem .8rem;margin:.6rem 0}
.tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:.6rem 0 .2rem}
.tile{border:1px solid var(--line);border-radius:8px;padding:.45rem .8rem;min-width:7.4rem;background:var(--head)}
.tile b{display:block;font-size:1.35rem;line-height:1.2;font-variant-numeric:tabular-nums}
.tile span{color:var(--soft);font-size:12.5px}.tile.bad b{color:var(--bad)}.tile.good b{color:var(--good)}
.tile.warn b{color:var(--warn)}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px;min-width:50%}
th,td{padding:.28rem .4rem;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}
td.text{white-space:normal;min-width:7rem}td.long{white-space:normal;min-width:13rem}
tbody tr:hover{background:var(--head)}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
th{background:var(--head);white-space:normal;vertical-align:bottom;font-weight:600;color:var(--soft)}
td.bad{color:var(--bad);font-weight:600}td.good{color:var(--good)}td.warn{color:var(--warn)}
details{margin:.7rem 0}summary{cursor:pointer;padding:.15rem 0}code{background:var(--head);padding:0 .25rem}
summary b{font-weight:600}a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
@media print{body{background:none}section{border:0;padding:0;break-before:page}}
@media (max-width:640px){main{padding:.6rem .4rem 2rem}section{padding:.2rem .6rem .8rem;border-radius:0}
.tile{min-width:5.6rem;padding:.3rem .5rem}h1{font-size:1.3rem}}
"""
)
TONES = {
    "VIOLATED": "bad",
    "EXPECTED": "warn",
    "UNEXPECTED-PASS": "bad",
    "HOLDS": "good",
    "lost": "bad",
    "split": "warn",
    "rule violated": "bad",
    "NO": "bad",
}
"""Words that are coloured where they stand alone in a cell."""
LONG = 60
"""Characters from which on a cell wants a wide column."""


class Link(NamedTuple):
    """A cell that leads to another place of the page."""

    text: str
    target: str


def table(names: list[str], rows: list[list[Any]]) -> str:
    """An HTML table; numbers to the right, nothing for null."""
    numbers = [any(_is_number(row[place]) for row in rows) for place in range(len(names))]
    marks = [' class="n"' if right else "" for right in numbers]
    head = "".join(f"<th{mark}>{words(name.replace('_', ' '))}</th>" for name, mark in zip(names, marks, strict=True))
    lines = ["".join(_cell(value) for value in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: object) -> str:
    if isinstance(value, Link):
        return f'<td><a href="#{words(value.target)}">{words(value.text)}</a></td>'
    text = shown(value)
    wraps = "long" if len(text) > LONG else "text" if " " in text else ""
    kind = "n" if _is_number(value) else TONES.get(text, wraps)
    mark = f' class="{kind}"' if kind else ""
    return f"<td{mark}>{words(text, 400)}</td>"


def shown(value: object) -> str:
    """A value of a table for people."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.1f}"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return str(value)


def figure(title: str, note: str, svg: str) -> str:
    """A picture below its title."""
    caption = f'<p class="note">{note}</p>' if note else ""
    return f"<figure><h3>{title}</h3>{caption}{svg}</figure>"


def tiles(entries: list[tuple[object, str, str]]) -> str:
    """(number, what it counts, tone) side by side; the tone is good, bad, warn or empty."""
    made = [
        f'<div class="tile {tone}"><b>{words(shown(number))}</b><span>{words(text)}</span></div>'
        for number, text, tone in entries
    ]
    return f'<div class="tiles">{"".join(made)}</div>'


def many(count: int, what: str) -> str:
    """1 run, 2 runs."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def document(title: str, style: str, body: str) -> str:
    """A whole page that asks the network for nothing; title and body are HTML."""
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}'; img-src data:"
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
    head += '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head += f"<title>{title}</title><style>{style}</style>"
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}<script>{SCRIPT}</script></body></html>\n'
    )
