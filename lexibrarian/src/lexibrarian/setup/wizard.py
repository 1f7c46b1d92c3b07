"""The questions of `lexictl init`, one step each; every answer has a default, and a place where it can be changed."""

from __future__ import annotations

import os
from pathlib import Path

import click

from lexibrarian.archivist.providers import PRESETS
from lexibrarian.config import TokenBudgets
from lexibrarian.errors import LibraryError
from lexibrarian.setup.init import Choices, detect_agents, detect_name, detect_provider, detect_sources
from lexibrarian.setup.rules import ENVIRONMENTS

_MARKS = {"claude": ".claude", "cursor": ".cursor"}
_GENERATED = {
    "package.json": ["dist/", "*.min.js"],
    "pyproject.toml": ["*_pb2.py"],
    "go.mod": ["*.pb.go", "vendor/"],
    "Cargo.toml": ["target/"],
}


def ask_choices(root: Path) -> Choices:
    """Ask all eight steps; raises `LibraryError` where the last one is answered with no."""
    name = _step(1, "Project", "project_name", "What is the project called?", detect_name(root))
    scopes = _scopes(root)
    agents = _agents(root)
    provider = _provider()
    ignored = _ignored(root)
    budgets = _budgets()
    _head(7, "Signals", "iwh.enabled")
    click.echo("An agent that leaves something unfinished can leave a note (`.iwh`) for the next one there.")
    signals = click.confirm("Use such notes?", default=True)
    choices = Choices(name, scopes, agents, provider, ignored, budgets, signals)
    _head(8, "Summary", "all settings")
    click.echo(choices.as_config() + (f".lexignore: {', '.join(ignored)}\n" if ignored else ""))
    if not click.confirm("Write these files?", default=True):
        raise LibraryError("Nothing was written.", code="cancelled", hint="Run `lexictl init` to begin again.")
    return choices


def _head(number: int, title: str, key: str) -> None:
    where = ".lexignore" if key == ".lexignore" else f".lexibrary/config.yaml → {key}"
    click.echo(f"\n{number}/8 {title}  (to change it later: {where})")


def _step(number: int, title: str, key: str, question: str, default: str) -> str:
    _head(number, title, key)
    return str(click.prompt(question, default=default)).strip()


def _listed(answer: str) -> list[str]:
    return [each.strip() for each in answer.split(",") if each.strip() not in ("", "none")]


def _scopes(root: Path) -> list[str]:
    found = detect_sources(root)
    _head(2, "Sources", "scope_root")
    if found:
        click.echo(f"There is {', '.join(f'{name}/' for name in found)}. A dot means the whole project.")
    while True:
        scopes = [each.strip("/") for each in _listed(click.prompt("Which directories hold sources?", default="."))]
        missing = [each for each in scopes if not (root / each).is_dir()]
        if not missing:
            return [] if scopes == ["."] else scopes
        click.echo(f"There is no directory {missing[0]}.")


def _agents(root: Path) -> list[str]:
    _head(3, "Agents", "agent_environment")
    click.echo(f"Rules can be written for: {', '.join(ENVIRONMENTS)}.")
    default = ", ".join(detect_agents(root)) or "none"
    while True:
        agents = _listed(click.prompt("Which agents work here?", default=default))
        unknown = [each for each in agents if each not in ENVIRONMENTS]
        if not unknown:
            break
        click.echo(f"{unknown[0]} is not one of them.")
    return [each for each in agents if each not in _MARKS or _may_create(root, _MARKS[each])]


def _may_create(root: Path, folder: str) -> bool:
    return (root / folder).is_dir() or click.confirm(f"There is no {folder}/. Make it?", default=True)


def _provider() -> str:
    _head(4, "Model", "llm.provider, llm.api_key_env")
    click.echo("A model can describe files in its own words; without one, their docstrings do.")
    click.echo("With one, the code of this project leaves this machine, but for ollama.")
    click.echo(
        "The key is read from a variable at run time. It is never stored, logged or transmitted to anybody else."
    )
    provider = str(click.prompt("Which provider?", type=click.Choice(["none", *PRESETS]), default=detect_provider()))
    key = PRESETS[provider].api_key_env if provider != "none" else ""
    if key and not os.environ.get(key):
        click.echo(f"{key} is not set. `lexictl update` will refuse to run without it.")
    return provider


def _ignored(root: Path) -> list[str]:
    suggested = [pattern for mark, patterns in _GENERATED.items() if (root / mark).exists() for pattern in patterns]
    _head(5, "Ignored files", ".lexignore")
    if suggested:
        click.echo(f"Often left out in such projects: {', '.join(suggested)}.")
    return _listed(click.prompt("Which patterns beyond .gitignore?", default="none"))


def _budgets() -> dict[str, int]:
    _head(6, "Token budgets", "token_budgets")
    defaults = vars(TokenBudgets())
    click.echo("\n".join(f"  {key}: {value}" for key, value in defaults.items()))
    if click.confirm("Keep these?", default=True):
        return {}
    answers = {key: click.prompt(key, type=click.IntRange(min=1), default=value) for key, value in defaults.items()}
    return {key: value for key, value in answers.items() if value != defaults[key]}
