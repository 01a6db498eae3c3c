"""A lesson of schema 2 that uses every kind of block, in a folder; tests change one line of it and read it again."""

from __future__ import annotations

from pathlib import Path

from workbench.course.content import Lesson
from workbench.course.lesson_error import LessonError
from workbench.course.reading.lesson_folder import read_folder

NAME = "01_small"
LESSON = """+++
schema = 2
title = "A small one"
goal = "Say who leads."
minutes = 9
needs = []
sources = ["S0", "S2"]
minimum.kill = { faults = 1 }
next = "02_next"
challenge = 1
+++

## Watch

A picture moves. A **broker** keeps records.

```figure
 broker 1  ●●● ──▶ back
```

```do begin now
hold at part.became_leader on 1 topic=orders
look: logs: Broker 1 leads with {log_end orders-0 on 1} records.
hold when log_end orders-0 on 1 = 2 and acked orders-0 = 2
look: events: Two records.
```

```reveal
There are {acked orders-0} records.
```

```notes
time: 2
- Say nothing.
```

## It dies

Silence counts after {broker_session_timeout_ms}.

```predict who
Who leads?
- Broker 1 leads. !dead-leads
  when: leader orders-0 = 1
  why: It did, in epoch {leader orders-0}.
  would: without kill 1
- Broker 2 leads.
  when: leader orders-0 = 2
  why: Broker 2 was in the ISR.
- Nobody leads. !nobody
  when: no leader orders-0
  why: One more is alive.
  would: topic replicas=1 min-isr=1 assign=1
```

```do kill
```

```reveal if leader orders-0 = 1
It leads on.
```

```reveal else
Broker {leader orders-0} leads. Changes: {events ctl.partition_changed topic=orders leader=2}.
```

```document S2.22 S2.9 ok
> "B was not in the ISR"
It was.
```

```notes
time: 4
expect: "Broker 1". Ask why.
- A remark.
```

## Your turn

Bring it back.

```do back by learner
task: Start it.
done when: isr orders-0 = 1,2
hint 5s: Which one is down?
hint 30s: Press r.
```

```notes
time: 1
```

## Another shop

```transfer other
Who leads the tickets?
- Broker 1 leads. !dead-leads
  when: leader tickets-0 = 1
  why: In no run: it is dead.
- Broker 2 leads.
  when: leader tickets-0 = 2
  why: It was in the ISR.
- Nobody leads. !nobody
  when: no leader tickets-0
  why: One more is alive.
  would: cluster elr=off ; topic replicas=1 min-isr=1 assign=1
```

```do other
```

```notes
time: 2
expect: "Nobody".
```

## Last page

```keep
1. A member of the ISR leads.
2. The dead do not lead.
3. Who comes back follows.
```

```document S0.16 wrong
> "partitions are redistributed"
Leadership moves.
```
"""
SCRIPT = """# A small one.
[begin]
cluster controllers=1 brokers=2 timing=classroom
wait unfenced 1,2 within 20s
topic orders replicas=2 min-isr=1 assign=1,2
produce orders 2 acks=all
expect isr orders-0 = 1,2

[kill]
kill 1
expect leader orders-0 = 2 within 20s
expect isr orders-0 = 2

[back]
start 1
expect isr orders-0 = 1,2 within 20s

[other]
cluster controllers=1 brokers=2 timing=classroom
wait unfenced 1,2 within 20s
topic tickets replicas=2 min-isr=1 assign=1,2
kill 1
expect leader tickets-0 = 2 within 20s
"""
MISCONCEPTIONS = """# Misconceptions

- `dead-leads`: The dead lead on.
- `nobody`: Nobody leads after a death.
"""


def steps_lesson(folder: Path, *changes: tuple[str, str], script: str = SCRIPT) -> Lesson:
    """The lesson with each first text replaced by the second, written and read."""
    text = LESSON
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    home = folder / NAME
    home.mkdir(parents=True, exist_ok=True)
    (folder / "misconceptions.md").write_text(MISCONCEPTIONS, encoding="utf-8")
    (folder / "course.txt").write_text(f"{NAME}\n02_next\n", encoding="utf-8")
    (home / "lesson.md").write_text(text, encoding="utf-8")
    (home / "scenario.txt").write_text(script, encoding="utf-8")
    return read_folder(home)


def mistake(folder: Path, *changes: tuple[str, str], script: str = SCRIPT) -> tuple[str, str]:
    """What is told of the changed lesson: the line of the file that it names, and the rest of the message."""
    try:
        steps_lesson(folder, *changes, script=script)
    except LessonError as error:
        place, _, told = str(error).partition(": ")
        home, _, line = place.partition(":")
        assert home in (f"{NAME}/lesson.md", f"{NAME}/scenario.txt"), place
        assert int(line) == error.line
        return (folder / home).read_text(encoding="utf-8").splitlines()[error.line - 1], told
    raise AssertionError("nothing was told")
