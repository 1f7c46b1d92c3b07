"""A plugin leaves through the API as one file, and comes in as one."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.models import User
from evaluation.models import GoldenQuestion
from knowledge.models import Document
from marketplace.bundle import export_plugin
from marketplace.sharing import installs
from plugins.models import Plugin
from tests.api.people import code_of, keyed, signed_in

pytestmark = pytest.mark.django_db


def file_of(plugin: Plugin) -> SimpleUploadedFile:
    with export_plugin(plugin) as file:
        return SimpleUploadedFile("cover.lexic.zip", file.read(), content_type="application/zip")


async def _pieces(response: Any) -> list[bytes]:
    return [piece async for piece in response.streaming_content]


def take_in(client: Any, **said: Any) -> Any:
    return client.post("/api/plugins/import", said, format="multipart")


@pytest.mark.parametrize("enter", [signed_in, lambda person: keyed(person, "read")], ids=["session", "key"])
def test_it_leaves_as_the_builder_lets_it_leave(plugin: Plugin, alice: User, enter: Any) -> None:
    response = enter(alice).get("/api/plugins/cover/export")
    body = b"".join(async_to_sync(_pieces)(response))
    with export_plugin(plugin) as file:
        assert body == file.read()
    assert response["Content-Type"] == "application/zip"
    assert response["Content-Length"] == str(len(body))
    assert response["Content-Disposition"] == 'attachment; filename="cover.lexic.zip"'
    response.close()


def test_a_viewer_may_take_it_and_charlie_not(plugin: Plugin, bob: User, charlie: User) -> None:
    plugin.viewers.add(bob)
    assert code_of(signed_in(charlie).get("/api/plugins/cover/export"), 404) == "unknown_plugin"
    response = signed_in(bob).get("/api/plugins/cover/export")
    assert response.status_code == 200
    response.close()


def test_it_comes_in_as_a_draft_of_ones_own(plugin: Plugin, charlie: User) -> None:
    GoldenQuestion.objects.create(plugin=plugin, question="Why?")
    response = take_in(keyed(charlie), file=file_of(plugin))
    assert response.status_code == 201, response.content
    shown = response.json()
    assert (shown["documents"], shown["slugWasTaken"]) == (1, True)
    made = Plugin.objects.get(slug=shown["plugin"]["slug"])
    assert (made.owner, made.is_published, made.system_prompt) == (charlie, False, plugin.system_prompt)
    assert Document.objects.filter(knowledge_base__plugin=made).count() == 1
    assert made.golden_questions.count() == 1


def test_nobody_brings_in_a_hold_of_the_operators(plugin: Plugin, charlie: User) -> None:
    content = BytesIO()
    with zipfile.ZipFile(file_of(plugin)) as source, zipfile.ZipFile(content, "w") as archive:
        manifest = json.loads(source.read("manifest.json"))
        manifest["plugin"]["legal_hold"] = "operator"
        archive.writestr("manifest.json", json.dumps(manifest))
        for name in source.namelist()[1:]:
            archive.writestr(name, source.read(name))
    client = signed_in(charlie)
    response = take_in(client, file=SimpleUploadedFile("x.zip", content.getvalue()), slug="charlies")
    assert response.status_code == 201, response.content
    assert Plugin.objects.get(slug="charlies").legal_hold == ""
    assert client.delete("/api/plugins/charlies").status_code == 204


def test_it_comes_in_under_another_slug(plugin: Plugin, charlie: User) -> None:
    shown = take_in(signed_in(charlie), file=file_of(plugin), slug="charlies").json()
    assert (shown["plugin"]["slug"], shown["slugWasTaken"]) == ("charlies", False)
    assert code_of(take_in(signed_in(charlie), file=file_of(plugin), slug="cover"), 409) == "slug_taken"


def test_what_is_no_bundle_makes_nothing(plugin: Plugin, charlie: User) -> None:
    client = signed_in(charlie)
    assert code_of(take_in(client, file=SimpleUploadedFile("x.zip", b"nothing")), 400) == "bad_bundle"
    code_of(take_in(client, file=SimpleUploadedFile("x.zip", b"")), 400)
    code_of(take_in(client, file="text"), 400)
    code_of(take_in(client), 400)
    code_of(take_in(client, file=file_of(plugin), slog="x"), 400)
    assert code_of(take_in(client, file=file_of(plugin), slug="no slug"), 400) == "bad_bundle"
    code_of(client.post("/api/plugins/import", {"file": "x"}, format="json"), 415)
    broken = client.generic("POST", "/api/plugins/import", b"--x\r\n", content_type="multipart/form-data")
    code_of(broken, 400)
    assert not Plugin.objects.filter(owner=charlie).exists()


def test_a_limited_key_takes_nothing_in(plugin: Plugin, alice: User) -> None:
    response = take_in(keyed(alice, "author", plugins=[plugin]), file=file_of(plugin))
    assert code_of(response, 403) == "key_is_limited"
    assert code_of(take_in(keyed(alice, "read"), file=BytesIO(b"x")), 403) == "missing_capability"


@pytest.mark.parametrize("charset", ["idna", "rot13", "undefined"])
def test_a_charset_that_cannot_be_one_of_a_form_is_no_failure_of_ours(db: None, alice: User, charset: str) -> None:
    form = b'--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--X--\r\n'
    media_type = f"multipart/form-data; boundary=X; charset={charset}"
    response = signed_in(alice).generic("POST", "/api/plugins/import", form, content_type=media_type)
    assert code_of(response, 400) == "bad_bundle"


def test_files_are_taken_in_so_often_an_hour(
    plugin: Plugin, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installs, "_MAX_PER_HOUR", 1)
    assert take_in(signed_in(alice), file=file_of(plugin)).status_code == 201
    refused = take_in(keyed(alice, "author"), file=file_of(plugin))
    assert code_of(refused, 429) == "too_many_requests"
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    page = signed_in(alice).post(reverse("admin:builder_import"), {"file": file_of(plugin)})
    assert (page.status_code, page.headers["Retry-After"]) == (429, refused.headers["Retry-After"])
    assert "You imported many files within the hour; this one was not read." in page.content.decode()
    assert take_in(signed_in(bob), file=file_of(plugin)).status_code == 201


def test_lx_018_the_description_of_a_plugin_is_exported_as_json(alice: User, charlie: User, plugin: Plugin) -> None:
    Plugin.objects.filter(pk=plugin.pk).update(config={"crm": {"id": 7}})
    response = signed_in(alice).get("/api/plugins/cover/export", headers={"Accept": "application/json"})
    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
    told = response.json()
    with export_plugin(Plugin.objects.get(pk=plugin.pk)) as file, zipfile.ZipFile(file) as archive:
        assert told == json.loads(archive.read("manifest.json"))
    assert told["plugin"]["config"] == {"crm": {"id": 7}}
    assert "Accept" in response["Vary"]
    code_of(signed_in(charlie).get("/api/plugins/cover/export", headers={"Accept": "application/json"}), 404)


@pytest.mark.parametrize("accept", ["*/*", "application/zip, application/json;q=0.5"])
def test_whoever_does_not_ask_for_json_gets_the_file(alice: User, plugin: Plugin, accept: str) -> None:
    response = signed_in(alice).get("/api/plugins/cover/export", headers={"Accept": accept})
    assert response["Content-Type"] == "application/zip"
    response.close()
