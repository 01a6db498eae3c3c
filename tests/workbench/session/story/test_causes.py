"""What the story begins with."""

from __future__ import annotations

from msgspec import structs

from cluster.lab import LEARNER
from cluster.model import events as ev
from tests.support.traces.played import PLAYS, passes, ready, told


def test_what_you_did_is_told_as_yours() -> None:
    entries = [
        structs.replace(entry, trigger=f"command by {LEARNER}") if isinstance(entry.event, ev.FaultInjected) else entry
        for entry in PLAYS["split_vote"]().entries
    ]
    story, _ = told(entries)
    killed = story.teller.incidents[-1]
    assert killed.head.said[-1].text == "You killed n103, the leader"
    assert "You killed n103, the leader. The other two have not noticed yet." in [
        moment.text for moment in story.teller.moments
    ]


def test_a_trap_is_one_incident_with_what_it_leads_to() -> None:
    world = ready(seed=1)
    world.do("crash 1 after append", "produce orders 1 acks=all")
    passes(world, 4.0)
    story, _ = told(world.entries)
    trap = next(item for item in story.teller.incidents if item.kind == "CrashPoint")
    texts = [line.said[-1].text for line in trap.steps]
    assert "n1 is killed" in texts and any("n2 leads orders-0" in text for text in texts)


def test_a_process_that_ends_by_itself_is_a_cause() -> None:
    world = PLAYS["split_vote"]()
    entries = [entry for entry in world.entries if not isinstance(entry.event, ev.FaultInjected | ev.FaultApplied)]
    entries = [
        structs.replace(entry, event=structs.replace(entry.event, expected=False))
        if isinstance(entry.event, ev.ProcessExited)
        else entry
        for entry in entries
    ]
    story, _ = told(entries)
    assert story.teller.incidents[-1].head.said[0].text == "n103, the leader, ended by itself: SIGKILL"
    assert story.teller.incidents[-1].costs[0].said[-1].text.startswith("no leader for 0.5")


def test_steps_and_costs_of_a_kill_count_from_the_death() -> None:
    """A process takes some ms from the command to its end; a play has none of them."""
    entries = [
        structs.replace(entry, t_ns=entry.t_ns - 4_000_000) if isinstance(entry.event, ev.FaultInjected) else entry
        for entry in PLAYS["split_vote"]().entries
    ]
    story, _ = told(entries)
    killed = story.teller.incidents[-1]
    elected = next(line.first for line in killed.steps if "leads e" in line.first.text)
    assert killed.costs[0].said[-1].text == f"no leader for {(elected.t_ns - killed.t_ns) / 1e9:.3f} s"


def test_every_fault_of_a_free_lab_is_over_when_it_is_healed() -> None:
    world = ready(seed=1)
    world.do("delay 1-2 200ms", "fsync slow 3 50ms", "disk-full 2", "stutter 1 200ms 50ms", "clock skew 101 +1s")
    passes(world, 0.5)
    world.do("heal")
    passes(world, 6.0)
    story, _ = told(world.entries)
    made = [item for item in story.teller.incidents if item.kind not in ("start", "topic")]
    assert len(made) >= 5
    assert [item.head.said[-1].text for item in made if not item.is_over] == []


def test_a_workload_is_an_incident_and_its_records_are_counted() -> None:
    world = ready(seed=1)
    world.do("load 20")
    passes(world, 3.0)
    world.do("load off")
    passes(world, 1.0)
    story, _ = told(world.entries)
    assert "A producer and a consumer start: 20 records/s, acks=all." in [moment.text for moment in story.moments]
    assert story.incidents[-1].head.said[0].text == "The producer and the consumer have stopped"
    assert all(item.is_over for item in story.incidents)
    assert story.traffic.now.acknowledged == 3 + world.of(ev.LoadCounted)[-1].acked_count > 40


def test_who_leaves_in_order_has_told_the_others() -> None:
    for node in (1, 102):
        world = ready(seed=1)
        world.do(f"stop {node}")
        passes(world, 4.0)
        story, _ = told(world.entries)
        said = [moment.text for moment in story.moments]
        assert any(text.startswith(f"n{node}") and "was asked to leave" in text for text in said), said
        assert not any("noticed" in text for text in said)
