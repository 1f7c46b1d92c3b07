"""The sidebar: a person's plugins first, then what they are made of and how they are used."""

from __future__ import annotations

from typing import Any

from django.urls import reverse, reverse_lazy
from django.utils.html import format_html

from accounts.signed_in_request import SignedInRequest
from builder.command_search import SHORTCUTS_LINK
from knowledge.models import KnowledgeGrant
from marketplace.models import Report
from plugins.models import Plugin

# A person with more finds the others by search.
MAX_PLUGINS = 6
# A badge counts no further.
MAX_BADGE = 99


def sidebar(request: SignedInRequest) -> list[dict[str, Any]]:
    plugins = [
        _page_item(request, "Dashboard", "space_dashboard", "index"),
        *_plugin_items(request),
        _page_item(request, "All plugins", "apps", "plugins_plugin_changelist"),
        _page_item(request, "Analytics", "bar_chart", "builder_overall"),
    ]
    knowledge = [
        _list_item("Documents", "description", "knowledge_document"),
        _list_item("Knowledge bases", "library_books", "knowledge_knowledgebase"),
        _grants_item(request),
        _list_item("Decision trees", "account_tree", "trees_decisiontree"),
    ]
    use = [
        _list_item("Questions asked", "forum", "querying_query"),
        _list_item("Releases", "sell", "plugins_release"),
        _list_item("API keys", "key", "accounts_apikey"),
    ]
    sections = [("Plugins", plugins), ("Knowledge", knowledge), ("Use", use)]
    if request.user.is_superuser:
        status = _page_item(request, "System status", "monitor_heart", "builder_system_status")
        log = _list_item("Audit log", "history", "audit_auditentry")
        sections.append(("Operators", [_list_item("People", "group", "accounts_user"), _reports_item(), log, status]))
    return [{"title": title, "items": items} for title, items in sections]


def account(request: SignedInRequest) -> list[dict[str, Any]]:
    return [
        {"title": "Public pages", "link": reverse_lazy("home")},
        {"title": "Account", "link": reverse_lazy("profile")},
        {"title": "Mails about your plugins", "link": reverse_lazy("mail_preferences")},
        {"title": "Keyboard shortcuts", "link": SHORTCUTS_LINK},
    ]


def _plugin_items(request: SignedInRequest) -> list[dict[str, Any]]:
    recent = Plugin.objects.viewable_by(request.user).order_by("-updated_at").only("pk", "name", "is_published")
    return [
        {
            "title": format_html('<span title="{}">{}</span>', plugin.name, plugin.name),
            "icon": "menu_book",
            "link": reverse("admin:plugins_plugin_change", args=[plugin.pk]),
            "active": str(plugin.pk) in request.path,
            **({} if plugin.is_published else {"badge": "draft"}),
        }
        for plugin in recent[:MAX_PLUGINS]
    ]


def _page_item(request: SignedInRequest, title: str, icon: str, view: str) -> dict[str, Any]:
    """A page that is marked only where exactly this page is open."""
    url = reverse(f"admin:{view}")
    return {"title": title, "icon": icon, "link": url, "active": request.path == url}


def _grants_item(request: SignedInRequest) -> dict[str, Any]:
    item = _page_item(request, "Knowledge grants", "handshake", "builder_grants")
    waiting = KnowledgeGrant.objects.requested().owned_by(request.user)[:MAX_BADGE].count()
    return {**item, "badge": str(waiting)} if waiting else item


def _list_item(title: str, icon: str, model: str) -> dict[str, Any]:
    return {"title": title, "icon": icon, "link": reverse_lazy(f"admin:{model}_changelist")}


def _reports_item() -> dict[str, Any]:
    waiting = Report.objects.open()[: MAX_BADGE + 1].count()
    item = _list_item("Reports", "flag", "marketplace_report")
    return {**item, "badge": str(waiting) if waiting <= MAX_BADGE else f"{MAX_BADGE}+"} if waiting else item
