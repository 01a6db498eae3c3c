"""Links between nodes and their faults."""

from __future__ import annotations

import asyncio

from tests.support.worlds.links_world import LinksWorld, play

CUT = {"kind": "cut", "source": 1, "target": 2}
CUT_BACK = {"kind": "cut", "source": 2, "target": 1}


def test_a_request_connects_and_the_answer_comes_back_over_it() -> None:
    async def story(world: LinksWorld) -> None:
        world.ask(1, 2, 4)
        await world.until(lambda: world.correlations(2) == [4])
        world.answer(2, 1, 4)
        await world.until(lambda: world.correlations(1) == [4])
        assert world.names(1) == ["net.connected"]
        assert world.names(2) == []

    play(story)


def test_an_answer_goes_back_once_and_only_to_a_request() -> None:
    async def story(world: LinksWorld) -> None:
        world.ask(1, 2, 4)
        await world.until(lambda: world.correlations(2) == [4])
        for correlation in (8, 4, 4):
            world.answer(2, 1, correlation)
        world.ask(1, 2, 12)
        await world.until(lambda: world.correlations(2) == [4, 12])
        assert world.correlations(1) == [4]

    play(story)


def test_nothing_is_sent_to_itself_or_to_strangers() -> None:
    async def story(world: LinksWorld) -> None:
        world.ask(1, 1, 4)
        world.ask(1, 9, 4)
        await world.fence(1, 2)
        assert world.received[1] == []
        assert len(world.received[2]) == 1

    play(story)


def test_a_node_without_the_secret_is_not_heard() -> None:
    async def story(world: LinksWorld) -> None:
        await world.add(3, secret=bytes(32))
        world.ask(3, 2, 4)
        world.ask(1, 2, 8)
        await world.until(lambda: world.correlations(2) == [8])
        assert world.names(3) == []

    play(story)


def test_a_cut_holds_frames_in_order_and_delivers_them_late() -> None:
    async def story(world: LinksWorld) -> None:
        await world.add(3)
        world.ask(1, 2, 4)
        await world.until(lambda: world.correlations(2) == [4])
        world.apply(CUT)
        for correlation in (8, 12, 16):
            world.ask(1, 2, correlation)
        await world.fence(1, 3)
        assert world.correlations(2) == [4]
        world.apply()
        await world.until(lambda: world.correlations(2) == [4, 8, 12, 16])
        assert world.names(1) == ["net.connected", "net.held", "net.connected", "net.released"]
        assert world.said[1][-1].count == 3

    play(story)


def test_the_receiver_holds_too_when_the_sender_was_not_told() -> None:
    async def story(world: LinksWorld) -> None:
        world.apply(CUT, to=(2,))
        world.ask(1, 2, 4)
        await world.until(lambda: world.names(2) == ["net.held"])
        assert world.correlations(2) == []
        world.apply(to=(2,))
        await world.until(lambda: world.correlations(2) == [4])

    play(story)


def test_a_cut_one_way_lets_answers_the_other_way_through() -> None:
    async def story(world: LinksWorld) -> None:
        world.ask(1, 2, 4)
        await world.until(lambda: world.correlations(2) == [4])
        world.apply(CUT)
        world.answer(2, 1, 4)
        await world.until(lambda: world.correlations(1) == [4])

    play(story)


def test_past_the_timeout_the_connection_is_reset_and_what_was_held_is_gone() -> None:
    async def story(world: LinksWorld) -> None:
        world.ask(1, 2, 4)
        await world.until(lambda: world.correlations(2) == [4])
        world.apply(CUT)
        world.ask(1, 2, 8)
        await world.until(lambda: "net.reset" in world.names(1))
        assert world.said[1][-1].held_count == 1
        world.apply()
        world.ask(1, 2, 12)
        await world.until(lambda: world.correlations(2) == [4, 12])

    play(story, patience_ms=50)


def test_a_new_connection_hangs_while_the_way_back_is_cut() -> None:
    async def story(world: LinksWorld) -> None:
        await world.add(3)
        world.apply(CUT_BACK)
        world.ask(1, 2, 4)
        await world.fence(1, 3)
        assert world.correlations(2) == []
        world.apply()
        await world.until(lambda: world.correlations(2) == [4])

    play(story)


def test_delay_and_jitter_keep_the_order() -> None:
    async def story(world: LinksWorld) -> None:
        world.apply({"kind": "delay", "source": 1, "target": 2, "delay_ms": 20, "jitter_ms": 20})
        started = asyncio.get_running_loop().time()
        wanted = list(range(4, 84, 4))
        for correlation in wanted:
            world.ask(1, 2, correlation)
        await world.until(lambda: world.correlations(2) == wanted)
        assert asyncio.get_running_loop().time() - started >= 0.02

    play(story)


def test_a_link_that_is_quick_again_lets_go_of_what_waited() -> None:
    async def story(world: LinksWorld) -> None:
        world.ask(1, 2, 4)
        await world.until(lambda: world.correlations(2) == [4])
        world.apply({"kind": "delay", "source": 1, "target": 2, "delay_ms": 60_000})
        world.ask(1, 2, 8)
        world.ask(1, 2, 12)
        world.apply()
        world.ask(1, 2, 16)
        await world.until(lambda: world.correlations(2) == [4, 8, 12, 16])

    play(story)


def test_a_reset_drops_both_ends_and_the_next_request_connects_anew() -> None:
    async def story(world: LinksWorld) -> None:
        world.ask(1, 2, 4)
        await world.until(lambda: world.correlations(2) == [4])
        world.nodes[1].reset(2, "fault")
        world.ask(1, 2, 8)
        await world.until(lambda: world.correlations(2) == [4, 8])
        assert world.names(1) == ["net.connected", "net.reset", "net.connected"]

    play(story)


def test_a_silent_node_says_and_hears_nothing() -> None:
    async def story(world: LinksWorld) -> None:
        await world.add(3)
        world.ask(1, 2, 4)
        await world.until(lambda: world.correlations(2) == [4])
        world.nodes[2].silence()
        world.answer(2, 1, 4)
        world.ask(1, 2, 8)
        await world.fence(1, 3)
        assert world.received[1] == []
        assert world.correlations(2) == [4]

    play(story)


def test_requests_to_a_dead_node_are_lost_until_it_is_back() -> None:
    async def story(world: LinksWorld) -> None:
        world.nodes[2].close()
        world.ask(1, 2, 4)
        await world.until(lambda: world.lost[1] == [2])
        assert await world.nodes[2].listen(world.ports[2]) == world.ports[2]
        await world.ask_until_heard(1, 2, 8)
        assert world.correlations(2) == [8]

    play(story)
