"""Documents come in over the API, and are listed."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from accounts.models import User
from api import uploads
from knowledge.models import Document
from plugins.models import Plugin
from tests.api.callers import assert_error, by_key
from tests.api.papers import ALL, SHOES, file, one, read, upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent(plugin: Plugin, alice: User) -> APIClient:
    """Alice's, with a key that may author."""
    return by_key(alice)


# --- Coming in ---------------------------------------------------------------------------------------------------


def test_an_uploaded_file_is_a_document_at_once_and_can_be_watched_until_it_answers(agent: APIClient):
    response = upload(agent, file(), tags=["ppe,site", "feet"], docDate="2024-05-01", metadata='{"author": "Ada"}')
    assert response.status_code == 201
    body = response.json()
    assert (body["title"], body["fileName"], body["sourceType"]) == ("shoes", "shoes.md", "markdown")
    assert (body["status"], body["isAnswering"], body["error"]) == ("queued", False, None)
    assert body["tags"] == ["ppe", "site", "feet"]
    assert (body["docDate"], body["metadata"]) == ("2024-05-01", {"author": "Ada"})
    assert response["Location"] == one(body["id"])
    read(body["id"])
    body = agent.get(one(body["id"])).json()
    assert (body["status"], body["isAnswering"], body["pageCount"]) == ("ready", True, None)
    progress = body["progress"]
    assert progress["pagesDone"] == progress["pagesTotal"] == 1
    assert progress["chunksDone"] == progress["chunksTotal"] > 0
    assert progress["expectedAt"] is None


def test_the_same_bytes_are_the_same_document_however_often_they_are_sent(agent: APIClient):
    first = upload(agent, file()).json()
    again = upload(agent, file("other-name.md"))
    assert again.status_code == 200
    assert again.json()["id"] == first["id"]
    assert Document.objects.count() == 2


def test_lx_038_other_bytes_under_the_same_name_are_a_new_version(agent: APIClient):
    first = upload(agent, file()).json()
    read(first["id"])
    again = upload(agent, file(content=b"# Shoes\n\nBoots are worn on every site."))
    assert (again.status_code, again.json()["id"]) == (200, first["id"])
    assert (again.json()["status"], again.json()["isAnswering"]) == ("queued", True)


def test_lx_031_a_text_needs_no_file(agent: APIClient):
    response = agent.post(ALL, {"title": "Shoes", "text": SHOES, "isPublic": True}, format="json")
    assert response.status_code == 201
    assert (response.json()["title"], response.json()["isPublic"]) == ("Shoes", True)
    assert agent.post(ALL, {"title": "Shoes", "text": SHOES}, format="json").status_code == 200


def test_lx_039_an_address_is_fetched_by_the_worker(agent: APIClient):
    response = agent.post(ALL, {"url": "https://example.org/shoes"}, format="json")
    assert response.status_code == 201
    assert (response.json()["sourceType"], response.json()["status"]) == ("url", "queued")
    assert agent.post(ALL, {"url": "https://example.org/shoes"}, format="json").status_code == 200


def test_of_several_files_one_that_is_refused_does_not_stop_the_others(agent: APIClient):
    response = upload(agent, file(), file("cat.png", b"\x89PNG\r\n\0\0"), file("again.md"), file("none.txt", b""))
    assert response.status_code == 201
    results = response.json()["results"]
    assert [one["outcome"] for one in results[:2]] == ["created", "refused"]
    assert results[1]["error"]["code"] == "unsupported"
    assert results[2]["document"]["id"] == results[0]["document"]["id"]
    assert results[3]["error"]["code"] == "empty"


def test_when_all_of_several_are_refused_that_is_an_error_which_says_why_for_each(agent: APIClient):
    response = upload(agent, file("a.png", b"\x89PNG\0"), file("b.pdf", b"not one"))
    body = assert_error(response, 422, "unsupported")
    assert [one["error"]["code"] for one in body["results"]] == ["unsupported", "damaged"]


