"""Questions to a plugin of notes: planned, narrowed, listed or asked back, and never from what is not public."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from knowledge.models import Document, Page
from knowledge.search.filters import Filters
from lexic.errors import InvalidInput
from marketplace.publishing.publish import publish
from plugins.models import Planner, Plugin
from querying import pipeline, releases
from querying.llm_interface import ProviderTimedOut
from querying.models import Query
from querying.question.planning.matching_documents import matching_documents
from querying.question.planning.query_plan import AnswerMode, QueryPlan, TimeRange
from querying.question.resume import resume_from_token
from querying.retrieval import retriever
from querying.types.answer import Answer, Outcome
from querying.types.events import Delta, Done
from querying.types.question import Caller, Options, Question
from querying.types.token_usage import Usage
from tests.cover import give_document
from tests.querying.scripted import Scripted
from tests.remembered import remembered

pytestmark = pytest.mark.django_db

NOTES: dict[str, tuple[str, dict[str, Any]]] = {
    "Oak bench": ("The oak bench is glued with hide glue and finished with oil.", {"doc_date": date(2026, 3, 4), "tags": ["woodwork"], "doc_status": "done"}),
    "Shed roof": ("The shed roof got new felt and a gutter.", {"doc_date": date(2026, 3, 20), "tags": ["woodwork", "home"], "doc_status": "done"}),
    "Pine shelf": ("The pine shelf is screwed to the wall with brass screws.", {"doc_date": date(2025, 7, 1), "tags": ["woodwork"], "doc_status": "active"}),
    "Autumn run": ("The long run was eighteen kilometres along the canal.", {"doc_date": date(2026, 9, 12), "tags": ["running"], "doc_status": "done"}),
    "Diary": ("The doctor advised rest for the left knee.", {"doc_date": date(2026, 3, 5), "tags": ["woodwork"], "doc_status": "done", "is_public": False}),
    "Template": ("The template asks what was built and how it is glued.", {"doc_date": date(2026, 3, 6), "tags": ["woodwork"], "is_template": True}),
    "Old glue rules": ("The glue for oak used to be bone glue.", {"doc_date": date(2026, 3, 7), "tags": ["woodwork"], "superseded_on": date(2026, 4, 1)}),
}  # fmt: skip
HIDDEN = {"Diary", "Template", "Old glue rules"}


def publish_notes(owner: User, notes: Mapping[str, tuple[str, dict[str, Any]]]) -> Plugin:
    """A plugin that plans by rules, over notes by title: text and labels, public unless the labels say otherwise."""
    plugin = Plugin.objects.create(
        owner=owner, name="Notes", slug="notes", domain="notes", system_prompt="Answer.", planner=Planner.RULES
    )
    for title, (text, labels) in notes.items():
        document = give_document(plugin, title=title, text=f"# {title}\n\n{text}\n")
        Document.objects.filter(pk=document.pk).update(**{"is_public": True, **labels})
    publish(plugin, by=owner)
    return plugin


@pytest.fixture
@remembered
def notes(alice: User) -> Plugin:
    return publish_notes(alice, NOTES)


def asked(text: str, plugin: Plugin, *, anybody: bool = False, **fields: Any) -> Question:
    release = releases.resolve(plugin.slug, principal=plugin.owner)
    caller = Caller(name="test", user_id=None if anybody else plugin.owner_id, is_public_caller=anybody)
    return Question(text=text, release=release, caller=caller, **fields)


@async_to_sync
async def answered(question: Question, llm: Any = None) -> tuple[Answer, str]:
    text = ""
    async with aclosing(pipeline.stream(question, llm=llm)) as events:
        async for event in events:
            text += event.text if isinstance(event, Delta) else ""
    assert isinstance(event, Done), event
    return event.answer, text


def titles(answer: Answer) -> list[str]:
    return [citation.passage.document_title for citation in answer.citations]


def test_a_list_is_answered_by_the_metadata_newest_first(notes: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retriever, "get_embedder", None)  # nothing may be embedded
    answer, streamed = answered(asked("notes tagged woodwork since 2026", notes))
    assert titles(answer) == ["Shed roof", "Template", "Diary", "Oak bench"]
    assert answer.text == streamed
    assert answer.text.splitlines()[0] == "4 documents for woodwork, since 1 January 2026:"
    assert answer.text.splitlines()[2] == "- Shed roof, 20 March 2026 [Source 1]"
    for citation in answer.citations:
        assert Page.objects.get(pk=citation.passage.page_id).text[citation.start : citation.end] == citation.excerpt
    row = Query.objects.get()
    assert (row.plan["answer_mode"], row.plan["maker"], row.plan["tags"]) == ("sql_only", "rules", ["woodwork"])


def test_a_text_question_is_searched_within_what_it_names(notes: Plugin) -> None:
    answer, _ = answered(asked("What was the bench glued with in March 2026?", notes))
    assert titles(answer)[:1] == ["Oak bench"]
    row = Query.objects.get()
    assert row.options["filters"]["date_from"] == "2026-03-01"
    assert row.plan["time_range"] == {"start": "2026-03-01", "end": "2026-03-31", "timezone": "UTC"}
    refused, _ = answered(asked("What was the bench glued with in March 2025?", notes))
    assert refused.outcome == Outcome.REFUSED


def test_nothing_of_that_time_is_said_and_not_made_up(notes: Plugin) -> None:
    answer, _ = answered(asked("list notes tagged running in 2019", notes))
    assert (answer.outcome, answer.reason, answer.citations) == (Outcome.REFUSED, "no_document_matches", ())
    assert answer.why == (
        "No document matches: running, 1 January 2019 to 31 December 2019.",
        "Without the time 1 document matches; the nearest is “Autumn run”, 12 September 2026.",
    )


def test_a_missing_time_is_asked_back_and_the_answer_resumes_the_question(notes: Plugin) -> None:
    question = asked("What did I finish?", notes)
    asking, _ = answered(question)
    assert asking.outcome == Outcome.CLARIFY
    assert asking.clarification is not None
    assert asking.clarification.field == "time"
    assert "this month" in asking.clarification.options
    resumed = resume_from_token(asked("", notes), token=asking.clarification.token, answer="in March 2026")
    answer, _ = answered(resumed)
    assert titles(answer) == ["Shed roof", "Diary", "Oak bench"]
    elsewhere = replace(asked("", notes), caller=Caller(name="somebody else"))
    with pytest.raises(InvalidInput):
        resume_from_token(elsewhere, token=asking.clarification.token, answer="in March 2026")


def test_and_in_september_goes_on_with_the_question_before(notes: Plugin) -> None:
    from querying.types.question import Turn

    context = (Turn(role="user", content="What did I finish in March 2026?"), Turn(role="assistant", content="…"))
    answer, _ = answered(asked("And in September 2026?", notes, context=context))
    assert titles(answer) == ["Autumn run"]


def test_days_begin_where_the_asker_is(notes: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    from querying.question.planning import planner

    class Clock:
        @staticmethod
        def now(zone: Any) -> Any:
            from datetime import UTC, datetime

            return datetime(2026, 9, 12, 23, 30, tzinfo=UTC).astimezone(zone)

    monkeypatch.setattr(planner, "datetime", Clock)
    here, _ = answered(asked("list notes from today", notes))
    assert titles(here) == ["Autumn run"]
    there, _ = answered(asked("list notes from today", notes, options=Options(timezone="Asia/Tokyo")))
    assert there.outcome == Outcome.REFUSED, "in Tokyo it is the thirteenth"


def test_a_plugin_without_a_planner_searches_as_before(notes: Plugin, alice: User) -> None:
    notes.planner = Planner.OFF
    notes.save()
    publish(notes, by=alice)
    answered(asked("notes tagged woodwork in April 2020", notes))
    row = Query.objects.get()
    assert (row.plan, row.options["filters"]) == ({}, None)
    assert row.passages


def test_the_callers_filters_hold_beside_the_plans(notes: Plugin) -> None:
    only = Options(filters=Filters.parse({"not": {"tagsAny": ["home"]}, "statuses": ["done"]}))
    answer, _ = answered(asked("notes tagged woodwork since 2026", notes, options=only))
    assert titles(answer) == ["Diary", "Oak bench"]


# --- The language model as the maker ---------------------------------------------------------------------


class Planning(Scripted):
    can_plan = True

    def __init__(self, made: Any) -> None:
        super().__init__("")
        self.made = made

    async def plan(self, *, instruction: str, schema: Mapping[str, Any], question: str) -> tuple[Any, Usage]:
        if isinstance(self.made, Exception):
            raise self.made
        return self.made, Usage(prompt_tokens=7, completion_tokens=3)


@pytest.fixture
def by_model(notes: Plugin, alice: User) -> Plugin:
    notes.planner = Planner.MODEL
    notes.save()
    publish(notes, by=alice)
    return notes


def test_a_plan_of_the_model_is_followed_and_its_tokens_counted(by_model: Plugin) -> None:
    made = {"intent": "lookup", "answer_mode": "sql_only", "tags": ["WOODWORK", "invented"], "limit": 2}
    answer, _ = answered(asked("the newest things of wood", by_model), Planning(made))
    assert titles(answer) == ["Shed roof", "Template"]
    row = Query.objects.get()
    assert (row.plan["tags"], row.prompt_tokens, row.completion_tokens) == (["woodwork"], 7, 3)


@pytest.mark.parametrize(
    "made",
    [
        ProviderTimedOut(),
        [],
        {"answer_mode": "SELECT * FROM documents"},
        {"time_range": {"start": "2026-12-01", "end": "2026-01-01"}},
        {"tags": "woodwork"},
        {"limit": "many"},
    ],
)
def test_a_plan_that_is_none_falls_back_to_the_rules(by_model: Plugin, made: Any) -> None:
    answer, _ = answered(asked("notes tagged running", by_model), Planning(made))
    assert titles(answer) == ["Autumn run"]
    row = Query.objects.get()
    assert row.plan["maker"] == "rules"
    assert row.plan["trouble"] in ("provider_timeout", "invalid_plan")


def test_whatever_goes_wrong_while_planning_the_question_is_answered(notes: Plugin, monkeypatch) -> None:
    from querying.question.planning import planner

    monkeypatch.setattr(planner.rule_planner, "plan_by_rules", lambda *_, **__: 1 / 0)
    answer, _ = answered(asked("What is the oak bench glued with?", notes))
    assert titles(answer)[:1] == ["Oak bench"]
    assert Query.objects.get().plan == {"trouble": "planning_failed"}


# --- What is not public ------------------------------------------------------------------------------------


QUESTIONS = [
    "notes tagged woodwork",
    "What is oak glued with?",
    "What did the doctor advise for the knee?",
    "list all notes",
    "What used to be the glue for oak?",
    "recap of March 2026",
]


@pytest.mark.parametrize("text", QUESTIONS)
def test_anybody_never_reads_what_is_not_public(notes: Plugin, text: str) -> None:
    answer, streamed = answered(asked(text, notes, anybody=True))
    row = Query.objects.get()
    shown = " ".join([answer.text, streamed, *titles(answer), *(p.document_title for p in answer.nearest)])
    assert not any(title in shown for title in HIDDEN)
    assert "doctor" not in answer.text
    read = set(
        Document.objects.filter(chunks__in=[one["chunk"] for one in row.passages]).values_list("title", flat=True)
    )
    assert not read & HIDDEN


some_filters = st.fixed_dictionaries(
    {},
    optional={
        "isPublic": st.booleans(),
        "tagsAny": st.just(["woodwork"]),
        "statuses": st.just(["done"]),
        "asOf": st.sampled_from(["2026-03-10", "2026-05-01"]),
        "dateFrom": st.just("2026-03-01"),
    },
)
any_filters = st.recursive(
    some_filters,
    lambda parts: st.fixed_dictionaries(
        {}, optional={name: st.lists(parts.filter(bool), min_size=1, max_size=2) for name in ("and", "or", "not")}
    ),
    max_leaves=4,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(filters=any_filters, mode=st.sampled_from(list(AnswerMode)), text=st.sampled_from(QUESTIONS))
def test_no_filter_and_no_mode_opens_it(notes: Plugin, filters: dict[str, Any], mode: AnswerMode, text: str) -> None:
    options = Options(filters=Filters.parse(filters) or None)
    question = asked(text, notes, anybody=True, options=options)
    days = TimeRange(start=date(2026, 3, 1), end=date(2026, 3, 31), timezone="UTC")
    plan = QueryPlan(answer_mode=mode, time_range=days, tags=("woodwork",))
    listed = set(matching_documents(question, plan).values_list("title", flat=True))
    narrowed = replace(question, options=replace(options, filters=plan.narrowed(options.filters or Filters())))
    found = {passage.document_title for passage in retriever.retrieve(narrowed)}
    assert not (listed | found) & HIDDEN


def test_where_a_plugin_keeps_to_what_is_public_so_does_every_key(notes: Plugin, alice: User, bob: User) -> None:
    notes.public_only = True
    notes.save()
    publish(notes, by=alice)
    stranger = replace(asked("notes tagged woodwork", notes), caller=Caller(name="key:b", user_id=bob.pk))
    assert not set(titles(answered(stranger)[0])) & {"Diary", "Template"}
    assert "Diary" in titles(answered(asked("notes tagged woodwork", notes))[0]), "its author reads all of it"


def test_what_is_made_private_is_gone_at_once_from_every_release(notes: Plugin) -> None:
    Document.objects.filter(title="Oak bench").update(is_public=False)
    answer, _ = answered(asked("notes tagged woodwork since 2026", notes, anybody=True))
    assert titles(answer) == ["Shed roof"]


def test_a_document_that_a_release_does_not_read_yet_is_not_listed(notes: Plugin) -> None:
    later = give_document(notes, title="Later", text="# Later\n\nA later note.\n")
    Document.objects.filter(pk=later.pk).update(
        is_public=True, tags=["woodwork"], doc_date=timezone.localdate() - timedelta(days=1)
    )
    assert "Later" not in titles(answered(asked("notes tagged woodwork", notes))[0])
