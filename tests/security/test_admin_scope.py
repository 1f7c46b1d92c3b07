"""Rows A1 to A3 and A7 of the list of incidents: the whole builder with somebody else's ids.

The addresses are read off the registry, so that a page that is added later is tested too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, reverse

from accounts.models import ApiKey, User
from knowledge.models import Document, KnowledgeBase
from plugins.models import Plugin
from querying.models import Query
from tests.knowledge.bases import attach
from tests.security.world import MARK, PART, World, everything, leaks, registered
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db

ALLOWED = {200, 302, 400, 403, 404, 405}


def patterns() -> Iterator[tuple[str, URLPattern]]:
    """`(label of the model, pattern)` of every named address of every registered model.

    The panes of a plugin's page name several objects each: `test_every_builder_url.py` walks them.
    """
    for model, model_admin in registered():
        for pattern in model_admin.get_urls():
            if pattern.name and not pattern.name.startswith("builder_"):
                yield model._meta.label, pattern


def address(pattern: URLPattern, pk: Any) -> str:
    values = dict.fromkeys(pattern.pattern.converters, pk)
    try:
        return reverse(f"admin:{pattern.name}", kwargs=values)
    except NoReverseMatch:  # a positional one, `<id>/password/`
        return reverse(f"admin:{pattern.name}", args=list(values.values()))


def object_addresses(world: World) -> list[tuple[str, str]]:
    return [(label, address(pattern, world[label].pk)) for label, pattern in patterns() if pattern.pattern.converters]


def list_addresses() -> list[str]:
    return [address(pattern, None) for _, pattern in patterns() if not pattern.pattern.converters]


def relations() -> Iterator[tuple[str, Any]]:
    """Every relation of every registered model to another registered one."""
    models = {model for model, _ in registered()}
    for model in models:
        for field in [*model._meta.fields, *model._meta.many_to_many]:
            if field.is_relation and field.related_model in models:
                yield model._meta.label, field


def test_there_is_an_object_of_every_registered_model(world: World) -> None:
    """Add one to `world.py` for a new model: what is not here is not tested."""
    assert {model._meta.label for model, _ in registered()} <= set(world.objects)
    assert len(object_addresses(world)) >= 3 * len(registered())


def test_their_owner_sees_what_strangers_must_not(world: World) -> None:
    """Otherwise the tests below would find nothing because nothing is shown to anybody."""
    client = Client()
    client.force_login(world.alice)
    for label in ("plugins.Plugin", "knowledge.Document", "trees.DecisionTree", "querying.Query"):
        name = label.lower().replace(".", "_")
        assert leaks(client.get(reverse(f"admin:{name}_changelist"))), label
        assert leaks(client.get(reverse(f"admin:{name}_change", args=[world[label].pk]), follow=True)), label


def test_no_address_of_an_object_shows_or_changes_it(world: World, stranger: Client) -> None:
    before = everything()
    for label, url in object_addresses(world):
        for response in (
            stranger.get(url, follow=True),
            stranger.post(url, {"post": "yes", "_save": "Save", "confirm": "yes"}, follow=True),
        ):
            assert response.status_code in ALLOWED, (url, response.status_code)
            assert not leaks(response), url
        first = stranger.get(url)
        assert first.status_code in {302, 403, 404, 405}, f"{label}: {url} answers {first.status_code}"
    assert everything() == before


def test_no_list_and_no_empty_form_names_anything(world: World, stranger: Client) -> None:
    for url in list_addresses():
        response = stranger.get(url, follow=True)
        assert response.status_code in ALLOWED, url
        assert not leaks(response), url


def test_the_index_and_the_pages_of_apps_name_nothing(world: World, stranger: Client) -> None:
    urls = [reverse("admin:index"), reverse("admin:jsi18n"), reverse("admin:password_change")]
    urls += [reverse("admin:app_list", args=[app]) for app in {model._meta.app_label for model, _ in registered()}]
    for url in urls:
        assert not leaks(stranger.get(url, follow=True)), url


def test_no_search_finds_anything(world: World, stranger: Client) -> None:
    for model, _ in registered():
        url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        assert not leaks(stranger.get(url, {"q": PART}, follow=True)), url


def test_no_filter_by_a_relation_finds_or_names_anything(world: World, stranger: Client) -> None:
    for label, field in relations():
        url = reverse(f"admin:{label.lower().replace('.', '_')}_changelist")
        foreign = world[field.related_model._meta.label].pk
        for lookup in ("__id__exact", "__exact", "", "__id__in", "__pk"):
            response = stranger.get(url, {f"{field.name}{lookup}": str(foreign)}, follow=True)
            assert response.status_code in ALLOWED, (url, field.name, lookup)
            assert not leaks(response), (url, field.name, lookup)


def test_no_form_filled_in_by_its_address_names_anything(world: World, stranger: Client) -> None:
    for label, field in relations():
        url = reverse(f"admin:{label.lower().replace('.', '_')}_add")
        foreign = world[field.related_model._meta.label].pk
        assert not leaks(stranger.get(url, {field.name: str(foreign)}, follow=True)), (url, field.name)


def test_no_autocompletion_gives_anything(world: World, stranger: Client) -> None:
    for label, field in relations():
        app, model = label.lower().split(".")
        asked = {"app_label": app, "model_name": model, "field_name": field.name, "term": PART}
        response = stranger.get(reverse("admin:autocomplete"), asked, follow=True)
        assert response.status_code in ALLOWED
        assert not leaks(response), asked


@pytest.mark.filterwarnings("error::django.core.paginator.UnorderedObjectListWarning")
def test_autocompletion_has_an_order(world: World, client: Client) -> None:
    """Else a page of it might miss what another shows twice."""
    client.force_login(User.objects.create_superuser("root@example.org", "correct horse battery"))
    answered = []
    for label, field in relations():
        app, model = label.lower().split(".")
        asked = {"app_label": app, "model_name": model, "field_name": field.name, "term": ""}
        response = client.get(reverse("admin:autocomplete"), asked)
        answered += [field.related_model.__name__] if response.status_code == 200 else []
    assert {"KnowledgeBase", "Plugin", "User"} <= set(answered)


def test_the_shortcut_to_an_objects_page_gives_nothing(world: World, stranger: Client) -> None:
    for one in world.objects.values():
        url = reverse("admin:view_on_site", args=[ContentType.objects.get_for_model(one).pk, one.pk])
        response = stranger.get(url, follow=True)
        assert response.status_code in ALLOWED
        assert not leaks(response), url


def test_no_action_touches_what_is_chosen_by_id(world: World, stranger: Client) -> None:
    before = everything()
    for model, model_admin in registered():
        url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        names = [action if isinstance(action, str) else action.__name__ for action in model_admin.actions or []]
        for action in ["delete_selected", *names]:
            chosen = {"action": action, "_selected_action": [str(world[model._meta.label].pk)], "post": "yes"}
            response = stranger.post(url, {**chosen, "select_across": "1"}, follow=True)
            assert response.status_code in ALLOWED, (url, action)
            assert not leaks(response), (url, action)
    assert everything() == before


def test_nothing_can_be_edited_in_a_list(world: World, stranger: Client) -> None:
    before = everything()
    for model, _ in registered():
        url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        form = {"form-TOTAL_FORMS": "1", "form-INITIAL_FORMS": "1", "form-0-id": str(world[model._meta.label].pk)}
        stranger.post(url, {**form, "form-0-name": "Taken", "_save": "Save"}, follow=True)
    assert everything() == before


# --- What Charlie may point his own objects at ---------------------------------------------------------------


@pytest.fixture
def as_charlie(charlie: User) -> Client:
    client = Client()
    client.force_login(charlie)
    return client


def own_plugin(charlie: User) -> Plugin:
    return Plugin.objects.create(owner=charlie, name="Own", domain="x", system_prompt="x")


def refused(response: Any, field: str) -> bool:
    return response.status_code == 200 and field in response.context["adminform"].form.errors


def test_every_choice_of_a_form_is_ones_own(world: World, as_charlie: Client, charlie: User) -> None:
    """Whatever a form on the builder offers to choose from, nothing of Alice's is in it."""
    plugin = own_plugin(charlie)
    own = {
        Plugin: plugin,
        KnowledgeBase: KnowledgeBase.objects.create(owner=charlie, plugin=plugin, name="Own"),
        DecisionTree: DecisionTree.objects.create(plugin=plugin, name="Own", tree_data={}),
        ApiKey: ApiKey.objects.issue(owner=charlie, name="Own")[0],
    }
    own[Document] = Document.objects.create(knowledge_base=own[KnowledgeBase], title="Own", source_type="text")
    foreign = set(world.ids)
    for model, _ in registered():
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        urls = [reverse(f"admin:{name}_add")]
        urls += [reverse(f"admin:{name}_change", args=[own[model].pk])] if model in own else []
        for url in urls:
            response = as_charlie.get(url)
            assert not leaks(response), url
            if response.status_code == 200 and "adminform" in (response.context or {}):
                assert not foreign & set(offered(response.context["adminform"].form)), url


