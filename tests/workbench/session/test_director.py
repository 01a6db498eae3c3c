from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import pytest

from cluster.model.entry import Entry
from cluster.model.events import ElectionStarted, LeaderElected, VoteGranted, VoteReceived, VoteRejected
from tests.support.traces.watched import Watched
from workbench.session.director import REST_MS, RETURN_MS, SILENCE_MS, STEP_MS, Beat, Director
from workbench.session.recording import Recording
from workbench.telling.telling import CUT

FRAME_MS = 1000 / 30
MS = 1_000_000
CLEAN, SPLIT = 2, 3
"""Seeds: the first election after a kill has one candidate, or two that each vote for itself."""
VOTES = (ElectionStarted, VoteGranted, VoteRejected, VoteReceived, LeaderElected)


class Run(NamedTuple):
    """Of a simulated cluster."""

    entries: list[Entry]
    deed_ns: int
    """When what the test is about was done."""


def cluster(seed: int, **changes: object) -> Watched:
    world = Watched(seed=seed, controllers=3, brokers=3, **changes)
    world.until(lambda: world.cluster().quorum_leader > 0)
    world.do("topic orders replicas=3 min-isr=2", "produce orders 3")
    world.run_until(lambda: False, 2.0)
    return world


@cache
def killed_leader(seed: int) -> Run:
    world = cluster(seed)
    before_ns = world.entries[-1].t_ns
    world.do("kill controller")
    world.run_until(lambda: False, 20.0)
    return Run(world.entries, before_ns)


@cache
def cut_log() -> Run:
    """A leader that nobody hears writes on; another leads, and what it wrote alone is cut."""
    world = cluster(CLEAN)
    world.do("partition 1|2,3,101,102,103")
    world.send("produce orders 2 acks=1 wait=no")
    world.until(lambda: world.leader() in (2, 3))
    world.do("produce orders 1")
    before_ns = world.entries[-1].t_ns
    world.do("heal")
    world.run_until(lambda: False, 5.0)
    return Run(world.entries, before_ns)


class Shown(NamedTuple):
    wall_ms: float
    beat: Beat
    step: int
    t_ns: int
    cursor: int
    present_ns: int


def recorded(run: Run) -> Recording:
    recording = Recording()
    recording.extend(run.entries)
    return recording


def live(run: Run, seconds: float) -> tuple[Recording, Director, Iterator[Shown]]:
    """The cluster runs on beside the screen; the direction begins by itself once the deed has opened a story."""
    recording = Recording()
    director = Director(recording)

    def frames() -> Iterator[Shown]:
        place, wall_ms = 0, 0.0
        while wall_ms < seconds * 1000:
            present_ns = run.deed_ns + int(wall_ms * MS)
            fresh = [entry for entry in run.entries[place:] if entry.t_ns <= present_ns]
            place += len(fresh)
            recording.extend(fresh)
            director.watch(wall_ms, present_ns, may_begin=wall_ms > 0)
            director.look(wall_ms, present_ns)
            if director.is_on:
                yield Shown(wall_ms, director.beat, director.step, director.t_ns, director.cursor, present_ns)
            wall_ms += FRAME_MS

    return recording, director, frames()


def first_frames(frames: list[Shown], beat: Beat = Beat.STEP) -> dict[int, Shown]:
    """Step -> its first frame."""
    found: dict[int, Shown] = {}
    for frame in frames:
        if frame.beat is beat:
            found.setdefault(frame.step, frame)
    return found


@pytest.mark.parametrize("seed", [CLEAN, SPLIT])
def test_a_leader_is_killed_and_the_steps_come_one_at_a_time_none_left_out(seed: int) -> None:
    recording, director, frames = live(killed_leader(seed), 40)
    shown = list(frames)
    steps = recording.steps.all
    order = list(dict.fromkeys(frame.step for frame in shown if frame.beat is Beat.STEP))
    assert order == list(range(director.first, director.first + len(order)))
    held = {place for index in order for place in range(steps[index].first, steps[index].last + 1)}
    since_ns = killed_leader(seed).deed_ns
    votes = [item for item in enumerate(recording.entries) if isinstance(item[1].event, VOTES)]
    assert {place for place, entry in votes if entry.t_ns > since_ns} <= held
    for frame in shown:
        if frame.beat is Beat.STEP:
            coming = steps[frame.step + 1].first if frame.step + 1 < len(steps) else len(recording.entries)
            assert steps[frame.step].last < frame.cursor <= coming


@pytest.mark.parametrize("seed", [CLEAN, SPLIT])
def test_from_the_kill_to_the_new_leader_at_least_six_seconds_pass(seed: int) -> None:
    recording, _, frames = live(killed_leader(seed), 40)
    shown = list(frames)
    begins = first_frames(shown)
    won = next(index for index in begins if not recording.steps.all[index].misses)
    assert 6_000 <= begins[won].wall_ms - shown[0].wall_ms < 20_000
    assert all(later.wall_ms - earlier.wall_ms >= STEP_MS - FRAME_MS for earlier, later in pairwise(begins.values()))
    step = recording.steps.all[won]
    assert any(isinstance(recording.entries[word.place].event, LeaderElected) for word in step.words)
    assert recording.entries[begins[won].cursor - 1].t_ns < step.end_ns + MS


