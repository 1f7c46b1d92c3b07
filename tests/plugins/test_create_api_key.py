from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.models import ApiKey, User
from plugins.models import Plugin

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("create_api_key", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def draft(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Cover", domain="x", system_prompt="x")


def test_it_prints_the_key_and_nothing_else(alice: User) -> None:
    secret = run("ALICE@example.org").strip()
    key = ApiKey.objects.for_secret(secret)
    assert key is not None
    assert (key.owner, key.name, key.capabilities) == (alice, "command line", ["query"])


def test_as_json(alice: User, draft: Plugin) -> None:
    printed = json.loads(run(alice.email, "--json", "--name", "robot", "--plugin", "cover", "--can", "read"))
    key = ApiKey.objects.for_secret(printed["key"])
    assert key is not None
    assert printed == {"id": str(key.pk), "key": printed["key"], "name": "robot", "plugins": ["cover"]}
    assert key.capabilities == ["read"]
    assert list(key.plugins.all()) == [draft]


def test_several_plugins_and_capabilities(alice: User, draft: Plugin) -> None:
    Plugin.objects.create(owner=alice, name="Other", domain="x", system_prompt="x")
    arguments = ["--plugin", "cover", "--plugin", "other", "--can", "query", "--can", "read"]
    key = ApiKey.objects.for_secret(run(alice.email, *arguments).strip())
    assert key is not None
    assert {plugin.slug for plugin in key.plugins.all()} == {"cover", "other"}
    assert key.capabilities == ["query", "read"]


def refused(*arguments: str) -> str:
    with pytest.raises(CommandError) as error:
        run(*arguments)
    assert not ApiKey.objects.exists()
    return str(error.value)


def test_an_unknown_address_is_refused_with_what_to_do(alice: User) -> None:
    assert "createsuperuser" in refused("nobody@example.org")


def test_an_inactive_person_gets_no_key_that_would_not_work(alice: User) -> None:
    User.objects.update(is_active=False)
    refused(alice.email)


@pytest.mark.parametrize("slug", ["cover", "nothing", "cover' OR 1=1"])
def test_a_plugin_that_the_person_may_not_ask_is_refused(charlie: User, draft: Plugin, slug: str) -> None:
    assert refused(charlie.email, "--plugin", slug) == f"charlie@example.org may not ask a plugin called {slug}."


def test_a_published_plugin_of_somebody_else_may_be_asked(charlie: User, draft: Plugin) -> None:
    Plugin.objects.update(is_published=True)
    assert ApiKey.objects.for_secret(run(charlie.email, "--plugin", "cover").strip()) is not None


@pytest.mark.parametrize("name", ["", "x" * 101])
def test_a_name_that_cannot_be_stored_is_refused(alice: User, name: str) -> None:
    assert refused(alice.email, "--name", name).startswith("--name: ")


def test_a_capability_that_does_not_exist_is_refused(alice: User) -> None:
    refused(alice.email, "--can", "everything")
