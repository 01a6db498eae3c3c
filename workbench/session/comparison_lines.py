"""What came of two worlds, as lines."""

from __future__ import annotations

from workbench.session.comparison import Worlds


def lines_of(worlds: Worlds) -> list[str]:
    """Who they are, the first difference, the outcome, then what only one of them tells."""
    lines = [f"{sign}  {world.run}  {world.title}  {world.kind}" for sign, world in zip("AB", worlds.both, strict=True)]
    part = worlds.difference
    if part is None:
        lines.append(alike(worlds))
    else:
        lines.append(f"first difference at {part.since_ns / 1e9:.3f} s")
        for sign, moment in (("A", part.left), ("B", part.right)):
            lines.append(f"  {sign}  {moment.text if moment is not None else 'nothing of it'}")
    lines += ["", f"{'outcome':<28}  {'A':<12}  B"]
    lines += [f"{figure.word:<28}  {figure.left:<12}  {figure.right}" for figure in worlds.figures]
    lines.append("")
    for row in worlds.rows:
        for sign, mine, other in (("A", row.left, row.right), ("B", row.right, row.left)):
            if mine is not None and other is None:
                lines.append(f"{row.since_ns / 1e9:9.3f} s  {sign}  {mine.text}")
    return lines


def alike(worlds: Worlds) -> str:
    """Of two that tell the same headlines: the figure in which they differ, one of a loss before all others."""
    until = f"up to {worlds.length_ns / 1e9:.1f} s"
    differs = [figure for figure in worlds.figures if figure.left != figure.right]
    if not differs:
        return f"No headline and no figure differs {until}."
    worst, more = min(differs, key=lambda figure: not figure.is_loss), len(differs) - 1
    others = f", and {more} more figure{'s' * (more > 1)}" if more else ""
    return f"Both tell the same {until}, but it did not end alike: {worst.word} {worst.left} and {worst.right}{others}."
