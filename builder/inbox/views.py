"""The pane of what waits, and the button that sends a topic away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from builder.inbox.topics import MAX_QUERIES, MAX_QUESTIONS, Topic, get_topics
from builder.panes import render_pane
from knowledge.documents.expert_answers import expert_answers
from plugins.models import Plugin
from plugins.slugs import parse_id
from querying.models import Dismissal, Feedback, Query, QueryQuerySet
from querying.presentation.retrieved_passages import MAX_NEAREST, PassagePlace, retrieved_passages

PER_PAGE = 10
DAY_RANGES = (30, 90)
# What is shown, by the name in the address: what waits, or what people of the plugin tried themselves.
SOURCES = {"": "Waiting", "sandbox": "Own tries"}
_MAX_WORDINGS = 5
_MAX_NOTES = 3


@dataclass(frozen=True, kw_only=True)
class TopicRow:
    """A topic with all that the page shows of it."""

    topic: Topic
    query: Query
    nearest: list[PassagePlace]
    notes: list[str]
    sparkline_path: str

    @property
    def follow_up(self) -> str:
        """What was asked, where the topic is named by what it stands for."""
        return self.query.question if self.query.question != self.topic.question else ""

    @property
    def wordings(self) -> list[str]:
        return self.topic.wordings[:_MAX_WORDINGS]

    @property
    def hidden_wording_count(self) -> int:
        """How many more wordings there are than are shown."""
        return len(self.topic.wordings) - len(self.wordings)

    @property
    def ids(self) -> str:
        return ",".join(map(str, self.topic.representative_ids))

    def has_any(self, query_ids: Sequence[UUID]) -> bool:
        return not set(query_ids).isdisjoint(self.topic.representative_ids)


@dataclass(frozen=True, kw_only=True)
class RefusedReply:
    """A reply that was not saved, as it was written, and the queries that it answers. `is_late`: they wait no more, and
    it is saved when it is sent again."""

    query_ids: list[UUID]
    question: str
    answer: str
    opens: bool
    is_late: bool

    @property
    def ids(self) -> str:
        return ",".join(map(str, self.query_ids))


def show_inbox(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The topics of the last 30 (or 90) days, by page. A fixed number of statements, whatever waits."""
    return _render_inbox(request, plugin, request.GET)


def show_reply_again(request: SignedInRequest, plugin: Plugin, *, is_late: bool = False) -> HttpResponse:
    """The inbox where the person was, with the reply as it was sent: in its topic, or on top where that is gone."""
    refused = RefusedReply(
        query_ids=_parse_query_ids(",".join(request.POST.getlist("queries"))),
        question=request.POST.get("question", ""),
        answer=request.POST.get("answer", ""),
        opens="opens" in request.POST,
        is_late=is_late,
    )
    return _render_inbox(request, plugin, request.POST, refused=refused)


def _render_inbox(
    request: SignedInRequest, plugin: Plugin, position: QueryDict, *, refused: RefusedReply | None = None
) -> HttpResponse:
    now, days, source = timezone.now(), _read_days(position.get("days")), _read_source(position.get("from"))
    topics = get_topics(plugin, days=days, now=now, source=source)
    page = Paginator(topics, PER_PAGE).get_page(position.get("page"))
    rows = _topic_rows(list(page), user=request.user, days=days, now=now)
    asked_in = next((row for row in rows if refused and row.has_any(refused.query_ids)), None)
    count = sum(topic.count for topic in topics)
    dismissed = Dismissal.objects.filter(query__plugin=plugin)
    context: dict[str, Any] = {
        "page": page,
        "rows": rows,
        "refused": refused,
        "refused_topic": asked_in.topic.pk if asked_in else None,
        "parameters": urlencode({"days": days, **({"from": source} if source else {})}),
        "count": count,
        "days": days,
        "ranges": DAY_RANGES,
        "source": source,
        "sources": SOURCES.items(),
        "is_cut": count >= MAX_QUERIES or sum(len(one.representative_ids) for one in topics) >= MAX_QUESTIONS,
        "until": now.isoformat(),
        "undo": dismissed.filter(at=parse_moment(request.GET["undo"])).batches().first()
        if "undo" in request.GET  # what the person has just dismissed, for the button that takes it back
        else None,
        "was_answered": "answered" in request.GET,
        "dismissed_count": dismissed.batches().count(),
        **_opening_context(plugin),
    }
    return render_pane(request, plugin, "inbox", "builder/inbox.html", context)


