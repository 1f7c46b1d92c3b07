"""What pages of the builder are drawn with: icons, money, where one is and how a part stands."""

from __future__ import annotations

from decimal import Decimal

from django import template
from django.conf import settings
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from builder.breadcrumbs import Breadcrumb, get_breadcrumbs
from lexic.templatetags.public import icon

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


@register.simple_tag(takes_context=True)
def crumbs(context: Context) -> list[Breadcrumb]:
    """Where this page stands; the last one is the page itself."""
    return get_breadcrumbs({str(name): value for name, value in context.flatten().items()})


@register.simple_tag
def standing(value: str) -> SafeString:
    """The icon of a part's standing, with its word for those who cannot see it."""
    return format_html('{}<span class="sr">{}: </span>', icon(_STATUS_ICONS[value]), _STATUS_LABELS[value])


@register.filter
def plain(name: str) -> str:
    """A fact's name as people would write it: member_type is “member type”."""
    return name.replace("_", " ")
