"""Copies: who may have one, of what, how many, and how they keep up with their original."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.admin.models import ADDITION, LogEntry
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from accounts.quotas import TooManyCopies
from knowledge.documents.lifecycle import add_fetched_file, delete_document
from knowledge.embedders import LocalEmbedder, UnknownEmbedder, get_embedder
from knowledge.ingest import ingest
from knowledge.models import Consent, Document, Embedding, KnowledgeBase, Page, Source, SourceItem
from marketplace.listings.update_listing import update_listing
from marketplace.models import Install
from marketplace.publishing.publish import publish
from marketplace.publishing.rollback import roll_back
from marketplace.sharing import draft_hash
from marketplace.sharing import installs as copies
from marketplace.sharing.copy_updates import update_offer, update_offers
from marketplace.sharing.draft_hash import draft_content_hash
from marketplace.sharing.installs import (
    CopyUpToDate,
    ModifiedCopy,
    import_plugin_file,
    install_copy,
    update_copy,
)
from marketplace.sharing.provenance import provenance_of
from marketplace.sharing.release_files import prune_release_files, release_file
from marketplace.sharing.shareability import CannotBeShared, NotShared, sharing_blockers
from plugins.models import Plugin, Release
from plugins.retention import UnderLegalHold
from querying import releases
from tests.knowledge.bases import attach
from tests.marketplace.sharing.conftest import add

pytestmark = pytest.mark.django_db


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


async def _pieces(answer: Any) -> bytes:
    return b"".join([piece async for piece in answer.streaming_content])


# --- Who, and what ---------------------------------------------------------------------------------------------


def test_a_copy_is_an_unpublished_draft_of_its_owner(boots: Plugin, charlie: User) -> None:
    copy = install_copy("boots", by=charlie).install.copy
    assert (copy.owner, copy.is_published, copy.is_shared, copy.public_chat) == (charlie, False, False, False)
    assert (copy.slug, copy.releases.count(), copy.name) == ("boots-1", 0, "Boots")
    assert set(Document.objects.of_plugin(copy).values_list("status", flat=True)) == {"ready"}
    said = provenance_of(copy)
    assert said is not None
    assert (said.name, said.author, said.version, said.slug, said.is_unverified_origin) == (
        "Boots",
        "Alice",
        "1.0.0",
        "boots",
        False,
    )


@pytest.mark.parametrize("column", ["is_shared", "is_published"])
def test_only_what_is_shared_and_on_the_air_is_copied(boots: Plugin, charlie: User, column: str) -> None:
    Plugin.objects.filter(pk=boots.pk).update(**{column: False})
    with pytest.raises(NotShared):
        install_copy("boots", by=charlie)
    assert signed_in(charlie).get(reverse("install", args=["boots"])).status_code == 404
    assert APIClient().get(reverse("marketplace_download", args=["boots"])).status_code == 404


def test_asking_twice_makes_one(boots: Plugin, charlie: User) -> None:
    first = install_copy("boots", by=charlie, there=0)
    again = install_copy("boots", by=charlie, there=0)
    assert (first.is_new, again.is_new) == (True, False)
    assert again.install == first.install
    assert install_copy("boots", by=charlie, there=1).is_new
    assert Install.objects.of(charlie).count() == 2


def test_one_account_holds_so_many_copies(boots: Plugin, charlie: User, settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_copies": 1}
    install_copy("boots", by=charlie)
    with pytest.raises(TooManyCopies):
        install_copy("boots", by=charlie, there=1)
    Plugin.objects.filter(owner=charlie).delete()
    assert install_copy("boots", by=charlie).is_new


def test_copies_are_made_so_often_an_hour(boots: Plugin, charlie: User, monkeypatch) -> None:
    monkeypatch.setattr(copies, "_MAX_PER_HOUR", 1)
    visitor = signed_in(charlie)
    assert visitor.post(reverse("install", args=["boots"]), {"copies": "0"}).status_code == 302
    refused = visitor.post(reverse("install", args=["boots"]), {"copies": "1"})
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert "You installed many copies within the hour." in refused.content.decode()
    answer = APIClient()
    answer.force_login(charlie)
    said = answer.post(reverse("marketplace_install", args=["boots"]), {"copies": 1}, format="json")
    assert (said.status_code, "Retry-After" in said.headers) == (429, True)


def test_a_copy_that_is_made_over_the_api_stands_in_its_history_once(boots: Plugin, charlie: User) -> None:
    client = APIClient()
    client.force_login(charlie)
    url = reverse("marketplace_install", args=["boots"])
    assert [client.post(url, {"copies": 0}, format="json").status_code for _ in range(2)] == [201, 200]
    entry = LogEntry.objects.get(user=charlie)
    assert (entry.object_id, entry.action_flag) == (str(Plugin.objects.get(owner=charlie).pk), ADDITION)


def test_knowledge_of_somebody_else_is_not_passed_on(boots: Plugin, alice: User, bob: User, charlie: User) -> None:
    foreign = KnowledgeBase.objects.create(owner=bob, name="Bob's secrets")
    attach(foreign, boots, Consent.PUBLISHED)
    add(foreign, "Secret", "# Secret\n\nBob wears sandals on every site.")
    publish(boots, by=alice)
    assert ["Bob's secrets" in reason for reason in sharing_blockers(boots)] == [True]
    with pytest.raises(CannotBeShared):
        install_copy("boots", by=charlie)
    answer = APIClient().get(reverse("marketplace_download", args=["boots"]))
    assert (answer.status_code, answer.json()["code"]) == (409, "cannot_be_shared")
    assert "Bob" not in answer.content.decode()
    page = signed_in(charlie).get(reverse("install", args=["boots"]))
    assert page.status_code == 409
    assert "Bob" not in page.content.decode()
    assert not Page.objects.visible_to(None).exists()


def test_a_copy_is_offered_where_one_can_be_had_and_refused_with_the_true_reason(
    boots: Plugin, alice: User, charlie: User
) -> None:
    update_listing(boots)
    client, page = signed_in(charlie), reverse("plugin", args=["boots"])

    def refusal() -> str:
        answer = client.get(reverse("install", args=["boots"]))
        assert answer.status_code == 409
        assert "Install a copy" not in client.get(page).content.decode()
        return str(answer.context["error"].message)

    assert "Install a copy" in client.get(page).content.decode()
    Plugin.objects.update(public_chat=True)
    assert "some of its documents are not public" in refusal()
    Plugin.objects.update(public_chat=False)
    foreign = KnowledgeBase.objects.create(owner=alice, name="Notes")
    attach(foreign, boots, Consent.PUBLISHED)
    publish(boots, by=alice)
    assert "knowledge that its author may not share" in refusal()
    foreign.delete()
    assert "something that its release reads is deleted" in refusal()


def test_a_document_that_a_synced_website_fetched_goes_with_a_copy(boots: Plugin, alice: User, bob: User) -> None:
    """It has an address, and is a file all the same: nothing fetches it again."""
    address, page = "https://example.org/socks", b"<html><h1>Socks</h1><p>Wool is worn in boots.</p></html>"
    site = Source.objects.create(
        knowledge_base=boots.knowledge_base, kind="website", location="https://example.org/", is_public=True
    )
    item, stream = SourceItem(source=site, path=address), io.BytesIO(page)
    fetched = add_fetched_file(
        item=item, file_name="socks.html", url=address, title="Socks", stream=stream, enqueue=False
    )
    ingest(fetched.pk)
    release = publish(boots, by=alice).release
    copies_of_it = [install_copy("boots", by=bob).install.copy]
    with release_file(release).open() as file:
        copies_of_it.append(import_plugin_file(file, owner=bob).plugin)
    for copy in copies_of_it:
        document = Document.objects.of_plugin(copy).get(title="Socks")
        assert (document.source_type, document.url, document.sha256) == ("html", address, fetched.sha256)
        ingest(document.pk)
        document.refresh_from_db()
        assert (document.status, document.is_unverified) == ("ready", False)


def test_a_hold_of_the_original_stays_with_it(boots: Plugin, alice: User, charlie: User) -> None:
    """Nobody else learns of it, and copies are made and updated as before."""
    boots.set_legal_hold(by_operator=False)
    copy = install_copy("boots", by=charlie).install.copy
    assert copy.legal_hold == ""
    Plugin.objects.filter(pk=boots.pk).update(system_prompt="Very brief.")
    publish(Plugin.objects.get(pk=boots.pk), by=alice)
    update_copy(copy, by=charlie)
    copy.refresh_from_db()
    assert (copy.system_prompt, copy.legal_hold) == ("Very brief.", "")


def test_a_copy_that_is_held_keeps_its_content(copy: Plugin, newer: Release, charlie: User) -> None:
    copy.set_legal_hold(by_operator=False)
    Install.objects.update(content=draft_content_hash(copy))
    with pytest.raises(UnderLegalHold):
        update_copy(copy, by=charlie)


def test_settings_of_a_draft_in_the_file_of_a_release_are_ignored(boots: Plugin, charlie: User) -> None:
    """Files of earlier versions have them."""
    with release_file(boots.latest_release()).open() as file:
        content = _with(file.read(), "plugin", lambda one: {**one, "config": {"crm": 7}, "spending_cap": "1.00"})
    copy = import_plugin_file(io.BytesIO(content), owner=charlie).plugin
    assert (copy.config, copy.spending_cap) == ({}, None)


def test_settings_of_a_copy_stay_when_it_is_updated(copy: Plugin, newer: Release, charlie: User) -> None:
    Plugin.objects.filter(pk=copy.pk).update(spending_cap=3, config={"crm": 7})
    Install.objects.update(content=draft_content_hash(Plugin.objects.get(pk=copy.pk)))
    update_copy(copy, by=charlie)
    copy.refresh_from_db()
    assert (copy.system_prompt, copy.spending_cap, copy.config) == ("Very brief.", 3, {"crm": 7})


def test_golden_questions_stay_where_the_author_keeps_them(boots: Plugin, charlie: User) -> None:
    Plugin.objects.filter(pk=boots.pk).update(shares_golden=Plugin().shares_golden)  # until they say otherwise
    assert not install_copy("boots", by=charlie).install.copy.golden_questions.exists()


def test_a_copy_of_a_release_that_was_gone_back_to_holds_the_golden_questions_of_its_time(
    boots: Plugin, alice: User, charlie: User
) -> None:
    first = boots.releases.get()
    of_its_time = set(boots.golden_questions.values_list("question", flat=True))
    boots.disclaimer = "Ask the foreman."
    boots.save()
    boots.golden_questions.create(question="Whom must I ask?")
    publish(boots, by=alice)
    roll_back(boots, to=first, by=alice)
    copy = install_copy("boots", by=charlie).install.copy
    assert set(copy.golden_questions.values_list("question", flat=True)) == of_its_time


def test_a_copy_of_a_release_that_only_adds_golden_questions_holds_them(
    boots: Plugin, alice: User, charlie: User
) -> None:
    boots.golden_questions.create(question="Whom must I ask?")
    publish(boots, by=alice, version="2.0.0")
    copy = install_copy("boots", by=charlie).install.copy
    assert copy.golden_questions.filter(question="Whom must I ask?").exists()


def test_another_embedder_embeds_again(boots: Plugin, charlie: User, monkeypatch, settings) -> None:
    """The worker reads the files, as they came from somebody else, and computes the vectors."""
    with release_file(boots.latest_release()).open() as file:
        content = _with(
            file.read(), "knowledge", lambda bases: [{**bases[0], "embedder": "openai:other:8", "dimensions": 8}]
        )
    monkeypatch.setattr("marketplace.bundle.manifest.get_embedder", _only_local)
    copy = import_plugin_file(io.BytesIO(content), owner=charlie).plugin
    documents = list(Document.objects.of_plugin(copy))
    assert {one.status for one in documents} == {"queued"}
    assert not Embedding.objects.filter(document__in=documents).exists()
    for document in documents:
        ingest(document.pk)
        document.refresh_from_db()
        assert (document.status, document.error) == ("ready", "")
    pinned = releases.pinned_bases(boots.latest_release())[0]
    then = Embedding.objects.alive_at(pinned.revision).filter(knowledge_base=pinned.knowledge_base_id)
    now = Embedding.objects.filter(document__in=documents)
    assert [str(v) for v in now.order_by("chunk", "window").values_list("vector", flat=True)] == [
        str(v) for v in then.order_by("chunk", "window").values_list("vector", flat=True)
    ]


def _only_local(name: str) -> Any:
    if name != "local":
        raise UnknownEmbedder
    return get_embedder(name)


def _with(content: bytes, key: str, change: Any) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(target, "w") as archive:
        for name in source.namelist():
            if name == "signature.json":
                continue
            body = source.read(name)
            if name == "manifest.json":
                manifest = json.loads(body)
                manifest[key] = change(manifest[key])
                body = json.dumps(manifest).encode()
            archive.writestr(name, body)
    return target.getvalue()


# --- By page, by API, by command ---------------------------------------------------------------------------------


def test_by_page(boots: Plugin, charlie: User) -> None:
    address = reverse("install", args=["boots"])
    assert "Sign in to install it" in Client().get(address).content.decode()
    assert Client().post(address).url.startswith("/accounts/login/")
    client = signed_in(charlie)
    assert "Create the copy" in client.get(address).content.decode()
    answer = client.post(address, {"copies": "0"}, follow=True)
    assert "Your copy is there" in answer.content.decode()
    client.post(address, {"copies": "0"})
    assert Install.objects.of(charlie).count() == 1
    assert "Create another copy" in client.get(address).content.decode()


def test_installing_opens_the_builder_for_whoever_may_become_an_author(boots: Plugin, settings) -> None:
    dora = User.objects.create_user("dora@example.org", "x")
    settings.OPEN_AUTHORS = "off"
    answer = signed_in(dora).post(reverse("install", args=["boots"]), {"copies": "0"})
    assert (answer.status_code, Install.objects.count()) == (403, 0)
    settings.OPEN_AUTHORS = "on"
    signed_in(dora).post(reverse("install", args=["boots"]), {"copies": "0"})
    dora.refresh_from_db()
    assert (dora.is_staff, Install.objects.of(dora).count()) == (True, 1)


def test_by_api(boots: Plugin, charlie: User) -> None:
    client, address = APIClient(), reverse("marketplace_install", args=["boots"])
    assert client.post(address).status_code == 401
    for capabilities, status in ((["query", "read"], 403), (["author"], 201), (["author"], 200)):
        _, secret = ApiKey.objects.issue(owner=charlie, name="agent", capabilities=capabilities)
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
        answer = client.post(address, {}, format="json")
        assert answer.status_code == status, answer.json()
    assert (answer.json()["isNew"], answer.json()["plugin"]["slug"]) == (False, "boots-1")
    limited = ApiKey.objects.issue(owner=charlie, name="x", capabilities=["author"], plugins=[boots])[1]
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {limited}")
    assert client.post(address, {}, format="json").status_code == 403


def test_lx_093_the_file_is_written_once_and_known_again(boots: Plugin, charlie: User, tmp_path, monkeypatch) -> None:
    client, address = Client(), reverse("marketplace_download", args=["boots"])
    answer = client.get(address)
    content = async_to_sync(_pieces)(answer)
    assert answer["Content-Type"] == "application/zip"
    assert 'filename="boots-1.0.0.lexic.zip"' in answer["Content-Disposition"]
    monkeypatch.setattr("marketplace.bundle.release_export.write_release", None)
    assert async_to_sync(_pieces)(client.get(address)) == content
    known = client.get(address, headers={"If-None-Match": answer["ETag"]})
    assert (known.status_code, known.content) == (304, b"")
    headers_alone = client.head(address)
    headers_alone._file.close()  # a server closes the response; here that would close the database as well
    assert headers_alone["ETag"] == answer["ETag"]
    path = tmp_path / "boots.zip"
    path.write_bytes(content)
    call_command("import_plugin", str(path), "--owner", charlie.email, "--slug", "carried")
    made_from = provenance_of(Plugin.objects.get(slug="carried"))
    assert made_from
    assert (made_from.is_unverified_origin, bool(made_from.signed_by)) == (False, True)  # this site has signed it


def test_a_label_that_changes_changes_the_file(boots: Plugin) -> None:
    before = release_file(boots.latest_release()).name
    assert release_file(boots.latest_release()).name == before
    Document.objects.filter(title="Rules").update(doc_type="law")
    assert release_file(boots.latest_release()).name != before


def test_files_are_kept_within_bounds(boots: Plugin) -> None:
    release_file(boots.latest_release()).open().close()
    assert prune_release_files(most_bytes=10**9) == 0
    assert prune_release_files(most_bytes=0) == 1


def test_the_same_release_is_the_same_bytes(boots: Plugin) -> None:
    with release_file(boots.latest_release()).open() as file:
        first = file.read()
    prune_release_files(most_bytes=0)
    with release_file(boots.latest_release()).open() as file:
        assert file.read() == first


# --- The original goes on ---------------------------------------------------------------------------------------


@pytest.fixture
def copy(boots: Plugin, charlie: User) -> Plugin:
    return install_copy("boots", by=charlie).install.copy


@pytest.fixture
def newer(boots: Plugin, copy: Plugin, alice: User) -> Release:
    """A release with another persona, one document changed, one gone, one renamed and one new."""
    base = boots.knowledge_base
    add(base, "Rules", "# Rules\n\nSafety boots are worn on every site, and in the yard.")
    add(base, "Socks", "# Socks\n\nWool is worn in boots.")
    delete_document(Document.objects.get(knowledge_base=base, title="Shops"))
    Plugin.objects.filter(pk=boots.pk).update(system_prompt="Very brief.")
    boots.refresh_from_db()
    return publish(boots, by=alice).release


def test_a_newer_release_is_offered(copy: Plugin, newer: Release) -> None:
    found = update_offer(copy)
    assert found is not None
    assert (found.version, found.is_modified) == ("1.1.0", False)
    assert found.changes[0] == "The persona is different."
    assert found.changes[1].startswith("1 document added: “Socks”.")
    assert set(update_offers([copy.pk])) == {copy.pk}


def test_a_copy_nobody_worked_on_is_brought_up_to_date(
    copy: Plugin, newer: Release, charlie: User, monkeypatch
) -> None:
    before = dict(Document.objects.of_plugin(copy).values_list("title", "pk"))
    published = publish(copy, by=charlie).release
    monkeypatch.setattr(LocalEmbedder, "embed_chunks", None)
    update_copy(copy, by=charlie)
    copy.refresh_from_db()
    assert copy.system_prompt == "Very brief."
    documents = {one.title: one for one in Document.objects.of_plugin(copy)}
    assert sorted(documents) == ["Rules", "Socks"]
    assert documents["Rules"].pk == before["Rules"]  # a new version of the same document
    assert {one.status for one in documents.values()} == {"ready"}
    assert update_offer(copy) is None
    with pytest.raises(CopyUpToDate):
        update_copy(copy, by=charlie)
    pinned = releases.pinned_bases(published)[0]
    assert "and in the yard" not in _text(pinned.knowledge_base_id, pinned.revision)
    assert "and in the yard" in _text(pinned.knowledge_base_id, KnowledgeBase.objects.get(plugin=copy).revision)


def _text(base: int, revision: int) -> str:
    alive = Page.objects.alive_at(revision).filter(document__knowledge_base=base)
    return " ".join(alive.values_list("text", flat=True))


@pytest.mark.parametrize(
    "work",
    [
        lambda copy: Plugin.objects.filter(pk=copy.pk).update(system_prompt="Mine."),
        lambda copy: copy.golden_questions.create(question="Mine?"),
        lambda copy: copy.golden_questions.update(question="Mine?"),
        lambda copy: add(copy.knowledge_base, "Mine", "# Mine\n\nMy own words."),
        lambda copy: Document.objects.of_plugin(copy).update(doc_type="mine"),
    ],
)
def test_what_somebody_worked_on_is_not_overwritten(copy: Plugin, newer: Release, charlie: User, work: Any) -> None:
    work(copy)
    found = update_offer(copy)
    assert found is not None
    assert found.is_modified
    with pytest.raises(ModifiedCopy):
        update_copy(copy, by=charlie)
    page = signed_in(charlie).get(reverse("admin:builder_sharing", args=[copy.pk])).content.decode()
    assert "Create a second copy of 1.1.0" in page
    answer = signed_in(charlie).post(reverse("admin:builder_second_copy", args=[copy.pk]))
    second = Plugin.objects.get(slug="boots-2")
    assert answer.url == reverse("admin:plugins_plugin_change", args=[second.pk])
    assert (second.system_prompt, update_offer(second)) == ("Very brief.", None)


def test_what_is_hashed_of_a_copy_stays_the_same() -> None:
    """Another column would make every copy that exists look changed."""
    limits = {"legal_hold", "keep_questions_days", "keep_chats_days", "keep_files_days", "spending_cap"}
    about = {"kind", "name", "tagline", "description", "domain", "tags", "config", "embed_origins"}
    settings = {"chunk_strategy", "chunk_size", "golden_gate", "golden_share"}
    hashed = set(draft_hash._hashed_content(Plugin())["plugin"])
    assert hashed == limits | about | settings | set(Plugin.policy_fields())


def test_running_its_golden_questions_is_no_work(copy: Plugin) -> None:
    copy.golden_questions.update(last_passed=True)
    assert not copies.is_copy_modified(copy.installed_from)


def test_in_the_builder(copy: Plugin, newer: Release, charlie: User) -> None:
    client = signed_in(charlie)
    assert "1 new release of its original" in client.get("/admin/").content.decode()
    assert "has release 1.1.0" in client.get(reverse("admin:builder_sandbox", args=[copy.pk])).content.decode()
    page = client.get(reverse("admin:builder_sharing", args=[copy.pk])).content.decode()
    assert "Update to 1.1.0" in page
    answer = client.post(reverse("admin:builder_update_copy", args=[copy.pk]), follow=True)
    assert "Updated to release 1.1.0 of “Boots”." in answer.content.decode()


def test_a_published_copy_says_what_it_was_made_from(copy: Plugin, charlie: User) -> None:
    publish(copy, by=charlie)
    page = Client().get(reverse("plugin", args=[copy.slug])).content.decode()
    assert "Made from" in page
    assert reverse("plugin", args=["boots"]) in page
    Plugin.objects.filter(slug="boots").update(is_published=False)
    page = Client().get(reverse("plugin", args=[copy.slug])).content.decode()
    assert "Made from" in page
    assert f'href="{reverse("plugin", args=["boots"])}"' not in page


def test_copies_and_a_chat_that_are_allowed_together_are_checked_together(boots: Plugin, alice: User) -> None:
    Plugin.objects.filter(pk=boots.pk).update(is_shared=False)
    client = APIClient()
    client.force_login(alice)
    answer = client.patch("/api/plugins/boots", {"isShared": True, "publicChat": True}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "cannot_be_shared")
    boots.refresh_from_db()
    assert (boots.is_shared, boots.public_chat) == (False, False)


def test_a_switch_that_cannot_be_turned_on_says_why(boots: Plugin, alice: User, bob: User) -> None:
    Plugin.objects.filter(pk=boots.pk).update(is_shared=False)
    foreign = KnowledgeBase.objects.create(owner=bob, name="Bob's notes")
    attach(foreign, boots, Consent.PUBLISHED)
    publish(boots, by=alice)
    address = reverse("admin:builder_use", args=[boots.pk])
    answer = signed_in(alice).post(address, {"is_shared": "on"})
    assert "“Bob&#x27;s notes” belongs to" in answer.content.decode()
    boots.refresh_from_db()
    assert not boots.is_shared
    client = APIClient()
    client.force_login(alice)
    answer = client.patch("/api/plugins/boots", {"isShared": True}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "cannot_be_shared")
