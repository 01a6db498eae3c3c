"""A schedule in the script language, for tests/regressions: `workbench run SCRIPT --simulated` has the run again."""

from __future__ import annotations

from dataclasses import asdict

from cluster.cluster_spec import ClusterSpec, Options
from cluster.model.settings import classroom_timing
from cluster.simulation.swarm.judge import AT_REST
from cluster.simulation.swarm.schedule import Schedule
from cluster.simulation.swarm.shrink import Shrunk
from cluster.simulation.world.kernel import NS_PER_S

WIDTH = 120


def script_of(shrunk: Shrunk, plan: str, commands: int) -> str:
    """The script; plan says how the run was drawn, commands how many it had."""
    schedule = shrunk.schedule
    config = schedule.config
    left = len(schedule.timed)
    lines = [
        *_comment(shrunk.finding.sentence),
        *_comment(f"Found by the swarm: {plan}"),
        f"# Left of its {commands} commands: {left}. Once it is mended, --rewrite keeps what the script prints.",
        "",
        _cluster_line(config),
        *_network_line(config.options),
        "",
        *(f"at {_seconds(item.at_ns)} {item.command}" for item in schedule.timed),
        f"at {_seconds(schedule.end_ns)} status",
        *(_expectations(config, schedule) if shrunk.finding.rule == AT_REST else ()),
        "",
        f"[output seed={config.seed}]",
    ]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    lines, line = [], "#"
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = "#"
        line = f"{line} {word}"
    return [*lines, line]


def _cluster_line(config: ClusterSpec) -> str:
    usual = asdict(classroom_timing())
    words = [f"cluster controllers={config.controllers} brokers={config.brokers} timing=classroom"]
    if config.combined:
        words.append("combined=yes")
    for name, value in asdict(config.settings).items():
        if value != usual[name]:
            words.append(f"{name}={value if not isinstance(value, bool) else 'on' if value else 'off'}")
    return " ".join(words)


def _network_line(options: Options) -> list[str]:
    words = [
        f"{name}={round(100 * share)}%"
        for name, share in (("loss", options.loss), ("duplicate", options.duplicate), ("reorder", options.reorder))
        if share
    ]
    if options.latency_us != Options().latency_us:
        words.append("latency={}us-{}us".format(*options.latency_us))
    return [f"given network {' '.join(words)}"] if words else []


def _seconds(elapsed_ns: int) -> str:
    whole, rest = divmod(elapsed_ns, NS_PER_S)
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".") + "s"


def _expectations(config: ClusterSpec, schedule: Schedule) -> list[str]:
    """That all has come to rest: what no rule says."""
    topic = next((item.command.split() for item in schedule.timed if item.command.startswith("topic ")), None)
    nodes = dict.fromkeys((*config.voters, *config.broker_ids))
    lines = ["", *(f"expect node {node} running" for node in nodes), "expect leader of quorum"]
    if topic is not None:
        given = dict(word.split("=") for word in topic[2:])
        what = "identical" if int(given["replicas"]) > 1 else "leader"
        lines += [f"expect {what} {topic[1]}-{number}" for number in range(int(given["partitions"]))]
    return lines
