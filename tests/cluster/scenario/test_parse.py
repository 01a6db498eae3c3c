"""Scripts are checked as a whole before anything starts."""

from __future__ import annotations

import pytest

from cluster.scenario.given import GivenNetwork
from cluster.scenario.parse import parse_script
from cluster.scenario.script import At, Do, Expect, Keep, Remember, Say, ScriptError, settings_of

HEAD = "cluster controllers=3 brokers=3 timing=classroom replica_lag_time_max_ms=700 elr=off truncation_mode=hw\n"
WHOLE = """
# A comment.
[begin]
cluster controllers=3 brokers=2 timing=classroom request_timeout_ms=900
topic orders replicas=2 min-isr=2
wait leader of quorum within 5s
remember old = leader of quorum
say It leads.
kill $old
expect quorum epoch > 1 within 20s
expect isr orders-0 = 1,2
keep leader orders-0 = 1 for 2s
[again]
expect no leader of quorum
[fresh]
cluster brokers=1
expect unfenced 1
"""


def test_a_whole_script_becomes_sections_and_steps() -> None:
    script = parse_script(WHOLE)
    assert [section.name for section in script.sections] == ["begin", "again", "fresh"]
    kinds = [type(step) for step in script.sections[0].steps]
    assert kinds == [Do, Expect, Remember, Say, Do, Expect, Expect, Keep]
    assert script.sections[1].plan is None
    plan = script.sections[0].plan
    assert plan is not None
    assert plan.spec("").nodes == (101, 102, 103, 1, 2)
    assert settings_of(plan).request_timeout_ms == 900
    assert settings_of(plan, 2.0).request_timeout_ms == 1800


EXPECTATIONS = (
    "leader of quorum", "no leader of quorum", "leader t-0", "no leader t-0", "leader t-0 = 2", "quorum epoch > 1",
    "isr t-0 = 1,2,3", "isr t-0 = none", "elr t-0 = 1", "leader_epoch t-0 = 1", "partition_epoch t-0 >= 1",
    "log_end t-0 on 2 = 5", "log_end metadata on 101 > 5", "high_watermark t-0 on 1 = 5", "durable t-0 on 1 < 5",
    "truncated t-0 on 1 to 5", "truncated metadata on 101", "acked t-0 = 5", "lost t-0 = 3", "diverged t-0",
    "identical t-0", "identical metadata", "error produce NOT_ENOUGH_REPLICAS", "error produce NO_ANSWER",
    "node 2 running", "role 101 follower", "fenced 2", "unfenced 1,2,3", "idle", "leader of quorum != leader t-0",
    "quorum epoch = quorum epoch + 1", "consumed t-0 = 0", "pre_votes by 101 > 0", "elections of quorum = 1",
    "elections t-0 = 1", "cuts t-0 on 1 = 0", "active controller = leader of quorum", "quorum_epoch on 101 = 1",
)  # fmt: skip


@pytest.mark.parametrize("text", EXPECTATIONS)
def test_each_expectation_can_be_written(text: str) -> None:
    parse_script(HEAD + "topic t\nexpect " + text + " within 10s\n")


BAD = [
    ("", 1, "no cluster line"),
    ("kill 1\n", 1, "the first line must be: cluster"),
    (HEAD + "kill 9\n", 2, "no node 9 in this cluster; allowed: brokers 1 to 3, controllers 101 to 103"),
    (HEAD + "kil 1\n", 2, "unknown verb 'kil'; did you mean kill"),
    (HEAD + "delay 1-2 -5ms\n", 2, "not a duration: '-5ms'"),
    (HEAD + "delay 1-9 5ms\n", 2, "no node 9"),
    (HEAD + "partition 1|7\n", 2, "no node 7"),
    (HEAD + "topic t replicas=4\n", 2, "more replicas than brokers"),
    (HEAD + "topic t assign=1,4,2\n", 2, "no such broker"),
    (HEAD + "produce t 1\n", 2, "topic 't' is not created before this line"),
    (HEAD + "topic t\nproduce t-1 1\n", 3, "partitions 0 to 0"),
    (HEAD + "kill leader(t-0)\n", 2, "topic 't' is not created"),
    (HEAD + "kill $who\n", 2, "nothing is remembered as 'who'"),
    (HEAD + "expect\n", 2, "a condition is missing"),
    (HEAD + "expect wonders\n", 2, "unknown condition 'wonders'"),
    (HEAD + "expect wonders = 1\n", 2, "unknown value 'wonders'"),
    (HEAD + "expect node 9 down\n", 2, "no node 9"),
    (HEAD + "expect node 1 happy\n", 2, "allowed: starting, running"),
    (HEAD + "expect quorum epoch > 1 within 5\n", 2, "not a duration"),
    (HEAD + "expect error produce OOPS\n", 2, "no such code"),
    (HEAD + "topic t\nexpect log_end t-0 = 1\n", 3, "the form is: log_end LOG on N"),
    (HEAD + "topic t\nexpect log_end t-0 on 8 = 1\n", 3, "no node 8"),
    (HEAD + "keep leader of quorum\n", 2, "how long is missing"),
    (HEAD + "remember X = 1\n", 2, "the form is: remember"),
    (HEAD + "[a]\n[a]\n", 3, "there twice"),
    (HEAD + "[A b]\n", 2, "not a section name"),
    (HEAD + "status\n" + HEAD, 3, "stands first"),
    ("cluster controllers=0\n", 1, "controllers: '0'; allowed: 1 to 9"),
    ("cluster brokers=1000\n", 1, "allowed: 0 to 9"),
    ("cluster brokrs=3\n", 1, "did you mean brokers"),
    ("cluster timing=fast\n", 1, "allowed: classroom, kafka"),
    ("cluster elr=maybe\n", 1, "allowed: on, off"),
    ("cluster truncation_mode=x\n", 1, "allowed: hw, kip101, kip279, fetch"),
    ("cluster request_timeout_ms=0\n", 1, "allowed: 1 to 8640000000"),
    ("cluster brokers=1 brokers=2\n", 1, "given twice"),
    ("cluster control=zookeeper commit_rule=majority\n", 1, "commit_rule: allowed: isr with control=zookeeper"),
    ("cluster control=zookeeper auto_join=on\n", 1, "auto_join: allowed: off with control=zookeeper"),
    ("cluster control=zookeeper\ntopic t commit-rule=majority\n", 2, "not with control=zookeeper"),
    (HEAD + "say " + "x" * 5000, 2, "at most 4000"),
]


