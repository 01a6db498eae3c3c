from __future__ import annotations

from cluster.model.entry import Entry
from tests.support.traces.watched import Watched
from workbench.session.director import Beat, Director
from workbench.session.recording import Recording
from workbench.session.score import ahead_words, moment_words, part_in_view, parts_of, silence_words

MS = 1_000_000


def killed() -> tuple[list[Entry], int]:
    """A run, and when the leader of its quorum was killed."""
    world = Watched(seed=3, controllers=3, brokers=3)
    world.until(lambda: world.cluster().quorum_leader > 0)
    world.run_until(lambda: False, 2.0)
    killed_ns = world.entries[-1].t_ns
    world.do("kill controller")
    world.run_until(lambda: False, 5.0)
    return world.entries, killed_ns


def test_parts_follow_one_another_and_silences_stand_between_steps_that_are_apart() -> None:
    recording = Recording()
    recording.extend(killed()[0])
    director = Director(recording)
    director.again(0.0)
    parts = parts_of(director)
    assert parts[0].step is not None and parts[0].since_ns == 0
    for one, other in zip(parts, parts[1:], strict=False):
        assert one.until_ns <= other.from_ns and one.number <= other.number
    silences = [part for part in parts if part.step is None]
    assert silences and all(part.until_ns - part.from_ns >= 30 * MS for part in silences)
    assert [part.number for part in parts if part.step is not None] == list(range(1, len(parts) - len(silences) + 1))
    assert moment_words(director) == f"moment 1 of {parts[-1].number}"


def test_at_every_instant_the_part_in_view_holds_the_moment_in_view() -> None:
    """Beside a cluster that goes on, so that its next step is often not known yet."""
    entries, killed_ns = killed()
    recording, place, wall_ms, seen = Recording(), 0, 0.0, []
    director = Director(recording)
    while wall_ms < 20_000:
        present_ns = killed_ns + int(wall_ms * MS)
        end = place
        while end < len(entries) and entries[end].t_ns <= present_ns:
            end += 1
        recording.extend(entries[place:end])
        place = end
        director.watch(wall_ms, present_ns, may_begin=True)
        director.look(wall_ms, present_ns)
        if director.is_on:
            parts = parts_of(director)
            here = parts[part_in_view(director, parts)]
            assert here.from_ns <= director.t_ns, (wall_ms, director.beat)
            assert director.beat is Beat.RETURN or director.t_ns <= here.until_ns
            seen.append(here.number)
        wall_ms += 1000 / 30
    assert seen == sorted(seen) and len(set(seen)) > 8 and not director.is_on


def test_a_silence_is_written_with_its_length_and_its_unit() -> None:
    lengths = {297: "297 ms", 1_480: "1.48 s", 42_000: "42.0 s", 135_000: "2 min 15 s"}
    assert {silence_words(ms * MS) for ms in lengths} == {f"\u22ef {text} \u22ef" for text in lengths.values()}


def test_how_far_the_cluster_is_ahead_is_never_below_zero() -> None:
    director = Director(Recording())
    director.t_ns = 5_000 * MS
    assert ahead_words(director, 9_300 * MS) == "the cluster is 4.3 s ahead"
    assert ahead_words(director, 0) == "the cluster is 0.0 s ahead"
    assert moment_words(director) == "no moment yet"
