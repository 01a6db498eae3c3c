"""Two runs as two worlds on one time axis: what each went through, where they part, what came of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model.entry import Entry
from cluster.model.identifiers import INTERNAL_TOPICS, METADATA, NO_NODE, TopicPartition
from cluster.picture.commits import Commits
from cluster.runtime.run.folder import is_alive
from cluster.trace.reader import TraceError
from workbench.runs.find import told_of
from workbench.runs.judgement import judge
from workbench.runs.sealed import is_sealed
from workbench.session.follow import Follower
from workbench.session.leadership import Stretch
from workbench.session.lived import lived_until_ns
from workbench.session.recording import Recording
from workbench.session.story.line import seconds
from workbench.session.story.teller import Moment
from workbench.session.views.group_rows import name_of, short_parts
from workbench.support.refusal import Refusal
from workbench.support.safe_text import safe_text
from workbench.telling.words import losses

JUDGED_MAX = 40_000
"""Events of a run that is judged while one waits: a few seconds."""
BROKEN = (Verdict.VIOLATED, Verdict.EXPECTED)
"""Whether a fault excuses it or not."""
NO_NEWS = frozenset(("start", "topic", "load", "idle", "end"))
"""Kinds of incidents that tell how a run is set up: two runs do not part there."""
TOGETHER_NS = 50_000_000
"""The same sentence in both worlds within this time stands in one row."""
LOOK_NS = 250_000_000
"""How often what a living world adds is taken in, on its own clock."""
LENGTH = re.compile(r"\b\d[\d.,]* ?(ms|s|min)\b")
CUT = "\u2702"
TOPICS_MOST = 3
"""Topics whose commits are timed."""
PARTS_MOST = 12
"""Letters in which partitions are named; more are counted."""


@dataclass(slots=True)
class World:
    """One of the two runs."""

    run: str
    """Id of the run."""
    title: str
    """What it is in this comparison, in a few words."""
    recording: Recording
    kind: str = ""
    """real processes, or simulated with its seed."""
    is_borrowed: bool = False
    """Its recording is the one on screen, and lives as long as that."""
    broken: tuple[str, ...] | None = None
    """Promises that it broke, by their ids; None when nobody has judged it."""
    _run_count: int = -1

    def __post_init__(self) -> None:
        self._run_count = self.recording.run_count

    @property
    def is_gone(self) -> bool:
        """Whether its recording is of another run by now."""
        return self.recording.run_count != self._run_count

    @property
    def partition(self) -> TopicPartition | None:
        """The partition of people's topics that had most to go through."""
        return busiest((self,))

    @property
    def length_ns(self) -> int:
        """From its first event to its newest, without those of its end in order."""
        return lived_until_ns(self.recording) - self.recording.timeline.start_ns

    def at(self, since_ns: int) -> int:
        """The instant so long after its beginning."""
        return self.recording.timeline.start_ns + since_ns

    def since(self, t_ns: int) -> int:
        """How long after its beginning an instant is."""
        return t_ns - self.recording.timeline.start_ns

    def moments(self) -> list[Moment]:
        """Its headlines, without those that only tell how it was set up."""
        incidents = self.recording.story.incidents
        return [moment for moment in self.headlines() if incidents[moment.incident].kind not in NO_NEWS]

    def headlines(self) -> list[Moment]:
        """All its headlines; of one that the next says again, and goes on with, only the next."""
        moments = self.recording.story.moments
        return [
            one
            for one, after in zip_longest(moments, moments[1:])
            if after is None or after.incident != one.incident or not after.text.startswith(f"{one.text} ")
        ]


class Row(NamedTuple):
    """One moment; a world that says nothing of it has None."""

    since_ns: int
    left: Moment | None
    right: Moment | None


class Figure(NamedTuple):
    """One line of the outcome."""

    word: str
    left: str
    right: str
    is_loss: bool = False
    """More of it is worse than anything else."""


class Outcome(NamedTuple):
    """What came of one world until some moment."""

    leaderless_ns: int
    """The quorum had no leader, after its first one."""
    unled_ns: int
    """Some partition had no leader; summed over the partitions."""
    acknowledged: int
    failed: int
    """Writes that clients were told have failed, or got no answer."""
    epoch: int
    elections: int
    isr_changes: int
    cuts: int


