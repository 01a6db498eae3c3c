"""Real clients and a run that wants a password: who has it is served, nobody else; only its file holds it."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes.watching import workbench

ck = pytest.importorskip("confluent_kafka", reason="confluent_kafka is not installed: pip install -e '.[clients]'")
kafka = pytest.importorskip("kafka", reason="kafka-python is not installed: pip install -e '.[clients]'")
aiokafka = pytest.importorskip("aiokafka", reason="aiokafka is not installed: pip install -e '.[clients]'")
from confluent_kafka.admin import AdminClient  # noqa: E402  # only where the client is

PATIENCE_S = 60.0
REFUSED_S = 2.0
"""How long a client may try with what is refused: some try for ever."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    home = tmp_path_factory.mktemp("password")
    done = workbench(home, "up", "--client-auth", "--controllers", "1", "--brokers", "1", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    yield told
    assert workbench(home, "down", told["run"]).returncode == 0
    holding = [path for path in Path(told["folder"]).rglob("*") if path.is_file() and _holds(path, told)]
    assert holding == [Path(told["client_auth"]["file"])], "neither trace nor log nor run.json has the password"


def _holds(path: Path, told: dict[str, Any]) -> bool:
    return told["client_auth"]["password"].encode() in path.read_bytes()


def by_confluent(
    run: dict[str, Any], password: str | None, mechanism: str = "PLAIN", limit_s: float = REFUSED_S
) -> str:
    """Written and read back, or what became of it."""
    errors: list[Any] = []
    settings = {"bootstrap.servers": run["bootstrap"][0], "error_cb": errors.append, "log_level": 0}
    if password is not None:
        settings |= {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": mechanism}
        settings |= {"sasl.username": run["client_auth"]["user"], "sasl.password": password}
    admin = AdminClient(settings)
    try:
        return ",".join(sorted(admin.list_topics(timeout=limit_s).topics))
    except ck.KafkaException as error:
        return f"refused: {[each.name() for each in errors] or error}"


def by_kafka_python(
    run: dict[str, Any], password: str | None, mechanism: str = "PLAIN", limit_s: float = REFUSED_S
) -> str:
    settings: dict[str, Any] = {"bootstrap_servers": run["bootstrap"][0], "bootstrap_timeout_ms": int(limit_s * 1000)}
    if password is not None:
        settings |= {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": mechanism}
        settings |= {"sasl_plain_username": run["client_auth"]["user"], "sasl_plain_password": password}
    try:
        admin = kafka.KafkaAdminClient(**settings)
    except kafka.errors.KafkaError as error:
        return f"refused: {type(error).__name__}"
    try:
        return ",".join(sorted(admin.list_topics()))
    finally:
        admin.close()


def by_aiokafka(run: dict[str, Any], password: str | None, mechanism: str = "PLAIN", limit_s: float = REFUSED_S) -> str:
    settings: dict[str, Any] = {"bootstrap_servers": run["bootstrap"][0]}
    if password is not None:
        settings |= {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": mechanism}
        settings |= {"sasl_plain_username": run["client_auth"]["user"], "sasl_plain_password": password}

    async def listed() -> str:
        consumer = aiokafka.AIOKafkaConsumer(**settings)
        try:
            await asyncio.wait_for(consumer.start(), limit_s)
            return ",".join(sorted(await consumer.topics()))
        except (aiokafka.errors.KafkaError, TimeoutError) as error:
            return f"refused: {type(error).__name__}"
        finally:
            await consumer.stop()

    return asyncio.run(listed())


@pytest.mark.parametrize("client", [by_confluent, by_kafka_python, by_aiokafka])
def test_only_who_has_the_password_is_served(run: dict[str, Any], client: Callable[..., str]) -> None:
    assert "orders" in client(run, run["client_auth"]["password"], limit_s=PATIENCE_S)
    assert client(run, "guessed").startswith("refused: ")
    assert client(run, None).startswith("refused: ")
    assert client(run, run["client_auth"]["password"], "SCRAM-SHA-256").startswith("refused: ")


def test_the_file_is_what_librdkafka_reads(run: dict[str, Any]) -> None:
    file = Path(run["client_auth"]["file"])
    assert file.stat().st_mode & 0o777 == 0o600
    known = dict(line.strip().split("=", 1) for line in file.open())
    producer = ck.Producer({"bootstrap.servers": run["bootstrap"][0], "log_level": 0, **known})
    told: list[Any] = []
    producer.produce("orders", b"hello", on_delivery=lambda error, _message: told.append(error))
    producer.flush(PATIENCE_S)
    assert told == [None]
    if kcat := shutil.which("kcat"):
        command = [kcat, "-F", str(file), "-b", run["bootstrap"][0], "-L"]
        assert "orders" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_built_in_clients_do_not_use_that_port(run: dict[str, Any]) -> None:
    home = Path(run["folder"]).parents[1]
    assert "2 of 2 records" in workbench(home, "inject", run["run"], "produce orders 2").stdout