@pytest.mark.parametrize(("text", "line", "message"), BAD, ids=[message[:30] for _, _, message in BAD])
def test_each_mistake_names_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(ScriptError) as caught:
        parse_script(text)
    assert caught.value.line == line
    assert message in caught.value.what


def test_a_command_at_a_time_is_exact_to_the_nanosecond_and_checked_like_any_other() -> None:
    script = parse_script(HEAD + "at 1.000000001s topic t\nat 12s produce t 3 wait=no\nat 0.5s kill 1\n")
    steps = [step for step in script.sections[0].steps if isinstance(step, At)]
    assert [(step.at_ns, step.command) for step in steps] == [
        (1_000_000_001, "topic t"),
        (12_000_000_000, "produce t 3 wait=no"),
        (500_000_000, "kill 1"),
    ]
    for line, why in (
        ("at 1.5 kill 1", "the form is"),
        ("at 1s", "the form is"),
        ("at 1.0000000001s kill 1", "the form is"),
        ("at 1s kill 9", "no node 9"),
        ("at 1s produce t 1", "not created before"),
        ("at 1s try kill 1", "unknown command"),
    ):
        with pytest.raises(ScriptError, match=why):
            parse_script(HEAD + line + "\n")


def test_a_combined_cluster_numbers_all_its_nodes_from_one() -> None:
    plan = parse_script("cluster controllers=3 brokers=4 combined=yes\nkill 4\n").sections[0].plan
    assert plan is not None
    assert plan.spec("").nodes == (1, 2, 3, 4)
    with pytest.raises(ScriptError, match="controllers 1 to 3"):
        parse_script("cluster controllers=3 brokers=4 combined=yes\nkill 101\n")
    with pytest.raises(ScriptError, match="allowed: yes, no"):
        parse_script("cluster combined=on\n")
    with pytest.raises(ScriptError, match="nothing but faults and a network"):
        parse_script("cluster combined=yes\ngiven election on 1 = epoch 5\n")


def test_a_network_may_be_given_a_latency() -> None:
    plan = parse_script(HEAD + "given network latency=200us-5ms\n").sections[0].plan
    assert plan is not None
    assert plan.given == (GivenNetwork(latency_us=(200, 5000)),)
    assert plan.given_lines == ("network latency=200us-5ms",)
    with pytest.raises(ScriptError, match="not a range"):
        parse_script(HEAD + "given network latency=5ms-200us\n")


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("leader orders-0 = none", "'leader orders-0' is a number, never the nodes 'none'; .* is: no leader orders-0"),
        ("none != log_end orders-0 on 1", "'log_end orders-0 on 1' is a number, never the nodes 'none'"),
        ("follower orders-0 = 1,2", "'follower orders-0' is a number, never the nodes '1,2'"),
        ("events raft.booted on 101 = none", "'events raft.booted on 101' is a number, never the nodes 'none'"),
        ("isr orders-0 < 1,2", "is a set of nodes, which has no order; allowed: = and !="),
    ],
)
def test_a_comparison_that_can_never_hold_is_refused(condition: str, message: str) -> None:
    topic = HEAD + "topic orders replicas=2\n"
    with pytest.raises(ScriptError, match=message):
        parse_script(f"{topic}expect {condition}\n")
    assert parse_script(f"{topic}remember in = isr orders-0\nexpect $in = none\nexpect elr orders-0 != none\n")
