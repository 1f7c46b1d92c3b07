"""One document over the API: described, replaced, read again, stopped, taken out; its text, and what is found in it."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase
from plugins.models import Plugin
from querying.retrieval import search_explanation
from tests.api.callers import assert_error, by_key
from tests.api.papers import ALL, file, one, read, upload
from tests.cover import HANDBOOK

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent(plugin: Plugin, alice: User) -> APIClient:
    """Alice's, with a key that may author."""
    return by_key(alice)


def test_what_people_say_is_changed_and_the_rest_stays(agent: APIClient, handbook: Document):
    response = agent.patch(one(handbook), {"docType": "standard", "tags": ["cover"]}, format="json")
    assert response.status_code == 200
    response = agent.put(one(handbook), {"docStatus": "in force", "metadata": {"by": "Ada"}}, format="json")
    body = response.json()
    assert (body["docType"], body["tags"], body["docStatus"]) == ("standard", ["cover"], "in force")
    assert body["metadata"] == {"by": "Ada", "file": {}}
    assert (body["title"], body["status"]) == ("Cover handbook", "ready")
    assert agent.patch(one(handbook), {"docDate": None, "docType": ""}, format="json").json()["docType"] == ""


def test_what_was_got_may_be_put(agent: APIClient, handbook: Document):
    Document.objects.filter(pk=handbook.pk).update(metadata={"by": "Ada", "file": {"title": "Old"}})
    got = agent.get(one(handbook))
    put = agent.put(one(handbook), got.json(), format="json", headers={"If-Match": got["ETag"]})
    assert put.status_code == 200
    assert {**put.json(), "updatedAt": ""} == {**got.json(), "updatedAt": ""}


def test_under_another_title_it_is_read_again(agent: APIClient, handbook: Document):
    body = agent.patch(one(handbook), {"title": "The cover book"}, format="json").json()
    assert (body["title"], body["status"], body["isAnswering"]) == ("The cover book", "queued", True)
    assert read(body["id"]).chunks.filter(removed_in=None).first().document_title == "The cover book"


def test_what_is_said_while_it_is_read_is_not_lost(agent: APIClient, handbook: Document):
    def say_so(stage: Any, done: int, total: int | None) -> None:
        Document.objects.filter(pk=body["id"]).update(metadata={"by": "Ada"}, doc_type="rules")

    body = upload(agent, file(content=b"---\ndoc_type: notes\n---\n\nShoes are worn on every site.")).json()
    ingest(uuid.UUID(body["id"]), on_progress=say_so)
    body = agent.get(one(body["id"])).json()
    assert (body["status"], body["docType"], body["metadata"]["by"]) == ("ready", "rules", "Ada")


def test_a_change_of_what_was_changed_meanwhile_is_412(agent: APIClient, handbook: Document):
    stale = agent.get(one(handbook))["ETag"]
    assert agent.patch(one(handbook), {"project": "x"}, format="json").status_code == 200
    for response in [
        agent.patch(one(handbook), {"project": "y"}, format="json", headers={"If-Match": stale}),
        agent.delete(one(handbook), headers={"If-Match": stale}),
        agent.put(one(handbook, "/file"), {"file": file()}, format="multipart", headers={"If-Match": stale}),
    ]:
        assert_error(response, 412, "precondition_failed")
    fresh = agent.get(one(handbook))
    assert (fresh.json()["project"], fresh.json()["fileName"]) == ("x", handbook.file_name)
    assert agent.get(one(handbook), headers={"If-None-Match": fresh["ETag"]}).status_code == 304
    gone = agent.delete(one(handbook), headers={"If-Match": fresh["ETag"]})
    assert gone.status_code == 204


