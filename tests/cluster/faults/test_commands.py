"""The command grammar: each verb, each error."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from cluster.faults import clients
from cluster.faults.grammar import COMMANDS, FAULTS, CommandError, known_commands, parse_command, suggestions
from cluster.language.command import Command
from cluster.language.transactions import TxnCommit
from cluster.language.words import Link, NodeName
from cluster.language.znodes import AskZooKeeper
from cluster.model.identifiers import METADATA, TopicPartition

c = SimpleNamespace(**{kind.__name__: kind for kind in COMMANDS})
ONE, TWO, THREE = NodeName(1), NodeName(2), NodeName(3)
ORDERS = TopicPartition("orders", 0)
EACH_VERB = [
    ("znode create /a data=x", AskZooKeeper("create", "/a", "x")),
    ("kill 1", c.Kill(ONE)),
    ("kill controller", c.Kill(NodeName(part="controller"))),
    ("kill leader", c.Kill(NodeName(part="controller"))),
    ("kill leader(orders-0)", c.Kill(NodeName(part="leader", topic_partition=ORDERS))),
    ("pause follower(orders-0)", c.Pause(NodeName(part="follower", topic_partition=ORDERS))),
    ("kill coordinator(g-1)", c.Kill(NodeName(part="coordinator", group="g-1"))),
    (
        "cut coordinator(g-1)-controller",
        c.Cut((Link(NodeName(part="coordinator", group="g-1"), NodeName(part="controller"), True),)),
    ),
    ("stop 1", c.Stop(ONE)),
    ("restart 1", c.Restart(ONE)),
    ("start 101", c.Start(NodeName(101))),
    ("pause 1", c.Pause(ONE)),
    ("resume 1", c.Resume(ONE)),
    ("stutter 1 50ms 1.5s", c.Stutter(ONE, 50, 1500)),
    ("stutter leader(orders-0) 20ms 20ms", c.Stutter(NodeName(part="leader", topic_partition=ORDERS), 20, 20)),
    ("power-loss 1,2", c.PowerLoss((ONE, TWO))),
    ("power-loss 1,2 keep=writes pick=7", c.PowerLoss((ONE, TWO), "writes", 7)),
    ("partition 1,2|3", c.Partition(((ONE, TWO), (THREE,)))),
    ("cut 1>2", c.Cut((Link(ONE, TWO),))),
    ("cut 1-2", c.Cut((Link(ONE, TWO, True),))),
    ("cut 1>2,3-1", c.Cut((Link(ONE, TWO), Link(THREE, ONE), Link(ONE, THREE)))),
    ("cut 1>2,leader>3", c.Cut((Link(ONE, TWO), Link(NodeName(part="controller"), THREE)))),
    ("cut leader(orders-0)-3", c.Cut((Link(NodeName(part="leader", topic_partition=ORDERS), THREE, True),))),
    ("isolate 2", c.Isolate(TWO)),
    ("delay 1-2 200ms", c.Delay(Link(ONE, TWO, True), 200)),
    ("delay 1>2 1.5s 50ms jitter", c.Delay(Link(ONE, TWO), 1500, 50)),
    ("withhold 1-2 VoteRequest,FetchResponse", c.Withhold(Link(ONE, TWO, True), ("VoteRequest", "FetchResponse"))),
    ("pluck 1>2 VoteResponse drop", c.Pluck(Link(ONE, TWO), "VoteResponse", "drop")),
    ("pluck 1>2 VoteResponse 200ms number=17", c.Pluck(Link(ONE, TWO), "VoteResponse", 200, 17)),
    ("slow-link 1-2 64KiB", c.SlowLink(Link(ONE, TWO, True), 65536)),
    ("reset 1-2", c.Reset(Link(ONE, TWO, True))),
    ("fsync lie 1", c.FsyncLie(ONE)),
    ("fsync lie-dir 1", c.FsyncLieDir(ONE)),
    ("fsync fail 1", c.FsyncFail(ONE)),
    ("lose 1>2 10%", c.LoseMessages(Link(ONE, TWO), 10)),
    ("lose all 2%", c.LoseMessages(None, 2)),
    ("duplicate 1-2 10%", c.DuplicateMessages(Link(ONE, TWO, True), 10)),
    ("reorder 1-2 10%", c.ReorderMessages(Link(ONE, TWO, True), 10, 200)),
    ("reorder all 100% 1s", c.ReorderMessages(None, 100, 1000)),
    ("clock skew 1 +2s", c.SkewClock(ONE, 2000)),
    ("clock skew leader(orders-0) -5ms", c.SkewClock(NodeName(part="leader", topic_partition=ORDERS), -5)),
    ("clock drift 1 10%", c.DriftClock(ONE, 10)),
    ("clock drift 1 -50%", c.DriftClock(ONE, -50)),
    ("clock ok 1", c.ClockOk(ONE)),
    ("crash 1 after vote", c.CrashPoint(ONE, "after vote")),
    ("crash 1 before rename", c.CrashPoint(ONE, "before rename")),
    ("fsync slow 1 500ms", c.FsyncSlow(ONE, 500)),
    ("fsync ok 1", c.FsyncOk(ONE)),
    ("client cut 1", clients.ClientCut(ONE)),
    ("client slow 1 200ms", clients.ClientSlow(ONE, 200)),
    ("client drop-responses 1 0.15", clients.ClientDropResponses(ONE, 0.15)),
    ("client drop-responses 1 15%", clients.ClientDropResponses(ONE, 0.15)),
    ("client ok 1", clients.ClientOk(ONE)),
    ("inject-error 1 api=produce error=NOT_ENOUGH_REPLICAS", c.InjectError(ONE, "produce", "NOT_ENOUGH_REPLICAS")),
    (
        "inject-error 1 error=NOT_COORDINATOR api=join-group for=5s",
        c.InjectError(ONE, "join-group", "NOT_COORDINATOR", 5000),
    ),
    ("disk-full 1", c.DiskFull(ONE)),
    ("disk-full 1 4KiB", c.DiskFull(ONE, 4096)),
    ("disk-ok 1", c.DiskOk(ONE)),
    ("misread 1", c.Misread(ONE)),
    ("wipe 1", c.Wipe(ONE)),
    ("tear 1 orders-0", c.Tear(ONE, TopicPartition("orders", 0))),
    ("tear 1 metadata", c.Tear(ONE, METADATA)),
    ("rot 1 orders-0 4", c.Rot(ONE, ORDERS, 4)),
    ("spoil-snapshot 1 flip", c.SpoilSnapshot(ONE, "flip")),
    ("heal", c.Heal()),
    ("heal 7", c.Heal(7)),
    ("flush 1", c.Flush(ONE)),
    ("topic __consumer_offsets assign=2,1", c.CreateTopic("__consumer_offsets", 1, 2, 1, (2, 1))),
    ("heal links", c.Heal(family="links")),
    ("heal disks", c.Heal(family="disks")),
    ("heal cut 1>2", c.Heal(None, c.Cut((Link(ONE, TWO),)))),
    ("heal fsync lie leader(orders-0)", c.Heal(None, c.FsyncLie(NodeName(part="leader", topic_partition=ORDERS)))),
    ("undo", c.Undo()),
    ("topic orders", c.CreateTopic("orders")),
    ("topic orders partitions=2 min-isr=2 assign=1,2,3", c.CreateTopic("orders", 2, 3, 2, (1, 2, 3))),
    ("topic orders replicas=3 wait=no retries=no", c.CreateTopic("orders", wait=False, retries=False)),
    ("topic orders assign=1,2", c.CreateTopic("orders", 1, 2, 1, (1, 2))),
    ("produce orders 5", c.Produce(ORDERS, 5)),
    (
        "produce orders-0 5 acks=1 'value=two words' batch=2 in-flight=3 wait=no retries=no",
        c.Produce(ORDERS, 5, 1, "two words", 2, 3, False, False),
    ),
    ("consume orders from=3 wait=no", c.Consume(ORDERS, 3, False)),
    ("produce orders 5 acks=all idempotent=on", c.Produce(ORDERS, 5, idempotent=True)),
    ("produce orders 5 acks=-1 idempotent=off", c.Produce(ORDERS, 5)),
    (
        "produce orders 6 key=ann,user-2..4 partitioner=librdkafka spoil=2",
        c.Produce(ORDERS, 6, keys=("ann", "user-2", "user-3", "user-4"), partitioner="librdkafka", spoil=2),
    ),
    ("consume orders from=3", c.Consume(ORDERS, 3)),
    (
        "consume orders,users group=g1 member=a assignor=sticky,range instance=i commit=each",
        c.Subscribe(("orders", "users"), "g1", "a", ("sticky", "range"), "i", "each"),
    ),
    ("txn commit A", TxnCommit("A")),
    ("member a kill", c.MemberOrder("a", "kill")),
    ("load off", c.Load(0)),
    ("load 200 acks=1 topic=users-1", c.Load(200, 1, TopicPartition("users", 1))),
    ("elect orders-0 unclean", c.Elect(ORDERS, True)),
    ("alter orders min-isr=2", c.AlterTopic("orders", 2)),
    ("reassign orders-0 2,3,4", c.Reassign(ORDERS, (2, 3, 4))),
    ("reassign orders-0 cancel", c.Reassign(ORDERS, ())),
    ("add voter 104", c.AddVoter(NodeName(104))),
    ("remove voter 101 directory=_biZ retries=no", c.RemoveVoter(NodeName(101), "_biZ", retries=False)),
    ("delete-records orders-0 7", c.DeleteRecords(ORDERS, 7)),
    ("delete-records orders-0 -1 wait=no", c.DeleteRecords(ORDERS, -1, wait=False)),
    ("freeze", c.Freeze()),
    ("thaw", c.Thaw()),
    ("status", c.Status()),
]


@pytest.mark.parametrize(("text", "command"), EACH_VERB, ids=[text for text, _ in EACH_VERB])
def test_each_verb_reads_as_its_command_and_back(text: str, command: Command) -> None:
    assert parse_command(text) == command
    assert parse_command(str(command)) == command


BAD = [
    ("", "empty command"),
    ("stutter 1 50ms", "stutter: something is missing: '1 50ms'; the form is: stutter N RUN STOP"),
    ("stutter 1 10ms 1s", "stutter: run: duration out of range: '10ms'; allowed: 20ms to 60s"),
    ("stutter 1 50ms 50", "stutter: stop: not a duration: '50'"),
    ("delete-records orders 7", "delete-records: partition: not a partition: 'orders'; allowed: TOPIC-NUMBER"),
    ("delete-records orders-0", "something is missing: 'orders-0'; the form is: delete-records TOPIC-P OFFSET|-1"),
    ("delete-records orders-0 -2", "delete-records: offset: not a whole number: '-2'"),
    ("delete-records __consumer_offsets-0 1", "names that begin with __ are internal"),
    ("produce orders 1 acks=1 idempotent=on", "produce: idempotent: needs acks=all and retries=yes"),
    ("produce orders 1 retries=no idempotent=on", "produce: idempotent: needs acks=all and retries=yes"),
    ("lunch 1", "unknown command: 'lunch'"),
    ("kil 1", "did you mean kill"),
    ("kill", "kill: something is missing; the form is: kill N"),
    ("kill 1 2", "kill: too many words: '1 2'"),
    ("kill x", "kill: node: no such node name: 'x'"),
    ("kill -1", "no such node name"),
    ("kill \u0661", "no such node name"),
    ("kill leader(a/b)", "not a topic name"),
    ("kill 'a", "a quote is not closed"),
    ("kill \x1b[31m", "\ufffd[31m"),
    ("power-loss 1,1", "named twice"),
    ("partition 1,2", "one group only"),
    ("partition 1,2|2", "in two groups"),
    ("partition 1|", "no such node name"),
    ("cut 1", "not a link: '1'; allowed: 1>2"),
    ("cut 1>1", "two ends"),
    ("cut 1>2,1-2", "a link is named twice: '1>2,1-2'"),
    ("cut 1>2,", "not a link"),
    ("cut 1>2>3", "not a link"),
    ("reset 1>2", "not a link"),
    ("delay 1-2 -5ms", "delay: delay: not a duration: '-5ms'; allowed: 1ms to 60s"),
    ("delay 1-2 0ms", "out of range"),
    ("delay 1-2 61s", "out of range"),
    ("delay 1-2 10", "not a duration"),
    ("delay 1-2 10ms 5ms jiter", "jitter is written after"),
    ("slow-link 1-2 fast", "not a size"),
    ("slow-link 1-2 1B", "size out of range"),
    ("fsync break 1", "fsync: kind: unknown kind: 'break'; allowed: lie, lie-dir, fail, ok, slow"),
    ("fsync slow 1", "fsync slow: something is missing: '1'; the form is: fsync slow N 500ms"),
    ("fsync lie 1 5ms", "fsync lie: too many words"),
    ("power-loss 1 keep=all", "power-loss: keep: not a choice: 'all'; allowed: durable, prefix, writes, sectors"),
    ("power-loss 1 pick=-1", "not a whole number"),
    ("lose 3-1", "something is missing: '3-1'; the form is: lose 1-2 10%"),
    ("lose 1-2 0%", "share out of range: '0%'; allowed: 1% to 100%"),
    ("lose 1-2 10", "not a share"),
    ("lose 1-2 -10%", "not a share"),
    ("duplicate every 10%", "duplicate: link: not a link"),
    ("clock skew 1 2s", "clock: offset: a sign is missing: '2s'; allowed: +1ms to +60s"),
    ("clock drift 1 -60%", "share out of range: '-60%'; allowed: -50% to 100%"),
    ("clock drift 1 0%", "share out of range"),
    ("clock stop 1", "clock: kind: unknown kind: 'stop'; allowed: skew, drift, ok"),
    ("clock ok 1 2s", "too many words"),
    ("crash 1 during vote", "crash: place: no such place: 'during vote'; allowed: before vote, after vote"),
    ("client break 1", "client: kind: unknown kind: 'break'; allowed: cut, slow, drop-responses, ok"),
    ("client cut", "something is missing"),
    ("client cut 1 2s", "too many words"),
    ("client slow 1", "something is missing"),
    ("client slow 1 fast", "not a duration"),
    ("client drop-responses 1 0", "share out of range: '0'; allowed: 0.15 or 15%"),
    ("client drop-responses 1 101%", "share out of range"),
    ("client drop-responses 1 many", "not a share"),
    ("inject-error 1 api=produce", "inject-error: something is missing: 'error='; the form is: inject-error N api="),
    ("spoil-snapshot 1 eat", "spoil-snapshot: how: not a choice: 'eat'; allowed: flip, cut, rename"),
    ("inject-error 1 api=lunch error=NOT_COORDINATOR", "inject-error: api: not a choice: 'lunch'"),
    ("inject-error 1 api=fetch error=NO_LUNCH", "inject-error: error: not a choice: 'NO_LUNCH'"),
    ("heal heal cut 1>2", "no fault"),
    ("heal x", "not a whole number"),
    ("topic ..", "not a topic name"),
    ("topic a/b", "not a topic name"),
    ("topic __x", "internal"),
    ("topic orders replica=3", "topic: unknown argument: 'replica=3'"),
    ("topic orders replicas=3 replicas=3", "twice"),
    ("topic orders min-isr=4", "topic: min-isr: no acks=all write could ever succeed: '4'; allowed: 1 to 3"),
    ("topic orders assign=1,1", "named twice"),
    ("topic orders assign=1,2 replicas=3", "does not fit assign"),
    ("produce orders", "something is missing"),
    ("produce orders 0", "number out of range"),
    ("produce orders 1.5", "not a whole number"),
    ("produce orders-1 5 partitioner=java", "produce: topic: a partitioner chooses the partition itself: 'orders-1'"),
    ("produce orders 5 partitioner=dice", "produce: partitioner: not a choice: 'dice'; allowed: java, librdkafka"),
    ("produce orders 5 key=u-5..2", "produce: key: not a run of keys: 'u-5..2'; allowed: 1 to 100 keys"),
    ("produce orders 5 key=a,,b", "produce: key: not a name; allowed: 1 to 60 of"),
    ("produce orders 5 acks=2", "produce: acks: not a choice: '2'; allowed: all, -1, 0, 1"),
    ("consume orders from=-1", "not a whole number"),
    ("elect orders", "not a partition"),
    ("elect orders-0 dirty", "unknown argument"),
    ("undo 1", "too many words"),
    ("kill " + "1" * 2000, "at most 1000"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[text[:40] or "empty" for text, _ in BAD])
def test_each_mistake_gets_one_clear_message(text: str, message: str) -> None:
    with pytest.raises(CommandError) as caught:
        parse_command(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_help_knows_every_verb_once() -> None:
    verbs = [item.verb for item in known_commands()]
    assert len(set(verbs)) == len(verbs) > 40
    assert all(item.usage.startswith(item.verb) and item.help.endswith(".") for item in known_commands())
    assert {text.split()[0] for text, _ in EACH_VERB} == set(verbs)


def test_suggestions_know_what_follows_in_each_place() -> None:
    assert suggestions("stutter 1 ", (1,)) == ["stutter 1 50ms", "stutter 1 200ms"]
    assert "stutter 1 50ms 1s" in suggestions("stutter 1 50ms ", (1,))
    assert suggestions("delete-records ", (1,), ("orders-0",)) == ["delete-records orders-0"]
    assert suggestions("delete-records orders-0 ", (1,)) == ["delete-records orders-0 -1", "delete-records orders-0 5"]
    assert suggestions("delete-records orders-0 5 ", (1,)) == ["delete-records orders-0 5 wait=no"]
    assert suggestions("consume orders-0 f", (1,)) == ["consume orders-0 from=0"]
    assert suggestions("elect orders-0 ", (1,)) == ["elect orders-0 unclean"]


def test_suggestions_continue_the_text() -> None:
    assert suggestions("ki") == ["kill"]
    assert suggestions("kill ", (2, 1), ("orders-0",)) == [
        "kill 1",
        "kill 2",
        "kill controller",
        "kill leader(orders-0)",
    ]
    assert suggestions("produce o", (1,), ("orders-0",)) == ["produce orders-0"]
    assert "produce orders-0 5 acks=1" in suggestions("produce orders-0 5 ac", (1,), ())
    assert suggestions("produce orders-0 5 acks=1 ac", (1,), ()) == []
    assert suggestions("partition 1", (1, 2, 3), ()) == ["partition 1|2,3"]
    assert suggestions("fsync ") == ["fsync lie", "fsync lie-dir", "fsync fail", "fsync ok", "fsync slow"]
    assert suggestions("fsync slow 1 5") == ["fsync slow 1 500ms"]
    assert suggestions("fsync lie 1 ", (1,)) == []
    assert suggestions("clock d") == ["clock drift"]
    assert suggestions("crash 1 after v") == ["crash 1 after vote"]
    assert "lose all" in suggestions("lose ", (1, 2))
    assert suggestions("power-loss 1 keep=w") == ["power-loss 1 keep=writes"]
    assert suggestions("client ") == ["client cut", "client slow", "client drop-responses", "client ok"]
    assert suggestions("client slow 2 ", (2,)) == ["client slow 2 200ms", "client slow 2 2s"]
    assert suggestions("nonsense ") == []


def test_a_fault_of_a_node_can_be_drawn_with_what_it_offers() -> None:
    """So the swarm sends a new one without a word about it."""
    drawn = [kind for kind in FAULTS.values() if kind.swarm and kind.usage().removeprefix(kind.verb).startswith(" N")]
    assert {"pause", "fsync slow", "disk-full"} <= {kind.verb for kind in drawn}
    for kind in drawn:
        assert isinstance(parse_command(kind.about("3", min)), kind)
