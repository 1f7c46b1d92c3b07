"""The labels of choices that stand on visitors' pages and in mails. They are English where they are
declared, for programs and the builder."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, gettext_noop

# What `makemessages` finds; a test holds it against the labels themselves.
CHOICE_LABELS = (
    # marketplace.models.ReviewVerdict
    gettext_noop("Relied on it"),
    gettext_noop("Used with care"),
    gettext_noop("Was wrong for me"),
    # marketplace.models.Report.Reason
    gettext_noop("It says what is dangerously wrong"),
    gettext_noop("It shows what somebody else owns"),
    gettext_noop("It is abusive or spam"),
    gettext_noop("It shows somebody's private data"),
    gettext_noop("Something else"),
    # accounts.models.Capability
    gettext_noop("ask questions"),
    gettext_noop("read plugins and documents"),
    gettext_noop("change plugins and documents"),
    # knowledge.models.SourceType; names that are the same everywhere are left out
    gettext_noop("plain text"),
    gettext_noop("slides (PPTX)"),
    gettext_noop("workbook (XLSX)"),
    gettext_noop("table (CSV)"),
    gettext_noop("book (EPUB)"),
    gettext_noop("OpenDocument text"),
    gettext_noop("e-mail"),
    gettext_noop("picture"),
    gettext_noop("web page"),
    gettext_noop("source code"),
    # notifications.models.MailKind
    gettext_noop("weekly digest"),
    gettext_noop("files that could not be read"),
    gettext_noop("many refused questions"),
    # plugins.models.CitationMode
    gettext_noop("mandatory"),
    gettext_noop("optional"),
    gettext_noop("off"),
    # plugins.models.AnswerPolicy, the names of its columns
    gettext_noop("persona"),
    gettext_noop("audience"),
    gettext_noop("tone"),
    gettext_noop("limits"),
    gettext_noop("disclaimer"),
    gettext_noop("citation mode"),
    gettext_noop("passages read"),
    gettext_noop("similarity threshold"),
    gettext_noop("evidence needed"),
    gettext_noop("synonyms"),
    gettext_noop("planner"),
    gettext_noop("only what is public"),
    # marketplace.site.guides, the titles of its groups
    gettext_noop("Start"),
    gettext_noop("For agents"),
    gettext_noop("For experts"),
    gettext_noop("For operators and the curious"),
)


def translated_choices(choices: type[models.TextChoices]) -> list[tuple[Any, str | Promise]]:
    """The choices with their labels in the language of the page."""
    return [(value, gettext_lazy(str(label))) for value, label in choices.choices]
