"""Figure: which replicas were in the ISR, and when it was smaller than min.insync.replicas."""

from __future__ import annotations

from workbench.analysis.report.drawing import ALARM, FAINT, Drawing, TimeAxis, legend, node_colour
from workbench.analysis.report.fault_lines import fault_lines
from workbench.analysis.report.rows import Row, RunRows

LANE, TOP, FOOT = 16, 14, 44


def isr_ribbon(run: RunRows, topic: str, partition: int) -> str:
    """One lane for each broker that ever was in the ISR; the leader's part is the darkest."""
    states = run.of("isr_history", topic, partition)
    brokers = sorted({node for row in states for node in row["isr"]})
    bottom = TOP + len(brokers) * (LANE + 2)
    drawing = Drawing(bottom + FOOT, f"In-sync replicas of {topic}-{partition}")
    axis = TimeAxis(run.end_ms)
    axis.draw(drawing, TOP - 6, bottom)
    for row in states:
        if row["under_min_isr"]:
            x = axis.x(row["from_ms"])
            drawing.box(x, TOP - 6, axis.x(row["until_ms"]) - x, bottom - TOP + 6, ALARM, more='fill-opacity="0.16"')
    for place, broker in enumerate(brokers):
        y = TOP + place * (LANE + 2)
        drawing.lane(y + 12, f"broker {broker}")
        for row in states:
            if broker in row["isr"]:
                _member(drawing, axis, row, y, broker, node_colour(broker, run.nodes))
    fault_lines(drawing, axis, run.tables["faults"], TOP - 6, bottom)
    keys = [(FAINT, "solid: leader; pale: in the ISR"), (ALARM, "red: fewer than min.insync.replicas")]
    legend(drawing, bottom + 34, keys)
    return str(drawing)


def _member(drawing: Drawing, axis: TimeAxis, row: Row, y: float, broker: int, colour: str) -> None:
    x = axis.x(row["from_ms"])
    title = f"ISR {row['isr']}, leader {row['leader']}, epoch {row['leader_epoch']}; {row['why'] or row['change']}"
    opacity = "0.9" if broker == row["leader"] else "0.42"
    drawing.box(x, y, axis.x(row["until_ms"]) - x, LANE, colour, title=title, more=f'fill-opacity="{opacity}"')
