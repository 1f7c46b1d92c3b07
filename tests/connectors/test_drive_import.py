"""Files of a connected Google Drive are listed, and become documents as uploads do."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from connectors.drive_client import DriveClient
from connectors.drive_files import DriveEntry
from connectors.models import DriveConnection, DriveFile
from conversations.models import Project
from knowledge.documents.lifecycle import add_file
from knowledge.ingest import ingest
from knowledge.models import Document, DocumentStatus
from privacy.project_deletion import delete_project
from tests.google_stub import REFRESH_TOKEN, Google
from tests.knowledge.readers.made import word
from tests.request_slot import held_request_slot

pytestmark = pytest.mark.django_db
DRIVE = "/api/connectors/google-drive"
DOC = "application/vnd.google-apps.document"
TEXT = b"Marrow beds are watered in the evening."


@pytest.fixture(autouse=True)
def stored(settings: Any, tmp_path: Path) -> None:
    settings.LEXIC_FILES_DIR = tmp_path


def take(client: APIClient, *ids: str, project: str | None = None) -> Any:
    return client.post(f"{DRIVE}/import", {"fileIds": list(ids), "projectId": project}, format="json")


def taken(client: APIClient, *ids: str, project: str | None = None) -> list[dict[str, Any]]:
    answer = take(client, *ids, project=project)
    assert answer.status_code == 202, answer.content
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


def refused(client: APIClient, file_id: str) -> Any:
    """The answer to an import of one file that is refused."""
    answer = take(client, file_id)
    [result] = answer.json()["results"]
    assert result["outcome"] == "refused"
    assert result["error"]["code"] == answer.json()["code"]
    assert not Document.objects.exists()
    return answer


# --- The list -----------------------------------------------------------------------------------------------------


def test_jl_056_files_are_listed_by_cursor(client: APIClient, connection: DriveConnection, google: Google) -> None:
    for number in range(5):
        google.add(f"f{number}", f"File {number}.txt", TEXT)
    first = client.get(f"{DRIVE}/files?limit=3").json()
    second = client.get(first["next"]).json()
    assert [one["id"] for page in (first, second) for one in page["results"]] == ["f0", "f1", "f2", "f3", "f4"]
    assert (second["next"], first["previous"]) == (None, None)
    assert first["results"][0] == {
        "id": "f0",
        "name": "File 0.txt",
        "mimeType": "text/plain",
        "size": len(TEXT),
        "modifiedAt": "2026-11-03T10:15:00Z",
        "problem": None,
    }


@pytest.mark.django_db(transaction=True)  # inside a transaction a request keeps its connection, and so its slot
def test_whoever_waits_for_google_lets_other_requests_in(client: APIClient, connection: DriveConnection) -> None:
    with held_request_slot() as limit:
        assert client.get(f"{DRIVE}/files").status_code == 200
        assert limit._working == 0


def test_a_name_is_searched_for_and_cannot_change_the_question(
    client: APIClient, connection: DriveConnection, google: Google
) -> None:
    client.get(f"{DRIVE}/files", {"q": "O'Neil\\' or trashed = true or name contains '"})
    [asked] = google.said("/drive/files")
    said = asked["q"].removeprefix("trashed = false and mimeType != 'application/vnd.google-apps.folder' and ")
    assert said == "name contains 'O\\'Neil\\\\\\' or trashed = true or name contains \\''"


def test_the_list_says_what_cannot_be_imported(
    client: APIClient, connection: DriveConnection, google: Google, settings: Any
) -> None:
    google.add("a", "Talk", b"", "application/vnd.google-apps.presentation")
    google.add("b", "Sums", b"", "application/vnd.google-apps.spreadsheet")
    google.add("c", "Film.mp4", b"", "video/mp4")
    google.add("d", "Huge.pdf", b"", "application/pdf", size=settings.LEXIC_MAX_DOCUMENT_BYTES + 1)
    google.add("e", "Letter", b"", DOC)
    problems = [one["problem"] and one["problem"]["code"] for one in client.get(f"{DRIVE}/files").json()["results"]]
    assert problems == ["unsupported", "unsupported", "unsupported", "too_large", None]


@pytest.mark.parametrize(
    ("answer", "status", "code"),
    [
        ((200, {}, b"<html>garbage"), 502, "drive_failed"),
        ((200, {}, b'{"files": [{"id": 7}]}'), 502, "drive_failed"),
        ((200, {}, b'{"files": [], "nextPageToken": {}}'), 502, "drive_failed"),
        ((200, {}, b"[" * 100_000), 502, "drive_failed"),
        ((500, {}, b""), 502, "drive_failed"),
        ((302, {"Location": "http://169.254.169.254/latest/meta-data"}, b""), 502, "drive_failed"),
        ((429, {"Retry-After": "17"}, b""), 429, "drive_busy"),
        ((403, {}, b'{"error": {"errors": [{"reason": "userRateLimitExceeded"}]}}'), 429, "drive_busy"),
        ((403, {}, b'{"error": {"errors": [{"reason": "accessNotConfigured"}]}}'), 409, "drive_not_set_up"),
        (
            (403, {}, b'{"error": {"details": [{"reason": "ACCESS_TOKEN_SCOPE_INSUFFICIENT"}]}}'),
            409,
            "drive_not_connected",
        ),
        ((403, {}, b'{"error": "no"}'), 403, "drive_forbidden"),
        ((401, {}, b""), 409, "drive_not_connected"),
    ],
)
def test_what_drive_may_answer(
    client: APIClient, connection: DriveConnection, google: Google, answer: Any, status: int, code: str
) -> None:
    google.answers["/drive/files"] = answer
    said = client.get(f"{DRIVE}/files")
    assert (said.status_code, said.json()["code"]) == (status, code)
    assert said.json()["hint"]
    if status == 429:
        assert said["Retry-After"] == answer[1].get("Retry-After", "30")
    connection.refresh_from_db()
    assert connection.has_lapsed == (code == "drive_not_connected")


def test_a_cursor_that_drive_does_not_know(client: APIClient, connection: DriveConnection, google: Google) -> None:
    google.answers["/drive/files"] = (400, {}, b"")
    said = client.get(f"{DRIVE}/files?cursor=made-up")
    assert (said.status_code, said.json()["code"]) == (400, "invalid_cursor")


# --- Tokens -------------------------------------------------------------------------------------------------------


def test_a_token_is_used_as_long_as_it_is_good(client: APIClient, connection: DriveConnection, google: Google) -> None:
    for _ in range(3):
        assert client.get(f"{DRIVE}/files").status_code == 200
    assert len(google.said("/token")) == 1
    DriveConnection.objects.update(access_expires_at=timezone.now())
    assert client.get(f"{DRIVE}/files").status_code == 200
    assert [one["token"] for one in google.said("/drive/files")] == ["access-1"] * 3 + ["access-2"]


def test_a_token_that_google_gives_up_early_is_renewed(
    client: APIClient, connection: DriveConnection, google: Google
) -> None:
    client.get(f"{DRIVE}/files")
    google.accepted.clear()
    assert client.get(f"{DRIVE}/files").status_code == 200
    assert len(google.said("/token")) == 2


def test_consent_that_was_taken_back_is_said(client: APIClient, connection: DriveConnection, google: Google) -> None:
    google.add("a", "a.txt", TEXT)
    google.refreshable.clear()
    for said in (client.get(f"{DRIVE}/files"), take(client, "a")):
        assert (said.status_code, said.json()["code"]) == (409, "drive_not_connected")
        assert "Connections" in said.json()["hint"]
    assert len(google.said("/token")) == 1  # then it is known
    page = client.get("/accounts/connections").content.decode()
    assert "no longer accepted" in page
    assert f"{DRIVE}/authorize" in page
    assert not Document.objects.exists()


def test_another_encryption_key_is_no_connection(client: APIClient, connection: DriveConnection, settings: Any) -> None:
    settings.ENCRYPTION_KEY = "another"
    assert client.get(f"{DRIVE}/files").json()["code"] == "drive_not_connected"


# --- Importing ----------------------------------------------------------------------------------------------------


def test_jl_056_a_file_becomes_a_document_of_ones_own(
    client: APIClient, alice: User, connection: DriveConnection, google: Google
) -> None:
    [result] = taken(client, google.add("a1", "Watering.txt", TEXT))
    document = Document.objects.get(pk=result["document"]["id"])
    assert (result["outcome"], result["error"], result["fileName"]) == ("created", None, "Watering.txt")
    assert (document.title, document.knowledge_base.owner, document.knowledge_base.kind) == (
        "Watering",
        alice,
        "personal",
    )
    ingest(document.pk)
    assert client.get(f"/api/knowledge/documents/{document.pk}").json()["status"] == "ready"


def test_the_same_file_is_a_new_version_of_its_document(
    client: APIClient, connection: DriveConnection, google: Google
) -> None:
    google.add("a1", "Watering.txt", TEXT)
    first = taken(client, "a1")[0]
    assert [one["outcome"] for one in taken(client, "a1", "a1")] == ["unchanged"]
    google.add("a1", "Renamed in Drive.txt", b"Marrow beds are watered at dawn.")
    second = taken(client, "a1")[0]
    assert (second["outcome"], second["document"]["id"]) == ("reading", first["document"]["id"])
    document = Document.objects.get()
    assert document.sha256 == hashlib.sha256(b"Marrow beds are watered at dawn.").hexdigest()


def test_two_files_of_one_name_are_two_documents(
    client: APIClient, connection: DriveConnection, google: Google
) -> None:
    google.add("a1", "Notes.txt", TEXT)
    google.add("b2-0123456789", "Notes.txt", b"Other words.")
    google.add("c3", "Copy.txt", TEXT)
    first, second, copy = taken(client, "a1", "b2-0123456789", "c3")
    assert Document.objects.count() == 2
    assert second["document"]["fileName"] == "Notes (b2-01234).txt"
    assert copy["document"]["id"] == first["document"]["id"]  # the same bytes are the same document
    google.add("c3", "Copy.txt", b"A copy no more.")
    assert taken(client, "c3")[0]["outcome"] == "created"
    assert Document.objects.get(pk=first["document"]["id"]).sha256 == hashlib.sha256(TEXT).hexdigest()


def test_a_document_that_was_deleted_comes_anew(client: APIClient, connection: DriveConnection, google: Google) -> None:
    google.add("a1", "Notes.txt", TEXT)
    first = taken(client, "a1")[0]["document"]["id"]
    assert client.delete(f"/api/knowledge/documents/{first}").status_code == 204
    again = taken(client, "a1")[0]
    assert (again["outcome"], again["document"]["id"] != first) == ("created", True)


def test_one_that_failed_is_read_again(client: APIClient, connection: DriveConnection, google: Google) -> None:
    google.add("a1", "Notes.txt", TEXT)
    taken(client, "a1")
    Document.objects.update(status=DocumentStatus.FAILED)
    assert taken(client, "a1")[0]["document"]["status"] == "queued"


def test_a_google_doc_is_read_as_the_word_file_that_it_is_exported_as(
    client: APIClient, connection: DriveConnection, google: Google, tmp_path: Path
) -> None:
    made = word(tmp_path / "x.docx", lambda document: document.add_paragraph("The lessee waters the beds."))
    [result] = taken(client, google.add("g1", "Lease v1.2", made.read_bytes(), DOC))
    assert result["document"]["fileName"] == "Lease v1.2.docx"
    ingest(result["document"]["id"])
    document = Document.objects.get()
    assert (document.status, document.pages.get().text.strip()) == ("ready", "The lessee waters the beds.")
    assert google.said("/drive/files/g1/export")[0]["mimeType"].endswith("wordprocessingml.document")


@pytest.mark.parametrize(
    ("name", "media_type", "stored_as"),
    [
        ("../../etc/passwd", "text/plain", "-..-etc-passwd"),
        ("C:\\notes\\a.md", "text/markdown", "C:-notes-a.md"),
        ("..", "text/plain", "document.txt"),
        ("a\nb\u202egpj.txt", "text/plain", "abgpj.txt"),
        ("README", "text/markdown", "README.md"),
        ("x" * 400, "text/plain", "x" * 250 + ".txt"),
    ],
)
def test_a_name_is_no_path(
    client: APIClient, connection: DriveConnection, google: Google, name: str, media_type: str, stored_as: str
) -> None:
    [result] = taken(client, google.add("a1", name, TEXT, media_type))
    assert result["document"]["fileName"] == stored_as


@pytest.mark.parametrize(
    ("media_type", "said"),
    [
        ("application/vnd.google-apps.presentation", "Google Slides cannot be read yet."),
        ("application/vnd.google-apps.spreadsheet", "Google Sheets cannot be read yet."),
        ("application/vnd.google-apps.form", "Files of this kind cannot be read yet."),
    ],
)
def test_slides_and_sheets_are_refused_with_a_way_out(
    client: APIClient, connection: DriveConnection, google: Google, media_type: str, said: str
) -> None:
    answer = refused(client, google.add("a1", "Talk", b"", media_type))
    assert (answer.status_code, answer.json()["code"], answer.json()["error"]) == (422, "unsupported", said)
    assert "PDF" in answer.json()["hint"]


def test_what_no_reader_reads_is_refused_as_an_upload_is(
    client: APIClient, connection: DriveConnection, google: Google
) -> None:
    assert refused(client, google.add("a1", "a.bin", b"\0\1\2", "application/octet-stream")).status_code == 422
    assert refused(client, google.add("a1", "a.pdf", TEXT, "application/pdf")).json()["code"] == "damaged"
    assert refused(client, google.add("a1", "a.txt", b"")).json()["code"] == "empty"


@pytest.mark.parametrize("told", [True, False])
def test_a_file_that_is_too_large_is_not_kept(
    client: APIClient, connection: DriveConnection, google: Google, settings: Any, told: bool, tmp_path: Path
) -> None:
    """Whether Drive says how large it is, or it is only seen on the way."""
    settings.LEXIC_MAX_DOCUMENT_BYTES = 1000
    google.add("a1", "a.txt", b"x" * 1001, **({} if told else {"size": 10}))
    answer = refused(client, "a1")
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert bool(google.said("/drive/files/a1")[1:]) == (not told)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("answer", "status", "code"),
    [
        ((403, {}, b'{"error": {"errors": [{"reason": "cannotDownloadFile"}]}}'), 403, "drive_forbidden"),
        ((403, {}, b'{"error": {"errors": [{"reason": "exportSizeLimitExceeded"}]}}'), 413, "too_large"),
        ((404, {}, b""), 404, "unknown_drive_file"),
        ((503, {}, b""), 502, "drive_failed"),
        ((302, {"Location": "http://10.0.0.7/"}, b""), 502, "drive_failed"),
    ],
)
def test_what_drive_may_answer_to_a_download(
    client: APIClient, connection: DriveConnection, google: Google, answer: Any, status: int, code: str
) -> None:
    google.add("g1", "Lease", b"", DOC)
    google.answers["/drive/files/g1/export"] = answer
    said = refused(client, "g1")
    assert (said.status_code, said.json()["code"]) == (status, code)


def test_one_that_is_refused_does_not_stop_the_others(
    client: APIClient, connection: DriveConnection, google: Google
) -> None:
    google.add("a1", "a.txt", TEXT)
    results = taken(client, "gone", "a1")
    assert [(one["outcome"], one["error"] and one["error"]["code"]) for one in results] == [
        ("refused", "unknown_drive_file"),
        ("created", None),
    ]
    assert results[0]["error"]["hint"]


def test_a_busy_drive_is_left_alone(client: APIClient, connection: DriveConnection, google: Google) -> None:
    google.answers["/drive/files/a1"] = (429, {"Retry-After": "9"}, b"")
    answer = take(client, "a1", "b2", "c3")
    assert (answer.status_code, answer["Retry-After"]) == (429, "9")
    assert [one["error"]["code"] for one in answer.json()["results"]] == ["drive_busy"] * 3
    assert [path for path, _ in google.asked if path.startswith("/drive/files/")] == ["/drive/files/a1"]


def test_quotas_hold(client: APIClient, connection: DriveConnection, google: Google, settings: Any) -> None:
    settings.QUOTAS = {**settings.QUOTAS, "account_documents": 1}
    for one in ("a1", "b2"):
        google.add(one, f"{one}.txt", one.encode())
    assert [one["error"] and one["error"]["code"] for one in taken(client, "a1", "b2")] == [None, "too_many_documents"]
    assert DriveFile.objects.count() == Document.objects.count() == 1


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"fileIds": []},
        {"fileIds": ["../about"]},
        {"fileIds": ["a?alt=media"]},
        {"fileIds": [7]},
        {"fileIds": "a1"},
        {"fileIds": ["a"] * 11},
        {"fileIds": ["a1"], "projectId": "p"},
        {"fileIds": ["a1"], "folder": "x"},
    ],
)
def test_bodies_are_strict(client: APIClient, connection: DriveConnection, google: Google, body: Any) -> None:
    assert client.post(f"{DRIVE}/import", body, format="json").status_code == 400
    assert google.asked == []


# --- Projects -----------------------------------------------------------------------------------------------------


@pytest.fixture
def project(alice: User, bob: User) -> Project:
    """Alice's; Bob may look, until she makes him an editor."""
    EmailAddress.objects.create(user=bob, email=bob.email, verified=True, primary=True)
    made = Project.objects.create_with_base(owner=alice, name="Marrow")
    made.set_members({bob.email: "viewer"})
    return made