@pytest.mark.parametrize(
    "body",
    [
        [],
        {"title": ""},
        {"title": None},
        {"docType": None},
        {"docType": 5},
        {"tags": None},
        {"isPublic": 1},
        {"metadata": None},
        {"metadata": {"a\0": 1}},
        {"supersededOn": "2000-01-01"},
        {"colour": "red"},
    ],
)
def test_a_change_that_is_not_as_it_should_be_is_400(agent: APIClient, handbook: Document, body: Any):
    Document.objects.filter(pk=handbook.pk).update(effective_from="2020-01-01")
    assert agent.patch(one(handbook), body, format="json").status_code == 400


def test_a_file_is_replaced_and_the_earlier_version_answers_meanwhile(agent: APIClient, handbook: Document):
    response = agent.put(one(handbook, "/file"), {"file": file()}, format="multipart")
    assert response.status_code == 200
    body = response.json()
    assert (body["fileName"], body["status"], body["isAnswering"]) == ("shoes.md", "queued", True)
    assert "nominal cover" in agent.get(one(handbook, "/pages")).json()["results"][0]["text"]
    read(body["id"])
    assert "Safety shoes" in agent.get(one(handbook, "/pages")).json()["results"][0]["text"]


@pytest.mark.parametrize("more", [{"title": "Shoes"}, {"metadata": "{}"}, {"other": "a file"}])
def test_what_is_sent_beside_a_new_version_is_not_passed_over(
    agent: APIClient, handbook: Document, more: dict[str, Any]
):
    more = {name: file("b.md") if name == "other" else value for name, value in more.items()}
    response = agent.put(one(handbook, "/file"), {"file": file(), **more}, format="multipart")
    assert response.status_code == 400
    assert next(iter(more)) in response.json()["error"]
    assert Document.objects.get(pk=handbook.pk).file_name == handbook.file_name


@pytest.mark.parametrize("what", ["/process", "/cancel"])
def test_what_takes_no_wishes_says_so(agent: APIClient, handbook: Document, what: str):
    assert_error(agent.post(one(handbook, what), {"strategy": "tokens"}, format="json"), 400, "invalid")


def test_a_file_is_not_replaced_by_what_cannot_be(agent: APIClient, handbook: Document):
    shoes = upload(agent, file()).json()
    path = one(handbook, "/file")
    assert_error(agent.put(path, {"file": file()}, format="multipart"), 409, "duplicate")
    assert_error(agent.put(path, {"file": file("a.png", b"\x89PNG\0")}, format="multipart"), 422, "unsupported")
    assert_error(agent.put(path, {"x": "y"}, format="multipart"), 400, "no_file")
    assert_error(agent.put(path, {"file": [file(), file("b.md")]}, format="multipart"), 413, "too_many_files")
    assert_error(agent.put(path, {"file": "x"}, format="json"), 415, "unsupported_media_type")
    page = agent.post(ALL, {"url": "https://example.org/x"}, format="json").json()
    assert_error(
        agent.put(one(page["id"], "/file"), {"file": file("n.md", b"New.")}, format="multipart"), 400, "not_a_file"
    )
    assert shoes["status"] == "queued"


def test_what_failed_is_tried_again_and_processing_twice_is_processing_once(agent: APIClient, handbook: Document):
    Document.objects.filter(pk=handbook.pk).update(status="failed", error="No.", error_code="timeout")
    assert agent.get(one(handbook)).json()["error"] == {"code": "timeout", "message": "No."}
    for _ in range(2):
        response = agent.post(one(handbook, "/process"))
        assert (response.status_code, response.json()["status"]) == (202, "queued")
    revision = KnowledgeBase.objects.get(pk=handbook.knowledge_base_id).revision
    read(str(handbook.pk))
    assert agent.get(one(handbook)).json()["status"] == "ready"
    assert KnowledgeBase.objects.get(pk=handbook.knowledge_base_id).revision == revision


