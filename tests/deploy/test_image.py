"""The image and the compose file run what the Procfile runs, and as little else as possible."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.urls import resolve

from lexic.conf.database import read_database
from tests.deploy.procfile import ROOT, known_settings, options, processes

IMAGE = (ROOT / "Dockerfile").read_text()
LEFT_OUT = {"tests", "benchmarks", "training", "sdk/tests", "lexibrarian", "integrations", "deploy", "var"}


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    return loaded


def ours(services: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in services.items() if one["image"] == "lexic:local"}


def last_stage() -> str:
    return IMAGE[IMAGE.rindex("\nFROM ") :]


def test_the_image_runs_the_web_server_of_the_procfile_as_nobody_in_particular() -> None:
    command = re.search(r"^CMD (\[.*\])$", last_stage(), re.M)
    assert command
    assert options(json.loads(command[1])) - options(processes()["web"]) == {"--timeout-graceful-shutdown=60"}
    user = re.search(r"^USER (\d+):(\d+)$", last_stage(), re.M)
    assert user
    assert int(user[1]) > 1000
    assert "pip install" not in last_stage()


def test_packages_come_from_the_lock_with_their_hashes_and_without_pytorch() -> None:
    [install] = re.findall(r"pip install (.*)", IMAGE)
    assert {"--require-hashes", "--no-deps", "--only-binary"} <= set(install.split())
    assert not re.search(r"^(torch|transformers)==", (ROOT / "requirements.lock").read_text(), re.M)


def test_every_variable_of_the_image_is_known() -> None:
    named = set(re.findall(r"\b((?:LEXIC|DATABASE|REDIS|SECRET|ENCRYPTION)_[A-Z_]+)=", IMAGE))
    assert named <= known_settings()
    assert {"LEXIC_VAR_DIR", "LEXIC_STATIC_ROOT"} <= named


def test_the_image_holds_what_runs_and_nothing_else() -> None:
    ignored = {line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith(("#", "!"))}
    assert ignored >= LEFT_OUT
    needed = {name for name in settings.INSTALLED_APPS if (ROOT / name).is_dir()} | {"language", "local"}
    needed |= {"manage.py", "pyproject.toml", "requirements.lock", "templates", "static", "docs", "sdk"}
    assert not needed & ignored
    # Secrets, histories and caches begin with a dot.
    assert ".*" in ignored


def test_compose_runs_every_process_of_the_procfile(services: dict[str, Any]) -> None:
    wanted = processes()
    assert ours(services).keys() == wanted.keys()
    assert services["release"]["command"] == wanted["release"]
    assert "command" not in services["web"], "the one of the image"
    for name in ("worker", "reader", "reviewer"):
        more = options(services[name]["command"]) - options(wanted[name])
        assert more <= {"-c=2", "-s=/var/lib/lexic/timetable"}
        assert options(wanted[name]) - options(services[name]["command"]) <= {"-s=var/timetable"}


def test_compose_names_settings_that_there_are_and_no_secret(services: dict[str, Any]) -> None:
    for one in ours(services).values():
        assert one["environment"].keys() <= known_settings() | {"PGPASSWORD"}
    text = (ROOT / "compose.yaml").read_text()
    for name in ("SECRET_KEY", "ENCRYPTION_KEY", "POSTGRES_PASSWORD"):
        given = set(re.findall(rf"\$\{{{name}([^}}]*)\}}", text))
        assert given == {f":?Set {name} in .env"}


def test_any_character_may_stand_in_the_password_of_the_database(services: dict[str, Any]) -> None:
    for one in ours(services).values():
        assert "PASSWORD" not in one["environment"]["DATABASE_URL"]
        assert one["environment"]["PGPASSWORD"].startswith("${POSTGRES_PASSWORD:"), "not that of the operator's shell"
    url = services["web"]["environment"]["DATABASE_URL"].removeprefix("${DATABASE_URL:-").removesuffix("}")
    database = read_database(url, data_folder=ROOT, pool_size=0)
    assert (database["HOST"], database["USER"], database["PASSWORD"]) == ("postgres", "lexic", "")


def test_a_setting_of_the_file_beside_it_counts_before_what_compose_names(services: dict[str, Any]) -> None:
    settings = {name: value for name, value in services["web"]["environment"].items() if name != "PGPASSWORD"}
    for name, value in settings.items():
        assert value.startswith((f"${{{name}:-", f"${{{name}:?")), name


def test_containers_of_ours_may_write_to_two_places_alone(services: dict[str, Any]) -> None:
    for one in ours(services).values():
        assert (one["read_only"], one["cap_drop"]) == (True, ["ALL"])
        assert one["security_opt"] == ["no-new-privileges:true"]
        assert one["tmpfs"] == ["/tmp:mode=1777"]
        assert one["volumes"] == ["files:/var/lib/lexic"]


def test_the_web_is_asked_for_its_health_where_it_says_it(services: dict[str, Any]) -> None:
    asked = re.search(r"http://localhost:8000(/\w+)", services["web"]["healthcheck"]["test"][-1])
    assert asked
    assert resolve(asked[1]).func
    assert services["web"]["stop_grace_period"] == "70s"
