"""The rules that tell coding agents how to use the library, in the files that each of them reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lexibrarian.errors import LibraryError
from lexibrarian.project import Project
from lexibrarian.store import write_text

BEGIN, END = "<!-- lexibrarian:start -->", "<!-- lexibrarian:end -->"
ENVIRONMENTS = ("claude", "cursor", "codex", "agents")
_CURSOR_HEAD = "---\ndescription: How to use the library of this codebase\nalwaysApply: true\n---\n\n"
_TEMPLATES = Path(__file__).parent
_SESSION_START = {"matcher": "", "hooks": [{"type": "command", "command": "lexictl status --quiet || true"}]}
_SETTINGS = ".claude/settings.json"


@dataclass(frozen=True)
class RuleFile:
    """A file of rules; `state` says what became of it: `written`, `unchanged` or why it was left alone."""

    path: str
    state: str


@dataclass(frozen=True)
class _File:
    """What goes between the markers of a file, and what a new file begins with."""

    path: str
    body: str
    head: str = ""


def write_rules(project: Project, environments: Iterable[str]) -> list[RuleFile]:
    """Write the rules for some environments; text outside the markers stays, and so does a file that links elsewhere.

    Raises `LibraryError` for an environment that is not supported, or a file whose markers do not match.
    """
    chosen = list(dict.fromkeys(environments))
    unknown = [each for each in chosen if each not in ENVIRONMENTS]
    if unknown:
        raise LibraryError(
            f"Unsupported environment: {unknown[0]}.",
            code="unsupported_environment",
            hint=f"Supported environments: {', '.join(ENVIRONMENTS)}.",
        )
    files = {file.path: file for environment in chosen for file in _files(environment)}
    texts = {path: _read(project.root / path) for path in files}
    # All are read and checked before the first is written.
    new = {path: _with_block(path, texts[path], file) for path, file in files.items()}
    done: dict[Path, str] = {}
    results = []
    for path in files:
        place = (project.root / path).resolve()
        if project.root.resolve() not in place.parents:
            results.append(RuleFile(path, "a link out of the project, left alone"))
        elif place in done:
            results.append(RuleFile(path, f"the same file as {done[place]}"))
        elif (other := _imported(texts[path], files)) and BEGIN not in texts[path]:
            results.append(RuleFile(path, f"it reads {other}"))
        else:
            done[place] = path
            results.append(RuleFile(path, "written" if write_text(place, new[path]) else "unchanged"))
    return results + ([_session_start(project)] if "claude" in chosen else [])


def _files(environment: str) -> Iterator[_File]:
    rules = _template("rules.md")
    if environment == "claude":
        yield _File("CLAUDE.md", rules)
        yield _File(".claude/commands/lexi-orient.md", _template("orient.md"))
        yield _File(".claude/commands/lexi-search.md", _template("search.md").replace("{topic}", "$ARGUMENTS"))
    elif environment == "cursor":
        yield _File(".cursor/rules/lexibrarian.mdc", rules, _CURSOR_HEAD)
        for name, about in (("orient", "Get your bearings in this codebase."), ("search", "What is known of a topic.")):
            head = f"---\nname: lexi-{name}\ndescription: {about}\n---\n\n"
            body = _template(f"{name}.md").replace("{topic}", "the topic that the user names")
            yield _File(f".cursor/skills/lexi-{name}/SKILL.md", body, head)
    else:
        yield _File("AGENTS.md", rules)


def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text("utf-8").strip()


def _read(path: Path) -> str:
    """The text of a file of somebody else: bytes that are no UTF-8 come back as they were."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return ""
    except OSError as problem:
        raise LibraryError(
            f"{path} cannot be read: {problem.strerror}.", code="not_readable", hint="Correct it and try again."
        ) from problem


def _with_block(path: str, old: str, file: _File) -> str:
    end = "\r\n" if "\r\n" in old else "\n"
    block = f"{BEGIN}\n{file.body}\n{END}".replace("\n", end)
    if not old.strip():
        return f"{file.head}{block}\n"
    begins, ends = old.count(BEGIN), old.count(END)
    if not begins and not ends:
        gap = "" if old.endswith("\n") else end
        return f"{old}{gap}{end}{block}{end}"
    if (begins, ends) != (1, 1) or old.index(BEGIN) > old.index(END):
        raise LibraryError(
            f"{path} has markers of Lexibrarian that do not match.",
            code="broken_markers",
            hint=f"Leave one `{BEGIN}` and, behind it, one `{END}`.",
        )
    before, rest = old.split(BEGIN)
    return before + block + rest.split(END)[1]


def _imported(text: str, files: dict[str, _File]) -> str:
    """The file of rules that a text takes in with a line such as `@AGENTS.md`."""
    lines = {line.strip().removeprefix("@").removeprefix("./") for line in text.splitlines() if line.startswith("@")}
    return next((path for path in files if path in lines), "")


def _session_start(project: Project) -> RuleFile:
    """The hook that shows the library's health; settings that are there are their owner's, and only looked at."""
    path = project.root / _SETTINGS
    old = _read(path)
    if not old.strip():
        text = json.dumps({"hooks": {"SessionStart": [_SESSION_START]}}, indent=2) + "\n"
        return RuleFile(_SETTINGS, "written" if write_text(path, text) else "unchanged")
    if "lexictl status" in old:
        return RuleFile(_SETTINGS, "unchanged")
    return RuleFile(
        _SETTINGS, "left alone; for a line about the library, let SessionStart run `lexictl status --quiet`"
    )