def test_reading_is_stopped(agent: APIClient, handbook: Document):
    new = upload(agent, file()).json()
    assert agent.post(one(new["id"], "/cancel")).status_code == 204
    assert_error(agent.get(one(new["id"])), 404, "unknown_document")
    agent.put(one(handbook, "/file"), {"file": file()}, format="multipart")
    kept = agent.post(one(handbook, "/cancel"))
    assert (kept.status_code, kept.json()["status"], kept.json()["fileName"]) == (200, "ready", handbook.file_name)
    assert_error(agent.post(one(handbook, "/cancel")), 409, "nothing_to_stop")


def test_a_document_is_taken_out(agent: APIClient, handbook: Document):
    assert agent.delete(one(handbook)).status_code == 204
    assert agent.get(ALL).json()["counts"]["total"] == 0
    for method in (agent.get, agent.delete, agent.patch):
        assert_error(method(one(handbook)), 404, "unknown_document")


# --- Its text ----------------------------------------------------------------------------------------------------


def test_pages_are_read_as_they_were_extracted_and_a_long_one_in_parts(agent: APIClient, handbook: Document):
    [page] = agent.get(one(handbook, "/pages")).json()["results"]
    text = handbook.pages.get().text
    shown = {"number": 1, "pageLabel": "", "ocr": False, "confidence": None}
    shown |= {"length": len(text), "start": 0, "end": len(text), "text": text}
    assert page == shown
    part = agent.get(one(handbook, "/pages/1?start=10&length=20")).json()
    assert part == {**shown, "start": 10, "end": 30, "text": text[10:30]}
    assert agent.get(one(handbook, f"/pages/1?start={10**9}")).json()["text"] == ""
    for number in (0, 2, 10**30):
        assert_error(agent.get(one(handbook, f"/pages/{number}")), 404, "unknown_page")
    for query in ("start=-1", "start=x", "length=0", f"start={10**30}"):
        assert agent.get(one(handbook, f"/pages/1?{query}")).status_code == 400


def test_chunks_are_spans_of_their_page_in_reading_order(agent: APIClient, handbook: Document):
    listed = agent.get(one(handbook, "/chunks?limit=1")).json()
    [first] = listed["results"]
    assert (first["chunkIndex"], first["pageNumber"]) == (0, None)
    assert handbook.pages.get().text[first["start"] : first["end"]] == first["content"]
    assert first["sectionTitle"] == (first["sectionPath"] or [None])[-1]
    assert first["content"].split()[0] in HANDBOOK


def test_search_tells_both_rankings_of_what_an_answer_would_be_made_from(agent: APIClient, handbook: Document):
    body = agent.get("/api/plugins/cover/search", {"q": "nominal cover in severe exposure, zebra", "limit": 1}).json()
    [found] = body["results"]
    assert found["documentId"] == str(handbook.pk)
    assert "45 mm" in found["content"]
    assert found["isRead"]
    assert 0 < found["lexical"] <= 1
    assert 0 < found["cosine"] <= 1
    assert body["missing"] == ["zebra"]
    assert (body["topK"], body["threshold"]) == (8, 0.1)
    assert f"start={found['start']}&end={found['end']}" in found["url"]


@pytest.mark.parametrize(
    "query", ["", "q=", "q=%00", "q=x&limit=0", "q=x&limit=a", "q=x&document=7", f"q={'x' * 1001}"]
)
def test_what_is_searched_for_is_checked(agent: APIClient, query: str):
    assert agent.get(f"/api/plugins/cover/search?{query}").status_code == 400


def test_one_searches_in_a_document_of_this_plugin_alone(agent: APIClient, handbook: Document):
    path = "/api/plugins/cover/search"
    assert agent.get(path, {"q": "cover", "document": str(handbook.pk)}).json()["results"]
    assert_error(agent.get(path, {"q": "cover", "document": str(uuid.uuid4())}), 404, "unknown_document")
    assert agent.get(path, {"q": "cover", "limit": 50}).status_code == 200
    assert search_explanation.MAX_EXPLAINED_PASSAGES <= 50
