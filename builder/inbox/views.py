"""The pane of what waits, and the button that sends a topic away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts.models import User
from builder.inbox.waiting import MOST_QUERIES, MOST_QUESTIONS, Topic, topics_of
from builder.panes import render
from builder.sandbox.turns import Read, nearest_of
from plugins.models import Plugin
from querying.models import Dismissal, Feedback, Query

PER_PAGE = 10
RANGES = (30, 90)
_MOST_WORDINGS = 5
_MOST_NOTES = 3


@dataclass(frozen=True, kw_only=True)
class Row:
    """A topic with all that the page shows of it."""

    topic: Topic
    query: Query
    nearest: list[Read]
    notes: list[str]
    line: str

    @property
    def wordings(self) -> list[str]:
        return self.topic.wordings[:_MOST_WORDINGS]

    @property
    def unnamed(self) -> int:
        """How many more wordings there are than are shown."""
        return len(self.topic.wordings) - len(self.wordings)

    @property
    def ids(self) -> str:
        return ",".join(map(str, self.topic.one_of_each))


def show(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """The topics of the last 30 (or 90) days, by page. A fixed number of statements, whatever waits."""
    assert isinstance(request.user, User)
    now, days = timezone.now(), _days(request.GET.get("days"))
    topics = topics_of(plugin, days=days, now=now)
    page = Paginator(topics, PER_PAGE).get_page(request.GET.get("page"))
    count = sum(topic.count for topic in topics)
    context: dict[str, Any] = {
        "page": page,
        "rows": _rows(list(page), user=request.user, days=days, now=now),
        "count": count,
        "days": days,
        "ranges": RANGES,
        "is_cut": count >= MOST_QUERIES or sum(len(one.one_of_each) for one in topics) >= MOST_QUESTIONS,
        "until": now.isoformat(),
        "undo": _dismissed_just_now(request, plugin),
        "dismissed_count": Dismissal.objects.filter(query__plugin=plugin).acts().count(),
    }
    return render(request, plugin, "inbox", "builder/inbox.html", context)


def dismiss(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """Sends the queries away that ask in the same words as those named, as far as they were there to be seen."""
    assert isinstance(request.user, User)
    days, until = _days(request.POST.get("days")), moment_in(request.POST.get("until", ""))
    named = Query.objects.filter(plugin=plugin, pk__in=_ids(request.POST.get("queries", "")))
    # Further back than the page shows: the same words should not come up again when it shows more days.
    waiting = Query.objects.filter(plugin=plugin, created_at__lte=until).waiting(since=_EVER)
    same = waiting.filter(question__in=named.order_by().values("question")).only("pk")
    now = timezone.now()
    back = {"days": str(days), "page": request.POST.get("page", "1")}
    if Dismissal.record(same, by=request.user, at=now):
        back["undo"] = now.isoformat()
    else:
        messages.warning(request, "Nothing was dismissed: it is not waiting any more.")
    return HttpResponseRedirect(reverse("admin:builder_inbox", args=[plugin.pk], query=back))


def _dismissed_just_now(request: HttpRequest, plugin: Plugin) -> dict[str, Any] | None:
    """What the person sent away a moment ago, to be brought back by one button."""
    if "undo" not in request.GET:
        return None
    acts = Dismissal.objects.filter(query__plugin=plugin, at=moment_in(request.GET["undo"])).acts()
    return acts.first()


_EVER = datetime(2000, 1, 1, tzinfo=timezone.get_default_timezone())


def _rows(topics: Sequence[Topic], *, user: User, days: int, now: datetime) -> list[Row]:
    """Three statements."""
    shown = ("question", "outcome", "reason", "passages", "citations")
    queries = Query.objects.only(*shown).in_bulk([topic.pk for topic in topics])
    topics = [topic for topic in topics if topic.pk in queries]
    nearest = nearest_of([queries[topic.pk] for topic in topics], user=user)
    notes = _notes(topics)
    return [
        Row(
            topic=topic,
            query=queries[topic.pk],
            nearest=read,
            notes=[notes[one.pk] for one in topic.asked if one.pk in notes][:_MOST_NOTES],
            line=topic.line(days=days, now=now),
        )
        for topic, read in zip(topics, nearest, strict=True)
    ]


def _notes(topics: Sequence[Topic]) -> dict[UUID, str]:
    """The latest note on each query that was called wrong. Who wrote it is not the author's business."""
    wrong = [one.pk for topic in topics for one in topic.asked if one.is_wrong]
    said = Feedback.objects.filter(query__in=wrong, verdict=Feedback.Verdict.DOWN).exclude(note="")
    return dict(said.order_by("created_at").values_list("query", "note"))


def _days(text: str | None) -> int:
    return next((days for days in RANGES if str(days) == text), RANGES[0])


def moment_in(text: str) -> datetime:
    """When the page was made. What is no moment is a moment at which nothing had been asked yet."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    return moment if moment and timezone.is_aware(moment) else _EVER


def _ids(text: str) -> list[UUID]:
    """At most as many as a page names; what is no id is left out."""
    found = []
    for part in text.split(",")[:MOST_QUESTIONS]:
        try:
            found.append(UUID(part))
        except ValueError:
            continue
    return found
