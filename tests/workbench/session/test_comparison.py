"""Two runs as two worlds: where they part, and what came of each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA
from tests.support.traces import group_story, story
from tests.support.traces.files import write_trace
from tests.support.traces.played import passes, ready
from tests.support.traces.watched import ORDERS
from workbench.session.comparison import World, Worlds, outcome, read_world, unled_of
from workbench.session.leadership import Stretch
from workbench.session.recording import Recording


def world(entries: Iterable[Entry], name: str = "one") -> World:
    recording = Recording()
    recording.extend(entries)
    return World(name, name, recording)


def until(count: int) -> list[Entry]:
    return story.full_story()[:count]


def test_two_equal_runs_do_not_part() -> None:
    worlds = Worlds(world(story.full_story()), world(story.full_story()))
    assert worlds.difference is None and worlds.from_ns == 0
    assert worlds.rows and all(row.left is not None and row.right is not None for row in worlds.rows)
    assert all(figure.left == figure.right for figure in worlds.figures)


def test_a_headline_that_the_next_one_goes_on_with_is_told_once() -> None:
    one = Recording()
    teller = one.story.teller
    teller.t_ns = 1_000_000_000
    topic = teller.open("Topic orders is created", now="Topic orders is created.")
    teller.place, teller.t_ns = 1, 1_001_000_000
    teller.step(topic, "n1 leads it", now="n1 leads it.", joins=True)
    teller.place, teller.t_ns = 2, 9_000_000_000
    teller.step(topic, "n2 leads it", now="n2 leads it.", joins=True)
    assert [moment.text for moment in one.story.moments] == [
        "Topic orders is created.", "Topic orders is created. n1 leads it.", "n2 leads it."
    ]  # fmt: skip
    assert [moment.text for moment in World("a", "a", one).headlines()] == [
        "Topic orders is created. n1 leads it.", "n2 leads it."
    ]  # fmt: skip


def test_they_part_where_only_one_of_them_has_something_to_tell() -> None:
    whole = world(story.full_story())
    told = whole.moments()
    cut = told[1].place
    worlds = Worlds(whole, world(until(cut)))
    assert worlds.difference is not None
    assert worlds.difference.left == told[1] and worlds.difference.right is None
    assert worlds.difference.since_ns == whole.since(told[1].t_ns)
    assert [row for row in worlds.rows if row.right is None][0].left == told[1]


def test_a_world_that_goes_on_is_looked_at_again() -> None:
    entries = story.full_story()
    living = world(entries[: len(entries) // 2])
    worlds = Worlds(world(entries), living)
    before = len([row for row in worlds.rows if row.right is None])
    living.recording.extend(entries[len(entries) // 2 :])
    worlds.look()
    assert before > 0 and worlds.difference is None


def test_nobody_leads_only_after_somebody_has() -> None:
    stretches = [Stretch(0, -1, 0), Stretch(10, 101, 1), Stretch(20, -1, 1), Stretch(50, 102, 2), Stretch(60, -1, 2)]
    assert unled_of(stretches, 70) == 40 and unled_of(stretches, 30) == 10 and unled_of(stretches[:1], 99) == 0


def test_what_came_of_a_world_grows_with_its_time() -> None:
    whole = world(story.full_story())
    early, late = outcome(whole, 0), outcome(whole, whole.length_ns)
    assert early.elections == 0 and late.elections == 2 and late.epoch == 3 and late.cuts > 0
    assert late.leaderless_ns > 0


def test_both_are_scrubbed_at_once_and_the_shorter_one_stands_at_its_end() -> None:
    short, whole = world(until(20)), world(story.full_story())
    worlds = Worlds(whole, short)
    worlds.seek(worlds.length_ns)
    assert whole.recording.cursor == len(whole.recording.entries) and short.recording.cursor == 20
    worlds.seek(0)
    assert whole.recording.t_ns == whole.recording.timeline.start_ns and not whole.recording.follows


def test_what_a_cut_off_leader_acknowledged_is_on_its_disk_only_and_lost_once_it_cuts_it() -> None:
    cut_off = ready(seed=0)
    cut_off.do("partition 1|101,102,103")
    cut_off.until(lambda: cut_off.cluster().leader_of(ORDERS) == 2)
    cut_off.do("produce orders 3 acks=1 retries=no")

    def lost() -> tuple[str, str]:
        figures = Worlds(world(cut_off.entries), world(())).figures
        return next((item.left, item.right) for item in figures if item.word == "acknowledged and lost")

    assert lost() == ("0, 3 only on n1", "0") and cut_off.cluster().log(1, ORDERS).log_end_offset == 6
    cut_off.do("heal")
    passes(cut_off, 3.0)
    assert lost() == ("3", "0") and cut_off.cluster().log(1, ORDERS).log_end_offset == 3


def test_a_longer_run_is_not_blamed_for_its_length() -> None:
    entries = story.full_story()
    late = [entry for entry in entries if entry.t_ns - entries[0].t_ns < 1_000_000_000]
    worlds = Worlds(world(entries), world(late))
    words = [figure.word for figure in worlds.figures]
    spread_s = (worlds.left.length_ns - worlds.right.length_ns) / 1e9
    assert any(word.startswith("  of them by") for word in words) == (spread_s > 1)


def test_the_partition_with_most_to_tell_is_drawn() -> None:
    worlds = Worlds(world(story.full_story()), world(story.full_story()))
    assert worlds.partition is not None and worlds.partition != METADATA


def test_a_recorded_run_is_read_whole(tmp_path: Path) -> None:
    folder = tmp_path / "20260101-000000-000aa"
    folder.mkdir()
    write_trace(folder, story.full_story())
    found = read_world(folder, "as it was")
    assert len(found.recording.entries) == len(story.full_story()) and found.title == "as it was"
    found.recording.close()


def test_what_members_of_a_group_have_at_the_end_is_compared() -> None:
    two, last = (world(group_story.group_story(until=until).entries) for until in ("two", "end"))
    found = {figure.word: (figure.left, figure.right) for figure in Worlds(two, last).figures}
    assert found["a in readers"] == ("0,1", "-") and found["b in readers"] == ("2,3", "0,1,2,3")
    assert found["readers has committed"] == ("5", "6")
