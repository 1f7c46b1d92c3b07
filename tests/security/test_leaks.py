"""Nothing of an unshared plugin, nor of a draft that has gone on, is in anything that a stranger can fetch.

The addresses are read off the URLconf: one that is added later is walked without anybody thinking of it, and where it
takes something of a kind that is not in `KINDS`, the first test says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from types import FunctionType
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import NoReverseMatch, get_resolver, resolve, reverse

from accounts.models import ApiKey, User
from conversations.signed_question_ids import sign_made
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Page
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.models import Install
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying.models import AnswerLink, ExpertRequest
from querying.query_log.send_expert_request import make_confirmation_token
from tests.security.crawler import Crawler
from tests.security.leaking import LEFT_ALONE, MARK, PUBLIC, Shelf, build, said
from tests.security.routes import EVERYWHERE
from tests.security.test_api_scope import named_patterns
from tests.security.world import everything

pytestmark = pytest.mark.django_db
BEAM = "What is the nominal cover of a beam in severe exposure?"

# What an address takes, by the name that it has there: the rows it may name, or words.
KINDS: dict[str, Any] = {
    **EVERYWHERE,
    "slug": Plugin,
    "plugin": Plugin,
    "page_id": Page,
    "session": "conversations.ChatSession",
    "pk": ("accounts.ApiKey", "plugins.Invitation", "marketplace.Review", "plugins.Plugin"),
    "organisation": "organisations.Organisation",
    "invitation": "organisations.MembershipInvitation",
    "person": User,
    "version": ["1.0.0", "draft", "latest"],
    "number": ["1"],
    "name": ["api", "unshared", "unshared@draft", "shared@draft", "unpublished", "no-such-file.webp"],
    "token": lambda: ["x", *AnswerLink.objects.values_list("token", flat=True), *_confirmation_tokens()],
    # Another link's maker knows only the proof of that one.
    "proof": lambda: ["x", sign_made(AnswerLink.objects.filter(query__plugin__slug="unshared").get())],
    "rest": ["files"],
    "finding": ["1"],
    "source_type": ["document"],
}
METHODS = ("get", "head", "options", "post", "put", "patch", "delete")


@pytest.fixture
def shelf(alice: User, bob: User, settings: Any, tmp_path: Any) -> Shelf:
    settings.LEXIC_FILES_DIR = tmp_path
    settings.VISITOR_PER_MINUTE = settings.VISITOR_PER_DAY = 10**6
    return build(alice, bob)


def values_of(name: str) -> list[Any]:
    kind = KINDS[name]
    if isinstance(kind, list):
        return kind
    if isinstance(kind, FunctionType):
        return list(kind())
    models_of = kind if isinstance(kind, tuple) else (kind,)
    return [value for model in models_of for value in _names_of(model)]


def _confirmation_tokens() -> list[str]:
    """One of them: none of these pages says anything of the question."""
    return [make_confirmation_token(expert) for expert in ExpertRequest.objects.all()[:1]]


def _names_of(label: Any) -> Iterator[Any]:
    model = apps.get_model(label) if isinstance(label, str) else label
    for row in model._base_manager.all():
        yield row.slug if isinstance(row, Plugin) else row.pk


def addresses() -> set[str]:
    found = set()
    for name, converters in named_patterns(get_resolver()):
        for values in product(*(values_of(one) for one in sorted(converters))):
            if not _belong_together(dict(zip(sorted(converters), values, strict=True))):
                continue
            try:
                found.add(reverse(name, kwargs=dict(zip(sorted(converters), values, strict=True))))
            except NoReverseMatch:  # an id where a slug belongs
                continue
    return found


def _belong_together(names: dict[str, Any]) -> bool:
    """A row below another plugin's address is nothing new: the tests of every API address go there."""
    if "plugin" not in names:
        return True
    for name in names.keys() & {"document", "tree", "golden", "run", "webhook"}:
        row = apps.get_model(KINDS[name]) if isinstance(KINDS[name], str) else KINDS[name]
        owner = "knowledge_base__plugin__slug" if name == "document" else "plugin__slug"
        if not row._base_manager.filter(**{"pk": names[name], owner: names["plugin"]}).exists():
            return False
    return True


def strangers(charlie: User) -> Iterator[tuple[str, Client, dict[str, str]]]:
    yield "nobody", Crawler(), {}
    yield "Charlie", Crawler(charlie), {}
    capabilities = ["query", "read", "author"]
    _, secret = ApiKey.objects.issue(
        owner=charlie, name="agent", capabilities=capabilities, per_minute=10**9, per_day=10**9
    )
    yield "Charlie's key", Crawler(), {"Authorization": f"Bearer {secret}"}