def offered(form: Any) -> Iterator[str]:
    for field in form.fields.values():
        for value, _ in getattr(field, "choices", ()):
            yield str(value)


READ_ONLY = ("trees.DecisionTree", "knowledge.KnowledgeBase", "knowledge.Document", "evaluation.GoldenQuestion")


@pytest.mark.parametrize("label", READ_ONLY)
def test_what_is_edited_in_the_builder_is_edited_nowhere_else(world: World, alice: User, label: str) -> None:
    """Not even by a superuser: there is one workplace."""
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    client = Client()
    client.force_login(User.objects.get(pk=alice.pk))
    before = everything()
    name, pk = label.lower().replace(".", "_"), world[label].pk
    urls = [reverse(f"admin:{name}_add")]
    urls += [reverse(f"admin:{name}_{page}", args=[pk]) for page in ("change", "delete")]
    for url in urls:
        assert client.post(url, {"post": "yes", "name": "Taken", "title": "Taken"}).status_code == 403, url
    chosen = {"action": "delete_selected", "_selected_action": [str(pk)], "post": "yes"}
    client.post(reverse(f"admin:{name}_changelist"), chosen)
    assert everything() == before


def test_a_tree_cannot_be_put_into_somebody_elses_plugin(world: World, as_charlie: Client, charlie: User) -> None:
    tree = {"name": "Mine", "tree": world["trees.DecisionTree"].tree_data}
    assert as_charlie.post(reverse("admin:builder_tree_new", args=[world.plugin.pk]), tree).status_code == 404
    own = own_plugin(charlie)
    mine = DecisionTree.objects.create(plugin=own, name="Mine", tree_data={})
    address = reverse("admin:builder_tree_text", args=[own.pk, mine.pk])
    draft = json.dumps({**tree, "plugin": str(world.plugin.pk)})
    as_charlie.post(address, {"draft": draft, "version": mine.version, "plugin": str(world.plugin.pk)})
    mine.refresh_from_db()
    assert (mine.plugin, mine.tree_data) == (own, tree["tree"])
    assert DecisionTree.objects.filter(plugin=world.plugin).count() == 1