def test_what_a_file_is_called_never_becomes_a_path(agent: APIClient, settings: Any):
    for name in ["../../../etc/passwd.md", "..\\..\\evil.md", "/etc/x.md", "a" * 5000 + ".md"]:
        content = f"# {name[:50]}\n\nA sentence of its own about {len(name)}.".encode()
        body = upload(agent, file(name, content)).json()
        assert not set("/\\") & set(body["fileName"])
        assert len(body["fileName"]) <= 300
    stored = {path.name for path in settings.LEXIC_FILES_DIR.rglob("*") if path.is_file()}
    assert stored >= set(Document.objects.exclude(sha256="").values_list("sha256", flat=True))


def test_a_name_that_is_none_or_holds_a_null_character_does_no_harm(agent: APIClient):
    for name in ["shoes\0.md", "..", "\u202egpj.md", "a\r\nX: y.md"]:
        content = (
            b'--x\r\nContent-Disposition: form-data; name="file"; filename="'
            + name.encode()
            + b'"\r\nContent-Type: text/plain\r\n\r\nShoes are worn.\r\n--x--\r\n'
        )
        response = agent.generic("POST", ALL, content, content_type="multipart/form-data; boundary=x")
        assert response.status_code in (200, 201, 400)


def zip_bomb() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b"\0" * 300_000_000)
    return target.getvalue()


def test_a_word_file_that_unpacks_without_end_fails_and_says_so(agent: APIClient):
    body = upload(agent, file("bomb.docx", zip_bomb())).json()
    read(body["id"])
    body = agent.get(one(body["id"])).json()
    assert body["status"] == "failed"
    assert body["error"]["code"] in {"too_large", "damaged", "memory", "timeout"}
    assert body["error"]["message"]
    assert not body["isAnswering"]


def test_a_file_that_is_too_large_is_413(agent: APIClient, settings: Any):
    settings.LEXIC_MAX_DOCUMENT_BYTES = 1000
    assert_error(upload(agent, file(content=b"x" * 1001)), 413, "too_large")
    assert_error(upload(agent, file(content=b"x" * 5000)), 413, "too_large")
    assert Document.objects.count() == 1


def test_too_many_files_are_413(agent: APIClient):
    many = [file(f"{number}.md", f"Number {number}.".encode()) for number in range(uploads.MAX_FILES + 1)]
    assert_error(upload(agent, *many), 413, "too_many_files")
    assert_error(upload(agent, *many * 5), 413, "too_large")
    assert Document.objects.count() == 1


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        "text",
        None,
        {"title": "x"},
        {"text": "x"},
        {"title": "x", "text": ""},
        {"title": "", "text": "x"},
        {"title": "x", "text": 5},
        {"title": 5, "text": "x"},
        {"title": "x", "text": "a\0b"},
        {"url": "ftp://example.org"},
        {"url": "http://[half"},
        {"url": ["https://example.org"]},
        {"url": "https://example.org", "text": "x", "title": "y"},
        {"title": "x", "text": "y", "tags": "a"},
        {"title": "x", "text": "y", "tags": [1]},
        {"title": "x", "text": "y", "tags": ["x" * 61]},
        {"title": "x", "text": "y", "isPublic": "yes"},
        {"title": "x", "text": "y", "docDate": "yesterday"},
        {"title": "x", "text": "y", "docDate": 20240101},
        {"title": "x", "text": "y", "metadata": []},
        {"title": "x", "text": "y", "metadata": {"doc_type": "standard"}},
        {"title": "x", "text": "y", "metadata": {"a": "x" * 30_000}},
        {"title": "x", "text": "y", "docTyp": "standard"},
        {"title": "x", "text": "y", "effectiveFrom": "2024-01-02", "supersededOn": "2024-01-02"},
    ],
)
def test_a_body_that_is_not_as_it_should_be_is_400_and_adds_nothing(agent: APIClient, body: Any):
    response = agent.post(ALL, body, format="json")
    assert response.status_code == 400, response.content
    assert set(response.json()) == {"error", "code", "hint"}
    assert Document.objects.count() == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"metadata": "{"},
        {"metadata": '{"a": "\\u0000"}'},
        {"isPublic": "perhaps"},
        {"title": ["a", "b"]},
        {"title": "a\0b"},
        {"unknown": "x"},
        {"docDate": "x"},
    ],
)
def test_the_fields_of_a_form_are_as_strict(agent: APIClient, fields: dict[str, Any]):
    assert upload(agent, file(), **fields).status_code == 400
    assert Document.objects.count() == 1


