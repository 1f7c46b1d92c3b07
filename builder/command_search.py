"""The commands that the search box (Ctrl+K) finds beside plugins, documents and trees: the tabs of a person's plugins,
and actions that are possible everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from unfold.dataclasses import SearchResult  # type: ignore[import-untyped]

from accounts.signed_in_request import SignedInRequest
from builder.panes import PANES
from builder.readiness import reverse_pane
from plugins.models import Plugin

# The latest ones; a word of its name finds any other.
MAX_PLUGINS = 6
_PAGES = (
    ("Dashboard", "space_dashboard", "admin:index"),
    ("New plugin", "add", "admin:plugins_plugin_add"),
    ("Import a plugin", "upload", "admin:builder_import"),
    ("Analytics of all plugins", "bar_chart", "admin:builder_overall"),
    ("Account", "person", "profile"),
    ("Mails about your plugins", "mail", "mail_preferences"),
    ("API keys", "key", "keys"),
    ("Projects", "folder", "projects"),
    ("Public pages", "public", "home"),
    ("Guides", "menu_book", "docs"),
    ("Sign out", "logout", "account_logout"),
)
# What can be done with a plugin by those who may change it.
_PLUGIN_ACTIONS = (
    ("Publish", "rocket_launch", "builder_publish"),
    ("Add a golden question", "add", "builder_golden_add"),
    ("Webhooks", "webhook", "builder_webhooks"),
    ("History", "history", "plugins_plugin_history"),
)
# Opened by the builder's script.
SHORTCUTS_LINK = "#keyboard-shortcuts"


def search_commands(request: SignedInRequest, search_term: str) -> list[SearchResult]:
    """Everything of which each word of the search begins a word, of the tab, the plugin or the action."""
    words = search_term.lower().split()
    return [found for found in (*_actions(), *_tabs(request, words)) if _matches(found, words)]


def _actions() -> Iterator[SearchResult]:
    yield SearchResult(title="Keyboard shortcuts", description="Help", link=SHORTCUTS_LINK, icon="keyboard")
    for title, icon, name in _PAGES:
        yield SearchResult(title=title, description="Go to", link=reverse(name), icon=icon)


def _tabs(request: SignedInRequest, words: list[str]) -> Iterator[SearchResult]:
    readable = Plugin.objects.viewable_by(request.user).order_by("-updated_at").only("pk", "name")
    recent = list(readable[:MAX_PLUGINS])
    named = readable.none()
    for word in words:
        named |= readable.filter(name__icontains=word)
    seen = {plugin.pk for plugin in recent}
    shown = [*recent, *(one for one in named[:MAX_PLUGINS] if one.pk not in seen)]
    editable = Plugin.objects.editable_by(request.user).filter(pk__in=[plugin.pk for plugin in shown])
    changeable = set(editable.values_list("pk", flat=True))
    for plugin in shown:
        for slug, title in PANES.items():
            yield SearchResult(title=title, description=plugin.name, link=reverse_pane(plugin, slug), icon="tab")
        for title, icon, name in _PLUGIN_ACTIONS if plugin.pk in changeable else ():
            link = reverse(f"admin:{name}", args=[plugin.pk])
            yield SearchResult(title=title, description=plugin.name, link=link, icon=icon)


def _matches(found: SearchResult, words: list[str]) -> bool:
    parts = f"{found.title} {found.description}".lower().split()
    return all(any(part.startswith(word) for part in parts) for word in words)