@pytest.mark.parametrize("field", ["plugin", "attached_to"])
def test_a_knowledge_base_cannot_be_put_under_somebody_elses_plugin(
    world: World, as_charlie: Client, charlie: User, field: str
) -> None:
    own = own_plugin(charlie)
    form = {"name": "Mine", "embedder": "local", field: str(world.plugin.pk)}
    foreign = reverse("admin:builder_knowledge_base_new", args=[world.plugin.pk])
    assert as_charlie.post(foreign, form).status_code == 404
    as_charlie.post(reverse("admin:builder_knowledge_base_new", args=[own.pk]), form)
    mine = KnowledgeBase.objects.get(owner=charlie)
    as_charlie.post(reverse("admin:builder_knowledge_base", args=[own.pk, mine.pk]), {**form, "name": "Renamed"})
    mine.refresh_from_db()
    assert (mine.name, mine.plugin, [grant.plugin for grant in mine.grants.all()]) == ("Renamed", None, [own])


def test_a_document_cannot_be_put_into_somebody_elses_knowledge_base(
    world: World, as_charlie: Client, charlie: User
) -> None:
    form = {"base": str(world["knowledge.KnowledgeBase"].pk), "addresses": "https://example.org/"}
    own, documents = own_plugin(charlie), Document.objects.count()
    assert as_charlie.post(reverse("admin:builder_knowledge_urls", args=[own.pk]), form).status_code == 404
    # Attached, it is read by Charlie's plugin; it is still not his to fill.
    attach(world["knowledge.KnowledgeBase"], own)
    assert as_charlie.post(reverse("admin:builder_knowledge_urls", args=[own.pk]), form).status_code == 404
    assert Document.objects.count() == documents


