from __future__ import annotations

from cluster.model.settings import Settings
from workbench.course.library import find_lesson
from workbench.course.timing import script_with_timing, settings_at


def test_a_section_acts_on_the_cluster_that_was_begun_last() -> None:
    script = find_lesson("2").script
    limits = {name: settings_at(script, name).replica_lag_time_max_ms for name in ("noon", "silent", "behind", "towns")}
    assert limits == {"noon": 1500, "silent": 1500, "behind": 600, "towns": 1500}
    assert settings_at(script, "") == Settings(), "before any is begun"
    normal, slow = settings_at(script, "noon"), settings_at(script, "noon", slow=2.0)
    assert slow.broker_heartbeat_interval_ms == 2 * normal.broker_heartbeat_interval_ms


def test_another_timing_is_that_of_every_cluster() -> None:
    script = find_lesson("2").script
    assert script_with_timing(script, "") is script
    plans = [section.plan for section in script_with_timing(script, "kafka").sections if section.plan is not None]
    assert {plan.timing for plan in plans} == {"kafka"} and len(plans) == 4