def test_a_file_comes_into_a_project_by_those_who_may_change_it(
    alice: User, bob: User, charlie: User, connection: DriveConnection, project: Project, google: Google
) -> None:
    google.add("a1", "a.txt", TEXT)
    for person in (bob, charlie):
        DriveConnection.objects.connect(person, refresh_token=connection.refresh_token() or "", account_email="")
    people = {}
    for person in (alice, bob, charlie):
        people[person] = APIClient()
        people[person].force_login(person)
    answers = [take(people[one], "a1", project=str(project.pk)) for one in (charlie, bob)]
    assert [(one.status_code, one.json()["code"]) for one in answers] == [
        (404, "unknown_project"),
        (403, "read_only"),
    ]
    assert not Document.objects.exists()
    [mine] = taken(people[alice], "a1", project=str(project.pk))
    project.set_members({bob.email: "editor"})
    [bobs] = taken(people[bob], "a1", project=str(project.pk))
    assert (bobs["outcome"], bobs["document"]["id"]) == ("unchanged", mine["document"]["id"])
    assert Document.objects.get().knowledge_base == project.knowledge_base


@pytest.mark.parametrize("change", ["left", "deleted"])
def test_who_is_taken_off_meanwhile_adds_nothing_any_more(
    bob: User, project: Project, google: Google, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.set_members({bob.email: "editor"})
    DriveConnection.objects.connect(bob, refresh_token=REFRESH_TOKEN, account_email="")
    client = APIClient()
    client.force_login(bob)
    for number in range(3):
        google.add(f"a{number}", f"{number}.txt", TEXT + str(number).encode())
    download = DriveClient.download

    def close_and_download(self: DriveClient, entry: DriveEntry) -> bytes:
        if entry.id == "a1" and change == "left":
            project.remove_member(bob.email)
        elif entry.id == "a1":
            delete_project(project)
        return download(self, entry)

    monkeypatch.setattr(DriveClient, "download", close_and_download)
    results = taken(client, "a0", "a1", "a2", project=str(project.pk))
    codes = [one["error"] and one["error"]["code"] for one in results]
    assert codes == [None, "import_access_ended", "import_access_ended"]
    assert not google.said("/drive/files/a2"), "nobody asks for the rest"
    assert Document.objects.count() == (1 if change == "left" else 0)


def test_an_upload_of_the_same_name_becomes_the_file(
    client: APIClient, connection: DriveConnection, project: Project, google: Google
) -> None:
    """As with uploads: other bytes under a known name are a new version."""
    uploaded = add_file(knowledge_base=project.knowledge_base, file_name="a.txt", stream=io.BytesIO(b"By hand."))
    google.add("a1", "a.txt", TEXT)
    [result] = taken(client, "a1", project=str(project.pk))
    assert (result["outcome"], result["document"]["id"]) == ("reading", str(uploaded.document.pk))


def test_there_is_an_end_to_asking(
    client: APIClient, connection: DriveConnection, google: Google, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.drive_access.REQUESTS_PER_HOUR", 1)
    cache.clear()
    assert [client.get(f"{DRIVE}/files").status_code for _ in range(2)] == [200, 429]