def test_every_kind_of_name_is_known() -> None:
    """A new public address is walked below, or it says here what it takes."""
    named = {converter for _, converters in named_patterns(get_resolver()) for converter in converters}
    assert named <= KINDS.keys()


def test_the_word_is_in_every_private_column(shelf: Shelf) -> None:
    """Otherwise the walk below would find nothing to leak."""
    assert Client().get("/marketplace/unshared").status_code == 200
    rows = everything()
    for label, column in [
        ("plugins.Plugin", "system_prompt"),
        ("plugins.Plugin", "limits"),
        ("plugins.Release", "system_prompt"),
        ("plugins.Release", "trees"),
        ("plugins.Invitation", "email"),
        ("trees.DecisionTree", "tree_data"),
        ("trees.TreeCase", "name"),
        ("knowledge.KnowledgeBase", "name"),
        ("knowledge.Document", "file_name"),
        ("knowledge.Document", "metadata"),
        ("knowledge.Page", "text"),
        ("knowledge.Chunk", "content"),
        ("knowledge.Chunk", "section_path"),
        ("knowledge.Term", "text"),
        ("evaluation.GoldenQuestion", "question"),
        ("evaluation.EvaluationRun", "questions"),
        ("querying.Query", "question"),
        ("querying.Query", "answer"),
        ("querying.Feedback", "note"),
        ("accounts.ApiKey", "name"),
        ("accounts.User", "email"),
        ("webhooks.Webhook", "url"),
        ("webhooks.Delivery", "response"),
        ("marketplace.Report", "text"),
        ("querying.ExpertRequest", "email"),
        ("querying.ExpertRequest", "reply"),
    ]:
        assert any(MARK in str(row[column]) for row in rows[label]), f"{label}.{column}"


def test_what_is_called_public_exists() -> None:
    for label, names in PUBLIC.items():
        columns = {field.name for field in apps.get_model(label)._meta.concrete_fields}
        assert names <= columns, label
    assert all(apps.get_model(label) for label in LEFT_ALONE)


@pytest.mark.long
def test_no_address_says_it_to_a_stranger(shelf: Shelf, charlie: User, settings: Any) -> None:
    settings.OPEN_AUTHORS = "off"
    everywhere = {url: resolve(url).route for url in sorted(addresses())}
    assert {"/marketplace/unshared", "/api/marketplace/shared/download", "/", "/sitemap.xml"} <= everywhere.keys()
    links = {link.query.question: reverse("shared_answer", args=[link.token]) for link in AnswerLink.objects.all()}
    assert set(links.values()) <= everywhere.keys()
    assert {Client().get(url).status_code for url in links.values()} == {200, 404}
    leaks, failures = set(), set()
    for who, client, headers in strangers(charlie):
        done = set()
        for url, route in everywhere.items():
            for method in METHODS if url.startswith(("/api/", "/v1/")) else METHODS[:4]:
                # A view that has no such method, or wants a key before all else, says so whatever the address names:
                # one address of each shows it. So does the answer to HEAD: it is that to GET without its body.
                door = (method, route)
                if door in done:
                    continue
                answer = _asked(client, method, url, headers)
                if answer.status_code in (401, 405) or method == "head":
                    done.add(door)
                if MARK in said(answer):
                    leaks.add((method, url, who))
                if answer.status_code >= 500 and url != "/readyz":
                    failures.add((method, url, who))
        assert client.get("/api/v1/me", headers=headers).status_code == (401 if who == "nobody" else 200)
    assert not leaks
    assert not failures


def _asked(client: Client, method: str, url: str, headers: dict[str, str]) -> Any:
    if method in ("get", "head", "options"):
        return getattr(client, method)(url, headers=headers)
    body = {"question": BEAM, "query": BEAM, "copies": "0"}
    if url.startswith(("/api/", "/v1/", "/mcp", "/a2a/")):
        return getattr(client, method)(url, json.dumps(body), content_type="application/json", headers=headers)
    if method == "post":
        return client.post(url, body, headers=headers)
    return getattr(client, method)(url, headers=headers)


QUESTIONS = [
    f"/marketplace?q={MARK[:-1]}",
    "/marketplace?q=cover",
    f"/api/marketplace?q={MARK[:-1]}",
    "/api/marketplace?pageSize=100",
    f"/api/marketplace?tag={MARK[:-1]}",
    "/marketplace/unshared?releases=all",
    "/marketplace/shared?sources=2",
    "/api/marketplace/unshared@draft",
    "/marketplace/shared@draft",
    "/no/such/page",
    "/marketplace/no-such",
    "/source/999999999",
]


