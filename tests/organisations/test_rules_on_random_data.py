"""Rules whose statements are kept, or built once, select the rows that their query sets select, whoever acts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise
from typing import Any
from unittest import mock

import pytest
from allauth.mfa.models import Authenticator
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from accounts.models import ApiKey, Capability, Principal, User
from conversations.projects.models import Project
from evaluation.models import GoldenQuestion
from knowledge.models import BaseMember, Consent, Document, KnowledgeBase, KnowledgeGrant
from knowledge.plugin_knowledge_base import own_knowledge_base
from lexic.compiled_query import CompiledSubquery
from organisations.models import Membership, Organisation, OrganisationRole
from organisations.person_rule import PersonRule
from organisations.sso_session import provider_id
from plugins.models import Plugin
from plugins.visibility import Visibility
from querying.models import Query
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db
# The modules that name `written_out` themselves.
_USERS = (
    "contracts.models",
    "conversations.projects.models",
    "evaluation.models",
    "knowledge.member_models",
    "knowledge.models",
    "organisations.models",
    "organisations.person_rule",
    "trees.models",
)


@contextmanager
def plain_query_sets() -> Iterator[None]:
    """Nothing is written out, and nothing kept: Django gets the query sets in the conditions."""
    patches: list[Any] = [mock.patch(f"{module}.written_out", lambda rows: rows) for module in _USERS]
    patches.append(mock.patch.object(PersonRule, "ids", lambda rule, user: rule._make(user)))
    patches.append(mock.patch.object(CompiledSubquery, "ids", lambda rows, **values: rows._make(**values)))
    for each in patches:
        each.start()
    try:
        yield
    finally:
        mock.patch.stopall()


def test_random_people_get_the_rows_of_the_plain_query_sets() -> None:
    chance = random.Random(17)
    people, plugins = make_people(chance)
    principals: list[Principal] = [*people, *make_keys(chance, people, plugins)]
    chance.shuffle(principals)
    found: dict[str, set[Any]] = {}
    for principal in principals:
        kept = rows_of(principal)
        with plain_query_sets():
            assert rows_of(principal) == kept
        for name, rows in kept.items():
            found.setdefault(name, set()).update(rows)
    assert all(found.values()), "a rule was never seen to open anything"
    for plugin in plugins:
        ways = bases_of(plugin)
        with plain_query_sets():
            assert bases_of(plugin) == ways


def test_rules_combine_as_plain_query_sets_do() -> None:
    chance = random.Random(18)
    people, _ = make_people(chance)
    for one, other in pairwise(people):
        combined = combinations(one, other)
        with plain_query_sets():
            assert combinations(one, other) == combined


def rows_of(principal: Principal) -> dict[str, list[Any]]:
    person = principal if isinstance(principal, User) else principal.owner
    plugins, bases = Plugin.objects, KnowledgeBase.objects
    queries: dict[str, QuerySet[Any]] = {
        "edited": plugins.editable_by(principal),
        "viewed": plugins.viewable_by(principal),
        "asked": plugins.askable_by(principal),
        "discovered": plugins.discoverable_by(principal),
        "asked by name": plugins.askable_by_name(principal),
        "bases": bases.visible_to(principal),
        "edited bases": bases.editable_by(principal),
        "documents": Document.objects.visible_to(principal),
        "edited documents": Document.objects.editable_by(principal),
        "projects": Project.objects.visible_to(principal),
        "edited projects": Project.objects.editable_by(principal),
        "trees": DecisionTree.objects.visible_to(principal),
        "edited trees": DecisionTree.objects.editable_by(principal),
        "golden questions": GoldenQuestion.objects.visible_to(principal),
        "queries": Query.objects.visible_to(person),
        "organisations": Organisation.objects.open_to(person),
    }
    found: dict[str, list[Any]] = {name: sorted(map(str, ids(rows))) for name, rows in queries.items()}
    with_roles = plugins.viewable_by(principal).with_role_of(principal)
    found["roles"] = sorted((one.slug, one.role) for one in with_roles)
    seen = Project.objects.visible_to(principal).as_seen_by(principal)
    found["projects as seen"] = sorted((one.name, one.role, one.document_total) for one in seen)
    return found


def bases_of(plugin: Plugin) -> list[list[Any]]:
    opened = [KnowledgeBase.objects.open_to(plugin, least=least) for least in Consent.values]
    return [sorted(ids(rows)) for rows in (KnowledgeBase.objects.of_plugin(plugin), *opened)]


def combinations(one: User, other: User) -> list[Any]:
    plugins = Plugin.objects
    mine, theirs = plugins.viewable_by(one), plugins.editable_by(other)
    named = Exists(theirs.filter(pk=OuterRef("plugin")))
    combined: list[QuerySet[Any]] = [
        mine | theirs,
        mine & theirs,
        mine.exclude(pk__in=theirs),
        mine.union(theirs),
        DecisionTree.objects.visible_to(one).exclude(plugin__in=theirs),
        DecisionTree.objects.visible_to(one).filter(named),
        KnowledgeBase.objects.visible_to(one) | KnowledgeBase.objects.editable_by(other),
        Document.objects.exclude(knowledge_base__in=KnowledgeBase.objects.visible_to(one)),
        Query.objects.visible_to(one).exclude(plugin__in=mine),
    ]
    return [mine.count(), theirs.exists(), *(sorted(map(str, ids(rows))) for rows in combined)]


def ids(rows: QuerySet[Any]) -> list[Any]:
    return list(rows.order_by().values_list("pk", flat=True))


def make_people(chance: random.Random) -> tuple[list[User], list[Plugin]]:
    people = [
        User.objects.create_user(f"person{at}@example.org", None, is_active=at not in (1, 2), is_superuser=at in (0, 1))
        for at in range(7)
    ]
    for person in chance.sample(people, 4):
        Authenticator.objects.create(user=person, type=Authenticator.Type.TOTP, data={})
    organisations = [
        Organisation.objects.create(name=f"Organisation {at}", requires_sso=at > 1, requires_second_step=at % 3 == 2)
        for at in range(5)
    ]
    for organisation in organisations:
        for person in chance.sample(people, 3):
            days = chance.choice([None, 1, 29, 29, 31])
            Membership.objects.create(
                organisation=organisation,
                user=person,
                role=chance.choice(OrganisationRole.values),
                signed_in_at=None if days is None else timezone.now() - timedelta(days=days),
            )
    plugins = [make_plugin(chance, at, people, [None, *organisations]) for at in range(9)]
    for at, person in enumerate(people):
        make_private(chance, at, person, people)
    bases = [own_knowledge_base(plugin) for plugin in plugins]
    for plugin in plugins:
        for base in chance.sample(bases, 2):
            granted = timezone.now() if chance.random() < 0.8 else None
            KnowledgeGrant.objects.create(
                plugin=plugin, knowledge_base=base, granted_to=plugin.owner, granted_at=granted,
                is_attached=chance.random() < 0.7,
                consent=chance.choice(Consent.values), ended_at=granted if chance.random() < 0.1 else None,
            )  # fmt: skip
    return people, plugins


def make_plugin(chance: random.Random, at: int, people: list[User], organisations: list[Any]) -> Plugin:
    plugin = Plugin.objects.create(
        owner=chance.choice(people), organisation=chance.choice(organisations), name=f"P{at}", slug=f"p{at}",
        domain="x", is_published=chance.random() < 0.3, visibility=chance.choice(Visibility.values),
    )  # fmt: skip
    for field in (plugin.editors, plugin.viewers):
        field.add(*chance.sample(people, chance.randrange(3)))
    DecisionTree.objects.create(plugin=plugin, name=f"Tree {at}", tree_data={})
    GoldenQuestion.objects.create(plugin=plugin, question=f"Question {at}?")
    Query.objects.create(plugin=plugin, user=chance.choice([None, *people]), question=f"Question {at}?")
    Document.objects.create(knowledge_base=own_knowledge_base(plugin), title=f"Document {at}", source_type="text")
    return plugin


def make_private(chance: random.Random, at: int, owner: User, people: list[User]) -> None:
    project = Project.objects.create_with_base(owner=owner, name=f"Project {at}")
    Document.objects.create(knowledge_base=project.knowledge_base, title=f"Private {at}", source_type="text")
    for member in chance.sample(people, 2):
        BaseMember.objects.create(
            knowledge_base=project.knowledge_base, email=member.email, role=chance.choice(["editor", "viewer"])
        )


def make_keys(chance: random.Random, people: list[User], plugins: list[Plugin]) -> list[ApiKey]:
    """Each with an owner of its own object, as a request has it: what acts is remembered on the person."""
    keys = []
    for owner in people:
        theirs = [provider_id(one.organisation_id) for one in owner.memberships.all()]
        through = chance.choice([[], ["github"], theirs[:1], theirs])
        limits = chance.sample(plugins, chance.choice([0, 0, 2]))
        fields = {"capabilities": Capability.values, "issued_through": through}
        keys.append(ApiKey.objects.issue(owner=owner, name="key", plugins=limits, **fields)[0])
    return [ApiKey.objects.select_related("owner").get(pk=key.pk) for key in keys]