def test_a_document_does_not_move_to_another_knowledge_base(world: World, as_charlie: Client, charlie: User) -> None:
    own = own_plugin(charlie)
    base = KnowledgeBase.objects.create(owner=charlie, plugin=own, name="Own")
    mine = Document.objects.create(knowledge_base=base, title="Mine", source_type="text", status="ready", added_in=1)
    foreign = str(world["knowledge.KnowledgeBase"].pk)
    form = {"title": "Mine", "doc_type": "x", "knowledge_base": foreign, "base": foreign, "metadata": "{}"}
    as_charlie.post(reverse("admin:builder_knowledge_document", args=[own.pk, mine.pk]), form)
    mine.refresh_from_db()
    assert (mine.knowledge_base, mine.doc_type) == (base, "x")


KEY = {
    "name": "Mine",
    "capabilities": ["query"],
    "per_minute": "60",
    "per_day": "100",
    "expires_at_0": "",
    "expires_at_1": "",
}


def test_a_key_cannot_be_opened_for_a_plugin_that_one_may_not_ask(
    world: World, as_charlie: Client, charlie: User
) -> None:
    mine, _ = ApiKey.objects.issue(owner=charlie, name="Mine")
    form = {**KEY, "limited_to": [str(world.plugin.pk)]}
    change = reverse("admin:accounts_apikey_change", args=[mine.pk])
    assert refused(as_charlie.post(change, form), "limited_to")
    assert not mine.plugins.exists()


def test_a_key_may_be_limited_to_a_published_plugin_of_somebody_else(
    world: World, as_charlie: Client, charlie: User
) -> None:
    Plugin.objects.update(is_published=True)
    mine, _ = ApiKey.objects.issue(owner=charlie, name="Mine")
    change = reverse("admin:accounts_apikey_change", args=[mine.pk])
    as_charlie.post(change, {**KEY, "limited_to": [str(world.plugin.pk)]})
    assert list(mine.plugins.all()) == [world.plugin]


@pytest.mark.parametrize("field", ["owner", "key_hash", "prefix", "revoked_at", "key_encrypted"])
def test_a8_a_key_takes_only_what_its_form_shows(world: World, as_charlie: Client, charlie: User, field: str) -> None:
    mine, _ = ApiKey.objects.issue(owner=charlie, name="Mine")
    before = ApiKey.objects.filter(pk=mine.pk).values().get()
    value = str(world.alice.pk) if field == "owner" else "x"
    as_charlie.post(reverse("admin:accounts_apikey_change", args=[mine.pk]), {**KEY, field: value})
    after = ApiKey.objects.filter(pk=mine.pk).values().get()
    assert {name: after[name] for name in after if name not in KEY} | {"per_day": 0} == {
        name: before[name] for name in before if name not in KEY
    } | {"per_day": 0}


def test_a7_saving_a_key_never_widens_what_it_opens(world: World, as_charlie: Client, charlie: User) -> None:
    """Its only plugin was withdrawn meanwhile, so a form that offers only what can be asked would not show it."""
    Plugin.objects.filter(pk=world.plugin.pk).update(is_published=True)
    mine, _ = ApiKey.objects.issue(owner=charlie, name="Mine", plugins=[world.plugin])
    Plugin.objects.filter(pk=world.plugin.pk).update(is_published=False)
    own_plugin(charlie)
    change = reverse("admin:accounts_apikey_change", args=[mine.pk])
    form = as_charlie.get(change).context["adminform"].form
    assert [str(pk) for pk in form["limited_to"].value()] == [str(world.plugin.pk)]
    as_charlie.post(change, {**KEY, "name": "Renamed", "limited_to": [str(world.plugin.pk)]})
    mine.refresh_from_db()
    assert mine.name == "Renamed"
    assert mine.allowed_plugins() == [world.plugin.pk]


