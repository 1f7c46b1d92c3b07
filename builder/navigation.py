"""The sidebar: a person's plugins first, then what they are made of and how they are used."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse, reverse_lazy
from django.utils.html import format_html

from accounts.models import User
from marketplace.models import Report
from plugins.models import Plugin

# A person with more finds the others by search.
MAX_PLUGINS = 6
# That are counted for the badge beside the queue.
MAX_REPORTS = 99


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    return [
        {
            "title": "Plugins",
            "items": [
                _dashboard_item(request),
                *_plugin_items(request),
                _all_plugins_item(request),
                _analytics_item(request),
            ],
        },
        {
            "title": "Knowledge",
            "items": [
                _changelist_item("Documents", "description", "knowledge_document"),
                _changelist_item("Knowledge bases", "library_books", "knowledge_knowledgebase"),
                _changelist_item("Decision trees", "account_tree", "trees_decisiontree"),
            ],
        },
        {
            "title": "Use",
            "items": [
                _changelist_item("Questions asked", "forum", "querying_query"),
                _changelist_item("Releases", "sell", "plugins_release"),
                _changelist_item("API keys", "key", "accounts_apikey"),
            ],
        },
        *([_operator_section()] if request.user.is_superuser else []),
    ]


def account(request: HttpRequest) -> list[dict[str, Any]]:
    return [
        {"title": "Public pages", "link": reverse_lazy("home")},
        {"title": "Account", "link": reverse_lazy("profile")},
    ]


def _plugin_items(request: HttpRequest) -> list[dict[str, Any]]:
    assert isinstance(request.user, User)
    recent = Plugin.objects.readable_by(request.user).order_by("-updated_at").only("pk", "name", "is_published")
    return [_plugin_item(request, plugin) for plugin in recent[:MAX_PLUGINS]]


def _plugin_item(request: HttpRequest, plugin: Plugin) -> dict[str, Any]:
    item: dict[str, Any] = {
        # The theme prints titles as they are, markup and all.
        "title": format_html('<span title="{}">{}</span>', plugin.name, plugin.name),
        "icon": "menu_book",
        "link": reverse("admin:plugins_plugin_change", args=[plugin.pk]),
        "active": str(plugin.pk) in request.path,
    }
    return item if plugin.is_published else {**item, "badge": "draft"}


def _dashboard_item(request: HttpRequest) -> dict[str, Any]:
    url = reverse("admin:index")
    return {"title": "Dashboard", "icon": "space_dashboard", "link": url, "active": request.path == url}


def _all_plugins_item(request: HttpRequest) -> dict[str, Any]:
    item = _changelist_item("All plugins", "apps", "plugins_plugin")
    return {**item, "active": request.path == str(item["link"])}


def _analytics_item(request: HttpRequest) -> dict[str, Any]:
    url = reverse("admin:builder_overall")
    return {"title": "Analytics", "icon": "bar_chart", "link": url, "active": request.path == url}


def _changelist_item(title: str, icon: str, model: str) -> dict[str, Any]:
    return {"title": title, "icon": icon, "link": reverse_lazy(f"admin:{model}_changelist")}


def _operator_section() -> dict[str, Any]:
    return {"title": "Operators", "items": [_changelist_item("People", "group", "accounts_user"), _reports_item()]}


def _reports_item() -> dict[str, Any]:
    waiting = Report.objects.open()[: MAX_REPORTS + 1].count()
    item = _changelist_item("Reports", "flag", "marketplace_report")
    if not waiting:
        return item
    return {**item, "badge": str(waiting) if waiting <= MAX_REPORTS else f"{MAX_REPORTS}+"}
