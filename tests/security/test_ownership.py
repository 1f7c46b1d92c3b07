"""What belongs to one person becomes another's only by a transfer that both confirm, and never goes with the other."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
from django import forms
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.test import RequestFactory
from drf_spectacular.generators import SchemaGenerator
from rest_framework import serializers

import api
import builder
from accounts.models import User
from knowledge.models import KnowledgeBase
from plugins.models import Plugin
from privacy.account_deletion import delete_account
from tests.security.world import World, registered

pytestmark = pytest.mark.django_db
# A row that points at one of these belongs to it; a row that points at another one has moved.
OWNERS = {"accounts.User", "plugins.Plugin", "plugins.Release", "knowledge.KnowledgeBase", "knowledge.Document"}
OWNERS |= {"trees.DecisionTree", "querying.Query", "conversations.ChatSession", "webhooks.Webhook", "accounts.ApiKey"}
# What may be chosen all the same, and why that moves nothing.
CHOICES = {
    ("ApiKeyForm", "limited_to"): "narrows what a key opens, among the plugins that its owner may ask",
    ("PluginAnalyticsForm", "key"): "narrows what is counted",
}
# What goes with an account or a plugin though somebody else wrote it: it says something about what goes.
SAID_OF_IT = {
    "admin.LogEntry": "the history of what the person did",
    "conversations.ChatMessage": "a conversation with the plugin",
    "conversations.ChatSession": "a conversation with the plugin",
    "knowledge.KnowledgeGrant": "leave to use what is gone, or by what is gone",
    "marketplace.Report": "a report on the plugin",
    "marketplace.Review": "a review of the plugin",
    "organisations.Membership": "what the person may do in an organisation",
    "plugins.Invitation": "an invitation to the plugin",
    "plugins.OrganisationOffer": "an offer of the plugin",
    "plugins.OwnershipOffer": "an offer of the plugin, or to the person",
    "querying.Feedback": "the person's opinion",
    "querying.MonthlyCost": "a sum of one of them, never of both: `monthly_cost_not_of_both`",
}


def modules(package: Any) -> Iterator[Any]:
    for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if ".migrations" not in one.name and ".management" not in one.name:
            yield importlib.import_module(one.name)


def subclasses(kind: Any) -> set[Any]:
    return {one for child in kind.__subclasses__() for one in (child, *subclasses(child))}


def moves(form: Any, names: Any) -> list[tuple[str, str]]:
    """The fields of a form that choose a row of somebody's."""
    found = []
    for name, field in names.items():
        target = getattr(getattr(field, "queryset", None), "model", None)
        if target is not None and target._meta.label in OWNERS and not field.disabled:
            found.append((form.__name__, name))
    return found


def test_no_form_of_the_admin_moves_anything(world: World, rf: RequestFactory) -> None:
    """Not even a superuser's."""
    request = rf.get("/admin/")
    request.user = User.objects.create_superuser("root@example.org", "correct horse battery")
    for model, page in registered():
        obj = world.objects.get(model._meta.label)
        if page.has_change_permission(request, obj) and model._meta.label.partition(".")[0] != "auth":
            form = page.get_form(request, obj, change=True)
            chosen = {one for one in moves(form, form.base_fields) if (page.form.__name__, one[1]) not in CHOICES}
            assert not {name for _, name in chosen} - {"groups", "user_permissions"}, f"{model._meta.label}: {chosen}"
            assert not {inline.model for inline in page.get_inline_instances(request, obj)}, model


def test_no_form_of_the_builder_moves_anything() -> None:
    list(modules(builder))
    ours = [one for one in subclasses(forms.BaseForm) if one.__module__.startswith("builder.")]
    assert len(ours) > 15
    found = {one for form in ours for one in moves(form, getattr(form, "base_fields", {}))}
    assert found <= CHOICES.keys(), found
    for form in ours:
        if issubclass(form, forms.ModelForm) and form._meta.model:  # a base of others has none
            relations = [field.name for field in form._meta.model._meta.get_fields() if field.is_relation]
            assert not set(form.base_fields) & set(relations), form


def test_no_serializer_of_the_api_moves_anything() -> None:
    list(modules(api))
    ours = [one for one in subclasses(serializers.Serializer) if one.__module__.startswith("api.")]
    assert len(ours) > 40
    for serializer in ours:
        assert not issubclass(serializer, serializers.ModelSerializer), serializer
        for name, field in serializer._declared_fields.items():
            assert not isinstance(field, serializers.RelatedField), (serializer, name)


