"""The configuration: defaults, then the user's own file, then the project's, which is checked when it is new."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import typing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from lexibrarian.errors import LibraryError
from lexibrarian.project import Project
from lexibrarian.store import write_text
from lexibrarian.version import VERSION

# The settings that were checked last, with the digest of their texts; derived, and free to vanish at any time.
CHECKED = ".config-checked"
CONFIG = "config.yaml"

_BINARY = """
.png .jpg .jpeg .gif .ico .bmp .webp .avif .tiff .pdf .zip .gz .bz2 .xz .zst .7z .tar .jar .whl .so .dylib
.dll .exe .a .o .class .pyc .wasm .woff .woff2 .ttf .otf .eot .mp3 .mp4 .ogg .wav .webm .mov .db .sqlite
.sqlite3 .mo .npy .safetensors .onnx .bin .parquet
"""

Strategy = Literal["full", "abridged", "skipped", "reference"]


@dataclass
class IwhConfig:
    """Signals between agents."""

    enabled: bool = True


@dataclass
class TokenBudgets:
    """The largest size of each kind of file, in tokens."""

    start_here_tokens: int = 800
    design_file_tokens: int = 400
    abridged_tokens: int = 100
    aindex_tokens: int = 200
    concept_tokens: int = 400


@dataclass
class Ignore:
    """Patterns beyond `.gitignore` and `.lexignore`."""

    additional_patterns: list[str] = field(default_factory=list)


@dataclass
class CrawlConfig:
    """Files that are listed, and get no design file."""

    binary_extensions: list[str] = field(default_factory=lambda: _BINARY.split())
    max_file_size_kb: int = 512

    @cached_property
    def binary(self) -> frozenset[str]:
        """The endings of binary files, to be asked for each file."""
        return frozenset(self.binary_extensions)


@dataclass
class Rule:
    """How the files of one pattern (in the format of `.gitignore`) are documented."""

    pattern: str
    strategy: Strategy


@dataclass
class MappingConfig:
    """Rules for files that do not get a full design file of their own; the last one that matches holds."""

    strategies: list[Rule] = field(default_factory=list)


@dataclass
class StartHere:
    """How the entry file is written."""

    topology_format: Literal["mermaid", "ascii"] = "ascii"


@dataclass
class Llm:
    """The model that describes sources; the key is read from a variable of the environment, and never stored."""

    provider: str = "none"
    model: str = ""
    base_url: str = ""
    api_key_env: str = ""


@dataclass
class Daemon:
    """Upkeep that goes on by itself."""

    watchdog_enabled: bool = False
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    sweep_interval_seconds: int = 3600
    git_suppression_seconds: float = 5.0


@dataclass
class Config:
    """All settings, with their defaults."""

    project_name: str = ""
    scope_root: str | list[str] = "."
    agent_environment: list[str] = field(default_factory=list)
    iwh: IwhConfig = field(default_factory=IwhConfig)
    token_budgets: TokenBudgets = field(default_factory=TokenBudgets)
    ignore: Ignore = field(default_factory=Ignore)
    crawl: CrawlConfig = field(default_factory=CrawlConfig)
    mapping: MappingConfig = field(default_factory=MappingConfig)
    start_here: StartHere = field(default_factory=StartHere)
    llm: Llm = field(default_factory=Llm)
    daemon: Daemon = field(default_factory=Daemon)

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scope roots as paths of the project, the root as `""`."""
        roots = [self.scope_root] if isinstance(self.scope_root, str) else self.scope_root
        return tuple("" if root in (".", "./", "") else root.strip("/").removeprefix("./") for root in roots)


