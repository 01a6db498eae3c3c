"""The protocol of a run: how repeats are told."""

from __future__ import annotations

from cluster.model.entry import Entry
from cluster.model.events import Event, LeaderElected, RegistrationRefused
from cluster.scenario.protocol import Protocol
from cluster.scenario.runner import StepReport

REFUSED = RegistrationRefused(broker_id=1, error=101)


def entry(at_ms: int, node: int, event: Event) -> Entry:
    return Entry("run", node, 0, 0, at_ms * 1_000_000, 0, 0, None, "", None, event)


def protocol() -> Protocol:
    return Protocol(lambda item: (f"n{item.node}", item.event.name))


def step(kind: str, text: str, seen: str = "") -> StepReport:
    return StepReport("first", 1, kind, text, 0, True, seen)


def test_times_count_from_the_first_event_of_each_cluster() -> None:
    told = protocol()
    for began in (1000, 5000):
        told.on_step(step("cluster", "cluster of 3"))
        told.on_entry(entry(began, 101, REFUSED))
        told.on_entry(entry(began + 7, 101, LeaderElected(epoch=1, epoch_start_offset=0, votes=())))
    assert told.lines == 2 * (
        "== first: cluster of 3",
        "      0 ms  n101    ctl.registration_refused",
        "      7 ms  n101    raft.leader_elected",
    )


def test_what_a_node_only_repeats_is_counted() -> None:
    told = protocol()
    for at_ms in (0, 1, 2):
        told.on_entry(entry(at_ms, 101, REFUSED))
        told.on_entry(entry(at_ms, 102, REFUSED))
    assert [line.split("n10")[1] for line in told.lines] == [
        "1    ctl.registration_refused (3 times)",
        "2    ctl.registration_refused (3 times)",
    ]


def test_what_is_the_same_for_partitions_of_the_offsets_topic_is_one_line_and_what_differs_is_not() -> None:
    texts = [
        (0, "__consumer_offsets-0 leader n2 e0 ISR n2,n3: created"),
        (0, "orders-0 leader n2 e0 ISR n2,n3: created"),
        (1, "__consumer_offsets-1 leader n3 e0 ISR n3,n1: created"),
        (1, "orders-1 leader n3 e0 ISR n3,n1: created"),
        (1, "__consumer_offsets-2 leader n3 e4 ISR n3,n1: created"),
        (2, "__consumer_offsets-1 leader n1 e0 ISR n3,n1: created"),
        (900, "__consumer_offsets-3 leader n1 e0 ISR n3,n1: created"),
    ]
    told = Protocol(lambda item: ("n101", texts[item.seq][1]))
    for seq, (at_ms, _) in enumerate(texts):
        told.on_entry(Entry("run", 101, 0, seq, at_ms * 1_000_000, 0, 0, None, "", None, REFUSED))
    assert [line.split("n101    ")[1] for line in told.lines] == [
        "__consumer_offsets-0 leader n2 e0 ISR n2,n3: created (and 1 more of its partitions)",
        "orders-0 leader n2 e0 ISR n2,n3: created",
        "orders-1 leader n3 e0 ISR n3,n1: created",
        "__consumer_offsets-2 leader n3 e4 ISR n3,n1: created",
        "__consumer_offsets-1 leader n1 e0 ISR n3,n1: created",
        "__consumer_offsets-3 leader n1 e0 ISR n3,n1: created",
    ]


def test_what_clients_were_told_stands_with_its_command_and_other_commands_stand_as_faults() -> None:
    told = protocol()
    told.on_step(step("do", "produce orders 5", "5 of 5 records acknowledged"))
    told.on_step(step("do", "kill 1", "node 1 is killed"))
    told.on_step(step("do", "cut 102>102", "cut: link: a link has two ends"))
    assert told.lines == ("      0 ms  $       produce orders 5: 5 of 5 records acknowledged",)
