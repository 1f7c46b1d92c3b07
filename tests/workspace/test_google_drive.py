"""Google Drive on the pages: connected under Settings, its files chosen, and read as documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from connectors.models import DriveConnection
from conversations.models import Project
from knowledge.models import BaseKind, Document
from tests.connectors.conftest import connection
from tests.google_stub import Google, google
from tests.workspace.test_conversations import shown

__all__ = ["connection", "google"]
pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
TEXT = b"Marrow beds are watered in the evening."
SLIDES = "application/vnd.google-apps.presentation"


@pytest.fixture(autouse=True)
def stored(settings: Any, tmp_path: Path) -> None:
    settings.LEXIC_FILES_DIR = tmp_path


def page_after(client: Client, address: str, **fields: Any) -> str:
    return client.post(address, fields, follow=True).content.decode()


def test_jl_004_jl_056_settings_connect_and_disconnect(
    alice: User, google: Google, connection: DriveConnection, browse: Browse
) -> None:
    client = browse(alice)
    page = shown(client, "/settings")
    assert google.email in page
    assert 'action="/accounts/connections/google-drive/disconnect"' in page
    client.post("/accounts/connections/google-drive/disconnect")
    page = shown(client, "/settings")
    assert google.email not in page
    assert 'href="/api/connectors/google-drive/authorize"' in page
    assert google.revoked


def test_settings_say_what_answers(alice: User, browse: Browse, settings: Any) -> None:
    client = browse(alice)
    assert "No language model is set up on this site." in shown(client, "/settings")
    settings.LEXIC_LLM = "openai"
    assert "A language model writes the answers" in shown(client, "/settings")
    assert client.get("/settings", follow=False).status_code == 200
    assert Client().get("/settings")["Location"] == "/accounts/login/?next=/settings"


def test_without_a_connection_the_page_leads_to_one(
    alice: User, project: Project, google: Google, browse: Browse, settings: Any
) -> None:
    address = f"/projects/{project.pk}/google-drive"
    client = browse(alice)
    assert f'href="{address}"' in shown(client, f"/projects/{project.pk}")
    assert 'href="/api/connectors/google-drive/authorize"' in shown(client, address)
    settings.GOOGLE_DRIVE = {**settings.GOOGLE_DRIVE, "client_id": ""}
    assert "This site is not set up for Google Drive." in shown(client, address)
    assert address not in shown(client, f"/projects/{project.pk}")


def test_files_are_found_by_name_and_those_that_cannot_be_read_are_not_offered(
    alice: User, google: Google, connection: DriveConnection, browse: Browse
) -> None:
    google.add("one", "notes.txt", TEXT)
    google.add("two", "talk", b"", SLIDES)
    page = shown(browse(alice), "/knowledge/google-drive", q="no'tes")
    assert google.said("/drive/files")[-1]["q"].endswith("name contains 'no\\'tes'")
    assert 'name="files" value="one"' in page
    assert 'value="two"' not in page
    assert "Google Slides cannot be read yet." in page


def test_a_long_list_goes_on(
    alice: User, google: Google, connection: DriveConnection, browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workspace.google_drive._PER_PAGE", 2)
    for name in "abc":
        google.add(name, f"{name}.txt", TEXT)
    page = shown(browse(alice), "/knowledge/google-drive")
    assert ('value="b"' in page, 'value="c"' in page) == (True, False)
    assert 'href="?q=&amp;cursor=2"' in page
    page = shown(browse(alice), "/knowledge/google-drive", cursor="2")
    assert ('value="b"' in page, 'value="c"' in page, "First page" in page) == (False, True, True)


@pytest.mark.parametrize("is_own", [True, False])
def test_chosen_files_become_documents(
    alice: User, project: Project, google: Google, connection: DriveConnection, browse: Browse, is_own: bool
) -> None:
    google.add("one", "notes.txt", TEXT)
    google.add("two", "talk", b"", SLIDES)
    root = "/knowledge" if is_own else f"/projects/{project.pk}"
    page = page_after(browse(alice), f"{root}/google-drive", files=["one", "two"])
    assert "Google Slides cannot be read yet." in page
    document = Document.objects.get(file_name="notes.txt")
    assert document.title in page
    assert document.knowledge_base.kind == (BaseKind.PERSONAL if is_own else BaseKind.PROJECT)
    assert document.knowledge_base.owner == alice


def test_a_wrong_choice_and_an_outage_change_nothing(
    alice: User, google: Google, connection: DriveConnection, browse: Browse
) -> None:
    address = "/knowledge/google-drive"
    for files in ([], [str(number) for number in range(11)]):
        assert "Nothing was imported." in page_after(browse(alice), address, files=files)
    google.answers["/drive/files"] = (500, {}, b"")
    response = browse(alice).get(address)
    assert (response.status_code, "Try again" in response.content.decode()) == (502, True)
    google.answers["/drive/files"] = (429, {"Retry-After": "9"}, b"")
    response = browse(alice).get(address)
    assert (response.status_code, response["Retry-After"]) == (429, "9")
    assert not Document.objects.exists()


def test_only_who_may_change_the_documents_comes_here(
    bob: User, dana: User, charlie: User, shared: Project, google: Google, browse: Browse
) -> None:
    google.add("one", "notes.txt", TEXT)
    address = f"/projects/{shared.pk}/google-drive"
    for person, status in ((bob, 200), (dana, 403), (charlie, 404)):
        DriveConnection.objects.connect(person, refresh_token="1//refresh-xyzzy-secret", account_email="x@y.example")
        assert browse(person).get(address).status_code == status
        if status != 200:
            assert browse(person).post(address, {"files": ["one"]}).status_code == status
    assert not Document.objects.filter(file_name="notes.txt").exists()
