"""The first steps of a new author and how far they are. They go away with the first release, or when hidden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from builder.readiness import reverse_pane
from evaluation.plugin_counts import PluginCounts
from plugins.models import Plugin, Release
from querying.models import Query


@dataclass(frozen=True, kw_only=True)
class ChecklistStep:
    title: str
    detail: str
    url: str
    is_done: bool


@dataclass(frozen=True, kw_only=True)
class Checklist:
    """What is done of a new author's first plugin, and what comes next."""

    plugin: Plugin
    steps: Sequence[ChecklistStep]

    @property
    def done_count(self) -> int:
        return sum(step.is_done for step in self.steps)

    @property
    def following(self) -> ChecklistStep | None:
        """The first that is not done."""
        return next((step for step in self.steps if not step.is_done), None)


def first_steps(user: User, plugins: Sequence[Plugin], counts: Mapping[UUID, PluginCounts]) -> Checklist | None:
    """For the person's plugin of these that changed last; None once one of theirs has a release. Two statements."""
    own = next((plugin for plugin in plugins if plugin.owner_id == user.pk), None)
    if own is None or user.checklist_dismissed_at or Release.objects.filter(plugin__owner=user).exists():
        return None
    of = counts[own.pk]
    was_asked = Query.objects.filter(plugin=own, user=user).questions().exists()
    steps = [
        ("Name it", "Its first persona is written; edit it when you like.", "persona", True),
        ("Add documents", "It answers from them alone.", "knowledge", bool(of.answering)),
        ("Ask it", "In the sandbox. Look at the sources it cites.", "sandbox", was_asked),
        (
            "Save golden questions",
            "Answers that must stay right, and what it has to refuse.",
            "golden",
            bool(of.golden),
        ),
        ("Publish it", "Choose who can see it. Agents ask releases; you keep editing the draft.", "publish", False),
    ]
    return Checklist(
        plugin=own,
        steps=[
            ChecklistStep(title=title, detail=detail, url=reverse_pane(own, pane), is_done=is_done)
            for title, detail, pane, is_done in steps
        ],
    )


@require_POST
def dismiss_checklist(request: SignedInRequest) -> HttpResponse:
    request.user.checklist_dismissed_at = timezone.now()
    request.user.save(update_fields=["checklist_dismissed_at"])
    messages.success(request, "The first steps are hidden. They stand in the docs, under “Build a plugin”.")
    return HttpResponseRedirect(reverse("admin:index"))
