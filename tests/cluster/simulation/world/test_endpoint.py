"""Connections of simulated processes: order, cuts, delays, resets, ends of processes. As connections of real ones."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.cluster_spec import Options
from cluster.faults.effects_on_links import CutLink, DelayedLink, LimitedLink, LinkRules, UnkindLink
from cluster.links.frame import Frame
from cluster.model.events import FramesHeld, FramesReleased, LinkConnected, LinkReset
from cluster.model.messages import MetadataRequest, MetadataResponse
from cluster.simulation.world.endpoint import Endpoint
from cluster.simulation.world.kernel import NS_PER_MS, START_NS, Kernel
from cluster.simulation.world.network import Network

PATIENCE_MS = 1_000
CUT = CutLink(source=1, target=2)
BACK = CutLink(source=2, target=1)


class Process:
    """Answers each request with its correlation, and remembers all it was told."""

    def __init__(self, network: Network, node: int) -> None:
        self.network, self.node = network, node
        self.is_still = False
        self.got: list[tuple[int, int]] = []
        self.lost: list[int] = []
        self.told: list[Any] = []
        self.seen: list[Any] = []
        self.answers = True
        self.waiting: list[tuple[Any, Any]] = []
        self.endpoint = Endpoint(network, self, node, PATIENCE_MS, self.observe)
        self.endpoint.listen()

    def on_frame(self, frame: Frame) -> None:
        self.got.append((frame.correlation, (self.network.kernel.now_ns - START_NS) // NS_PER_MS))
        if isinstance(frame.message, MetadataRequest) and self.answers:
            answer = MetadataResponse(controller_id=-1, brokers=(), partitions=())
            self.endpoint.respond(frame.sender, Frame(self.node, frame.correlation, answer))

    def on_lost(self, peer: int) -> None:
        self.lost.append(peer)

    def tell(self, event: Any, _trigger: str) -> None:
        self.told.append(event)

    def observe(self, event: Any, _cause: Any, _lamport: int) -> None:
        self.seen.append(event)

    def defer(self, action: Any, argument: Any) -> None:
        self.waiting.append((action, argument))

    defer_timer = defer

    def go_on(self) -> None:
        self.is_still = False
        waiting, self.waiting = self.waiting, []
        for action, argument in waiting:
            action(argument)

    def ask(self, target: int, *correlations: int) -> None:
        for correlation in correlations:
            self.endpoint.request(target, Frame(self.node, correlation, MetadataRequest(topics=())))

    def kinds(self) -> list[type]:
        return [type(event) for event in self.told]

    def numbers(self) -> list[int]:
        return [correlation for correlation, _ in self.got]


class Link:
    """Two processes."""

    def __init__(self, seed: int = 0, **options: Any) -> None:
        self.kernel = Kernel(seed)
        self.network = Network(self.kernel, Options(**options), (1, 2))
        self.one, self.two = Process(self.network, 1), Process(self.network, 2)

    def run(self, ms: int) -> None:
        self.kernel.advance(self.kernel.now_ns + ms * NS_PER_MS)

    def apply(self, *faults: Any) -> None:
        for process in (self.one, self.two):
            process.endpoint.apply(LinkRules(faults))


def test_frames_arrive_in_order_and_answers_come_back() -> None:
    link = Link()
    link.one.ask(2, *range(100))
    link.run(10)
    assert link.two.numbers() == list(range(100))
    assert link.one.numbers() == list(range(100))
    assert link.one.told == [LinkConnected(source=1, target=2)]
    assert link.two.told == []


def test_a_cut_holds_frames_and_delivers_them_late_in_order() -> None:
    link = Link()
    link.one.ask(2, 0)
    link.run(10)
    link.apply(CUT)
    link.one.ask(2, 1, 2)
    link.run(500)
    assert link.two.numbers() == [0]
    link.apply()
    link.run(10)
    assert link.two.numbers() == link.one.numbers() == [0, 1, 2]
    assert link.one.kinds() == [LinkConnected, FramesHeld, FramesReleased]
    assert link.one.told[-1] == FramesReleased(source=1, target=2, count=2)


def test_a_cut_the_other_way_holds_only_the_answers() -> None:
    link = Link()
    link.one.ask(2, 0)
    link.run(10)
    link.apply(BACK)
    link.one.ask(2, 1)
    link.run(500)
    assert link.two.numbers() == [0, 1]
    assert link.one.numbers() == [0]
    link.apply()
    link.run(10)
    assert link.one.numbers() == [0, 1]
    assert link.two.kinds() == [FramesHeld, FramesReleased]


def test_what_was_on_its_way_when_the_link_was_cut_is_held_at_the_receiver() -> None:
    link = Link()
    link.one.ask(2, 0)
    link.run(10)
    link.one.ask(2, 1)
    link.apply(CUT)
    link.run(100)
    assert link.two.numbers() == [0]
    assert link.two.kinds() == [FramesHeld]
    link.apply()
    assert link.two.numbers() == [0, 1]


def test_a_cut_that_lasts_too_long_resets_the_connection() -> None:
    link = Link()
    link.one.ask(2, 0)
    link.run(10)
    link.apply(CUT)
    link.one.ask(2, 1, 2)
    link.run(PATIENCE_MS + 1)
    assert link.one.lost == [2]
    assert link.one.told[-1] == LinkReset(source=1, target=2, held_count=2)
    link.apply()
    link.run(10)
    assert link.two.numbers() == [0], "what was held is gone"
    link.one.ask(2, 3)
    link.run(10)
    assert link.two.numbers() == [0, 3], "a new connection takes the next"


def test_a_new_connection_hangs_while_either_way_is_cut() -> None:
    link = Link()
    link.apply(BACK)
    link.one.ask(2, 0)
    link.run(500)
    assert link.two.got == []
    link.apply()
    link.run(10)
    assert link.two.numbers() == [0]
    other = Link()
    other.apply(BACK)
    other.one.ask(2, 0)
    other.run(PATIENCE_MS + 1)
    assert other.one.lost == [2]
    other.apply()
    other.run(10)
    assert other.two.got == [], "who waited too long is gone"


def test_delayed_frames_leave_late_and_in_order() -> None:
    link = Link()
    link.one.ask(2, 0)
    link.run(10)
    link.apply(DelayedLink(source=1, target=2, delay_ms=100, jitter_ms=300))
    link.one.ask(2, *range(1, 20))
    link.run(1_000)
    assert link.two.numbers() == list(range(20))
    assert link.two.got[1][1] >= 110


def test_a_slow_link_spreads_frames_over_time() -> None:
    link = Link()
    link.one.ask(2, 0)
    link.run(10)
    link.apply(LimitedLink(source=1, target=2, bytes_per_second=1_000))
    for number in range(1, 6):
        big = MetadataRequest(topics=("t" * 20_000,))
        link.one.endpoint.request(2, Frame(1, number, big))
    link.run(120_000)
    assert link.two.numbers() == list(range(6))
    assert link.two.got[-1][1] > 30_000


def test_a_link_that_is_quick_again_lets_go_of_what_waited() -> None:
    link = Link()
    link.one.ask(2, 0)
    link.run(10)
    link.apply(DelayedLink(source=1, target=2, delay_ms=60_000))
    link.one.ask(2, 1, 2)
    link.run(100)
    link.apply()
    link.one.ask(2, 3)
    link.run(10)
    assert link.two.numbers() == [0, 1, 2, 3]
    link.run(100_000)
    assert link.two.numbers() == [0, 1, 2, 3]


def test_the_end_of_a_process_is_seen_after_what_it_had_sent() -> None:
    link = Link()
    link.one.ask(2, 0)
    link.run(10)
    link.two.ask(1, 5)
    link.run(10)
    link.one.ask(2, 1)
    link.one.endpoint.leave()
    link.run(1)
    assert link.two.numbers() == [0, 5, 1]
    link.run(10)
    assert link.two.lost == [1], "only who made a connection is told"


def test_a_peer_that_does_not_listen_refuses_and_the_caller_backs_off() -> None:
    link = Link()
    link.two.endpoint.leave()
    link.one.ask(2, 0)
    link.run(5)
    assert link.one.lost == [2]
    link.one.ask(2, 1)
    link.run(1)
    assert link.one.lost == [2, 2], "dropped at once"
    again = Process(link.network, 2)
    link.run(60)
    link.one.ask(2, 2)
    link.run(5)
    assert again.numbers() == [2]


def test_a_peer_that_stands_still_takes_frames_and_reads_them_later() -> None:
    link = Link()
    link.one.ask(2, 0)
    link.run(10)
    link.two.is_still = True
    link.one.ask(2, 1, 2)
    link.run(5_000)
    assert link.two.numbers() == [0]
    assert link.one.lost == [], "to the network it looks healthy"
    link.two.go_on()
    assert link.two.numbers() == [0, 1, 2]


def test_a_call_to_a_peer_that_stands_still_waits_for_it_or_is_given_up() -> None:
    link = Link()
    link.two.is_still = True
    link.one.ask(2, 0)
    link.run(500)
    link.two.go_on()
    link.run(5)
    assert link.two.numbers() == [0]
    other = Link()
    other.two.is_still = True
    other.one.ask(2, 0)
    other.run(PATIENCE_MS + 1)
    assert other.one.lost == [2]
    other.two.go_on()
    assert other.two.got == []


def test_a_call_to_a_peer_that_ends_while_it_stands_still_fails_soon() -> None:
    link = Link()
    link.two.is_still = True
    link.one.ask(2, 0)
    link.run(10)
    link.two.endpoint.leave()
    link.run(5)
    assert link.one.lost == [2]


def test_a_reset_loses_what_is_on_its_way_and_is_seen_at_both_ends() -> None:
    link = Link()
    link.one.ask(2, 0)
    link.two.ask(1, 9)
    link.run(10)
    link.one.ask(2, 1)
    link.one.endpoint.reset(2, "fault")
    link.run(10)
    assert link.two.numbers() == [0, 9]
    assert link.one.lost == [2]
    assert link.two.lost == [1]
    assert link.one.kinds()[-1] is LinkReset


def test_a_silent_process_says_and_hears_nothing() -> None:
    link = Link()
    link.one.ask(2, 0)
    link.run(10)
    link.one.endpoint.silence()
    link.one.ask(2, 1)
    link.two.ask(1, 7)
    link.run(10)
    assert link.two.numbers() == [0]
    assert link.one.numbers() == [0]


def test_an_answer_goes_back_the_way_its_request_came_or_not_at_all() -> None:
    link = Link()
    link.two.answers = False
    link.one.ask(2, 0)
    link.run(10)
    link.two.endpoint.reset(1, "fault")
    answer = MetadataResponse(controller_id=-1, brokers=(), partitions=())
    link.two.endpoint.respond(1, Frame(2, 0, answer))
    link.two.endpoint.respond(1, Frame(2, 44, answer))
    link.run(10)
    assert link.one.got == []


def test_strangers_are_not_called() -> None:
    link = Link()
    link.one.ask(3, 0)
    link.one.ask(1, 0)
    link.run(10)
    assert not link.one.lost and not link.one.got


@pytest.mark.parametrize(
    ("options", "seen"),
    [
        ({"loss": 0.5}, lambda got: 20 < len(got) < 80 and got == sorted(got)),
        ({"duplicate": 0.5}, lambda got: len(got) > 120 and set(got) == set(range(1, 101))),
        ({"reorder": 0.5}, lambda got: got != sorted(got) and set(got) >= set(range(1, 101))),
    ],
)
def test_an_unkind_network_does_what_no_connection_does(options: dict[str, Any], seen: Any) -> None:
    link = Link(latency_us=(60, 61), **options)
    link.two.answers = False
    link.one.ask(2, 0)
    link.run(10)
    link.two.got.clear()
    for number in range(1, 101):
        link.one.ask(2, number)
        link.run(1)
    link.run(1_000)
    assert seen(link.two.numbers())


def test_a_way_loses_doubles_and_reorders_single_messages_only_while_a_fault_says_so() -> None:
    link = Link()
    link.two.answers = False
    link.one.ask(2, 0)
    link.run(10)
    link.one.endpoint.apply(LinkRules([UnkindLink(source=1, target=2, lost=50)]))
    link.one.ask(2, *range(1, 101))
    link.run(10)
    arrived = link.two.numbers()
    assert 25 < len(arrived) < 75
    assert arrived == sorted(set(arrived))
    link.one.endpoint.apply(LinkRules([UnkindLink(source=1, target=2, doubled=100)]))
    link.one.ask(2, 200)
    link.run(10)
    assert link.two.numbers()[-2:] == [200, 200]
    link.one.endpoint.apply(LinkRules([UnkindLink(source=1, target=2, overtaken=50, late_ms=50)]))
    link.one.ask(2, *range(300, 340))
    link.run(100)
    late = [number for number in link.two.numbers() if number >= 300]
    assert late != sorted(late) == list(range(300, 340))
    link.one.endpoint.apply(LinkRules())
    link.one.ask(2, *range(400, 440))
    link.run(10)
    assert link.two.numbers()[-40:] == list(range(400, 440))


def test_only_the_way_that_a_fault_names_is_unkind() -> None:
    link = Link()
    for end in (link.one, link.two):
        end.endpoint.apply(LinkRules([UnkindLink(source=2, target=1, lost=100)]))
    link.one.ask(2, *range(5))
    link.run(10)
    assert link.two.numbers() == list(range(5))
    assert link.one.numbers() == []
