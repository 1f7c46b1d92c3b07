"""A text against what a plugin's documents say."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import ApiKey, User
from collaboration.text_review.review_types import MAX_SEGMENTS, MAX_TEXT_CHARACTERS
from collaboration.text_review.segments import split_text
from contracts.playbook.playbook_sources import shipped_playbook
from knowledge.models import Document
from plugins.models import Plugin
from querying.models import Query
from tests.api.collaborate.asking import assert_error, assert_owned, held, post
from tests.cover import give_document

pytestmark = pytest.mark.django_db

TEXT = """# Method statement

## Beams

For severe exposure the nominal cover of a beam is 30 mm. The engineer signs the drawings.
Footings have a nominal cover of at least 50 mm.

Footings have a nominal cover of 60 mm.

- Spacers made of mortar hold the bars at their cover while concrete is placed, unless the site is dry.
- Spacers stand at most two metres apart.

Why do we do this?
"""


def review(secret: str, document: str = TEXT, **more: Any) -> Any:
    return post(secret, "review", {"plugin": "cover", "document": document, "title": "method.md", **more})


def test_each_sentence_is_annotated_at_its_place_with_the_source(published: Plugin, charlies_key: str) -> None:
    body = held(review(charlies_key))
    found = [(one["startLine"], one["severity"], one["category"]) for one in body["annotations"]]
    assert found == [
        (5, "error", "number"),
        (6, "pass", "supported"),
        (5, "info", "not_covered"),
        (8, "pass", "within_limit"),
        (10, "warning", "exception"),
        (11, "error", "number"),
    ]
    for one in body["annotations"]:
        assert TEXT[one["start"] : one["end"]] == one["originalText"]
        assert_owned(one["citations"])
        assert bool(one["citations"]) == (one["category"] != "not_covered")
    assert body["annotations"][0]["suggestedFix"] == "For severe exposure the nominal cover of a beam is 45 mm."
    assert body["summary"] == {
        "errorCount": 2,
        "warningCount": 1,
        "infoCount": 1,
        "passCount": 2,
        "overallCompliance": "non-compliant",
        "topIssues": [body["annotations"][at]["issue"] for at in (0, 5, 4)],
    }
    assert (body["documentTitle"], body["pluginVersion"], body["totalSegments"]) == ("method.md", "1.0.0", 7)


def test_a_short_statement_is_judged_as_well(published: Plugin, alice: User, charlies_key: str) -> None:
    body = held(review(charlies_key, "There is a crane. Thanks."))
    assert [(one["category"], one["originalText"]) for one in body["annotations"]] == [
        ("not_covered", "There is a crane.")
    ]


def test_what_is_weaker_than_a_duty_is_an_error_and_what_is_stricter_is_worth_knowing(
    published: Plugin, alice: User, key: str
) -> None:
    give_document(
        published, title="Site rules", text="Visitors must wear a helmet on site.\n\nWorkers may wear gloves on site.\n"
    )
    text = "Visitors may wear a helmet on site.\n\nWorkers must wear gloves on site.\n"
    body = held(review(key, text, plugin="cover@draft"))
    assert [(one["severity"], one["category"]) for one in body["annotations"]] == [
        ("error", "duty"),
        ("info", "stricter"),
    ]


def test_only_what_the_documents_bear_out_somewhere_is_compliant(published: Plugin, charlies_key: str) -> None:
    good = held(review(charlies_key, "Footings have a nominal cover of at least 50 mm."))["summary"]
    assert good["overallCompliance"] == "compliant"
    other = held(review(charlies_key, "Bishops move diagonally across the chessboard."))["summary"]
    assert (other["overallCompliance"], other["infoCount"]) == ("partially-compliant", 1)


def test_the_log_has_the_title_and_not_the_text(published: Plugin, charlies_key: str) -> None:
    body = held(review(charlies_key))
    row = Query.objects.get()
    assert (row.plugin, row.question, row.outcome) == (published, "Review of “method.md”", "found")
    assert str(row.pk) == body["queryId"]
    assert "30 mm" not in str(Query.objects.values().get())


def test_every_ten_segments_count_as_one_question_or_nothing_is_read(published: Plugin, charlie: User) -> None:
    text = "\n\n".join(f"Spacer number {number} stands at most one metre from its neighbour." for number in range(25))
    _, secret = ApiKey.objects.issue(owner=charlie, name="slow", per_minute=2, per_day=100)
    assert_error(review(secret, text), 429, "rate_limited")
    assert not Query.objects.exists()
    _, enough = ApiKey.objects.issue(owner=charlie, name="enough", per_minute=3, per_day=100)
    assert held(review(enough, text))["totalSegments"] == 25
    assert Query.objects.filter(question__endswith="part 3 of 3").count() == 1
    assert Query.objects.count() == 3


@pytest.mark.parametrize(
    ("wrong", "status", "code"),
    [
        ({"document": "x" * (MAX_TEXT_CHARACTERS + 1)}, 413, "too_large"),
        ({"document": "word " * 200_000}, 413, "too_large"),
        ({"document": ""}, 400, "invalid"),
        ({"document": ["a"]}, 400, "invalid"),
        ({"document": "nul\x00"}, 400, "invalid_text"),
        ({"title": "x" * 201}, 400, "invalid"),
        ({"plugin": "nothing"}, 404, "unknown_plugin"),
        ({"plugin": ["cover", "harbour"]}, 400, "invalid"),
        ({"playbook": "x"}, 400, "invalid"),
    ],
)
def test_a_wrong_body_reads_nothing(
    published: Plugin, charlies_key: str, wrong: dict[str, Any], status: int, code: str
) -> None:
    assert_error(review(charlies_key, **wrong), status, code)
    assert not Query.objects.exists()


def test_a_text_of_many_short_parts_has_a_bounded_number_of_segments() -> None:
    text = "\n\n".join(f"Part {number}." for number in range(9000))
    segments = split_text(text)
    assert len(segments) <= MAX_SEGMENTS
    assert "".join(segment.text for segment in segments).replace("\n", "").count("Part") == 9000
    assert all(text[segment.start : segment.end] == segment.text for segment in segments)


def test_a_review_that_is_sent_again_is_made_once(published: Plugin, charlies_key: str) -> None:
    body = {"plugin": "cover", "document": TEXT}
    first, again = (post(charlies_key, "review", body, HTTP_IDEMPOTENCY_KEY="a") for _ in range(2))
    assert (first.json(), again["Idempotency-Replayed"]) == (again.json(), "true")
    assert Query.objects.count() == 1
    published.unpublish()
    assert_error(post(charlies_key, "review", body, HTTP_IDEMPOTENCY_KEY="a"), 404, "unknown_plugin")


# --- With a playbook -----------------------------------------------------------------------------------------------

CONTRACT = """1 Term

