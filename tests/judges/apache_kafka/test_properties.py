"""The properties of one node, and the files of Kafka that are read beside its logs."""

from dataclasses import replace

from cluster.model.settings import classroom_timing
from judges.apache_kafka.properties import NodePlan, checkpoint_of, quorum_state_of, server_properties
from workbench.cli.server_properties import mistakes


def lines_of(*, is_controller: bool, **changes: object) -> dict[str, str]:
    plan = NodePlan(node_id=101 if is_controller else 2, is_controller=is_controller, port=19100, log_dir="/logs")
    settings = replace(classroom_timing(), **changes)  # type: ignore[arg-type]  # names of settings
    text = server_properties(plan, {101: 19100, 102: 19101}, settings)
    assert mistakes(text) == [], "our own check of a server.properties finds nothing"
    return dict(line.split("=", 1) for line in text.splitlines())


def test_a_broker_advertises_a_name_that_each_link_may_lead_elsewhere() -> None:
    found = lines_of(is_controller=False)
    assert found["listeners"] == "PLAINTEXT://127.0.0.1:19100"
    assert found["advertised.listeners"] == "PLAINTEXT://node-2:19100"
    assert found["controller.quorum.voters"] == "101@node-101:19100,102@node-102:19101"


def test_a_controller_opens_its_own_listener_alone() -> None:
    found = lines_of(is_controller=True)
    assert found["listeners"] == "CONTROLLER://127.0.0.1:19100"
    assert "advertised.listeners" not in found


def test_settings_of_the_run_get_kafkas_names() -> None:
    found = lines_of(is_controller=False, unclean_leader_election=True, broker_session_timeout_ms=1234)
    assert (found["unclean.leader.election.enable"], found["broker.session.timeout.ms"]) == ("true", "1234")


def test_a_lag_time_shorter_than_the_wait_of_a_follower_is_lengthened() -> None:
    found = lines_of(is_controller=False, replica_lag_time_max_ms=100, replica_fetch_wait_max_ms=500)
    assert found["replica.lag.time.max.ms"] == "500"
    assert "replica.socket.timeout.ms" not in found


def test_the_socket_of_a_follower_waits_as_long_as_its_fetch() -> None:
    """Kafka takes no other: with 240 s and its own 30 s it did not format its disks."""
    found = lines_of(is_controller=False, replica_fetch_wait_max_ms=240_000)
    assert found["replica.socket.timeout.ms"] == found["replica.fetch.wait.max.ms"] == "240000"


def test_a_checkpoint_is_read_whole_or_not_at_all() -> None:
    assert checkpoint_of("0\n2\norders 0 5\nvisits 1 7\n") == {("orders", 0): 5, ("visits", 1): 7}
    assert checkpoint_of("0\n2\norders 0 5\n") == {}
    assert checkpoint_of("") == {}
    assert checkpoint_of("1\n0\n") == {}


def test_a_quorum_state_that_is_being_written_says_nothing() -> None:
    assert quorum_state_of('{"leaderId":101,"leaderEpoch":3}')["leaderEpoch"] == 3
    assert quorum_state_of('{"leaderId":1') == {}
    assert quorum_state_of("[]") == {}