def test_several_files_cannot_share_a_title(agent: APIClient):
    assert upload(agent, file(), file("b.md", b"Other."), title="x").status_code == 400


def test_a_form_without_a_file_says_what_to_send(agent: APIClient):
    assert_error(agent.post(ALL, {"title": "x"}, format="multipart"), 400, "no_file")
    assert_error(agent.generic("POST", ALL, b"x", content_type="multipart/form-data"), 400, "invalid_json")
    assert_error(agent.generic("POST", ALL, b"x", content_type="text/plain"), 415, "unsupported_media_type")


def test_a_form_is_utf_8_whatever_its_header_calls_it(agent: APIClient):
    for charset in ("utf-7", "zip", "punycode", "nothing"):
        content = b'--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n--x--\r\n'
        kind = f"multipart/form-data; boundary=x; charset={charset}"
        assert_error(agent.generic("POST", ALL, content, content_type=kind), 400, "no_file")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=300), name=st.text(max_size=30))
def test_no_bytes_and_no_name_make_an_error_of_ours(agent: APIClient, content: bytes, name: str):
    body = b"--x\r\n" + f'Content-Disposition: form-data; name="file"; filename="{name}"'.encode("utf-8", "replace")
    body += b"\r\n\r\n" + content + b"\r\n--x--\r\n"
    response = agent.generic("POST", ALL, body, content_type="multipart/form-data; boundary=x")
    assert response.status_code in {200, 201, 400, 413, 415, 422}


# --- The list ----------------------------------------------------------------------------------------------------


def test_the_list_is_narrowed_and_counted(agent: APIClient):
    body = upload(agent, file(), tags="ppe", docType="rules").json()
    listed = agent.get(ALL).json()
    assert [row["title"] for row in listed["results"]] == ["shoes", "Cover handbook"]
    assert (listed["next"], listed["previous"]) == (None, None)
    assert listed["counts"] == {
        **dict.fromkeys(["reading", "chunking", "embedding", "failed"], 0),
        "total": 2,
        "working": 1,
        "queued": 1,
        "ready": 1,
    }
    for query in ["status=working", "status=queued", "tag=ppe", "docType=rules", "q=SHOE"]:
        assert [row["id"] for row in agent.get(f"{ALL}?{query}").json()["results"]] == [body["id"]], query
    assert agent.get(f"{ALL}?status=failed").json()["counts"]["total"] == 2
    assert agent.get(f"{ALL}?sourceType=pdf").json()["counts"]["total"] == 0


@pytest.mark.parametrize("query", ["status=lost", "sourceType=exe", "q=%00", "tag=%00", "limit=x", "colour=red"])
def test_what_the_list_is_asked_with_is_checked(agent: APIClient, query: str):
    assert agent.get(f"{ALL}?{query}").status_code == 400


def test_the_list_comes_in_pages_and_each_document_once(agent: APIClient, plugin: Plugin):
    base = plugin.knowledge_base
    now = timezone.now()
    for number in range(6):
        Document.objects.create(knowledge_base=base, title=f"d{number}", source_type="text", created_at=now)
    seen, address = [], f"{ALL}?limit=3"
    while address:
        body = agent.get(address).json()
        seen += [row["id"] for row in body["results"]]
        address = body["next"]
    assert len(seen) == len(set(seen)) == 7


def test_the_list_takes_as_many_statements_for_one_as_for_many(agent: APIClient, plugin: Plugin):
    def statements() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert agent.get(ALL).status_code == 200
        return len(captured)

    statements()  # the first use of a key in a minute is written down
    before = statements()
    for number in range(5):
        Document.objects.create(knowledge_base=plugin.knowledge_base, title=f"d{number}", source_type="text")
    assert statements() == before <= 9
