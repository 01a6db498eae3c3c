"""The sentence on top of the screen: what happens now, or that all is well, with its numbers."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from cluster.model.identifiers import INTERNAL_TOPICS, NO_NODE
from cluster.picture.asked import Missing
from cluster.picture.parts import STOPPING
from workbench.session.story.cells import Cells
from workbench.session.story.deeds import ENDING
from workbench.session.story.line import seconds
from workbench.session.story.story import Story
from workbench.session.story.teller import Moment
from workbench.session.views.cluster import ClusterView
from workbench.telling import words
from workbench.telling.telling import BAD, DIM, GOOD, WARN
from workbench.telling.words import node_name

REST_NS = 8_000_000_000
"""How long a headline stays when nothing more is to come."""
WEIGHTY = (BAD, GOOD)
"""Of these a headline stays until its consequences are settled; any other gives way to how things stand by then."""
TOLD_IN = 8
"""Incidents, the newest, that may tell of an entry."""
STATES = {"down": "is down", "paused": "is paused", "stopping": "is stopping"}


class Headline(NamedTuple):
    """Row 1 of the screen."""

    text: str
    glyph: str
    tone: str
    moment: Moment | None
    """What it tells of; None for the quiet sentence."""


def headline(story: Story, picture: ClusterView, cursor: int, now_ns: int) -> Headline:
    """What is told once so many entries were, at an instant.

    Args:
        picture: the cluster at the cursor.
    """
    moment = moment_at(story, cursor)
    if moment is not None:
        incident = story.teller.incidents[moment.incident]
        stays = moment.tone in WEIGHTY and not incident.is_over_at(cursor)
        if stays or now_ns - moment.t_ns < REST_NS:
            return Headline(moment.text, moment.glyph, moment.tone, moment)
    return _quiet(story, picture, cursor, now_ns)


def moment_at(story: Story, cursor: int) -> Moment | None:
    """The newest headline once so many entries were told."""
    found = bisect_left(story.teller.moments, cursor, key=lambda moment: moment.place)
    return story.teller.moments[found - 1] if found else None


def cells_at(story: Story, cursor: int, now_ns: int, *, stays: bool = False) -> Cells | None:
    """Where the headline on top points; None once it has rested, unless it stays, or when there is none."""
    moment = moment_at(story, cursor)
    return moment.cells if moment is not None and (stays or now_ns - moment.t_ns < REST_NS) else None


def told_of(story: Story, first: int, last: int) -> str:
    """What the story says of the entries from one place to another: its newest headline, else a line of detail."""
    moment = moment_at(story, last + 1)
    if moment is not None and moment.place >= first:
        return moment.text
    for incident in reversed(story.incidents[-TOLD_IN:]):
        for line in reversed(incident.steps):
            said = line.at(last + 1)
            if said is not None and said.place >= first:
                return f"{words.sentence(said.text)}."
    return ""


def _quiet(story: Story, picture: ClusterView, cursor: int, now_ns: int) -> Headline:
    """All is well, or what is not; who leads; what clients got done."""
    wrong, served, missing = _wrong(picture), story.traffic.at(cursor), picture.missing()
    lost, kept = missing.counts
    only = f"All nodes are well, but records are only on {words.nodes(missing.keepers)}." if kept else "All is well."
    fine = "All nodes are well, but records are lost." if lost else only
    parts = [f"{', '.join(wrong[:3])}{' ...' if len(wrong) > 3 else ''}." if wrong else fine]
    if not picture.nodes:
        return Headline("Nothing has happened yet.", "", DIM, None)
    if picture.quorum_leader != NO_NODE:
        parts.append(f"\u2605 {node_name(picture.quorum_leader)} leads the quorum in e{picture.quorum_epoch}.")
    parts += _partitions(picture)
    if served.acknowledged or served.failed:
        parts.append(f"{counts(served.acknowledged, served.failed, missing)}.")
    is_well = not (wrong or lost or kept)
    return Headline(" ".join(parts), "\u2713" if is_well else "!", GOOD if is_well else WARN, None)


def counts(acknowledged: int, failed: int, missing: Missing) -> str:
    """80 records acknowledged, none lost."""
    refused = f"{failed:,} refused, " if failed else ""
    return f"{words.plural(acknowledged, 'record')} acknowledged, {refused}{words.fate(missing)}"


def now_words(story: Story, picture: ClusterView, cursor: int, now_ns: int) -> list[str]:
    """The last rows of the story: what clients got done, how long it took, for how long nothing has happened."""
    served = story.traffic.at(cursor)
    found = []
    if served.acknowledged or served.failed:
        found.append(counts(served.acknowledged, served.failed, picture.missing()))
    if served.typical_ns:
        found.append(f"typical {_short(served.typical_ns)}, slowest {_short(served.slowest_ns)}")
    moment = moment_at(story, cursor)
    if moment is not None and now_ns - moment.t_ns >= REST_NS:
        found.append(f"no incident for {seconds(now_ns - moment.t_ns)}")
    return found


def _short(duration_ns: int) -> str:
    return f"{duration_ns / 1e6:.0f} ms" if duration_ns < 1_000_000_000 else seconds(duration_ns)


def _wrong(picture: ClusterView) -> list[str]:
    """Nodes that do not run, faults in force, partitions that lack somebody."""
    found = [
        f"{node_name(node.node_id)} {STATES[node.process]}"
        for node in sorted(picture.nodes.values(), key=lambda item: item.node_id)
        if node.process in STATES
    ]
    if picture.voters and picture.quorum_leader == NO_NODE:
        found.insert(0, _nobody_leads(picture))
    for tp, item in sorted(picture.partitions.items()):
        if tp.topic in INTERNAL_TOPICS:
            continue
        if item.leader == NO_NODE:
            found.append(f"nobody leads {words.log_name(tp)}")
        elif len(item.isr) < len(item.replicas) and not found:
            found.append(f"{len(item.isr)} of {len(item.replicas)} replicas of {words.log_name(tp)} are in sync")
    count = sum(fault.kind not in (*ENDING, *STOPPING) for fault in picture.faults.values())
    if count:
        found.append(f"{words.plural(count, 'fault')} in force")
    return [words.sentence(found[0]), *found[1:]] if found else []


def _nobody_leads(picture: ClusterView) -> str:
    """Of the quorum, and whether those that are up could elect anybody."""
    total, up = len(picture.voters), sum(picture.node(voter).is_up for voter in picture.voters)
    few = f": {up} of {total} voters are there, {total // 2 + 1} are needed"
    return "nobody leads the quorum" + few * (up <= total // 2)


def _partitions(picture: ClusterView) -> list[str]:
    """Who leads, when few enough to say. A leader whose process is gone leads nothing, whoever has not heard of it."""
    own = {tp: item for tp, item in picture.partitions.items() if tp.topic not in INTERNAL_TOPICS}
    led = sum(item.leader in picture.nodes and picture.nodes[item.leader].stage != "down" for item in own.values())
    if len(own) == 1:
        ((tp, item),) = own.items()
        if not led:
            return []
        count, total = len(item.isr), len(item.replicas)
        all_of = "both" if total == 2 else f"all {words.number(total)}"
        sync = "" if total == 1 else f", {all_of if count == total else f'{count} of {total}'} replicas in sync"
        return [f"\u2605 {node_name(item.leader)} leads {words.log_name(tp)}{sync}."]
    if own:
        return [
            f"{led} of {len(own)} partitions have a leader." if led < len(own) else f"All {led} partitions are led."
        ]
    return []