def load_config(project: Project) -> tuple[Config, list[str]]:
    """The configuration of a project, and warnings about unknown keys; a wrong value is refused by its name."""
    paths = [_user_config(), project.library / CONFIG]
    texts = [_read(path) for path in paths]
    if not any(texts):
        return Config(), []
    digest = hashlib.sha256("\0".join([VERSION, *texts]).encode()).hexdigest()
    stamp = project.library / CHECKED
    checked = _checked_before(stamp, digest)
    if checked is None:
        data: dict[str, Any] = {}
        for path, text in zip(paths, texts, strict=True):
            data = _merged(data, _parsed(path, text))
        _check(data)
        checked = data, _unknown_keys(Config, data, "")
        _remember(stamp, json.dumps([digest, *checked], default=str))
    built: Config = _built(Config, checked[0])
    return built, checked[1]


def _checked_before(stamp: Path, digest: str) -> tuple[dict[str, Any], list[str]] | None:
    """The settings and warnings that the same texts gave before; YAML takes longer to import than all else."""
    try:
        found, data, warnings = json.loads(_read(stamp))
    except (ValueError, TypeError, LibraryError):
        return None
    return (data, warnings) if found == digest else None


def _user_config() -> Path:
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "lexibrarian" / CONFIG


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError:
        return ""
    except UnicodeDecodeError as problem:
        raise LibraryError(
            f"{path} is not UTF-8.", code="invalid_config", hint="Save the file as UTF-8 and try again."
        ) from problem


def _parsed(path: Path, text: str) -> dict[str, Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        data = yaml.load(text, Loader=loader) if text.strip() else {}  # noqa: S506
    except yaml.YAMLError as problem:
        where = getattr(problem, "problem_mark", None)
        line = f" on line {where.line + 1}" if where else ""
        raise LibraryError(
            f"{path} is not valid YAML{line}.", code="invalid_config", hint="Correct the file and try again."
        ) from problem
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise LibraryError(f"{path} must be a mapping of settings.", code="invalid_config", hint="Write `key: value`.")
    return data


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Mappings are merged key by key; anything else, lists included, is replaced."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _unknown_keys(kind: type, data: dict[str, Any], prefix: str) -> list[str]:
    types = typing.get_type_hints(kind)
    warnings = []
    for key, value in data.items():
        if key not in types:
            import difflib

            close = difflib.get_close_matches(str(key), types, n=1)
            meant = f" Did you mean `{prefix}{close[0]}`?" if close else ""
            warnings.append(f"Unknown setting `{prefix}{key}`.{meant}")
        elif dataclasses.is_dataclass(types[key]) and isinstance(value, dict):
            warnings += _unknown_keys(typing.cast(type, types[key]), value, f"{prefix}{key}.")
    return warnings


def _check(data: dict[str, Any]) -> None:
    # Slow to import, and only needed for a configuration that nobody has checked yet.
    from pydantic import TypeAdapter, ValidationError

    try:
        TypeAdapter(Config).validate_python({key: value for key, value in data.items() if value is not None})
    except ValidationError as problem:
        first = problem.errors()[0]
        # Pydantic names the branch of a union behind the key: ("scope_root", "list[str]").
        parts = [part for part in first["loc"] if isinstance(part, int) or part.replace("_", "").isalpha()]
        key = ".".join(str(part) for part in parts if part not in ("str", "list"))
        raise LibraryError(
            f"The setting `{key}` is wrong: {first['msg']}.",
            code="invalid_config",
            hint="Correct .lexibrary/config.yaml or the file in ~/.config/lexibrarian/.",
        ) from problem


def _remember(stamp: Path, text: str) -> None:
    try:
        write_text(stamp, text)
    except LibraryError:
        return  # A library that cannot be written is checked each time.


def _built(kind: Any, data: Any) -> Any:
    """A data class out of a mapping that was checked; an absent or empty key keeps its default."""
    types = typing.get_type_hints(kind)
    given = {}
    for key, value in data.items():
        if key in types and value is not None:
            given[key] = _built(types[key], value) if dataclasses.is_dataclass(types[key]) else value
    if kind is MappingConfig and "strategies" in given:
        given["strategies"] = [Rule(**rule) for rule in given["strategies"]]
    return kind(**given)
