"""Template tags of the builder: icons, money, breadcrumbs and the status of a part."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from django import template
from django.conf import settings
from django.template import Context
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from builder.breadcrumbs import Breadcrumb, get_breadcrumbs
from lexic.short_text import shorten
from lexic.templatetags.public import icon
from querying.presentation.question_run import format_duration
from trees.facts.field_values import Value, format_value

register = template.Library()
register.simple_tag(icon)

_STATUS_ICONS = {"ok": "check", "warn": "alert", "no": "alert", "faint": "dot"}
_STATUS_LABELS = {"ok": "fine", "warn": "needs attention", "no": "blocks publishing", "faint": "open"}


@register.filter
def money(amount: Decimal | None) -> str:
    """An amount in the currency of the prices, two digits of it where it is less than a hundredth."""
    if amount is None:
        return "not known"
    digits = 2 if not amount or amount >= Decimal("0.01") else 1 - amount.adjusted()
    return f"{amount:,.{digits}f} {settings.LEXIC_LLM_CURRENCY}".strip()


@register.filter
def duration(milliseconds: float) -> str:
    """Such as `62 ms`, and from a second on `13.8 s`."""
    return format_duration(round(milliseconds))


@register.filter
def iso_day(day: str) -> str:
    """A day that is kept as `2026-11-24`, as every page writes it."""
    return date_format(date.fromisoformat(day), "j F Y")


@register.simple_tag(takes_context=True)
def crumbs(context: Context) -> list[Breadcrumb]:
    """Where this page stands; the last one is the page itself."""
    return get_breadcrumbs({str(name): value for name, value in context.flatten().items()})


@register.simple_tag
def status_icon(value: str) -> SafeString:
    """The icon of a part's standing, with its word for those who cannot see it."""
    return format_html('{}<span class="sr">{}: </span>', icon(_STATUS_ICONS[value]), _STATUS_LABELS[value])


@register.filter
def fact_value(value: Value) -> str:
    """What a fact holds, as people write it: yes, and not True."""
    return format_value(value)


@register.filter(name="shorten")
def shorten_text(text: object, length: int) -> str:
    """The beginning of a text, cut between words."""
    return shorten(str(text or ""), length)
