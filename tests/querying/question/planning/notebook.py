"""A plugin of notes, some of which nobody but its author may read: whatever is theirs alone has `MARK` in it."""

from __future__ import annotations

from datetime import date
from typing import Any

from accounts.models import User
from knowledge.models import Document
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from tests.cover import give_document

MARK = "kestrel"

OPEN: dict[str, tuple[str, dict[str, Any]]] = {
    "Oak bench": (
        "The oak bench is glued with hide glue and finished with oil.",
        {
            "doc_date": date(2026, 3, 4),
            "tags": ["woodwork"],
            "doc_type": "project-note",
            "project": "Workshop",
            "doc_status": "done",
        },
    ),
    "Shed roof": (
        "The shed roof got new felt and a gutter.",
        {
            "doc_date": date(2026, 3, 20),
            "tags": ["woodwork", "home"],
            "doc_type": "daily-note",
            "doc_status": "done",
        },
    ),
    "Autumn run": (
        "The long run was eighteen kilometres along the canal.",
        {"doc_date": date(2026, 9, 12), "tags": ["running"], "doc_type": "daily-note", "doc_status": "active"},
    ),
}
_THEIRS: dict[str, Any] = {
    "doc_date": date(2026, 3, 5),
    "tags": ["woodwork", f"{MARK}-tag"],
    "doc_type": f"{MARK}-note",
    "project": f"{MARK} project",
    "doc_status": f"{MARK}-done",
}
CLOSED: dict[str, dict[str, Any]] = {
    f"{MARK} diary": {"is_public": False},
    f"{MARK} template": {"is_template": True},
    f"{MARK} rules": {"superseded_on": date(2026, 4, 1)},
}
_TEXT = (
    f"## The {MARK} bench\n\nThe oak bench is glued with {MARK} glue, and its {MARK} legs with hide glue. "
    f"The shed roof is a {MARK} roof. The doctor advised {MARK} rest for the knee.\n"
)


def notebook(owner: User, **fields: Any) -> Plugin:
    """Published."""
    given = {"name": "Notes", "slug": "notes", "domain": "notes", "system_prompt": "Answer.", **fields}
    plugin = Plugin.objects.create(owner=owner, **given)
    for title, (text, labels) in OPEN.items():
        _add(plugin, title, text, {"is_public": True, **labels})
    for title, marks in CLOSED.items():
        _add(plugin, title, _TEXT, {"is_public": True, **_THEIRS, **marks})
    publish(plugin, by=owner)
    plugin.refresh_from_db()
    return plugin


def _add(plugin: Plugin, title: str, text: str, labels: dict[str, Any]) -> None:
    # A word of its own, for the same text twice would be one document.
    document = give_document(plugin, title=title, text=f"# {title}\n\n{text}\nThis is {title}.\n")
    Document.objects.filter(pk=document.pk).update(**labels)
