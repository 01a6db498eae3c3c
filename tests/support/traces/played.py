"""Short plays in the simulated world, and the story that is told of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE, NodeId
from tests.support.traces.watched import Watched
from workbench.session.story.headline import headline
from workbench.session.story.line import STORY
from workbench.session.story.rows import rows_at
from workbench.session.story.story import Story
from workbench.session.views.cluster import ClusterView

AFTER_NS = 20_000_000_000


def ready(seed: int, controllers: int = 3, brokers: int = 3, topic: str = "assign=1,2,3 min-isr=2") -> Watched:
    """A cluster with a leader and a topic."""
    world = Watched(seed=seed, controllers=controllers, brokers=brokers)
    world.until(lambda: world.cluster().quorum_leader != NO_NODE)
    if topic:
        world.do(f"topic orders {topic}", "produce orders 3 acks=all")
    passes(world, 1.0)
    return world


def passes(world: Watched, seconds: float) -> None:
    """Time goes by."""
    world.run_until(lambda: False, seconds)


def leader(world: Watched) -> NodeId:
    """Of the quorum."""
    return world.cluster().quorum_leader


def split_vote() -> Watched:
    world = ready(seed=0)
    world.do(f"kill {leader(world)}")
    passes(world, 3.0)
    return world


def kill_and_start() -> Watched:
    world = ready(seed=1)
    killed = leader(world)
    world.do(f"kill {killed}", "produce orders 1 acks=all")
    passes(world, 3.0)
    world.do(f"start {killed}")
    passes(world, 2.0)
    return world


def cut() -> Watched:
    world = ready(seed=1, brokers=2, topic="assign=1,2 min-isr=1")
    alone = leader(world)
    rest = ",".join(str(node) for node in (2, 101, 102, 103) if node != alone)
    world.do(f"partition {alone},1|{rest}")
    passes(world, 6.0)
    world.do("heal")
    passes(world, 3.0)
    return world


def lost_record() -> Watched:
    world = ready(seed=0)
    world.do("partition 1|2,3", "produce orders 3 acks=1 value=alone retries=no", "kill 1", "heal")
    passes(world, 4.0)
    world.do("start 1")
    passes(world, 3.0)
    return world


def disk_lie() -> Watched:
    world = ready(seed=1)
    world.do("fsync lie 2", "produce orders 4 acks=all", "flush 2")
    passes(world, 1.0)
    world.do("power-loss 2")
    passes(world, 3.0)
    world.do("start 2")
    passes(world, 2.0)
    return world


def fenced() -> Watched:
    world = ready(seed=2)
    world.do("pause 3")
    passes(world, 4.0)
    world.do("heal")
    passes(world, 2.0)
    return world


def isr_shrinks() -> Watched:
    world = ready(seed=1)
    world.do("cut 3>1")
    for _ in range(4):
        world.send("produce orders 1 acks=all retries=no")
        passes(world, 2.0)
    world.do("heal")
    passes(world, 4.0)
    return world


def refused() -> Watched:
    world = ready(seed=3)
    world.do("kill 2", "kill 3")
    passes(world, 3.0)
    for _ in range(3):
        world.send("produce orders 1 acks=all retries=no")
    world.send("kill 99")
    passes(world, 1.0)
    return world


def no_majority() -> Watched:
    world = ready(seed=2, controllers=5, brokers=1, topic="")
    for _ in range(3):
        world.do(f"kill {leader(world)}")
        passes(world, 3.0)
    return world


def quiet() -> Watched:
    world = ready(seed=4)
    passes(world, 10.0)
    return world


PLAYS: dict[str, Callable[[], Watched]] = {
    play.__name__: cache(play)
    for play in (
        split_vote,
        kill_and_start,
        cut,
        lost_record,
        disk_lie,
        fenced,
        isr_shrinks,
        refused,
        no_majority,
        quiet,
    )
}


def told(entries: list[Entry]) -> tuple[Story, ClusterView]:
    """The story of these entries, and the picture after them."""
    story, view = Story(), ClusterView()
    for index, entry in enumerate(entries):
        view.apply(entry)
        story.apply(entry, index, view)
    return story, view


def page(entries: list[Entry], levels: tuple[str, ...] = (STORY,)) -> str:
    """The story as a learner reads it: headlines in order, then the list, at last the sentence of a quiet moment."""
    story, view = told(entries)
    start_ns, end = entries[0].t_ns, len(entries)
    now_ns = story.moments[-1].t_ns + 1_000_000_000  # what still runs has a length that no idle event changes
    lines = ["row 1 of the screen:"]
    for moment in story.teller.moments:
        lines.append(f"{(moment.t_ns - start_ns) / 1e9:8.3f} {moment.glyph or ' '} {moment.text}")
    for level in levels:
        lines += ["", f"{level}, newest first:"]
        for row in rows_at(story, end, now_ns, start_ns, opened=lambda _incident: True, level=level):
            before = f"{row.time:>8}" if row.kind == "head" else f"{row.time:>14}"
            lines.append(f"{before} {row.glyph or ' '} {row.text}".rstrip())
    lines += ["", f"later: {headline(story, view, end, view.t_ns + AFTER_NS).text}"]
    return "\n".join(lines) + "\n"
