"""The site with its files in a bucket, over real HTTP: what comes in, what is shown, what goes, and what happens while
the store is away. Nothing is kept in the folder meanwhile."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery.exceptions import Retry
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image
from rest_framework.test import APIClient

from accounts.avatars import save_avatar
from accounts.models import User
from knowledge import storage_usage, tasks
from knowledge.documents import file_store, lifecycle
from knowledge.ingest import ingest
from knowledge.models import Document, DocumentStatus
from knowledge.plugin_knowledge_base import own_knowledge_base
from knowledge.prune import prune_knowledge_base
from lexic import diagnostics
from lexic.errors import LexicError
from lexic.http.downloads import DownloadResponse
from lexic.http.health import readyz
from lexic.storage.s3 import S3Storage
from marketplace.bundle.draft_export import export_plugin
from marketplace.publishing.publish import publish
from marketplace.sharing import release_files
from plugins.models import Plugin
from privacy import storage_sweep
from privacy.account_deletion import delete_account
from privacy.data_export import export_personal_data
from privacy.tasks import delete_files
from tests.accounts.test_avatars import picture
from tests.api.callers import assert_error, by_key
from tests.knowledge.bases import CountingEmbedder, pdf, registered
from tests.s3_server import bucket, cut_off

__all__ = ["bucket"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bucket")]
NOW = timedelta(0)


@pytest.fixture(autouse=True)
def _embedder() -> Iterator[None]:
    cache.clear()
    with registered(CountingEmbedder()):
        yield


@pytest.fixture
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(
        owner=alice, name="Valves", slug="valves", domain="plant", system_prompt="You answer.", is_published=False
    )


@pytest.fixture
def agent(plugin: Plugin, alice: User) -> APIClient:
    return by_key(alice)


def manual(*pages: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("manual.pdf", pdf(pages or ["One page about valves.", "Another about gauges."]))


def upload(agent: APIClient, plugin: Plugin, file: SimpleUploadedFile) -> Any:
    base = own_knowledge_base(plugin)
    base.embedder = "counting"
    base.save(update_fields=["embedder"])
    return agent.post(f"/api/plugins/{plugin.pk}/documents", {"file": file}, format="multipart")


@pytest.fixture
def document(agent: APIClient, plugin: Plugin) -> Document:
    """A PDF of two pages, uploaded over the API and read."""
    response = upload(agent, plugin, manual())
    assert response.status_code == 201, response.content
    document = Document.objects.get()
    ingest(document.pk)
    document.refresh_from_db()
    assert document.status == DocumentStatus.READY, document.error
    return document


def kept(bucket: S3Storage, beginning: str = "") -> set[str]:
    return {found.name for found in bucket.files(beginning)}


def shown(user: User, address: str) -> Any:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client.get(address)


def test_a_page_of_an_uploaded_file_is_shown_with_its_picture(bucket: S3Storage, document: Document, alice: User):
    assert kept(bucket) == {file_store.stored_name(document.sha256)}
    page = document.pages.get(number=2)
    assert b"Another about gauges." in shown(alice, f"/source/{page.pk}").content
    response = shown(alice, reverse("source-picture", args=[page.pk]))
    with Image.open(io.BytesIO(response.content)) as image:
        assert (response["Content-Type"], image.format) == ("image/webp", "WEBP")
    [stored] = kept(bucket, "pictures/")
    assert stored.startswith(f"pictures/{file_store.stored_name(document.sha256)}/2-")
    original = shown(alice, reverse("source-file", args=[page.pk]))
    assert original.content.startswith(b"%PDF-")
    assert storage_usage.stored_bytes(alice) == len(original.content)


def test_what_is_replaced_and_deleted_goes_from_the_bucket(bucket: S3Storage, document: Document, alice: User):
    first, base = document.sha256, document.knowledge_base
    shown(alice, reverse("source-picture", args=[document.pages.get(number=1).pk]))
    lifecycle.replace_file(document, file_name="new.pdf", stream=io.BytesIO(pdf(["Only pumps."])), enqueue=False)
    ingest(document.pk)
    document.refresh_from_db()
    assert kept(bucket) >= {file_store.stored_name(first), file_store.stored_name(document.sha256)}
    prune_knowledge_base(base, older_than=NOW)
    delete_files(hashes=[first])
    assert file_store.is_stored(first), "somebody could be adding it this moment"
    storage_sweep.sweep_storage(older_than=NOW)
    assert kept(bucket) == {file_store.stored_name(document.sha256)}
    lifecycle.delete_document(document)
    prune_knowledge_base(base, older_than=NOW)
    storage_sweep.sweep_storage(older_than=NOW)
    assert kept(bucket) == set()


def test_an_account_takes_its_files_with_it(
    bucket: S3Storage, document: Document, alice: User, bob: User, django_capture_on_commit_callbacks: Any
):
    User.objects.filter(pk=bob.pk).update(is_superuser=True)
    save_avatar(alice, io.BytesIO(picture()))
    assert shown(alice, alice.avatar_url)["Content-Type"] == "image/webp"
    with export_personal_data(alice) as copy, zipfile.ZipFile(copy) as archive:
        assert {"picture.webp", "plugins/valves.zip"} <= set(archive.namelist())
    avatar = f"avatars/{alice.avatar}"
    assert avatar in kept(bucket)
    with django_capture_on_commit_callbacks(execute=True):
        delete_account(alice)
    assert avatar not in kept(bucket)
    storage_sweep.sweep_storage(older_than=NOW)
    assert kept(bucket) == set()


def test_a_plugin_is_exported_with_its_files(document: Document, plugin: Plugin):
    with export_plugin(plugin) as bundle, zipfile.ZipFile(bundle) as archive:
        assert archive.read(f"documents/{document.sha256}").startswith(b"%PDF-")


def test_a_shared_release_is_written_once_for_all_machines_and_goes_when_it_may(
    bucket: S3Storage, document: Document, plugin: Plugin, alice: User, monkeypatch: pytest.MonkeyPatch
):
    Plugin.objects.filter(pk=plugin.pk).update(is_shared=True)
    plugin.refresh_from_db()
    publish(plugin, by=alice, version="1.0.0")
    release = plugin.latest_release()
    with release_files.release_file(release).open() as file, zipfile.ZipFile(file) as archive:
        assert f"documents/{document.sha256}" in archive.namelist()
    [stored] = kept(bucket, "shared/")
    monkeypatch.setattr(release_files.bundle, "write_release", None)  # from here on it is there
    monkeypatch.setattr(bucket, "touch", None)  # and was used a moment ago
    with release_files.release_file(release).open() as file:
        download = DownloadResponse(file, name="valves.zip", content_type="application/zip")
        assert int(download["Content-Length"]) == len(bucket.read(stored))
    assert release_files.delete_stale_files() == 0
    Plugin.objects.filter(pk=plugin.pk).update(is_shared=False)
    assert release_files.delete_stale_files() == 1
    assert kept(bucket, "shared/") == set()


def test_the_sweep_names_what_is_in_the_bucket_for_nobody_and_what_is_missing(bucket: S3Storage, document: Document):
    stray = file_store.store_file(io.BytesIO(b"nobody names this"), max_bytes=100).sha256
    bucket.save(b"x", "avatars/" + "0" * 32 + ".webp")
    bucket.save(b"x", f"pictures/{file_store.stored_name('ab' * 32)}/1-10x10.webp")
    assert storage_sweep.inspect_storage().orphaned_files == ()
    report = storage_sweep.inspect_storage(older_than=NOW)
    assert (report.orphaned_files, report.orphaned_images) == ((stray,), ("ab" * 32,))
    assert report.orphaned_avatars == ("0" * 32 + ".webp",)
    file_store.delete_stored(document.sha256)
    [missing] = storage_sweep.sweep_storage(older_than=NOW).missing_files
    assert (missing.sha256, kept(bucket)) == (document.sha256, set())


def test_while_the_store_is_away_an_upload_is_refused_and_says_so(agent: APIClient, plugin: Plugin, settings: Any):
    cut_off(settings)
    response = upload(agent, plugin, manual())
    body = assert_error(response, 503, "storage_unavailable")
    assert body["hint"] == "Nothing was lost; try again in a moment."
    assert response["Retry-After"] == "10"
    assert not Document.objects.exists()


def test_while_the_store_is_away_pages_are_text_and_pictures_a_503(document: Document, alice: User, settings: Any):
    page = document.pages.get(number=2)
    cut_off(settings)
    source = shown(alice, f"/source/{page.pk}")
    assert source.status_code == 200
    assert b"Another about gauges." in source.content
    assert b"cannot be reached at the moment" in source.content
    for name in ("source-picture", "source-file"):
        response = shown(alice, reverse(name, args=[page.pk]))
        assert (response.status_code, response["Retry-After"]) == (503, "10")
        assert b"cannot be reached at the moment" in response.content


def test_while_the_store_is_away_documents_wait_and_are_read_afterwards(
    agent: APIClient, plugin: Plugin, settings: Any, monkeypatch: pytest.MonkeyPatch
):
    upload(agent, plugin, manual())
    document, there = Document.objects.get(), settings.S3
    cut_off(settings)
    monkeypatch.setattr(tasks.Task, "apply_async", lambda *args, **kwargs: None)
    tasks.ingest_document.push_request(retries=0, called_directly=False, id="t", args=[], kwargs={}, is_eager=False)
    with pytest.raises(Retry):
        tasks.ingest_document.run(document_id=str(document.pk))
    tasks.ingest_document.pop_request()
    document.refresh_from_db()
    assert (document.status in (DocumentStatus.FAILED, DocumentStatus.READY), document.error) == (False, "")
    settings.S3 = there
    tasks.ingest_document.apply(kwargs={"document_id": str(document.pk)}, throw=True)
    document.refresh_from_db()
    assert document.status == DocumentStatus.READY


def test_what_cannot_be_deleted_now_is_deleted_later(bucket: S3Storage, settings: Any):
    orphan = file_store.store_file(io.BytesIO(b"nobody names this"), max_bytes=100).sha256
    there = settings.S3
    cut_off(settings)
    with pytest.raises(LexicError) as away:
        delete_files(hashes=[orphan])
    assert isinstance(away.value, delete_files.autoretry_for)
    settings.S3 = there
    storage_sweep.sweep_storage(older_than=NOW)
    assert kept(bucket) == set()


def test_health_says_that_files_cannot_be_kept_and_names_no_key(settings: Any, rf: Any):
    assert diagnostics.run_check("files").detail.startswith(
        f"uploads can be kept in the bucket {settings.S3['bucket']}"
    )
    cut_off(settings)
    found = diagnostics.run_check("files")
    assert found.status == "problem"
    assert settings.S3["bucket"] in found.detail
    assert settings.S3["secret_access_key"] not in f"{found.detail} {found.hint}"
    response = readyz(rf.get("/readyz"))
    assert (response.status_code, b'"files": "failed"' in response.content) == (200, True)
