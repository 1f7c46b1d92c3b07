"""Texts of the description as HTML: paragraphs, and `code` between backticks. Everything is escaped."""

from __future__ import annotations

import re

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()
_CODE_SPAN = re.compile(r"`([^`\n]{1,200})`")


@register.filter
def inline(words: str) -> SafeString:
    # `split` by a group puts what the group matched at the odd indices.
    pieces = enumerate(_CODE_SPAN.split(words))
    marked = (format_html("<code>{}</code>", piece) if at % 2 else piece for at, piece in pieces)
    return format_html_join("", "{}", ((piece,) for piece in marked))


@register.filter
def paragraphs(words: str) -> SafeString:
    return format_html_join("", "<p>{}</p>", ((inline(one),) for one in words.split("\n\n") if one.strip()))
