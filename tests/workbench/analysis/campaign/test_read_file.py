"""A campaign file is understood whole or refused with one sentence: where, what, what was seen, what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.traces.made_campaign import SMALL, made
from workbench.analysis.campaign.conduct import CAMPAIGNS, campaign_names
from workbench.analysis.campaign.fields import CampaignError
from workbench.analysis.campaign.measures import MEASURES
from workbench.analysis.campaign.read_file import TABLES, read_campaign


def test_cells_are_all_combinations_row_by_row(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    assert [cell.number for cell in campaign.cells] == list(range(1, 9))
    assert campaign.cells[0].levels == (("fault", "none"), ("acks", "1"), ("min_isr", "1"))
    assert campaign.cells[-1].levels == (("fault", "leader killed"), ("acks", "all"), ("min_isr", "2"))
    assert [(cell.plan.load.acks, cell.plan.min_isr) for cell in campaign.cells[:4]] == [
        ("1", 1), ("1", 2), ("all", 1), ("all", 2),
    ]  # fmt: skip


def test_a_setting_given_in_milliseconds_is_final_whatever_the_timing(tmp_path: Path) -> None:
    campaign = made(tmp_path, SMALL + "\n[settings]\nreplica_lag_time_max_ms = 777\n")
    settings = campaign.cells[0].plan.settings
    assert (settings.replica_lag_time_max_ms, settings.broker_session_timeout_ms) == (777, 1500)


def test_a_fault_that_names_a_node_which_is_not_there_leaves_a_hole_in_the_grid(tmp_path: Path) -> None:
    text = SMALL.replace('set = "topic.min_isr"', 'set = "topic.replicas"')
    text = text.replace('steps = ["0s kill $1"]', 'steps = ["0s kill $1", "0s kill $2"]')
    campaign = made(tmp_path, text)
    assert campaign.across == [("1", "1"), ("1", "2"), ("all", "1"), ("all", "2")]
    (none, first), (killed, second) = campaign.grid
    assert (none, killed) == (("none",), ("leader killed",)) and first == list(campaign.cells[:4])
    assert second == [None, campaign.cells[4], None, campaign.cells[5]] and len(campaign.cells) == 6


def test_what_a_fault_is_called_changes_no_run(tmp_path: Path) -> None:
    one = made(tmp_path).cells[-1].plan
    other = made(tmp_path, SMALL.replace("The leader is killed.", "It dies.")).cells[-1].plan
    assert one != other and one.key("e") == other.key("e")


def test_equal_plans_have_equal_keys_and_another_engine_or_value_another(tmp_path: Path) -> None:
    one, other = made(tmp_path).cells[0].plan, made(tmp_path).cells[0].plan
    assert one.key("e") == other.key("e")
    assert one.key("e") != one.key("f")
    assert one.key("e") != made(tmp_path, SMALL.replace('"3s"', '"3100ms"')).cells[0].plan.key("e")


@pytest.mark.parametrize("name", campaign_names())
def test_what_comes_along_can_be_read(name: str) -> None:
    campaign = read_campaign(CAMPAIGNS / f"{name}.toml")
    assert campaign.not_shown, "it says what its numbers do not show"
    assert len(campaign.cells) > 10


MISTAKES = [
    ("title = ", "titel = ", "title is missing"),
    ('rows = ["fault"]', 'rows = ["falt"]', "rows: no such axis: 'falt'; there are fault, acks, min_isr"),
    ('rows = ["fault"]', "rows = []", "axes: stands in neither rows nor columns: 'fault'"),
    ('rows = ["fault"]', 'rows = ["fault", "acks"]', "columns: stands in rows too: 'acks'"),
    ('"loss_share"', '"loss_shar"', "measures: no such measure: 'loss_shar'; there are split_share"),
    ("controllers = 1", "controllers = 10", "cluster.controllers: must be a whole number: 10; 1 to 9"),
    ("controllers = 1", "controlers = 1", "cluster: unknown key: 'controlers'; did you mean controllers?"),
    ('warm_up = "1s"', "warm_up = 1", "times.warm_up: must be a duration: 1; 0 ms to 60 s"),
    ('trouble = "3s"', 'trouble = "1h"', "times.trouble: must be a duration: '1h'"),
    ('set = "load.acks"', 'set = "load"', "axes.acks.set: cannot be varied: 'load'; fault, or TABLE.KEY"),
    ('set = "load.acks"', 'set = "load.ack"', "at fault none, acks 1, min_isr 1: load: unknown key: 'ack'"),
    (
        'values = ["1", "all"]',
        'values = ["1", "2"]',
        "acks 2, min_isr 1: load.acks: no such choice: '2'; there are all",
    ),
    ('values = ["1", "all"]', 'values = ["1", "1"]', "axes.acks.names: must name each value, each differently"),
    ('values = ["1", "all"]', "values = []", "axes.acks.values: must be a list of 1 to 24 values"),
    ("values = [1, 2]", "values = [1, 4]", "min_isr 4: topic.min_isr: must be a whole number: 4; 1 to 3"),
    (
        'steps = ["0s kill $1"]',
        'steps = ["0s kil $1"]',
        "faults.\"leader killed\".steps: in '0s kil $1': unknown command",
    ),
    ('steps = ["0s kill $1"]', 'steps = ["kill $1"]', "faults.\"leader killed\".steps: must be a duration: 'kill'"),
    ('steps = ["0s kill $1"]', 'steps = ["2s kill $1", "1s heal"]', "steps: are not in order of time"),
    (
        'steps = ["0s kill $1"]',
        'steps = ["5s kill $1"]',
        "times.trouble: ends before the last step of the fault: '3000",
    ),
    ('text = "The leader is killed."', "", 'faults."leader killed": text is missing'),
    ("[cluster]", "[clutser]", "the file: unknown section: [clutser]; did you mean [cluster]?"),
    ("[cluster]", "[settings]\nelection = 1\n[cluster]", "settings.election: no such setting: 'election'"),
    ("[cluster]", "[settings]\nelr = 1\n[cluster]", "settings.elr: must be true or false: 1"),
    ("[cluster]", "[network]\nlatency_ms = [2, 1]\n[cluster]", "network.latency_ms: must be least and largest: [2, 1]"),
    ("[cluster]", "[network]\nloss = 2\n[cluster]", "network.loss: must be a share: 2; a number from 0 to 1"),
    ("[cluster]", "[expected]\nL1 = 1\n[cluster]", "expected.L1: must be a table: 1"),
    ("[cluster]", "[expected.L1]\nwhere = { acks = ['1'] }\n[cluster]", "expected.L1: why is missing"),
    ("[cluster]", "[expected.L1]\nwhy = 'w'\nwere = 1\n[cluster]", "unknown key: 'were'; did you mean where?"),
    (
        "[cluster]",
        "[expected.L1]\nwhy = 'w'\nwhere = { ack = ['1'] }\n[cluster]",
        "expected.L1.where.ack: no such axis: 'ack'; there are fault, acks, min_isr",
    ),
    (
        "[cluster]",
        "[expected.L1]\nwhy = 'w'\nwhere = { acks = ['2'] }\n[cluster]",
        "expected.L1.where.acks: no such level: '2'; there are 1, all",
    ),
    ("[cluster]", "[cluster", "is not TOML"),
    ("[cluster]", 'fault = "leader shot"\n[cluster]', ""),
]


@pytest.mark.parametrize(("right", "wrong", "told"), MISTAKES[:-1])
def test_a_mistake_is_told_with_its_place(tmp_path: Path, right: str, wrong: str, told: str) -> None:
    assert right in SMALL
    with pytest.raises(CampaignError) as raised:
        made(tmp_path, SMALL.replace(right, wrong, 1))
    assert told in str(raised.value)
    assert "\n" not in str(raised.value).replace("is not TOML", "")


def test_two_cells_that_ask_the_same_are_refused(tmp_path: Path) -> None:
    text = SMALL.replace("values = [1, 2]", 'values = [2, 2]\nnames = ["two", "zwei"]')
    with pytest.raises(CampaignError, match="min_isr zwei: is the same as fault none, acks 1, min_isr two"):
        made(tmp_path, text)


def test_too_many_cells_are_refused(tmp_path: Path) -> None:
    numbers = ", ".join(map(str, range(1, 25)))
    more = f'\n[axes.a]\nset = "load.every"\nvalues = [{", ".join(f"{chr(34)}{n}ms{chr(34)}" for n in range(1, 25))}]\n'
    text = SMALL.replace("values = [1, 2]", f"values = [{numbers}]").replace("topic.min_isr", "load.waiting") + more
    with pytest.raises(CampaignError, match="axes: must give 1 to 400 cells"):
        made(tmp_path, text.replace('rows = ["fault"]', 'rows = ["fault", "a"]'))


def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CampaignError, match="No such file"):
        read_campaign(tmp_path / "nothing.toml")
    (tmp_path / "large.toml").write_text("#" * 70_000)
    with pytest.raises(CampaignError, match="larger than 65536 bytes, not read"):
        read_campaign(tmp_path / "large.toml")


def test_the_manual_names_every_key_and_every_measure() -> None:
    manual = (CAMPAIGNS / "README.md").read_text("utf-8")
    for measure in MEASURES.values():
        assert f"| `{measure.name}` | {measure.title}. {measure.text} |" in manual
    for table in TABLES:
        assert f"| `[{table}]` |" in manual
    for key in ("controllers", "watched", "warm_up", "shift", "trouble", "calm", "latency_ms", "waiting", "not_shown"):
        assert f"`{key}" in manual


def test_the_example_of_the_manual_can_be_read(tmp_path: Path) -> None:
    example = (CAMPAIGNS / "README.md").read_text("utf-8").split("```toml")[1].split("```")[0]
    text = (
        SMALL.split("[axes.fault]")[0]
        .replace('"3s"', '"9s"')
        .replace('columns = ["acks", "min_isr"]', 'columns = ["min_isr", "fault"]')
    )
    campaign = made(tmp_path, text.replace('rows = ["fault"]\n', "") + '[axes.fault]\nset = "fault"\n' + example)
    assert [cell.title for cell in campaign.cells][-1] == "min_isr two, fault leader cut off"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"\xef\xbb\xbf" + SMALL.encode(), "small.toml: begins with a byte order mark; save it as UTF-8 without one"),
        (SMALL.encode("utf-16"), "small.toml: is not UTF-8: byte 0 is 0xff; save it as UTF-8"),
        (SMALL.encode() + b"\n[topic]\nreplicas=3\n[topic]\n", "small.toml: is not TOML: [topic] stands there twice"),
        (SMALL.encode() + b"\n[tims]\nx=1\n", "the file: unknown section: [tims]; did you mean [times]?"),
        (SMALL.encode() + b'\n[axes."a\\u001b b"]\nset=3\n', 'axes."a\u241b b".set'),
    ],
)
def test_a_section_or_a_byte_that_is_wrong_is_told_as_it_stands_in_the_file(
    tmp_path: Path, data: bytes, sentence: str
) -> None:
    path = tmp_path / "small.toml"
    path.write_bytes(data)
    with pytest.raises(CampaignError) as refused:
        read_campaign(path)
    assert str(refused.value).startswith(sentence), str(refused.value)
    assert str(refused.value).isprintable()
