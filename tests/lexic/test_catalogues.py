"""The catalogues of `locale/`: whole, up to date with what is compiled, and holding what modules have only by name."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import polib
import pytest
from django.conf import settings

from accounts.models import Capability
from knowledge.models import SourceType
from lexic.choice_labels import CHOICE_LABELS
from lexic.conf.languages import ENGLISH, LANGUAGES
from lexic.error_texts import ERROR_TEXTS
from lexic.errors import LexicError
from lexic.management.commands.makemessages import locale_name
from lexic.script_texts import SCRIPT_TEXTS
from marketplace.models import Report, ReviewVerdict
from marketplace.site.guides import GUIDE_GROUPS
from notifications.models import MailKind
from plugins.models import AnswerPolicy, CitationMode

OTHERS = [code for code, _ in LANGUAGES if code != ENGLISH]
WITH_PHRASES_ALONE = ["ar"]  # in which questions are answered, and no page is
ERROR_MODULES = (
    "accounts.rate_limits",
    "conversations.signed_question_ids",
    "conversations.public_questions",
    "lexic.concurrency",
    "knowledge.tasks",
    "notifications.unsubscribe",
    "lexic.http.error_handlers",
    "lexic.infrastructure_errors",
    "marketplace.reviews.abuse_reports",
    "marketplace.reviews.eligibility",
    "marketplace.reviews.save_review",
    "marketplace.sharing.shareability",
    "querying.answer_links",
    "querying.query_log.send_expert_request",
    "querying.query_log.shared_answers",
    "querying.forms",
    "querying.pipeline",
    "querying.question.user_limits",
)
PHRASE_MAKERS = ("phrase", "counted_phrase")
NAMED = re.compile(r"%\(\w+\)s")


def catalogue(code: str) -> Path:
    return settings.LOCALE_PATHS[0] / locale_name(code) / "LC_MESSAGES" / "django.po"


@cache
def written(code: str) -> polib.POFile:
    """What the catalogue of a language says."""
    return polib.pofile(str(catalogue(code)))


@pytest.mark.parametrize("code", [*OTHERS, *WITH_PHRASES_ALONE])
def test_every_text_is_translated(code: str) -> None:
    texts = written(code)
    open_ones = [entry.msgid for entry in texts if not entry.translated() or entry.fuzzy]
    assert not open_ones, f"docs/languages.md says how to translate them: {open_ones}"


@pytest.mark.parametrize("code", [*OTHERS, *WITH_PHRASES_ALONE])
def test_each_text_is_there_once(code: str) -> None:
    """The tools of gettext read no catalogue that has a text twice, and which translation counts would be chance."""
    texts = Counter((entry.msgctxt, entry.msgid) for entry in written(code))
    assert [text for text, times in texts.items() if times > 1] == []


@pytest.mark.parametrize("code", [*OTHERS, *WITH_PHRASES_ALONE])
def test_a_translation_names_what_its_text_names(code: str) -> None:
    for entry in written(code):
        known = set(NAMED.findall(entry.msgid + entry.msgid_plural))
        for text in entry.msgstr_plural.values() if entry.msgid_plural else [entry.msgstr]:
            assert set(NAMED.findall(text)) <= known, entry.msgid
            assert sorted(re.findall(r"</?\w+", text)) == sorted(re.findall(r"</?\w+", entry.msgid)), entry.msgid


@pytest.mark.parametrize("code", [*OTHERS, *WITH_PHRASES_ALONE])
def test_what_is_compiled_is_what_is_written(code: str) -> None:
    """`manage.py compile_catalogues` compiles. A bare clone has no tool for it."""
    compiled = polib.mofile(str(catalogue(code).with_suffix(".mo")))
    assert {(e.msgctxt, e.msgid): (e.msgstr, e.msgstr_plural) for e in written(code)} == {
        (e.msgctxt, e.msgid): (e.msgstr, e.msgstr_plural) for e in compiled
    }


@pytest.mark.parametrize("code", OTHERS)
def test_texts_that_are_known_by_name_are_in_the_catalogue(code: str) -> None:
    known = {entry.msgid for entry in written(code)}
    assert {*CHOICE_LABELS, *ERROR_TEXTS, *SCRIPT_TEXTS} <= known


@pytest.mark.parametrize("code", [*OTHERS, *WITH_PHRASES_ALONE])
def test_every_phrase_is_in_the_catalogue(code: str) -> None:
    known = {(entry.msgid, entry.msgid_plural) for entry in written(code)}
    assert set(_phrases()) <= known


def _phrases() -> Iterator[tuple[str, str]]:
    """What the modules make phrases of."""
    apps = [Path(settings.BASE_DIR) / name for name in settings.INSTALLED_APPS]
    for path in [path for app in apps for path in app.rglob("*.py")]:
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "phrase(" in text else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PHRASE_MAKERS:
                texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
                yield (*map(str, texts), "") if len(texts) == 1 else tuple(map(str, texts))


def test_the_labels_of_choices_are_those_of_the_choices() -> None:
    labels = {
        str(label)
        for choices in (ReviewVerdict, Report.Reason, Capability, CitationMode, MailKind)
        for label in choices.labels
    }
    labels |= {value for value, _ in CitationMode.choices} | {str(label) for label in SourceType.labels}
    labels |= {str(field.verbose_name) for field in AnswerPolicy._meta.fields}
    labels |= {group.title for group in GUIDE_GROUPS}
    assert set(CHOICE_LABELS) <= labels


def test_the_texts_of_errors_are_those_of_errors() -> None:
    for module in ERROR_MODULES:
        import_module(module)
    said = set()
    waiting: list[type[LexicError]] = [LexicError]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        said |= {" ".join((kind.__doc__ or "").split()), kind.hint}
    assert set(ERROR_TEXTS) <= said
    assert len(set(ERROR_TEXTS)) == len(ERROR_TEXTS)


def test_the_texts_of_scripts_are_those_of_the_scripts() -> None:
    scripts = "".join(path.read_text() for path in Path(settings.BASE_DIR / "static").glob("*.js"))
    assert not [text for text in SCRIPT_TEXTS if f'"{text}"' not in scripts]
