"""A disk that is full, for real: 507 and one sentence behind every door that takes files."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

import httpx2
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from knowledge.documents.lifecycle import add_file
from knowledge.models import Document
from knowledge.plugin_knowledge_base import own_knowledge_base
from lexic.infrastructure_errors import DiskFull
from plugins.models import Plugin
from tests.full_disk import full_disk

__all__ = ["full_disk"]
# Of an upload that breaks off, Django leaves its temporary file to the garbage collector.
pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")]
SENTENCE = "There is no room left on the server's disk, so nothing was stored."
NOTES = b"Wear boots. " * 20_000


@pytest.fixture
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Boots", slug="boots", domain="safety", system_prompt="You answer.")


def files(name: str = "notes.md", content: bytes = NOTES) -> dict[str, Any]:
    return {"files": SimpleUploadedFile(name, content)}


def test_a_file_that_finds_no_room_is_refused_and_leaves_nothing(
    full_disk: Path, plugin: Plugin, settings: Any
) -> None:
    settings.LEXIC_FILES_DIR = full_disk
    before = sorted(full_disk.rglob("*"))
    with pytest.raises(DiskFull):
        add_file(knowledge_base=own_knowledge_base(plugin), file_name="notes.md", stream=io.BytesIO(NOTES))
    assert sorted(full_disk.rglob("*")) == before
    assert not Document.objects.exists()


def test_the_api_says_507(full_disk: Path, plugin: Plugin, alice: User, settings: Any) -> None:
    settings.LEXIC_FILES_DIR = full_disk
    _, secret = ApiKey.objects.issue(owner=alice, name="agent", capabilities=["author"])
    client = APIClient(headers={"Authorization": f"Bearer {secret}"})
    response = client.post(f"/api/plugins/{plugin.pk}/documents", {"file": files()["files"]}, format="multipart")
    assert (response.status_code, response.json()["code"], response["Retry-After"]) == (507, "disk_full", "60")
    assert response.json()["error"] == SENTENCE


def test_the_builder_says_it_beside_the_file(full_disk: Path, plugin: Plugin, alice: User, settings: Any) -> None:
    settings.LEXIC_FILES_DIR = full_disk
    client = Client(headers={"Accept": "application/json"})
    client.force_login(alice)
    response = client.post(f"/admin/plugins/plugin/{plugin.pk}/knowledge/files/", files())
    (result,) = response.json()["results"]
    assert (result["is_in"], result["said"].startswith(SENTENCE)) == (False, True)


@pytest.mark.parametrize(("headers", "kind"), [({}, "text/html"), ({"Accept": "application/json"}, "application/json")])
def test_an_upload_that_finds_no_room_on_its_way_in_is_a_page_that_says_so(
    full_disk: Path, plugin: Plugin, alice: User, settings: Any, headers: dict[str, str], kind: str
) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(full_disk)
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 1024
    client = Client(raise_request_exception=False, headers=headers)
    client.force_login(alice)
    response = client.post(f"/admin/plugins/plugin/{plugin.pk}/knowledge/files/", files())
    assert (response.status_code, response.headers["Content-Type"].partition(";")[0]) == (507, kind)
    assert b"There is no room left" in response.content
    assert response["Retry-After"] == "60"


@pytest.mark.django_db(transaction=True)
def test_a_body_that_finds_no_room_before_anybody_reads_it(
    full_disk: Path, server: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(full_disk))
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 1024
    with httpx2.Client(trust_env=False, timeout=30) as client:
        response = client.post(f"{server}/api/v1/query", content=NOTES)
    assert (response.status_code, response.json()["code"]) == (507, "disk_full")
