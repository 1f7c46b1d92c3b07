"""The languages that a page can be read in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import template
from django.utils.translation import get_language, get_language_bidi, gettext

from lexic.conf.languages import ENGLISH, LANGUAGES, is_translated
from lexic.script_texts import SCRIPT_TEXTS

register = template.Library()


@dataclass(frozen=True)
class InterfaceLanguage:
    """`code` is Django's, `tag` the one of HTML, `name` what its speakers call it."""

    code: str
    tag: str
    name: str
    is_current: bool


@register.simple_tag
def html_language() -> str:
    """The `lang` of the page."""
    return _html_tag(get_language() or ENGLISH)


@register.simple_tag
def text_direction() -> str:
    """The `dir` of the page."""
    return "rtl" if get_language_bidi() else "ltr"


@register.simple_tag(takes_context=True)
def interface_languages(context: Mapping[str, Any]) -> list[InterfaceLanguage]:
    """The languages to choose from; none where the page is in English for everybody, or drawn without a request."""
    request = context.get("request")
    if request is None or not is_translated(request.path):
        return []
    current = get_language()
    return [InterfaceLanguage(code, _html_tag(code), name, code == current) for code, name in LANGUAGES]


@register.simple_tag
def script_texts() -> dict[str, str]:
    """What the scripts of the page say in its language, by what they say in English; empty in English."""
    if get_language() == ENGLISH:
        return {}
    return {text: gettext(text) for text in SCRIPT_TEXTS}


def _html_tag(code: str) -> str:
    language, _, rest = code.partition("-")
    return f"{language}-{rest.title() if len(rest) > 2 else rest.upper()}" if rest else language
