"""Filters put together: what a caller may say with "and", "or" and "not", against a plain reading of it."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from knowledge.models import Document, KnowledgeBase
from knowledge.search.filters import Filters, InvalidFilter

FIRST = date(2024, 1, 1)
TYPES, TAGS, STATUSES = ("note", "goal", ""), ("a", "b", "c"), ("done", "open", "")


@pytest.fixture
def documents(alice: User) -> list[Document]:
    base = KnowledgeBase.objects.create(owner=alice, name="Notes", embedder="local")
    rows = [
        Document(
            knowledge_base=base,
            title=f"Note {number}",
            source_type="markdown",
            doc_type=TYPES[number % 3],
            doc_status=STATUSES[number // 3 % 3],
            tags=[tag for place, tag in enumerate(TAGS) if number >> place & 1],
            doc_date=None if number % 5 == 4 else FIRST + timedelta(days=number),
            is_public=number % 2 == 0,
            is_template=number % 7 == 0,
        )
        for number in range(16)
    ]
    return Document.objects.bulk_create(rows)


some_tags = st.lists(st.sampled_from(TAGS), min_size=1, max_size=2)
some_day = st.integers(0, 16).map(lambda days: (FIRST + timedelta(days=days)).isoformat())
simple = st.fixed_dictionaries(
    {},
    optional={
        "docTypes": st.lists(st.sampled_from(TYPES[:2]), min_size=1, max_size=2),
        "statuses": st.lists(st.sampled_from(STATUSES[:2]), min_size=1, max_size=2),
        "tagsAny": some_tags,
        "tagsAll": some_tags,
        "dateFrom": some_day,
        "dateTo": some_day,
        "isPublic": st.booleans(),
        "excludeTemplates": st.just(True),
    },
).filter(bool)
asked = st.recursive(
    simple,
    lambda parts: st.fixed_dictionaries(
        {}, optional={name: st.lists(parts, min_size=1, max_size=3) for name in ("and", "or", "not")}
    ).filter(bool),
    max_leaves=6,
)


def holds(document: Document, values: dict[str, Any]) -> bool:
    day = document.doc_date.isoformat() if document.doc_date else None
    meaning = {
        "docTypes": lambda wanted: document.doc_type in wanted,
        "statuses": lambda wanted: document.doc_status in wanted,
        "tagsAny": lambda wanted: bool(set(document.tags) & set(wanted)),
        "tagsAll": lambda wanted: set(wanted) <= set(document.tags),
        "dateFrom": lambda first: day is not None and day >= first,
        "dateTo": lambda last: day is not None and day <= last,
        "isPublic": lambda wanted: document.is_public is wanted,
        "excludeTemplates": lambda _: not document.is_template,
        "and": lambda parts: all(holds(document, part) for part in parts),
        "or": lambda parts: any(holds(document, part) for part in parts),
        "not": lambda parts: not any(holds(document, part) for part in parts),
    }
    return all(meaning[name](value) for name, value in values.items())


@pytest.mark.django_db
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=asked)
def test_they_keep_exactly_what_they_say(documents: list[Document], values: dict[str, Any]) -> None:
    kept = set(Filters.parse(values).documents().values_list("pk", flat=True))
    assert kept == {document.pk for document in documents if holds(document, values)}


@pytest.mark.parametrize(
    "values",
    [
        {"or": []},
        {"or": {}},
        {"or": "tags"},
        {"or": [{}]},
        {"not": {}},
        {"and": [1]},
        {"and": [{"nothing": 1}]},
        {"anyOf": [{"isPublic": True}]},
        {"validity_exempt_ids": []},
        {"or": [{"isPublic": True}] * 60},
    ],
)
def test_what_makes_no_sense_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(InvalidFilter):
        Filters.parse(values)


@pytest.mark.parametrize(
    ("values", "needed"),
    [
        ({"dateFrom": "soon"}, "a date like 2024-12-31 is needed."),
        ({"asOf": 3}, "a date like 2024-12-31 is needed."),
        ({"documentIds": "abc"}, "ids like 3eaf6bb4-fc2c-4f1a-be10-a23b86d8f860 are needed."),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_needed(values: dict[str, Any], needed: str) -> None:
    with pytest.raises(InvalidFilter) as caught:
        Filters.parse(values)
    assert caught.value.message.endswith(needed)


def test_they_do_not_go_deeper_than_anybody_means() -> None:
    values: dict[str, Any] = {"isPublic": True}
    for _ in range(30):
        values = {"not": values}
    with pytest.raises(InvalidFilter) as caught:
        Filters.parse(values)
    assert "deep" in caught.value.message
