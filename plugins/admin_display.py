"""Shows text that machines wrote in the builder as text, never as markup."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

EMPTY_TEXT = "not yet"


def text_block(text: str) -> SafeString:
    """The text as it stands, with its line breaks and spaces."""
    return format_html('<div class="lx-text" tabindex="0">{}</div>', text)


def json_block(value: Any) -> SafeString:
    """JSON that people can read."""
    return format_html('<pre class="lx-json" tabindex="0">{}</pre>', json.dumps(value, indent=2, ensure_ascii=False))


def key_value_table(rows: Iterable[tuple[Any, Any]]) -> SafeString:
    """Names and values, one pair a row; safe parts stay as they are."""
    body = format_html_join("", '<tr><th scope="row">{}</th><td>{}</td></tr>', rows)
    return format_html('<table class="lx-facts">{}</table>', body) if body else SafeString(EMPTY_TEXT)


def change_link(view: str, words: str, pk: Any) -> SafeString:
    return format_html('<a href="{}">{}</a>', reverse(f"admin:{view}_change", args=[pk]), words)