def test_no_question_brings_it_out(shelf: Shelf) -> None:
    for url, accept in product(QUESTIONS, ("text/html", "application/json", "text/event-stream")):
        assert MARK not in said(Client().get(url, headers={"Accept": accept})), (url, accept)
    _nobody_finds_a_plugin_by_what_it_keeps_to_itself(shelf)
    _a_picture_shows_nothing_of_it()


def _nobody_finds_a_plugin_by_what_it_keeps_to_itself(shelf: Shelf) -> None:
    for url in (f"/marketplace?q={MARK}", f"/api/marketplace?q={MARK}"):
        answer = said(Client().get(url))
        assert not any(plugin.name.lower() in answer for plugin in (shelf.unshared, shelf.shared)), url


def _a_picture_shows_nothing_of_it() -> None:
    """Pixels hold no words: the picture has to be the same without them."""
    for slug in ("unshared", "shared"):
        shown = Client().get(reverse("plugin_card", args=[slug])).content
        Plugin.objects.filter(slug=slug).update(system_prompt="x", tone="", limits="")
        assert Client().get(reverse("plugin_card", args=[slug])).content == shown


def test_what_is_installed_holds_nothing_of_the_draft(shelf: Shelf, charlie: User) -> None:
    before = {label: [row.get("id") for row in rows] for label, rows in everything().items()}
    client = Client()
    client.force_login(charlie)
    answer = client.post(reverse("install", args=["shared"]), {"copies": "0"}, follow=True)
    assert MARK not in said(answer)
    assert Install.objects.of(charlie).count() == 1
    for label, rows in everything().items():
        new = [row for row in rows if row.get("id") not in before[label]]
        assert MARK not in str(new), label


def test_an_unshared_page_is_not_opened_and_a_shared_one_is(shelf: Shelf, charlie: User) -> None:
    unshared = Page.objects.filter(document__knowledge_base__plugin=shelf.unshared)
    shared = Page.objects.filter(document__knowledge_base__plugin=shelf.shared)
    then, now = shared.filter(removed_in__isnull=False), shared.filter(removed_in=None)
    assert (unshared.count(), then.count(), now.count()) == (1, 1, 2)
    for who, client, headers in strangers(charlie):
        for page, may in [*((p, False) for p in (*unshared, *now)), *((p, True) for p in then)]:
            for name in ("source", "source-picture", "source-file"):
                answer = client.get(reverse(name, args=[page.pk]), headers=headers)
                assert MARK not in said(answer), (who, name)
                if name == "source":
                    assert (answer.status_code == 200) == may, who
    _a_key_for_one_plugin_reads_no_shared_pages_of_another(shelf, charlie)
    Plugin.objects.filter(pk=shelf.shared.pk).update(is_published=False)
    assert not Page.objects.visible_to(None).exists()


def _a_key_for_one_plugin_reads_no_shared_pages_of_another(shelf: Shelf, charlie: User) -> None:
    own = Plugin.objects.create(owner=charlie, name="Own", domain="x", system_prompt="x")
    limited, _ = ApiKey.objects.issue(owner=charlie, name="agent", plugins=[own])
    among, _ = ApiKey.objects.issue(owner=charlie, name="agent", plugins=[shelf.shared])
    assert not Page.objects.visible_to(limited).exists()
    assert Page.objects.visible_to(among).count() == Page.objects.visible_to(None).count() == 1


def test_an_answer_says_no_more_than_it_cites(alice: User, charlie: User) -> None:
    """Around what it cites stand other sentences, which the page of an unshared plugin keeps."""
    plugin = Plugin.objects.create(owner=alice, name="Cover", slug="cover", domain="x", system_prompt="Brief.")
    beside = f"Keys to the {MARK} vault hang in the office."
    text = f"# Cover\n\n{beside}\n\nIn severe exposure the nominal cover of a beam is 45 mm.\n\n{beside}"
    add = add_text(knowledge_base=own_knowledge_base(plugin), title="Rules", text=text, enqueue=False)
    ingest(add.document.pk)
    publish(plugin, by=alice)
    for who, client, headers in strangers(charlie):
        shown = said(client.post(reverse("try_plugin", args=["cover"]), {"question": BEAM}, headers=headers))
        assert MARK not in shown, who
        assert who == "Charlie's key" or "45 mm" in shown, who
        if headers:
            body = json.dumps({"plugin": "cover", "query": BEAM})
            answer = client.post("/api/v1/query", body, content_type="application/json", headers=headers)
            assert "45 mm" in answer.json()["answer"]
            assert MARK not in said(answer)
