from __future__ import annotations

from tests.support.traces import story
from workbench.session.playback import Moment, Stretch, moments, notable_times, stretches
from workbench.session.recording import Recording

S = 1_000_000_000


def test_of_a_long_idle_stretch_only_the_first_and_the_last_second_are_shown() -> None:
    assert stretches([5 * S], 0, 60 * S) == [Stretch(0, S), Stretch(4 * S, 6 * S), Stretch(59 * S, 60 * S)]


def test_an_idle_stretch_of_two_seconds_is_shown_whole() -> None:
    assert stretches([2 * S, 4 * S], 0, 4 * S) == [Stretch(0, 4 * S)]


def test_a_run_of_one_instant_has_one_frame() -> None:
    assert list(moments(stretches([], 7, 7), S, 1)) == [Moment(0, 7)]


def test_the_film_goes_on_where_the_run_is_left_out() -> None:
    found = list(moments([Stretch(0, S), Stretch(9 * S, 10 * S)], S // 2, 1))
    halves = [(0, 0), (1, 1), (2, 2), (2, 18), (3, 19), (4, 20)]
    assert found == [Moment(shown * S // 2, run * S // 2) for shown, run in halves]


def test_a_faster_film_is_shorter_and_has_frames_as_often() -> None:
    found = list(moments([Stretch(0, 4 * S)], S // 2, 4))
    assert found == [Moment(0, 0), Moment(S // 2, 2 * S), Moment(S, 4 * S)]


def test_the_time_of_a_film_never_goes_back() -> None:
    recording = Recording()
    recording.extend(story.full_story())
    timeline = recording.timeline
    for speed in (0.1, 0.7, 1, 3.3, 1000):
        found = list(moments(stretches(notable_times(recording), timeline.start_ns, timeline.end_ns), S // 10, speed))
        assert found == sorted(found) and found[-1].run_ns == timeline.end_ns