The obligations of confidence continue for ten years after the end of this Agreement.

2 Return

At the request of the Discloser, the Recipient shall return all Confidential Information within fourteen days.

3 Governing law

This Agreement is governed by the laws of England and Wales.
"""


@pytest.fixture
def desk(published: Plugin) -> Plugin:
    """With the playbook for non-disclosure agreements that ships with Lexic."""
    text = shipped_playbook("nda-checklist").playbook.text
    document = give_document(published, title="NDA checklist", text=text, file_name="nda-checklist.md")
    Document.objects.filter(pk=document.pk).update(is_template=True, doc_type="playbook")
    return published


def test_the_playbook_is_held_against_the_text_for_those_who_work_on_the_plugin(
    desk: Plugin, key: str, charlies_key: str
) -> None:
    body = held(review(key, CONTRACT, plugin="cover@draft"))
    by_playbook = [one for one in body["annotations"] if one["category"] == "playbook"]
    term = next(one for one in by_playbook if one["issue"].startswith("Term: "))
    assert (term["severity"], term["startLine"]) == ("error", 3)
    assert "ten years" in term["originalText"]
    assert term["suggestedFix"]
    for one in by_playbook:
        assert CONTRACT[one["start"] : one["end"]] == one["originalText"]
        assert_owned(one["citations"])
        assert one["citations"][0]["document"] == "NDA checklist"
    stranger = held(review(charlies_key, CONTRACT))
    assert not [one for one in stranger["annotations"] if one["category"] == "playbook"]