def test_a_split_vote_has_more_steps_and_both_candidates_share_one() -> None:
    steps = recorded(killed_leader(SPLIT)).steps.all
    texts = [[word.text for word in step.words] for step in steps]
    clean = recorded(killed_leader(CLEAN)).steps.all
    assert len(steps) > len(clean)
    assert any(sum(text.endswith("e2?") for text in step) == 2 for step in texts)
    assert any(len(step) == 2 and all(text.endswith("no") for text in step) for step in texts)


@pytest.mark.parametrize("run", [lambda: killed_leader(CLEAN), lambda: killed_leader(SPLIT), cut_log])
def test_silence_is_bounded_and_the_direction_ends_in_the_present(run: Callable[[], Run]) -> None:
    _, director, frames = live(run(), 40)
    shown = list(frames)
    assert shown and not director.is_on and shown[-1].wall_ms < 35_000
    for index, first in first_frames(shown, Beat.SILENCE).items():
        lasts = [frame.wall_ms for frame in shown if frame.beat is Beat.SILENCE and frame.step == index]
        assert lasts[-1] - first.wall_ms <= SILENCE_MS
    rest = [frame.wall_ms for frame in shown if frame.beat is Beat.REST]
    back = [frame for frame in shown if frame.beat is Beat.RETURN]
    assert rest[-1] - rest[0] == pytest.approx(REST_MS, abs=2 * FRAME_MS)
    assert back[-1].wall_ms - back[0].wall_ms == pytest.approx(RETURN_MS, abs=2 * FRAME_MS)
    assert back[-1].present_ns - back[-1].t_ns < 1_000 * MS


@pytest.mark.parametrize("run", [lambda: killed_leader(CLEAN), lambda: killed_leader(SPLIT), cut_log])
def test_the_time_in_view_never_goes_back_and_never_before_the_cluster(run: Callable[[], Run]) -> None:
    _, _, frames = live(run(), 40)
    shown = list(frames)
    for one, other in pairwise(shown):
        assert one.t_ns <= other.t_ns <= other.present_ns and one.cursor <= other.cursor


def test_a_cut_log_opens_a_story_that_begins_with_what_led_to_it() -> None:
    recording, _, frames = live(cut_log(), 40)
    shown = list(frames)
    steps = recording.steps.all
    order = list(dict.fromkeys(frame.step for frame in shown if frame.beat is Beat.STEP))
    cut = next(index for index in order if steps[index].phase == CUT)
    assert steps[cut].opens and any(
        word.text == "heal" for index in order if index < cut for word in steps[index].words
    )


def test_nothing_begins_by_itself_when_nothing_opens() -> None:
    run = killed_leader(CLEAN)
    quiet = Run([entry for entry in run.entries if entry.t_ns <= run.deed_ns], run.deed_ns - 1_500 * MS)
    assert not list(live(quiet, 5)[2])


def test_once_more_begins_with_the_last_deed() -> None:
    recording = recorded(killed_leader(CLEAN))
    director = Director(recording)
    assert director.again(0.0)
    assert [word.text[0] for word in recording.steps.all[director.first].words] == ["\u2717"]
    assert not Director(Recording()).again(0.0)


def test_a_step_is_shorter_or_longer_as_wanted_within_bounds() -> None:
    director = Director(recorded(killed_leader(CLEAN)))
    paces = []
    for _ in range(9):
        director.hurry(1)
        paces.append(director.pace_ms)
    assert paces[0] < STEP_MS and paces[-1] == 300
    for _ in range(12):
        director.hurry(-1)
    assert director.pace_ms == 2_000


def test_it_stands_while_stopped_and_walks_by_steps() -> None:
    recording = recorded(killed_leader(CLEAN))
    director = Director(recording)
    director.again(0.0)
    director.play_or_stop()
    here = director.cursor
    director.look(60_000, recording.timeline.end_ns)
    assert director.cursor == here and not director.is_playing
    seen = []
    for _ in range(3):
        director.walk(1)
        seen.append(director.step)
    director.walk(-2)
    assert seen == [director.first + 1, director.first + 2, director.first + 3] and director.step == director.first + 1


@pytest.mark.parametrize("frame_ms", [FRAME_MS, 1_700.0], ids=["in time", "late"])
def test_a_recorded_run_is_played_to_its_end_with_every_step_however_late_frames_are(frame_ms: float) -> None:
    recording = recorded(killed_leader(SPLIT))
    director = Director(recording)
    director.play_from(1, 0.0)
    wall_ms, shown = 0.0, set()
    while director.is_playing:
        wall_ms += frame_ms
        director.look(wall_ms, recording.timeline.end_ns)
        if director.beat is Beat.STEP:
            shown.add(director.step)
        assert wall_ms < 500_000
    assert shown == set(range(len(recording.steps.all)))
    assert director.cursor == len(recording.entries) and director.silences and director.silent_ns > 10**9
