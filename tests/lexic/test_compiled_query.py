"""A kept query finds what the query set finds that it was made of."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count, OuterRef, Q, QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import ApiKey, User
from knowledge.plugin_knowledge_base import own_knowledge_base
from lexic.compiled_query import CompiledQuery, CompiledRows, CompiledSubquery, written_out
from plugins.models import Plugin, Release
from querying import releases

pytestmark = pytest.mark.django_db


def columns(row: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(row).items() if name != "_state"}


def test_a_key_is_found_with_its_owner_as_the_query_set_finds_it(alice: User, bob: User) -> None:
    keys = [
        ApiKey.objects.issue(owner=owner, name=owner.email, allowed_origins=["https://a.org"]) for owner in (alice, bob)
    ]
    for key, secret in keys:
        with CaptureQueriesContext(connection) as queries:
            found = ApiKey.objects.for_secret(secret)
            assert found
            assert found.owner.email == key.owner.email
        assert len(queries) == 1
        plain = ApiKey.objects.usable().select_related("owner").get(pk=key.pk)
        assert columns(found) == columns(plain)
        assert columns(found.owner) == columns(plain.owner)
        assert (found._state.db, found._state.adding) == ("default", False)


def test_what_ends_a_key_ends_it_at_once(alice: User) -> None:
    key, secret = ApiKey.objects.issue(owner=alice, name="mine")
    assert ApiKey.objects.for_secret(secret)
    now = timezone.now()
    for ending in ({"expires_at": now - timedelta(seconds=1)}, {"revoked_at": now}):
        ApiKey.objects.filter(pk=key.pk).update(**ending)
        assert ApiKey.objects.for_secret(secret) is None
        ApiKey.objects.filter(pk=key.pk).update(expires_at=None, revoked_at=None)
    ApiKey.objects.filter(pk=key.pk).update(expires_at=now + timedelta(hours=1))
    assert ApiKey.objects.for_secret(secret)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert ApiKey.objects.for_secret(secret) is None
    assert ApiKey.objects.for_secret("lx_" + "a" * 43) is None


def test_the_latest_release_is_found_as_the_query_set_finds_it(alice: User) -> None:
    plugins = [
        Plugin.objects.create(owner=alice, name=name, slug=name, domain="x", system_prompt="x", is_published=True)
        for name in ("one", "two")
    ]
    for plugin in plugins:
        for version in ("1.0.0", "1.1.0"):
            Release.objects.create(plugin=plugin, version=version, system_prompt=version, knowledge=[{"base": 1}])
    free, _ = ApiKey.objects.issue(owner=alice, name="free")
    limited, _ = ApiKey.objects.issue(owner=alice, name="limited", plugins=[plugins[1]])
    for key in (free, limited):
        for plugin in plugins:
            found = releases._listed_release(plugin.slug, None, key)
            named = Plugin.objects.filter(slug=plugin.slug).listed_to(key)
            plain = Release.objects.filter(plugin__in=named).select_related("plugin").first()
            assert (found and columns(found)) == (plain and columns(plain))
            assert (found and columns(found.plugin)) == (plain and columns(plain.plugin))
    assert releases._listed_release("one", None, limited) is None
    assert releases._listed_release("two", None, limited)
    Plugin.objects.filter(slug="two").update(is_published=False)
    assert releases._listed_release("two", None, limited) is None


def test_a_value_that_is_not_in_the_statement_is_an_error() -> None:
    query = CompiledQuery(lambda *, name: User.objects.filter(email=name.lower()), name="Alice")
    with pytest.raises(ValueError, match="not in its statement"):
        query.first(name="Alice")


def two_plugins(owner: User) -> list[Plugin]:
    return [
        Plugin.objects.create(owner=owner, name=name, slug=name, domain="x", system_prompt="x")
        for name in ("one", "two")
    ]


def test_rows_are_found_as_the_query_set_finds_them(alice: User) -> None:
    plugins = [
        Plugin.objects.create(owner=alice, name=name, slug=name, domain="x", system_prompt="x")
        for name in ("one", "two")
    ]
    query = CompiledRows(lambda *, name: Plugin.objects.filter(slug=name).values_list("pk", "slug"), name="a slug")
    for plugin in plugins:
        with CaptureQueriesContext(connection) as queries:
            assert query.rows(name=plugin.slug) == [(plugin.pk, plugin.slug)]
        assert len(queries) == 1
    assert query.rows(name="three") == []


def test_a_subquery_selects_what_the_query_set_selects_and_is_built_once(alice: User, bob: User) -> None:
    plugins = [two_plugins(alice)[0], Plugin.objects.create(owner=bob, name="Bob's", slug="bobs", domain="x")]
    made = []

    def owned_by(owner: uuid.UUID) -> QuerySet[Any, Any]:
        made.append(owner)
        return Plugin.objects.filter(owner=owner, slug__in=["one", "bobs"]).order_by("name").values("pk")

    owned = CompiledSubquery(owned_by, owner=uuid.uuid4())
    for person, plugin in zip((alice, bob), plugins, strict=True):
        assert list(Plugin.objects.filter(pk__in=owned.ids(owner=person.pk))) == [plugin]
        assert not Plugin.objects.filter(pk=plugin.pk).exclude(pk__in=owned.ids(owner=person.pk)).exists()
    assert len(made) == 1


def test_a_query_set_that_is_written_out_selects_the_same(alice: User) -> None:
    one, two = two_plugins(alice)
    named = written_out(Plugin.objects.filter(slug="one").values("pk"))
    assert list(Plugin.objects.filter(pk__in=named)) == [one]
    assert list(Plugin.objects.exclude(pk__in=named)) == [two]
    assert not Plugin.objects.filter(pk__in=written_out(Plugin.objects.none().values("pk"))).exists()


def test_what_is_written_out_stands_beside_aggregates(alice: User) -> None:
    one, two = two_plugins(alice)
    named = written_out(Plugin.objects.filter(pk__in=[one.pk, two.pk]).values("pk"))
    counted = Plugin.objects.annotate(is_named=Q(pk__in=named), total=Count("releases"))
    assert list(counted.values_list("is_named", flat=True)) == [True, True]
    assert Plugin.objects.alias(total=Count("releases")).filter(Q(total__gt=9) | Q(pk__in=named)).count() == 2


def test_a_subquery_that_can_select_nothing_selects_nothing(alice: User) -> None:
    two_plugins(alice)
    nobodys = Plugin.objects.filter(pk__in=[]).values("pk")
    none = CompiledSubquery(lambda *, owner: nobodys.filter(owner=owner), owner=uuid.uuid4())
    assert not Plugin.objects.filter(pk__in=none.ids(owner=alice.pk)).exists()


def test_a_subquery_that_refers_to_the_query_around_it_is_not_written_out() -> None:
    with pytest.raises(ValueError, match="outer query"):
        written_out(Plugin.objects.filter(owner=OuterRef("pk")).values("pk"))


def test_rows_whose_columns_the_database_gives_otherwise_are_an_error(alice: User) -> None:
    query = CompiledRows(lambda *, name: Release.objects.filter(version=name).values_list("knowledge"), name="1.0.0")
    with pytest.raises(ValueError, match="not what the database gives"):
        query.rows(name="1.0.0")


def test_the_base_of_a_plugin_is_open_to_it_and_to_no_other(alice: User) -> None:
    plugins = [
        Plugin.objects.create(owner=alice, name=name, slug=name, domain="x", system_prompt="x")
        for name in ("one", "two")
    ]
    base = own_knowledge_base(plugins[0])
    pinned = [{"knowledge_base": base.pk, "revision": 1, "embedder": "local"}]
    own, other = (Release(plugin=plugin, version="1.0.0", knowledge=pinned) for plugin in plugins)
    assert [one.knowledge_base_id for one in releases.pinned_bases(own)] == [base.pk]
    assert releases.pinned_bases(other) == []