def test_a7_saving_a_key_whose_plugin_is_gone_does_not_open_it(world: World, as_charlie: Client, charlie: User) -> None:
    own = own_plugin(charlie)
    mine, _ = ApiKey.objects.issue(owner=charlie, name="Mine", plugins=[own])
    own.delete()
    as_charlie.post(reverse("admin:accounts_apikey_change", args=[mine.pk]), KEY)
    assert mine.allowed_plugins() == [None]


def test_colleagues_are_named_by_address_and_nobody_is_listed(
    world: World, as_charlie: Client, charlie: User, bob: User
) -> None:
    plugin = own_plugin(charlie)
    page = as_charlie.get(reverse("admin:builder_sharing", args=[plugin.pk]))
    assert bob.email not in page.content.decode()
    invite = reverse("admin:builder_invite", args=[plugin.pk])
    as_charlie.post(invite, {"email": "BOB@example.org", "role": "editor"})
    assert plugin.invitations.get().email == bob.email


def test_an_owner_cannot_be_changed_by_a_form(world: World, as_charlie: Client, charlie: User) -> None:
    plugin = own_plugin(charlie)
    change = reverse("admin:plugins_plugin_change", args=[plugin.pk])
    shown = as_charlie.get(change).context["adminform"].form
    form = {name: shown[name].value() or "" for name in shown.fields}
    as_charlie.post(change, {**form, "owner": str(world.alice.pk), "is_published": "on", "version": "9.0.0"})
    plugin.refresh_from_db()
    assert (plugin.owner, plugin.is_published, plugin.version) == (charlie, False, "1.0.0")


# --- The audit log ---------------------------------------------------------------------------------------------


@pytest.fixture
def asked_by_charlie(world: World, charlie: User) -> Query:
    """A question to Alice's published plugin, in Charlie's own log."""
    Plugin.objects.filter(pk=world.plugin.pk).update(is_published=True)
    key, _ = ApiKey.objects.issue(owner=charlie, name="charlies secret agent")
    return Query.objects.create(
        plugin=world.plugin,
        release=world["plugins.Release"],
        release_name="x@1.0.0",
        api_key=key,
        user=charlie,
        question="What cover?",
        outcome="answered",
    )


@pytest.mark.parametrize(
    "lookup",
    [
        "plugin__system_prompt__startswith",
        "plugin__owner__email__startswith",
        "release__system_prompt__contains",
        "release__trees__icontains",
        "plugin__knowledge_base__documents__title__icontains",
        "api_key__key_hash__startswith",
        "user__password__startswith",
    ],
)
def test_a7_nothing_can_be_guessed_letter_by_letter_through_a_filter(
    asked_by_charlie: Query, as_charlie: Client, lookup: str
) -> None:
    response = as_charlie.get(reverse("admin:querying_query_changelist"), {lookup: PART})
    assert response.status_code in {302, 400}


def test_a7_the_log_of_one_who_asked_does_not_hold_the_persona(asked_by_charlie: Query, as_charlie: Client) -> None:
    page = as_charlie.get(reverse("admin:querying_query_change", args=[asked_by_charlie.pk]))
    assert page.status_code == 200
    text = page.content.decode()
    for secret in (f"{MARK} persona", f"{MARK} page", f"{MARK} document", f"{MARK} tree", f"{MARK} key"):
        assert secret not in text


def test_an_author_reads_what_was_asked_and_not_who_asked(asked_by_charlie: Query, world: World, charlie: User) -> None:
    client = Client()
    client.force_login(world.alice)
    for url in (
        reverse("admin:querying_query_changelist"),
        reverse("admin:querying_query_change", args=[asked_by_charlie.pk]),
    ):
        text = client.get(url).content.decode()
        assert "What cover?" in text
        for secret in (charlie.email, "charlies secret agent", charlie.display_name, "lx_"):
            assert secret not in text


def test_the_registry_is_the_one_that_is_served() -> None:
    assert reverse("admin:index").startswith("/admin/")
    assert all(isinstance(model_admin, admin.ModelAdmin) for _, model_admin in registered())
