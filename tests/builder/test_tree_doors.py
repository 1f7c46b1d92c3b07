"""What no tree can hold is refused in a sentence at every door of the editor, and changes nothing."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from plugins.models import Plugin
from tests.remembered import remembered
from tests.trees.growing import action, condition, cover_tree_data, question, tree
from trees.drafts import create_tree, parse_draft
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db
FACT = '{"rootNodeId": "q", "nodes": {"q": {"id": "q", "type": "condition", "condition": %s}}}'
NO_JSON = {
    "NaN": FACT % '{"field": "span", "operator": "gt", "value": NaN}',
    "Infinity": FACT % '{"field": "span", "operator": "gt", "value": Infinity}',
    "1e400": FACT % '{"field": "span", "operator": "gt", "value": -1e400}',
    "a number of 5,000 digits": FACT % ('{"value": %s}' % ("9" * 5000)),
    "nesting": '{"nodes": ' + "[" * 50_000 + "]" * 50_000 + "}",
    "half a character": FACT % r'{"field": "\ud800", "operator": "gt", "value": 1}',
    "half a character twice": r'{"nodes": {"\ud800": {}, "\ud800": {}}}',
    "two nodes of one id": '{"rootNodeId": "a", "nodes": {"a": {"id": "a"}, "b": {}, "a": {"id": "a"}}}',
}
ODD: dict[str, Any] = {
    "a huge number": tree(condition("q", "span", "gt", 10**400), action("yes"), action("no")),
    "a large number": tree(condition("q", "span", "gt", 1e22), action("yes"), action("no")),
    "a node under another id": {"rootNodeId": "a", "nodes": {"a": action("b"), "b": action("b")}},
    "a circle": tree(question("q", {"a": "q", "b": "r"}), question("r", {"a": "q", "b": "r"})),
    "labels that are empty": tree({**question("q", {"": "a"}), "label": ""}, {**action("a", ""), "label": ""}),
    "Arabic": tree(question("س", {"نعم": "أ", "‮لا": "أ"}, text="هل هو مكشوف؟"), action("أ", "٤٥ مم")),
}


@pytest.fixture
@remembered
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Structures", domain="engineering", system_prompt="Be brief.")


@pytest.fixture
def cover(plugin: Plugin, alice: User) -> DecisionTree:
    return create_tree(parse_draft({"name": "Cover", "tree": cover_tree_data()}), plugin=plugin, by=alice)


@pytest.fixture
def client(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


def of(one: DecisionTree, name: str = "tree") -> str:
    return reverse(f"admin:builder_{name}", args=[one.plugin_id, one.pk])


def strict_json(response: Any) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(response.content, parse_constant=refuse)


@pytest.mark.parametrize("text", NO_JSON.values(), ids=NO_JSON)
def test_a_door_says_what_it_does_not_read(client: Client, cover: DecisionTree, text: str) -> None:
    doors = [
        client.put(
            of(cover),
            f'{{"name": "x", "tree": {text}}}',
            headers={"If-Match": cover.version},
            content_type="application/json",
        ),
        client.post(of(cover, "tree_check"), json.dumps({"text": text}), content_type="application/json"),
    ]
    for response in doors:
        said = strict_json(response)
        assert response.status_code == 400
        assert said["error"].endswith(".")
        assert said["code"]
        assert said["hint"].endswith(".")
    file = SimpleUploadedFile("cover.json", text.encode())
    page = client.post(reverse("admin:builder_tree_import", args=[cover.plugin_id]), {"file": file}, follow=True)
    assert "was not imported" in page.content.decode()
    page = client.post(of(cover, "tree_text"), {"draft": f'{{"name": "x", "tree": {text}}}', "version": cover.version})
    assert "Nothing was saved." in page.content.decode()
    assert DecisionTree.objects.get().tree_data == cover.tree_data


def test_a_name_that_stands_twice_is_found_among_many_without_delay(client: Client, cover: DecisionTree) -> None:
    others = ", ".join(f'"{at}": 0' for at in range(50_000))
    text = f'{{{others}, "last": 0, "last": 1}}'
    begun = time.process_time()
    said = client.put(of(cover), text, headers={"If-Match": cover.version}, content_type="application/json").json()
    assert (said["code"], "“last” stands twice" in said["error"]) == ("not_json", True)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "1e400", "[]", "{}", "null"])
def test_a_fact_that_is_no_value_is_refused(client: Client, cover: DecisionTree, constant: str) -> None:
    tree_data = json.dumps(cover_tree_data())
    body = f'{{"tree": {tree_data}, "facts": {{"exposure": {constant}}}}}'
    for response in (
        client.post(of(cover, "tree_walk"), body, content_type="application/json"),
        client.get(of(cover, "tree_walk"), {"facts": f'{{"exposure": {constant}}}'}),
    ):
        said = strict_json(response)
        assert (response.status_code, said["code"] in {"invalid_fact", "not_json"}) == (400, True)
        assert said["hint"]


@pytest.mark.parametrize("tree_data", ODD.values(), ids=ODD)
def test_an_odd_tree_is_checked_walked_saved_and_shown(client: Client, cover: DecisionTree, tree_data: Any) -> None:
    for body in ({"tree": tree_data}, {"text": json.dumps(tree_data)}):
        checked = client.post(of(cover, "tree_check"), json.dumps(body), content_type="application/json")
        assert isinstance(strict_json(checked)["problems"], list)
    facts = {"span": 7, "q": "a", "r": "a"}
    walked = client.post(
        of(cover, "tree_walk"), json.dumps({"tree": tree_data, "facts": facts}), content_type="application/json"
    )
    assert walked.status_code == 200
    saved = client.put(
        of(cover),
        json.dumps({"name": "Odd", "tree": tree_data}),
        headers={"If-Match": cover.version},
        content_type="application/json",
    )
    assert strict_json(saved)["draft"]["name"] == "Odd"
    assert client.get(of(cover)).status_code == 200
    assert DecisionTree.objects.get().tree_data == tree_data
