"""What people read on pages is said in the words that such products use."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
ODD_PHRASES = {
    "on the air": "published",
    "off the air": "unpublished",
    "stands in the way": "ready to publish",
    "mend": "correct",
    "mended": "fixed",
    "bear out": "support",
    "bears out": "supports",
    "gone on with": "used",
    "goes on": "continues, or keeps doing so",
    "go on": "continue",
    "take back": "cancel",
    "look again": "refresh",
    "whoever": "anyone who, or the person meant",
    "coming in": "authentication",
    "every way in": "API guide",
    "vouched for": "known to this site",
    "look into it": "details",
    "bring it back": "restore",
    "goes before": "replaces",
    "all of that": "matches",
    "you have one?": "already have an account?",
    "should have been answered": "expected an answer",
    "marked public alone": "only public documents",
}
# Packages whose errors are not those of pages or of the API.
_NO_PAGES = ("tests", "benchmarks", "lexibrarian", "training", "sdk", "sdk-ts", "integrations")
_COMMENT = re.compile(r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}|<!--.*?-->", re.DOTALL)
_SIGNS = re.compile(r"\{%[^%]*%\}|\{\{[^}]*\}\}|<[^>]*>")
# What a button or a link says, without its icon.
_BUTTON = re.compile(r">(?:\{% icon [^%]*%\})?(Keep it|Keep them|Keep|Before|After)(?:\{%[^%]*%\})?</(?:button|a)>")


def templates() -> list[Path]:
    return sorted((ROOT / "templates").rglob("*.html")) + sorted((ROOT / "templates").rglob("*.txt"))


@pytest.mark.parametrize("phrase", ODD_PHRASES)
def test_no_page_and_no_mail_says(phrase: str) -> None:
    odd = re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)", re.IGNORECASE)
    found = [
        path.relative_to(ROOT).as_posix()
        for path in templates()
        if odd.search(" ".join(_SIGNS.sub("|", _COMMENT.sub("", path.read_text(encoding="utf-8"))).split()))
    ]
    assert not found, f"usually: {ODD_PHRASES[phrase]}"


def test_buttons_have_the_usual_names() -> None:
    found = {path.name: _BUTTON.findall(path.read_text(encoding="utf-8")) for path in templates()}
    assert not {name: names for name, names in found.items() if names}


def _errors() -> list[tuple[str, str]]:
    """The messages and hints of all errors, each with its module. An error is a class with a `code`."""
    tracked = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    paths = [ROOT / name for name in tracked.split() if name.partition("/")[0] not in _NO_PAGES]
    return [
        (path.relative_to(ROOT).as_posix(), text)
        for path in paths
        for found in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(found, ast.ClassDef) and "code" in _assigned(found)
        for text in (ast.get_docstring(found) or "", *_strings(found))
    ]


def _assigned(found: ast.ClassDef) -> set[str]:
    targets = [line.targets[0] for line in found.body if isinstance(line, ast.Assign)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _strings(found: ast.ClassDef) -> list[str]:
    return [one.value for one in ast.walk(found) if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def test_no_error_says_an_odd_phrase() -> None:
    errors = _errors()
    if not errors:
        pytest.skip("this is not a checkout of git")
    assert len(errors) > 300
    odd = {phrase: re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)", re.IGNORECASE) for phrase in ODD_PHRASES}
    found = [
        (name, phrase) for name, text in errors for phrase, sign in odd.items() if sign.search(" ".join(text.split()))
    ]
    assert found == []


# What no page shows: lists of words, instructions to a language model, and a help text that stands in a migration.
_NOT_SHOWN = ("language/", "agents/planners/llm_messages.py", "organisations/sign_in_models.py")


def _shown_strings(tree: ast.AST) -> list[str]:
    """The strings of a module without its docstrings and what it writes to the log."""
    hidden = {
        id(one)
        for found in ast.walk(tree)
        if (isinstance(found, ast.Expr) and isinstance(found.value, ast.Constant))
        or (isinstance(found, ast.Call) and ast.unparse(found.func).startswith("logger."))
        for one in ast.walk(found)
    }
    constants = (one for one in ast.walk(tree) if isinstance(one, ast.Constant) and id(one) not in hidden)
    return [one.value for one in constants if isinstance(one.value, str)]


def test_no_label_no_message_and_no_help_of_a_command_says_an_odd_phrase() -> None:
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    names = [name for name in listed.split() if name.partition("/")[0] not in _NO_PAGES and "/migrations/" not in name]
    if not names:
        pytest.skip("this is not a checkout of git")
    odd = {phrase: re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)", re.IGNORECASE) for phrase in ODD_PHRASES}
    found = [
        (name, phrase, text)
        for name in names
        if not name.startswith(_NOT_SHOWN)
        for text in _shown_strings(ast.parse((ROOT / name).read_text(encoding="utf-8")))
        for phrase, sign in odd.items()
        if " " in text and sign.search(" ".join(text.split()))
    ]
    assert found == []