def _opening_context(plugin: Plugin) -> dict[str, bool]:
    """Whether a reply has to be marked public to reach those who ask without an account, and whether it is unless its
    author says otherwise: where that opens no earlier answer."""
    if not plugin.public_chat:
        return {}
    are_public = expert_answers().filter(knowledge_base__plugin=plugin).values_list("is_public", flat=True).first()
    return {"may_open": not are_public, "opens": are_public is None}


def dismiss_topics(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """Sends away one topic, or all that are marked."""
    undo = dismiss(request, named_queries(request, plugin))
    if undo is None:
        messages.warning(request, "Nothing was dismissed: these questions are not in the inbox any more.")
    return redirect_to_inbox(request, plugin, undo=undo)


def dismiss(request: SignedInRequest, queries: Iterable[Query]) -> datetime | None:
    """Sends the queries away. Returns the moment under which they can be brought back, None where there were none."""
    now = timezone.now()
    return now if Dismissal.record(queries, by=request.user, at=now) else None


def named_queries(request: SignedInRequest, plugin: Plugin) -> QueryQuerySet:
    """What waits in the same words as the queries that the form names, as far as it was there to be seen."""
    until = parse_moment(request.POST.get("until", ""))
    ids = _parse_query_ids(",".join(request.POST.getlist("queries")))
    named = Query.objects.filter(plugin=plugin, pk__in=ids)
    # Further back than the page shows: the same words should not come up again when it shows more days.
    waiting = Query.objects.filter(plugin=plugin, created_at__lte=until).needing_attention(
        since=_BEGINNING, own_tries=True
    )
    words = named.with_full_question().order_by().values("full")
    return waiting.with_full_question().filter(full__in=words).only("pk")


def named_question(request: SignedInRequest, plugin: Plugin) -> str:
    """The words of the topic that the form names first; empty where it waits no more."""
    ids = _parse_query_ids(",".join(request.POST.getlist("queries")))
    waiting = Query.objects.filter(plugin=plugin, pk__in=ids[:1]).needing_attention(since=_BEGINNING, own_tries=True)
    return waiting.with_full_question().values_list("full", flat=True).first() or ""


def redirect_to_inbox(
    request: SignedInRequest, plugin: Plugin, *, undo: datetime | None = None, is_answered: bool = False
) -> HttpResponse:
    """Back to where the person was. With `undo` the page offers to bring back what was dismissed at that moment, or
    closed by a reply (`is_answered`)."""
    back = {"days": str(_read_days(request.POST.get("days"))), "page": request.POST.get("page", "1")}
    if source := _read_source(request.POST.get("from")):
        back["from"] = source
    if undo:
        back["undo"] = undo.isoformat()
        back |= {"answered": "1"} if is_answered else {}
    return HttpResponseRedirect(reverse("admin:builder_inbox", args=[plugin.pk], query=back))


_BEGINNING = datetime(2000, 1, 1, tzinfo=timezone.get_default_timezone())


def _topic_rows(topics: Sequence[Topic], *, user: User, days: int, now: datetime) -> list[TopicRow]:
    """Three statements."""
    shown = ("question", "outcome", "reason", "passages", "citations")
    queries = Query.objects.only(*shown).in_bulk([topic.pk for topic in topics])
    topics = [topic for topic in topics if topic.pk in queries]
    passages = retrieved_passages([queries[topic.pk] for topic in topics], viewer=user)
    notes = _feedback_notes(topics)
    return [
        TopicRow(
            topic=topic,
            query=queries[topic.pk],
            nearest=places[:MAX_NEAREST],
            notes=[notes[one.pk] for one in topic.queries if one.pk in notes][:_MAX_NOTES],
            sparkline_path=topic.sparkline_path(days=days, now=now),
        )
        for topic, places in zip(topics, passages, strict=True)
    ]


def _feedback_notes(topics: Sequence[Topic]) -> dict[UUID, str]:
    """The latest note on each query that was called wrong. It does not say who wrote it."""
    wrong = [one.pk for topic in topics for one in topic.queries if one.is_wrong]
    said = Feedback.objects.filter(query__in=wrong, verdict=Feedback.Verdict.DOWN).exclude(note="")
    return dict(said.order_by("created_at").values_list("query", "note"))


def _read_days(text: str | None) -> int:
    return next((days for days in DAY_RANGES if str(days) == text), DAY_RANGES[0])


def _read_source(text: str | None) -> str:
    return text if text in SOURCES else ""


def parse_moment(text: str) -> datetime:
    """When the page was made. What is no moment is a moment at which nothing had been asked yet."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    return moment if moment and timezone.is_aware(moment) else _BEGINNING


def _parse_query_ids(text: str) -> list[UUID]:
    """At most as many as a page names; what is no id is left out."""
    return [pk for part in text.split(",")[:MAX_QUESTIONS] if (pk := parse_id(part))]
