"""A lesson on real processes, and what the tables say of it against the fold that the checks of scripts use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cluster.model.identifiers import METADATA, TopicPartition
from cluster.picture.cluster_state import ClusterState
from cluster.trace.reader import read_all
from workbench.runs.judgement import judge

if TYPE_CHECKING:
    from workbench.analysis.store.tables import Store

pytestmark = pytest.mark.spark
ORDERS = TopicPartition("orders", 0)


@pytest.mark.first
def test_the_tables_of_a_real_run_agree_with_its_fold(recorded: Path, analysed: Store) -> None:
    from workbench.analysis.pipeline import rows_of

    state = ClusterState()
    for entry in read_all(recorded / "trace"):
        state.apply(entry)
    (found,) = rows_of(analysed, [recorded.name])
    assert found.run["event_count"] == state.entries
    fates = [row["fate"] for row in found.tables["record_fates"]]
    lost = state.lost(ORDERS)
    assert lost is not None and len(lost) == 3, "what the script itself expects"
    assert (fates.count("lost"), fates.count("visible")) == (len(lost), state.acked_count(ORDERS) - len(lost))
    quorum = [(item.epoch, item.leader) for item in state.elections if item.topic_partition == METADATA]
    assert [(row["epoch"], row["leader"]) for row in found.of("leaderships", *METADATA)] == quorum
    led = [(item.epoch, item.leader) for item in state.elections if item.topic_partition == ORDERS]
    assert [(row["epoch"], row["leader"]) for row in found.of("leaderships", *ORDERS)] == led
    cuts = [(cut.node, cut.old_end_offset, cut.end_offset, cut.kind) for cut in state.cuts]
    told = [(row["node"], row["old_end_offset"], row["end_offset"], row["kind"]) for row in found.tables["truncations"]]
    assert told == cuts
    assert [row["acknowledged_count"] for row in found.of("truncations", *ORDERS)] == [3]
    ends = {}
    for row in found.of("log_positions", *ORDERS):
        ends[row["node"]] = row["log_end_offset"], row["high_watermark"]
    logs = {node: log for (node, tp), log in state.logs.items() if tp == ORDERS}
    assert ends == {node: (log.log_end_offset, log.high_watermark) for node, log in logs.items()}
    windows = [(row["kind"], row["leader"]) for row in found.of("outages", *ORDERS)]
    assert windows == [("leader down", 1), ("leader down", found.of("leaderships", *ORDERS)[1]["leader"])]
    judged = {
        row["rule"]: (row["verdict"], row["check_count"], row["violation_count"]) for row in found.tables["verdicts"]
    }
    assert judged == {
        line.info.id: (str(line.verdict), line.checks, line.violation_count) for line in judge(recorded).table
    }
    assert {row["commanded_by"] for row in found.tables["faults"]} == {"script"}
    checks = [row for row in found.tables["script"] if row["what"] == "checked"]
    assert len(checks) > 15 and all(row["held"] for row in checks)
