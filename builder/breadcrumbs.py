"""The breadcrumbs of a page of the builder: the list, the object, and the current action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import NoReverseMatch, reverse


@dataclass(frozen=True, kw_only=True)
class Breadcrumb:
    """Without an address it is the page itself."""

    title: str
    url: str = ""


def get_breadcrumbs(context: Mapping[str, Any]) -> list[Breadcrumb]:
    """The breadcrumbs that the view gave, or else those made from the admin's own pages."""
    if given := context.get("crumbs"):
        return list(given)
    opts, title = context.get("opts"), str(context.get("title") or "Builder")
    if not opts:
        return [Breadcrumb(title=title)]
    if context.get("cl"):
        return [Breadcrumb(title=title)]
    plural = str(opts.verbose_name_plural)
    plural = plural[:1].upper() + plural[1:]
    parts = [Breadcrumb(title=plural, url=_admin_url(opts, "changelist"))]
    one = context.get("original") or context.get("object")
    if one is None or isinstance(one, str):
        return [*parts, Breadcrumb(title=f"New {opts.verbose_name}" if context.get("add") else title)]
    if context.get("adminform"):
        return [*parts, Breadcrumb(title=str(one))]
    done = "History" if "action_list" in context else title
    return [*parts, Breadcrumb(title=str(one), url=_admin_url(opts, "change", one.pk)), Breadcrumb(title=done)]


def _admin_url(opts: Any, page: str, *args: Any) -> str:
    try:
        return reverse(f"admin:{opts.app_label}_{opts.model_name}_{page}", args=args)
    except NoReverseMatch:
        return ""
