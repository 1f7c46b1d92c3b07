"""The dismissed entries of the inbox, and the button that restores them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse

from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from builder.inbox.views import parse_moment, redirect_to_inbox
from builder.panes import render_pane
from lexic.http.parameters import get_page
from plugins.models import Plugin
from querying.models import Dismissal

PER_PAGE = 25
_MAX_WORDINGS = 5
_MAX_ROWS = 5000


@dataclass(frozen=True, kw_only=True)
class DismissalBatch:
    """What somebody dismissed in one go, or a release answers: then `by` is empty. `wordings` are the ways in which
    it was asked, each once."""

    at: datetime
    by: str
    count: int
    wordings: list[str]

    @property
    def shown_wordings(self) -> list[str]:
        return self.wordings[:_MAX_WORDINGS]

    @property
    def hidden_wording_count(self) -> int:
        return len(self.wordings) - len(self.shown_wordings)


def show_dismissed(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The latest first, by page. A fixed number of statements."""
    page = get_page(request, _plugin_dismissals(plugin).batches(), per_page=PER_PAGE)
    context = {"page": page, "acts": _dismissal_batches(list(page), plugin)}
    return render_pane(request, plugin, "inbox", "builder/dismissals.html", context)


def restore(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """Brings back what was dismissed at one moment."""
    count, _ = _plugin_dismissals(plugin).filter(at=parse_moment(request.POST.get("at", ""))).delete()
    if count:
        words = f"{count} {'query is' if count == 1 else 'queries are'} back in the inbox."
        messages.success(request, f"{words} It shows those of the last 90 days at most.")
    else:
        messages.warning(request, "Nothing was restored: these questions are not dismissed any more.")
    if "days" in request.POST:  # it was undone where it had been dismissed
        return redirect_to_inbox(request, plugin)
    return HttpResponseRedirect(reverse("admin:builder_inbox_dismissed", args=[plugin.pk]))


def _plugin_dismissals(plugin: Plugin) -> Any:
    return Dismissal.objects.filter(query__plugin=plugin)


def _dismissal_batches(rows: Sequence[dict[str, Any]], plugin: Plugin) -> list[DismissalBatch]:
    """Two statements."""
    people = User.objects.in_bulk({row["by"] for row in rows} - {None})
    wordings: dict[Any, dict[str, None]] = defaultdict(dict)
    asked = _plugin_dismissals(plugin).filter(at__in=[row["at"] for row in rows]).order_by("-query__created_at")
    for at, by, question in asked.values_list("at", "by", "query__question")[:_MAX_ROWS]:
        wordings[at, by].setdefault(question)
    return [
        DismissalBatch(
            at=row["at"],
            by="" if row["is_automatic"] else str(people.get(row["by"], "a deleted account")),
            count=row["count"],
            wordings=list(wordings[row["at"], row["by"]]),
        )
        for row in rows
    ]
