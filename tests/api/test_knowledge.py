"""A person's own documents over the API, and the search in all that is theirs."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from accounts.models import User
from knowledge.models import Document, DocumentStatus, KnowledgeBase, Page
from tests.api.callers import assert_error, by_key, signed_in
from tests.api.private_documents import PERSONAL, add, confirm, found, make_project
from tests.our_modules import ROOT, modules

pytestmark = pytest.mark.django_db
HERS = "The settlement with Marrow Ltd is nineteen thousand pounds."
OF_PROJECT = "The mediator of the Marrow settlement is Ruth Stone."
QUESTION = "What is the settlement with Marrow?"


def test_documents_are_added_shown_changed_and_deleted(alice: User) -> None:
    client = signed_in(alice)
    assert client.get(PERSONAL).json() == {"results": [], "next": None, "previous": None, "counts": _counts()}
    document = f"{PERSONAL}/{add(client, PERSONAL, 'Settlement', HERS)}"
    shown = client.get(document)
    assert (shown.json()["status"], shown.json()["mayChange"]) == ("ready", True)
    assert client.get(document, headers={"If-None-Match": shown["ETag"]}).status_code == 304
    changed = client.patch(document, {"docType": "law"}, format="json")
    assert changed.json()["docType"] == "law"
    assert client.get(PERSONAL).json()["counts"] == _counts(total=1, ready=1)
    assert client.delete(document).status_code == 204
    assert_error(client.get(document), 404, "unknown_document")


def test_jl_014_what_failed_is_tried_again(alice: User) -> None:
    client = signed_in(alice)
    document = f"{PERSONAL}/{add(client, PERSONAL, 'Settlement', HERS)}"
    Document.objects.update(status=DocumentStatus.FAILED, error="No.", error_code="no")
    answer = client.post(f"{document}/retry", {}, format="json")
    assert (answer.status_code, answer.json()["status"], answer.json()["error"]) == (202, "queued", None)
    assert_error(client.post(f"{document}/retry", {"now": True}, format="json"), 400, "invalid")


def test_jl_007_they_are_nobody_elses(alice: User, bob: User) -> None:
    document = f"{PERSONAL}/{add(signed_in(alice), PERSONAL, 'Settlement', HERS)}"
    add(signed_in(bob), PERSONAL, "Boots", "Boots have a sole of rubber.")
    operator = User.objects.create_superuser("olga@example.org", "correct horse battery")
    for person in (bob, operator):
        client = signed_in(person)
        assert_error(client.get(document), 404, "unknown_document")
        assert_error(client.delete(document), 404, "unknown_document")
        assert_error(client.post(f"{document}/retry", {}, format="json"), 404, "unknown_document")
        assert "Settlement" not in [one["title"] for one in client.get(PERSONAL).json()["results"]]
        assert "Settlement" not in found(client, QUESTION)
    assert signed_in(alice).get(document).status_code == 200


def test_jl_010_jl_011_a_search_reads_ones_own_and_the_projects_documents(
    alice: User, bob: User, charlie: User
) -> None:
    client = signed_in(alice)
    add(client, PERSONAL, "Settlement", HERS)
    project, other = make_project(client), make_project(client, name="Other")
    pk = project.rpartition("/")[2]
    add(client, f"{project}/documents", "Mediator", OF_PROJECT)
    add(client, f"{other}/documents", "Elsewhere", f"{HERS} Elsewhere.")
    assert found(client, QUESTION) == ["Settlement"]
    assert set(found(client, QUESTION, projectId=pk)) == {"Settlement", "Mediator"}
    assert found(client, QUESTION, projectId=pk, scope="project") == ["Mediator"]
    assert found(client, QUESTION, projectId=pk, scope="personal") == ["Settlement"]
    confirm(bob)
    members = {"editors": [], "viewers": [bob.email]}
    client.put(f"{project}/members", members, format="json")
    assert found(signed_in(bob), QUESTION, projectId=pk) == ["Mediator"]
    body = {"query": QUESTION, "projectId": pk}
    assert_error(signed_in(charlie).post("/api/knowledge/search", body, format="json"), 404, "unknown_project")


def test_jl_012_jl_013_a_source_says_where_it_stands(alice: User) -> None:
    client = by_key(alice, "query", "read")
    document = add(signed_in(alice), PERSONAL, "Settlement", f"# Terms\n\n{HERS}")
    Document.objects.update(doc_type="Judgment")
    answer = client.post("/api/knowledge/search", {"query": QUESTION}, format="json")
    [source] = answer.json()["results"]
    assert source.keys() == {"id", "type", "title", "summary", "score", "metadata"}
    assert (source["id"], source["type"], source["title"]) == (document, "judgment", "Settlement")
    place = source["metadata"]
    text = Page.objects.get().text
    assert HERS in text[place["start"] : place["end"]]
    assert 0 <= place["distance"] < 1
    assert HERS in signed_in(alice).get(place["url"]).content.decode()


def test_jl_017_templates_are_no_text_to_quote(alice: User) -> None:
    client = signed_in(alice)
    add(client, PERSONAL, "Settlement", HERS)
    Document.objects.update(is_template=True)
    assert found(client, QUESTION) == []


def test_few_and_good_ones_can_be_asked_for(alice: User) -> None:
    client = signed_in(alice)
    for number in range(3):
        add(client, PERSONAL, f"Settlement {number}", f"{HERS} Copy {number}.")
    assert len(found(client, QUESTION, topK=2)) == 2
    assert found(client, QUESTION, minScore=1.0) == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": ""},
        {"query": "x", "topK": 0},
        {"query": "x", "minScore": 2},
        {"query": "x", "scope": "everything"},
        {"query": "x", "scope": "project"},
        {"query": "x", "projectId": "mine"},
        {"query": "x", "userId": "alice"},
    ],
)
def test_bodies_are_strict(alice: User, body: dict[str, Any]) -> None:
    assert_error(signed_in(alice).post("/api/knowledge/search", body, format="json"), 400, "invalid")


def test_jl_007_whoever_has_not_signed_in_is_told_so(alice: User) -> None:
    client = signed_in(alice)
    client.logout()
    for answer in (client.get(PERSONAL), client.get("/api/projects")):
        assert answer.status_code == 401
    assert not KnowledgeBase.objects.exists()


def _counts(**counted: int) -> dict[str, int]:
    names = ("total", "working", "queued", "reading", "chunking", "embedding", "ready", "failed")
    return dict.fromkeys(names, 0) | counted


def test_jl_065_there_is_one_kind_of_source() -> None:
    """Whatever finds or cites something uses the one class; of the API's form of it there is one as well."""
    classes = {
        (node.name, path.relative_to(ROOT).as_posix())
        for path, tree in modules("class SourceCitation")
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name.startswith("SourceCitation")
    }
    assert classes == {
        ("SourceCitation", "querying/presentation/source_citations.py"),
        ("SourceCitationSerializer", "api/knowledge/serializers.py"),
    }
