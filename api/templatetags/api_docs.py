"""Words of the description as markup: paragraphs, and `code` between backticks. Everything is escaped first."""

from __future__ import annotations

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
_CODE = re.compile(r"`([^`\n]{1,200})`")


@register.filter
def inline(words: str) -> SafeString:
    return mark_safe(_CODE.sub(r"<code>\1</code>", str(escape(words))))  # noqa: S308 -- escaped just before


@register.filter
def paragraphs(words: str) -> SafeString:
    return mark_safe("".join(f"<p>{inline(one)}</p>" for one in words.split("\n\n") if one.strip()))  # noqa: S308
