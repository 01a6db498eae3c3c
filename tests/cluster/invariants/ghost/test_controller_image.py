"""What the active controller believes, from its decisions and from what survived in the log."""

from __future__ import annotations

from typing import Any

from cluster.invariants.ghost.controller_image import ControllerImages
from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.watcher import dispatch, names_partition
from cluster.model import events as ev
from tests.support.traces.controlled import Controlled
from tests.support.traces.partitions import CONTROLLER


def images_of(trace: Controlled) -> ControllerImages:
    ghost = Ghost()
    handlers = dispatch((ghost, ghost.controllers))
    for entry in trace.entries:
        event: Any = entry.event
        if names_partition(type(event)):
            ghost.here = ghost.of(event)
        for handler in handlers.get(type(event), ()):
            handler(entry, event)
    return ghost.controllers


def test_a_registered_broker_is_fenced_until_it_is_put_in_service() -> None:
    trace = Controlled()
    trace.brokers()
    trace.activate()
    trace.join(1, 4)
    assert images_of(trace).of(CONTROLLER).brokers[1].fenced
    trace.fence(1, fenced=False)
    facts = images_of(trace).of(CONTROLLER).brokers[1]
    assert (facts.fenced, facts.broker_epoch, facts.incarnation) == (False, 4, 0)
    trace.join(1, 4)
    assert not images_of(trace).of(CONTROLLER).brokers[1].fenced


def test_another_controller_knows_what_its_log_holds() -> None:
    trace = Controlled()
    trace.brokers()
    trace.activate()
    trace.join(1, 4)
    kept = trace.metadata_end
    for offset in range(kept):
        trace.add(
            102,
            ev.MetadataAppended(
                base_offset=offset, end_offset=offset + 1, epochs=((1, offset),), kinds=("x",), role="follower"
            ),
        )
    trace.join(2, 5)
    trace.metadata_end = kept
    trace.activate(102, 2)
    images = images_of(trace)
    assert sorted(images.of(102).brokers) == [1]
    assert sorted(images.of(CONTROLLER).brokers) == [1, 2]


def test_a_controller_that_does_not_know_that_it_is_deposed_goes_on_from_its_own_image() -> None:
    trace = Controlled()
    trace.brokers()
    trace.activate()
    trace.join(1, 4)
    end = trace.metadata_end
    trace.metadata_end = 0
    trace.activate(102, 2)
    trace.metadata_end = end
    trace.join(2, 5)
    images = images_of(trace)
    assert sorted(images.of(CONTROLLER).brokers) == [1, 2]
    assert not images.of(102).brokers


def test_a_controller_that_hears_late_that_it_led_does_not_know_what_was_decided_since() -> None:
    """Found by the swarm, seed 42372 with damaged disks: it registered a broker as its log of long ago had it."""
    trace = Controlled()
    trace.brokers()
    trace.activate(CONTROLLER, 3)
    trace.join(1, 4)
    trace.activate(102, 2)
    images = images_of(trace)
    assert not images.of(102).brokers
    assert sorted(images.of(CONTROLLER).brokers) == [1]