def test_no_request_of_the_api_names_another_owner() -> None:
    """`plugin` is what a question is asked of, and what a key is narrowed to; `attachKnowledgeBase` asks the owner of a
    base for a grant; `setProjectMembers` lets people read; elsewhere the names move rows."""
    described = SchemaGenerator().get_schema(request=None, public=True)
    bodies = [
        content["schema"]
        for methods in described["paths"].values()
        for operation in methods.values()
        if operation["operationId"] not in ("attachKnowledgeBase", "setProjectMembers")
        for content in operation.get("requestBody", {}).get("content", {}).values()
    ]
    assert len(bodies) > 20
    names = {name for body in bodies for name in properties(body, described["components"]["schemas"])}
    assert "query" in names
    assert not names & {"owner", "ownerId", "knowledgeBase", "knowledge_base", "attachedTo", "editors", "viewers"}


def properties(body: dict[str, Any], schemas: dict[str, Any]) -> set[str]:
    if "$ref" in body:
        return properties(schemas[body["$ref"].rpartition("/")[2]], schemas)
    parts = [part for kind in ("allOf", "anyOf", "oneOf") for part in body.get(kind, [])]
    return set(body.get("properties", {})) | {name for part in parts for name in properties(part, schemas)}


def test_a_base_never_stands_under_a_plugin_of_somebody_else(world: World, bob: User) -> None:
    bobs = Plugin.objects.create(owner=bob, name="Bob's", domain="x", system_prompt="x")
    base = KnowledgeBase.objects.filter(pk=world["knowledge.KnowledgeBase"].pk)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for columns in ({"plugin": bobs}, {"owner": bob}):
        with pytest.raises(IntegrityError), transaction.atomic():
            base.update(**columns)
    with pytest.raises(IntegrityError), transaction.atomic():
        KnowledgeBase.objects.create(owner=world.alice, plugin=bobs, name="x")


def test_a_base_follows_its_plugin_to_another_owner(world: World, bob: User) -> None:
    Plugin.objects.filter(pk=world.plugin.pk).update(owner=bob)
    connection.check_constraints()
    assert KnowledgeBase.objects.get(plugin=world.plugin).owner == bob


def carried_off(start: type[models.Model]) -> set[str]:
    """The models whose rows go when a row of this one does."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for relation in waiting.pop()._meta.related_objects:
            cascades = getattr(relation, "on_delete", None) is models.CASCADE
            if cascades and relation.related_model._meta.label not in found:
                found.add(relation.related_model._meta.label)
                waiting.append(relation.related_model)
    return found


@pytest.mark.parametrize("start", [User, Plugin])
def test_what_goes_with_a_person_or_a_plugin_has_one_owner(start: type[models.Model]) -> None:
    """A model with two ways up to a person could go with either: it has to be on the list, with a reason."""
    for label in carried_off(start):
        model = apps.get_model(label)
        ways = {
            field.remote_field.model._meta.label
            for field in model._meta.fields
            if field.is_relation and field.remote_field.on_delete is models.CASCADE
        }
        people = ways & {"accounts.User", "plugins.Plugin"}
        if len(people) > 1 and label not in SAID_OF_IT:
            # The database holds that both are the same person's.
            assert label == "knowledge.KnowledgeBase", f"{label} goes with {sorted(people)}"


def test_deleting_an_account_takes_nothing_of_anybody_else(world: World, bob: User) -> None:
    """Bob works on everything of Alice's, has his name on all that bears one, and leaves."""
    world.plugin.editors.add(bob)
    for model in apps.get_models():
        if model._meta.label in world.objects and model is not Plugin and model is not KnowledgeBase:
            for field in model._meta.fields:
                names_person = field.is_relation and field.remote_field.model is User
                if names_person and field.remote_field.on_delete is models.SET_NULL:
                    model._base_manager.update(**{field.name: bob})
    kept = {label: obj.pk for label, obj in world.objects.items()}
    delete_account(bob)
    gone = [label for label, pk in kept.items() if not apps.get_model(label)._base_manager.filter(pk=pk).exists()]
    assert gone == []
