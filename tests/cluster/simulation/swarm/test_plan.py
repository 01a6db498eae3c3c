"""The swarm draws all sizes, settings, faults and commands; what it never draws is listed with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import pytest

from cluster.cluster_spec import Options
from cluster.faults.clients import CLIENT_FAULTS, ClientOk
from cluster.faults.disks import Flush
from cluster.faults.grammar import COMMANDS, parse_command
from cluster.faults.healing import Status
from cluster.faults.links import Withhold
from cluster.faults.plucking import Pluck
from cluster.language.topics import AlterTopic, Load
from cluster.language.transactions import TxnAbort, TxnArrive, TxnBegin, TxnCommit, TxnProduce
from cluster.language.znodes import AskZooKeeper
from cluster.model.settings import Settings, setting_names
from cluster.simulation.swarm.plan import DAMAGES, OF_SNAPSHOTS, SHARES, USUAL_SHARE, SwarmPlan, draw_plan
from cluster.simulation.swarm.seed import run

PLANS = [draw_plan(seed, 10.0) for seed in range(1, 401)]
UNDRAWN_SETTINGS = {
    "quorum_election_spread_percent": "a narrow spread splits the votes for ever, which L1 rightly calls late",
    "max_message_bytes": "no built-in client sends so much",
    "offset_metadata_max_bytes": "built-in members commit no metadata",
    "consumer_group_max_size": "a group never gets so large",
    "auto_create_topics": "of Kafka clients only",
    **dict.fromkeys(("fetch_sessions", "fetch_session_slots"), "no seed has sessions unless it is asked for them"),
    "client_pipelining": "of Kafka clients only",
    "client_auth": "of Kafka clients only",
    **dict.fromkeys(
        (
            "transaction_version",
            "transaction_verification",
            "transaction_state_partitions",
            "transaction_state_replicas",
            "transaction_state_min_isr",
        ),
        "no seed has transactions unless it is asked for them",
    ),
    "host_fsync": "a simulated disk has no host",
    "trace": "nothing could be judged",
    "control": "only where a seed is asked to: tests/swarm/test_zookeeper_bugs.py",
    "broker_epochs": "without them a broker that is back too soon serves nothing for ever, as before KIP-380",
    "controlled_shutdown_max_retries": "three tries are few enough",
    **dict.fromkeys(("zookeeper_max_in_flight_requests", "controller_epoch_check"), "in zookeeper mode only"),
}
UNDRAWN_OPTIONS = {
    **dict.fromkeys(
        ("loss", "duplicate", "reorder", "reorder_ms"), "the same is done by commands, which can be healed"
    ),
    **dict.fromkeys(("connect_us", "hang_up_us", "flush_us", "boot_ms"), "no script can say it, so none could be made"),
}
UNSENT = {
    **dict.fromkeys(
        (*CLIENT_FAULTS, ClientOk), "it stands between a broker and Kafka clients, which no simulation has"
    ),
    Status: "it changes nothing",
    **dict.fromkeys((TxnBegin, TxnProduce, TxnCommit, TxnAbort, TxnArrive), "only where it is asked for"),
    AskZooKeeper: "there is a ZooKeeper in one mode only, and who writes past the controller breaks what it likes",
    Withhold: "a link that is cut or late breaks what one without a kind of message does",
    AlterTopic: "what must be in sync is drawn for each topic, and P18 says what it says of the newest",
    Pluck: "a message that is lost, withheld or late by itself breaks what one that is plucked does",
    Load: "the clients of the swarm do the same, and more",
    Flush: "it takes from a power loss what would break something",
}


def test_every_setting_is_drawn_or_listed() -> None:
    drawn = {name for name in setting_names() if len({getattr(plan.config.settings, name) for plan in PLANS}) > 1}
    assert set(setting_names()) - drawn == set(UNDRAWN_SETTINGS)


def test_every_option_of_the_world_is_drawn_or_listed() -> None:
    names = {item.name for item in fields(Options)}
    drawn = {name for name in names if len({getattr(plan.config.options, name) for plan in PLANS}) > 1}
    assert names - drawn == set(UNDRAWN_OPTIONS)


def test_every_field_of_a_plan_is_drawn() -> None:
    values = {item.name: {str(getattr(plan, item.name)) for plan in PLANS} for item in fields(SwarmPlan)}
    alike = {name for name, found in values.items() if len(found) == 1}
    assert alike == {"duration_s", "transactions_every_s", "ambush_every_s"}, "no seed has transactions by itself"


@pytest.mark.parametrize(
    ("what", "wanted"),
    [
        ("voters", {1, 2, 3, 4, 5}),
        ("brokers", {1, 2, 3, 4, 5, 6}),
        ("replicas", {1, 2, 3, 4, 5}),
        ("min_isr", {1, 2, 3}),
        ("topics", {1, 2}),
        ("groups", {0, 1, 2}),
        ("protocol", {"classic", "consumer"}),
        ("truncation_mode", {"hw", "kip101", "kip279", "fetch"}),
        ("lag_max_messages", {0, 1, 5}),
    ],
)
def test_all_sizes_and_all_ways_are_drawn(what: str, wanted: set[object]) -> None:
    drawn: dict[str, Sequence[Any]] = {
        "voters": [plan.config.controllers - plan.config.settings.spare_controllers for plan in PLANS],
        "brokers": [plan.config.brokers for plan in PLANS],
        "replicas": [topic.replicas for plan in PLANS for topic in plan.topics],
        "min_isr": [topic.min_isr for plan in PLANS for topic in plan.topics],
        "topics": [len(plan.topics) for plan in PLANS],
        "groups": [len(plan.groups) for plan in PLANS],
        "protocol": [group.protocol for plan in PLANS for group in plan.groups],
        "truncation_mode": [plan.config.settings.truncation_mode for plan in PLANS],
        "lag_max_messages": [plan.config.settings.lag_max_messages for plan in PLANS],
    }
    counted = Counter(drawn[what])
    assert set(counted) == wanted
    assert min(counted.values()) >= len(PLANS) // 50


def test_topics_fit_the_brokers_and_differ() -> None:
    for plan in PLANS:
        assert all(topic.min_isr <= topic.replicas <= plan.config.brokers for topic in plan.topics)
        assert {name for group in plan.groups for name in group.topics} <= {topic.name for topic in plan.topics}
    assert any(len({topic[1:] for topic in plan.topics}) > 1 for plan in PLANS)


def test_every_command_is_sent_or_listed() -> None:
    """A seed is played only where it may send what was not sent yet."""
    wanted = set(COMMANDS) - set(UNSENT)
    rare = {*(kind for kind, share in SHARES.items() if share < USUAL_SHARE), *DAMAGES, OF_SNAPSHOTS} - {
        "elect unclean",
        "cut links",
        "ok",
    }
    plans = (draw_plan(seed, 3.0, disk_faults=True) for seed in range(1, 401))
    busy = [plan for plan in plans if plan.fault_every_s < 0.1 and plan.config.brokers <= 4]
    busy.sort(key=lambda plan: -len(rare & {*plan.kinds, *plan.damages}))
    for plan in busy:
        if wanted and plan.change_voters_every_s or rare & {*plan.kinds, *plan.damages}:
            for item in run(plan.config.seed, plan.duration_s, disk_faults=True).schedule.timed:
                wanted.discard(type(parse_command(item.command)))
                rare -= {kind for kind in rare if item.command.startswith(kind)}
        if not wanted:
            return
    assert wanted == set()


def test_settings_of_another_time_are_rare_enough_to_hide_nothing() -> None:
    """hw and kip101 may lose records, which is excused; so may elections that are unclean."""
    strict = [plan for plan in PLANS if plan.config.settings.truncation_mode in ("fetch", "kip279")]
    assert len(strict) > 0.8 * len(PLANS)
    assert Settings().truncation_mode == "fetch"


def test_a_share_of_the_seeds_has_racks_and_consumers_that_read_in_them() -> None:
    racked = [plan.config.settings for plan in PLANS if plan.config.settings.broker_racks]
    assert 60 <= len(racked) <= 100
    assert {settings.broker_racks for settings in racked} == {2, 3}
    assert {settings.replica_selector for settings in racked} == {"rack"}


def test_a_snapshot_that_is_soon_replaced_is_not_fetched_in_the_smallest_pieces() -> None:
    """Kafka forgets at once what it deletes: whoever is too slow for each of them would never have one."""
    settings = [plan.config.settings for plan in PLANS]
    pieces = {drawn.fetch_snapshot_max_bytes for drawn in settings}
    assert 100 in pieces, "else this says nothing"
    for drawn in settings:
        if 1 in (drawn.metadata_max_retention_bytes, drawn.metadata_log_max_record_bytes_between_snapshots):
            assert drawn.fetch_snapshot_max_bytes >= 1_000
