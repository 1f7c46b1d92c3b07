"""`/v1/models`, and who sees what at this door."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import ApiKey, User
from plugins.models import Plugin
from tests.api.chat_completions.asking import WEATHER, assert_error, chat, client_of

pytestmark = pytest.mark.django_db


def make(owner: User, slug: str, **fields: Any) -> Plugin:
    return Plugin.objects.create(owner=owner, name=slug.title(), slug=slug, domain="x", system_prompt="x", **fields)


def listed(secret: str) -> list[str]:
    body = client_of(secret).get("/v1/models").json()
    assert body["object"] == "list"
    return [model["id"] for model in body["data"]]


def test_a_plugin_is_a_model(published: Plugin, key: str):
    (model,) = client_of(key).get("/v1/models").json()["data"]
    assert model == {
        "id": "cover",
        "object": "model",
        "created": int(published.created_at.timestamp()),
        "owned_by": "lexic",
        "name": "Concrete cover",
        "description": "",
        "lexic": {"domain": "structures", "version": "1.0.0"},
    }
    assert client_of(key).get("/v1/models/cover").json() == model


@pytest.mark.parametrize(
    ("name", "shown"),
    [("cover", "cover"), ("cover@1.0.0", "cover@1.0.0"), ("cover@latest", "cover"), ("cover@draft", "cover@draft")],
)
def test_a_model_is_found_by_each_of_its_names(published: Plugin, key: str, name: str, shown: str):
    assert client_of(key).get(f"/v1/models/{name}").json()["id"] == shown
    assert client_of(key).get(f"/v1/models/{published.pk}").json()["id"] == "cover"


@pytest.mark.parametrize("name", ["nothing", "cover@9.9.9", "@", "cover@draft@1"])
def test_any_other_name_is_404(published: Plugin, key: str, name: str):
    assert_error(client_of(key).get(f"/v1/models/{name}"), 404, "model_not_found", param="model")


def test_the_list_costs_the_same_however_long_it_is(alice: User, key: str):
    client_of(key).get("/v1/models")  # the first use of a key is written down
    with CaptureQueriesContext(
        connection,
    ) as few:
        listed(key)
    for number in range(20):
        make(alice, f"p{number}", is_published=True)
    with CaptureQueriesContext(connection) as many:
        assert len(listed(key)) == 20
    assert len(many) == len(few) == 2


def test_a_stranger_is_not_shown_who_wrote_a_plugin(published: Plugin, charlies_key: str):
    assert "alice" not in client_of(charlies_key).get("/v1/models").content.decode().lower()


# --- Nobody sees what is not theirs -------------------------------------------------------------------------------


def test_a_stranger_never_sees_an_unpublished_plugin(plugin: Plugin, key: str, charlies_key: str):
    assert listed(key) == ["cover"]
    assert listed(charlies_key) == []
    for name in ("cover", "cover@draft", "cover@latest", "cover@1.0.0", str(plugin.pk), f"{plugin.pk}@draft"):
        assert_error(client_of(charlies_key).get(f"/v1/models/{name}"), 404, "model_not_found", param="model")
        assert_error(chat(charlies_key, WEATHER, model=name), 404, "model_not_found", param="model")
        assert_error(chat(charlies_key, WEATHER, model=name, stream=True), 404, "model_not_found", param="model")


def test_what_is_invisible_and_what_does_not_exist_look_the_same(plugin: Plugin, charlies_key: str):
    assert chat(charlies_key, WEATHER, model="cover").content == chat(charlies_key, WEATHER, model="no").content
    client = client_of(charlies_key)
    assert client.get("/v1/models/cover").content == client.get("/v1/models/no").content


def test_a_stranger_may_ask_what_is_published_but_not_its_draft(published: Plugin, charlies_key: str):
    assert listed(charlies_key) == ["cover"]
    assert chat(charlies_key, WEATHER).status_code == 200
    assert_error(chat(charlies_key, WEATHER, model="cover@draft"), 404, "model_not_found", param="model")
    assert_error(client_of(charlies_key).get("/v1/models/cover@draft"), 404, "model_not_found", param="model")


def test_a_key_limited_to_one_plugin_sees_no_other(published: Plugin, alice: User):
    other = make(alice, "other")
    _, secret = ApiKey.objects.issue(owner=alice, name="limited", plugins=[other])
    assert listed(secret) == ["other"]
    for name in ("cover", "cover@draft", "cover@latest", "cover@1.0.0", str(published.pk)):
        assert_error(client_of(secret).get(f"/v1/models/{name}"), 404, "model_not_found", param="model")
        assert_error(chat(secret, WEATHER, model=name), 404, "model_not_found", param="model")
        assert_error(chat(secret, WEATHER, model=name, stream=True), 404, "model_not_found", param="model")
    assert chat(secret, WEATHER, model="other").status_code == 200


def test_a_key_whose_only_plugin_is_gone_sees_nothing(published: Plugin, alice: User):
    other = make(alice, "other")
    _, secret = ApiKey.objects.issue(owner=alice, name="limited", plugins=[other])
    other.delete()
    assert listed(secret) == []
    assert_error(chat(secret, WEATHER), 404, "model_not_found", param="model")


def test_a_followup_of_another_key_is_refused(published: Plugin, key: str, charlies_key: str):
    asked = chat(key, "What is the nominal cover of a beam?").json()["lexic"]["clarification"]
    followup = {"token": asked["token"], "answer": "mild"}
    assert_error(chat(charlies_key, "mild", followup=followup), 400, "invalid_followup")