@dataclass(slots=True)
class Worlds:
    """Two of them, side by side."""

    left: World
    right: World
    caption: str = ""
    """Why they are shown beside each other, in a sentence."""
    parted_ns: int = -1
    """When the second one left the first, as a branch does; -1 when they were never one."""
    rows: list[Row] = field(default_factory=list)
    """All headlines of both in order of time; what both say at the same time stands in one row."""
    difference: Row | None = None
    """The first headline that only one of them has; None while both tell the same."""
    from_ns: int = 0
    """Where the time axis begins, so that what differs has room: not long before the worlds part."""
    partition: TopicPartition | None = None
    """The partition whose replicas are drawn: the one that had most to go through."""
    figures: list[Figure] = field(default_factory=list)
    """What came of both until their ends."""
    _known: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.look()

    @property
    def are_gone(self) -> bool:
        """Whether another run took the place of one of them."""
        return any(world.is_gone for world in self.both)

    @property
    def both(self) -> tuple[World, World]:
        """Left, then right."""
        return self.left, self.right

    @property
    def length_ns(self) -> int:
        """Of the longer one."""
        return max(1, self.left.length_ns, self.right.length_ns)

    def look(self) -> None:
        """Take in what a world that lives has gone through since the last look."""
        moment_counts = [len(world.recording.story.moments) for world in self.both]
        ages = [world.length_ns // LOOK_NS for world in self.both]
        if self._known == (counts := (*moment_counts, *ages)):
            return
        self._known = counts
        self.rows = list(_merged(self.left, self.right))
        self.difference = _first_difference(self.left, self.right)
        self.from_ns, self.partition = self._beginning(), busiest(self.both)
        self.figures = _figures(*self.both)

    def _beginning(self) -> int:
        parts = [self.parted_ns, self.difference.since_ns if self.difference else -1]
        part_ns = min((since_ns for since_ns in parts if since_ns >= 0), default=0)
        return max(0, part_ns - max(1_000_000_000, (self.length_ns - part_ns) // 4))

    def seek(self, since_ns: int) -> None:
        """Both to so long after their beginning, or to their end."""
        for world in self.both:
            world.recording.seek_time(world.at(max(0, min(since_ns, world.length_ns))))

    def close(self) -> None:
        """Let go of the files of what is not on screen."""
        for world in self.both:
            if not world.is_borrowed:
                world.recording.close()


def _first_difference(left: World, right: World) -> Row | None:
    mine, other = left.moments(), right.moments()
    alike = 0
    while alike < min(len(mine), len(other)) and _bare(mine[alike]) == _bare(other[alike]):
        alike += 1
    one, two = (moments[alike] if alike < len(moments) else None for moments in (mine, other))
    times = [world.since(moment.t_ns) for world, moment in ((left, one), (right, two)) if moment is not None]
    return Row(min(times), one, two) if times else None


def _figures(left: World, right: World) -> list[Figure]:
    one, other = (outcome(world, world.length_ns) for world in (left, right))
    lost = [losses(world.recording.live.missing()) for world in (left, right)]
    figures = [
        Figure("nobody led the quorum", _length(one.leaderless_ns), _length(other.leaderless_ns)),
        Figure("nobody led a partition", _length(one.unled_ns), _length(other.unled_ns)),
        Figure("records acknowledged", f"{one.acknowledged:,}", f"{other.acknowledged:,}"),
        Figure("writes failed or unanswered", f"{one.failed:,}", f"{other.failed:,}"),
        Figure("acknowledged and lost", lost[0], lost[1], is_loss=True),
        Figure("newest epoch of the quorum", f"{one.epoch}", f"{other.epoch}"),
        Figure("leaders elected", f"{one.elections}", f"{other.elections}"),
        Figure("changes of an ISR", f"{one.isr_changes}", f"{other.isr_changes}"),
        Figure("logs cut", f"{one.cuts}", f"{other.cuts}"),
        *_commits(left, right),
    ]
    mine, theirs = _of_groups(left), _of_groups(right)
    figures += [Figure(word, mine.get(word, "-"), theirs.get(word, "-")) for word in sorted({*mine, *theirs})]
    if left.broken is not None and right.broken is not None:
        figures.append(Figure("promises broken", _named(left.broken), _named(right.broken), is_loss=True))
    short_ns, long_ns = sorted((left.length_ns, right.length_ns))
    if long_ns - short_ns > 1_000_000_000:  # neither is blamed for what it had no time to do
        by = [outcome(world, short_ns).acknowledged for world in (left, right)]
        figures.insert(3, Figure(f"  of them by {short_ns / 1e9:.1f} s", f"{by[0]:,}", f"{by[1]:,}"))
    return figures


def _commits(left: World, right: World) -> list[Figure]:
    """How long the records of each topic of people's took from the leader's append until they were committed."""
    mine, theirs = (world.recording.live.commit_rules.partitions for world in (left, right))
    commits = (*mine.items(), *theirs.items())
    topics = sorted({tp.topic for tp, one in commits if one.count} - INTERNAL_TOPICS)
    return [
        Figure(f"commit {safe_text(topic, 8)}, mean/most", _commits_of(topic, mine), _commits_of(topic, theirs))
        for topic in topics[:TOPICS_MOST]
    ]


def _commits_of(topic: str, known: Mapping[TopicPartition, Commits]) -> str:
    ways = [one for tp, one in known.items() if tp.topic == topic and one.count]
    if not ways:
        return "-"
    mean_ns = sum(one.total_ns for one in ways) / sum(one.count for one in ways)
    return f"{mean_ns / 1e6:.1f}, {max(one.longest_ns for one in ways) / 1e6:.0f} ms"


def _of_groups(world: World) -> dict[str, str]:
    """What each member of a consumer group has, and where a group stands that has read one partition."""
    texts = {}
    for group in world.recording.live.groups.values():
        name = safe_text(group.name, 10)
        for member in group.members.values():
            parts = short_parts(member.assigned)
            short = parts if len(parts) < PARTS_MOST else f"{len(member.assigned)} of them"
            texts[f"{name_of(group, member.member_id)[:10]} in {name}"] = short
        if len(group.committed) == 1:
            texts[f"{name} has committed"] = str(*group.committed.values())
    return texts


def busiest(worlds: Sequence[World]) -> TopicPartition | None:
    """The partition of people's topics that had most to go through in these worlds."""
    counts: dict[TopicPartition, int] = {}
    for world in worlds:
        timeline = world.recording.timeline
        for tp, changes in timeline.isr.items():
            if tp.topic not in INTERNAL_TOPICS:
                counts[tp] = counts.get(tp, 0) + len(changes) + len(timeline.leadership.stretches.get(tp, ()))
    return min(counts, key=lambda tp: (-counts[tp], tp), default=None)


def outcome(world: World, since_ns: int) -> Outcome:
    """What came of a world until so long after its beginning."""
    recording, t_ns = world.recording, world.at(since_ns)
    timeline, cursor = recording.timeline, recording.cursor_at(t_ns)
    leads = timeline.leadership.stretches
    quorum = [stretch for stretch in leads.get(METADATA, []) if stretch.t_ns <= t_ns]
    served = recording.story.traffic.at(cursor)
    marks = [mark.glyph for mark in timeline.marks if mark.place < cursor]
    return Outcome(
        unled_of(quorum, t_ns),
        sum(unled_of(stretches, t_ns) for tp, stretches in leads.items() if tp != METADATA),
        served.acknowledged,
        served.failed + served.unknown,
        max((stretch.epoch for stretch in quorum), default=0),
        marks.count("E"),
        marks.count("-") + marks.count("+"),
        marks.count(CUT),
    )


def unled_of(stretches: Sequence[Stretch], until_ns: int) -> int:
    """How long nobody led, after the first leader."""
    led, total_ns = False, 0
    for place, stretch in enumerate(stretches):
        end_ns = stretches[place + 1].t_ns if place + 1 < len(stretches) else until_ns
        if stretch.leader != NO_NODE:
            led = True
        elif led:
            total_ns += max(0, min(end_ns, until_ns) - stretch.t_ns)
    return total_ns


def _named(broken: Sequence[str]) -> str:
    return (f"{len(broken)} " + ", ".join([*broken[:2], "\u2026"][: len(broken)])).rstrip()


def _length(length_ns: int) -> str:
    return seconds(length_ns) if length_ns >= 1_000_000 else "0 s"


def _bare(moment: Moment) -> str:
    """A headline without its lengths of time, which chance alone makes a little different."""
    return LENGTH.sub("", moment.text)


def _merged(left: World, right: World) -> Iterator[Row]:
    mine, other = left.headlines(), right.headlines()
    i = j = 0
    while i < len(mine) or j < len(other):
        at = left.since(mine[i].t_ns) if i < len(mine) else 1 << 62
        there = right.since(other[j].t_ns) if j < len(other) else 1 << 62
        if abs(at - there) <= TOGETHER_NS and _bare(mine[i]) == _bare(other[j]):
            yield Row(min(at, there), mine[i], other[j])
            i, j = i + 1, j + 1
        elif at <= there:
            yield Row(at, mine[i], None)
            i += 1
        else:
            yield Row(there, None, other[j])
            j += 1


def read_world(folder: Path, title: str = "", length_ns: int = 0) -> World:
    """A recorded run, whole or so much of its beginning. TraceError or OSError when it cannot be read."""
    recording = Recording()

    def take(entries: list[Entry]) -> None:
        start_ns = recording.timeline.start_ns if recording.entries else entries[0].t_ns
        recording.extend(one for one in entries if not length_ns or one.t_ns - start_ns <= length_ns)

    try:
        Follower(folder, take, lambda: recording.keep_in(folder)).poll(None)
        if not recording.entries:
            raise TraceError(folder / "trace", 0, "it holds no events")
    except BaseException:
        recording.close()
        raise
    run, own, kind = told_of(folder)
    return World(run, title or own, recording, kind, broken=_broken_in(folder, recording))


def borrowed_world(folder: Path, title: str, recording: Recording) -> World:
    """The run that is on the screen."""
    run, own, kind = told_of(folder)
    return World(run, title or own, recording, kind, is_borrowed=True, broken=_broken_in(folder, recording))


def _broken_in(folder: Path, recording: Recording) -> tuple[str, ...] | None:
    """What the checker says of a run that is over and not too long."""
    if len(recording.entries) > JUDGED_MAX or is_alive(folder) or is_sealed(recording.live.title):
        return None
    with suppress(Refusal, OSError):
        run = judge(folder)
        return tuple(line.info.id for line in run.table if line.verdict in BROKEN and line.info.id not in run.late)
    return None


Reader = Callable[[], World]


def two_worlds(left: Reader, right: Reader, caption: str = "", parted_ns: int = -1) -> Worlds:
    """Both, read one after the other; the first is let go of when the second cannot be read."""
    one = left()
    try:
        return Worlds(one, right(), caption, parted_ns)
    except BaseException:
        if not one.is_borrowed:
            one.recording.close()
        raise
