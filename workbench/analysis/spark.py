"""The one place that makes a Spark session: on loopback only, quiet, and no larger than a laptop likes."""

from __future__ import annotations

import atexit
import logging
import os
import shlex
import shutil
import signal
import sys
import tempfile
import threading
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from time import monotonic
from typing import TYPE_CHECKING, Any

from workbench.analysis.class_archive import archive_option
from workbench.analysis.java import INSTALL, VERSION_MIN, find_java, home_for_spark
from workbench.analysis.master import STANDALONE, check_reachable, is_local, stays_here
from workbench.support.refusal import ENVIRONMENT, Refusal
from workbench.support.safe_text import safe_text

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

LOOPBACK = "127.0.0.1"
FOLDER = "spark.kraft.folder"
"""The session's private folder, for what must go with it."""
NEEDED_BY_EXECUTORS = ("msgpack", "msgspec", "google_crc32c", "pyarrow", "pandas")
NO_PYTHON = "no-other-data-sources"
"""No program has this name. With the name of a Python, Java starts one to look for data sources of other packages."""
TAKEN_S = 5.0
"""How long a standalone master gets to take an application, besides four times as long as Java took to start here."""
ENDING_SECONDS = 1.0
"""A process whose connections are gone may still be on its way out."""
CORES_MAX = 4
"""Recordings are small: more cores cost more in starting workers than they save."""
_SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For Java that ends before thorough compiling would pay."""
_LOGGING = """status = error
rootLogger.level = error
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""


@dataclass(frozen=True, slots=True)
class Place:
    """The private folder of one session."""

    folder: Path
    """Mode 0700; gone when the process ends."""

    classes: str = ""
    """The argument that lets Java take Spark's classes from an archive, or leave one; see class_archive."""

    @property
    def log(self) -> Path:
        """What the Java side says."""
        return self.folder / "spark.log"


def make_session(master: str | None = None, *, cores: int | None = None) -> SparkSession:
    """A session on this machine, or on the cluster that master names. Refusal says what is missing.

    How a cluster is used (parallelism, memory, adaptive plans) is as its user has configured Spark; only what this
    machine does alone is chosen here.

    Args:
        master: a Spark master URL; None for threads of this machine.
        cores: how many of them; by default what the machine has, at most CORES_MAX.
    """
    from pyspark.find_spark_home import _find_spark_home

    java = find_java()
    if java is None:
        raise Refusal(ENVIRONMENT, f"Spark needs Java and found none: {INSTALL}")
    if not java.serves:
        seen = f"found Java {java.version} by {java.origin}"
        raise Refusal(ENVIRONMENT, f"Spark needs Java {VERSION_MIN} or newer and {seen}: {INSTALL}")
    used = cores or min(os.cpu_count() or 1, CORES_MAX)
    named = master or f"local[{used}]"
    check_reachable(named)
    home = Path(_find_spark_home())
    classes = archive_option(java.executable, home)
    place = Place(Path(tempfile.mkdtemp(prefix="kraft-spark-")), classes)
    atexit.register(shutil.rmtree, place.folder, ignore_errors=True)
    _clean_when_terminated(place)
    os.environ["JAVA_HOME"] = str(home_for_spark(java, place.folder))
    if stays_here(named):
        # The machines of a cluster elsewhere must reach this one; then it is the user who says by which address.
        os.environ["SPARK_LOCAL_IP"] = LOOPBACK
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    # Workers are processes of their own: they must find the same packages that this process found.
    os.environ["PYTHONPATH"] = os.pathsep.join(item for item in sys.path if item)
    if is_local(named):
        os.environ |= {"PYSPARK_PYTHON": str(_python_for_workers(place)), "PYSPARK_DRIVER_PYTHON": NO_PYTHON}
        # What starts Java is a short Java itself, after a Python that looks for Spark.
        os.environ["SPARK_HOME"] = str(home)
        os.environ.setdefault("SPARK_LAUNCHER_OPTS", _SHORT_LIVED)
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    return _started(settings(place, named, used), place, master)


def _python_for_workers(place: Place) -> Path:
    """A script that runs this Python with the installed pyspark.

    Spark puts a zip of its sources first, which every worker would compile anew: half a second for each of eight.
    """
    script = place.folder / "python"
    path = shlex.quote(os.environ["PYTHONPATH"])
    script.write_text(
        f'#!/bin/sh\nPYTHONPATH={path} exec {shlex.quote(sys.executable)} "$@"\n', errors="surrogateescape"
    )
    script.chmod(0o700)
    return script


