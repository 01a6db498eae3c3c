"""Pushes: in order, one on its way, again until somebody answers."""

from __future__ import annotations

from cluster.model.effects import Effect, Emit, Send
from cluster.model.events import PushSent
from cluster.model.messages import UpdateMetadataRequest
from cluster.model.settings import Settings
from cluster.zookeeper.channels import Channels


def _push(epoch: int) -> UpdateMetadataRequest:
    return UpdateMetadataRequest(
        controller_id=1, controller_epoch=epoch, broker_epoch=-1, live_brokers=(), partitions=(), topics=()
    )


def _sent(out: list[Effect]) -> list[tuple[int, int]]:
    return [(e.message.controller_epoch, e.correlation) for e in out if isinstance(e, Send)]  # type: ignore[union-attr]


def test_the_next_push_waits_for_the_answer_and_one_without_is_sent_again() -> None:
    out: list[Effect] = []
    channels = Channels(Settings(), out)
    channels.push(2, _push(1))
    assert out == [], "nobody is told who is not alive"
    channels.add(2)
    channels.push(2, _push(1))
    channels.push(2, _push(2))
    assert [epoch for epoch, _ in _sent(out)] == [1]
    channels.on_disconnected(2)
    channels.on_timer("push.2")
    assert [epoch for epoch, _ in _sent(out)] == [1, 1]
    told = [effect.event for effect in out if isinstance(effect, Emit)]
    assert [event.again for event in told if isinstance(event, PushSent)] == [False, True]
    channels.on_answer(2, _sent(out)[0][1])
    assert len(_sent(out)) == 2, "the answer to the try that was given up counts for nothing"
    channels.on_answer(2, _sent(out)[1][1])
    assert [epoch for epoch, _ in _sent(out)] == [1, 1, 2]


def test_a_broker_that_is_gone_is_told_nothing_more() -> None:
    out: list[Effect] = []
    channels = Channels(Settings(), out)
    channels.add(2)
    channels.push(2, _push(1))
    channels.remove(2)
    before = len(_sent(out))
    channels.push(2, _push(2))
    channels.on_timer("push.2")
    assert len(_sent(out)) == before
