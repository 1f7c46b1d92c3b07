"""Template tags of all pages: icons, figures, and URLs with the public host, whatever host was asked."""

from __future__ import annotations

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def public_url(path: str = "") -> str:
    """The whole address of a path of this site."""
    return f"{settings.PUBLIC_URL}{path}"


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon that says nothing by itself: a word must stand beside it."""
    sheet = static("icons.svg")
    return format_html('<svg class="i" viewBox="0 0 20 20" aria-hidden="true"><use href="{}#{}"/></svg>', sheet, name)


@register.simple_tag
def public_static(name: str) -> str:
    """The whole address of a static file of ours."""
    return public_url(static(name))


@register.filter
def counted(number: int) -> str:
    """2312 as 2,312, or as the language of the page groups figures."""
    return number_format(number, force_grouping=True)