def running_session() -> SparkSession | None:
    """The session that this process has already."""
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


def _clean_when_terminated(place: Place) -> None:
    """SIGTERM ends a process at once; the folder goes before, and Java before that, which would go on writing there."""
    is_ours = threading.current_thread() is threading.main_thread()
    if not is_ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return

    def leave(number: int, _frame: object) -> None:
        from pyspark import SparkContext

        process = getattr(SparkContext._gateway, "proc", None)
        if process is not None:
            process.kill()
            process.wait()
        shutil.rmtree(place.folder, ignore_errors=True)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, leave)


def settings(place: Place, master: str, cores: int) -> dict[str, str]:
    """What is set over the user's own configuration of Spark. Threads of this machine alone get all of it."""
    pairs = {
        "spark.master": master,
        "spark.app.name": "workbench analyse",
        FOLDER: str(place.folder),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.structuredLogging.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.sources.partitionOverwriteMode": "dynamic",
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    }
    if stays_here(master):
        pairs |= {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
    return pairs | _of_this_machine(place, cores) if is_local(master) else pairs


def _of_this_machine(place: Place, cores: int) -> dict[str, str]:
    logging = place.folder / "log4j2.properties"
    logging.write_text(_LOGGING)
    # With one compiler tier the JVM takes only 48 MiB for compiled code. Plans are deep trees walked by recursion, in
    # larger frames while code is still interpreted, which on a busy machine is long.
    roomy = "-XX:ReservedCodeCacheSize=192m -Xss4m"
    # After some calls by reflection Java writes a class for each method called so: for a short life that is dear.
    roomy += f" -Dsun.reflect.inflationThreshold={2**31 - 1}"
    java = f"{place.classes} {_SHORT_LIVED} {roomy} -Dlog4j2.configurationFile={logging.as_uri()}"
    return {
        "spark.authenticate": "true",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": java,
        "spark.local.dir": str(place.folder / "scratch"),
        "spark.sql.warehouse.dir": str(place.folder / "warehouse"),
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": str(cores),
        "spark.default.parallelism": str(cores),
        "spark.python.worker.reuse": "true",
        # Its subqueries cost more than what they save on tables of this size.
        "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
        # With it each table that is kept would be planned in a session of its own.
        "spark.sql.sources.bucketing.autoBucketedScan.enabled": "false",
    }


def _started(pairs: dict[str, str], place: Place, master: str | None) -> SparkSession:
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext, java_gateway
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    from workbench.analysis.reading.source import TraceSource

    conf = SparkConf().setAll(list(pairs.items()))
    launch: Any = java_gateway.launch_gateway
    try:
        began = monotonic()
        with place.log.open("wb") as log:
            gateway = launch(conf, {"stdout": log, "stderr": log})
        with _ended_when_late(gateway.proc, pairs["spark.master"], TAKEN_S + 4 * (monotonic() - began)):
            context = SparkContext(conf=conf, gateway=gateway)
            session = SparkSession(context)
    except (PySparkRuntimeError, Py4JError) as error:
        where = f" on {safe_text(master, 100)}" if master else ""
        raise Refusal(ENVIRONMENT, f"Spark did not start{where}: {_last_words(place)}") from error
    _without_echoes(context)
    if master is not None and not is_local(master):
        _ship(context, place)
        _check_executors(context, master)
    session.dataSource.register(TraceSource)
    return session


@contextmanager
def _ended_when_late(java: Popen[bytes], master: str, patience_s: float) -> Iterator[None]:
    """Kill Java when a standalone cluster does not take it in time: Spark itself would ask for a minute."""
    if not master.startswith(STANDALONE):
        yield
        return
    late = threading.Event()

    def end() -> None:
        late.set()  # before Java ends: who waits for it asks at once
        java.kill()

    clock = threading.Timer(patience_s, end)
    clock.start()
    try:
        yield
    except Exception as error:
        if late.is_set():
            complaint = f"what answers at '{safe_text(master, 100)}' did not take us within {patience_s:.0f} s"
            raise Refusal(ENVIRONMENT, f"--master: {complaint}: is it the address of a Spark master?") from error
        raise
    finally:
        clock.cancel()


def suit(session: SparkSession, *, is_small: bool) -> None:
    """Set what depends on how much data there is. A cluster is used as its user has configured it.

    Compiling the plans of all tables takes more processor time than interpreting them for each of some ten
    thousand events; so does a job for each table that is joined, to send it round, where all are in one piece.
    """
    if not is_local(str(session.sparkContext.master)):
        return
    for name, small, large in (
        ("shuffle.partitions", "1", str(session.sparkContext.defaultParallelism)),
        ("codegen.wholeStage", "false", "true"),
        ("codegen.factoryMode", "NO_CODEGEN", "FALLBACK"),
        ("autoBroadcastJoinThreshold", "-1", "10MB"),
        ("constraintPropagation.enabled", "false", "true"),
    ):
        session.conf.set(f"spark.sql.{name}", small if is_small else large)


def _without_echoes(context: SparkContext) -> None:
    """When Java dies its connections tell of it one by one, on stderr; that it died is told once, by who asked it."""
    from pyspark.logger import PySparkLogger

    logging.getLogger().addFilter(lambda record: "py4j" not in Path(record.pathname).parts)
    PySparkLogger.getLogger("SQLQueryContextLogger").disabled = True  # a mistake in SQL is told once, in one line
    server = getattr(context, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda *_: None


@contextmanager
def told_when_java_ends() -> Iterator[None]:
    """What fails because the Java of the session is gone becomes a Refusal that says how it ended."""
    try:
        yield
    except Refusal:
        raise  # it is told already, also where we ended Java ourselves
    except Exception as error:  # Py4J has a class of its own for each way to lose Java; any other is raised again
        ended = how_java_ended()
        if ended is None:
            raise
        raise Refusal(ENVIRONMENT, f"Spark's Java ended by itself, {ended}; what was finished is kept") from error


def how_java_ended() -> str | None:
    """How, when the Java of this process has ended although nobody stopped it; None while it lives, or never lived."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    if process is None:
        return None
    try:
        code = process.wait(ENDING_SECONDS)
    except TimeoutExpired:
        return None
    if code == -signal.SIGKILL:
        return "killed with SIGKILL: by somebody, or because memory ran short"
    return f"signal {-code}" if code < 0 else f"exit {code}"


def _ship(context: SparkContext, place: Place) -> None:
    """Send our own packages to the machines of a cluster."""
    archive = place.folder / "kraft_workbench.zip"
    root = Path(__file__).parents[2]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for package in ("cluster", "workbench"):
            for path in sorted((root / package).rglob("*.py")):
                packed.write(path, path.relative_to(root))
    context.addPyFile(str(archive))


def _check_executors(context: SparkContext, master: str) -> None:
    """One tiny job, so that what a machine of the cluster lacks is told before the work begins."""
    from py4j.protocol import Py4JError

    needed = ", ".join(NEEDED_BY_EXECUTORS)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    try:
        context.parallelize([0], 1).map(_lacking).collect()
    except Py4JError as error:
        text = f"its machines need Python {version} with {needed}, and must see the same files"
        lines = [line.strip() for line in str(error).splitlines() if "Error: " in line or "MISMATCH" in line]
        reason = safe_text(lines[0], 200) if lines else "a first small job failed"
        raise Refusal(ENVIRONMENT, f"{safe_text(master, 100)}: {text}: {reason}") from error


def _lacking(_: int) -> None:
    """Import on an executor what reading traces needs there; fails with the name of what is missing."""
    from importlib import import_module

    for name in ("workbench.analysis.reading.rows", *NEEDED_BY_EXECUTORS):
        import_module(name)


def _last_words(place: Place) -> str:
    """The line in which the Java side says what went wrong, and where all it said was kept."""
    text = place.log.read_text("utf-8", "replace") if place.log.exists() else ""
    handle, kept = tempfile.mkstemp(prefix="kraft-spark-", suffix=".log")
    with os.fdopen(handle, "w") as copy:
        copy.write(text)
    lines = [line.strip() for line in text.splitlines() if not line.lstrip().startswith(("at ", "...", "WARNING"))]
    telling_lines = [line for line in lines if "Exception" in line or "Error" in line] or lines
    last = safe_text(telling_lines[-1], 200) if telling_lines else "it said nothing"
    return f"{last}; all it said is in {kept}"
