from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from plugins.models import Plugin
from tests.trees.growing import action, cover_tree_data, tree
from trees.models import DecisionTree

LIST = "admin:trees_decisiontree_changelist"
ADD = "admin:trees_decisiontree_add"


@pytest.fixture
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Structures", domain="engineering", system_prompt="Be brief.")


@pytest.fixture
def cover(plugin: Plugin) -> DecisionTree:
    return DecisionTree.objects.create(plugin=plugin, name="Cover", tree_data=cover_tree_data())


def page(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def change(cover: DecisionTree) -> str:
    return reverse("admin:trees_decisiontree_change", args=[cover.pk])


def filled(plugin: Plugin, tree_data: object, **more: object) -> dict[str, object]:
    text = tree_data if isinstance(tree_data, str) else json.dumps(tree_data)
    return {"plugin": plugin.pk, "name": "Cover", "description": "", "order": 0, "tree_data": text, **more}


def test_an_author_adds_a_tree(alice, plugin):
    response = page(alice).post(reverse(ADD), filled(plugin, cover_tree_data(), is_active="on"))
    assert response.status_code == 302
    saved = DecisionTree.objects.get()
    assert (saved.plugin, saved.tree_data) == (plugin, cover_tree_data())


def test_every_error_of_a_tree_is_shown_and_nothing_is_saved(alice, plugin):
    broken = tree({**action("a"), "label": ""}, {**action("b"), "type": "loop"})
    response = page(alice).post(reverse(ADD), filled(plugin, broken))
    shown = response.context["adminform"].form.errors["tree_data"]
    assert [line.split("]")[0] for line in shown] == ["[a", "[b", "[b"]
    assert not DecisionTree.objects.exists()


def test_warnings_are_shown_after_saving(alice, plugin):
    response = page(alice).post(reverse(ADD), filled(plugin, tree(action("a", sourceHint=""))), follow=True)
    said = [str(message) for message in response.context["messages"]]
    assert any("does not hint at its source" in message for message in said)
    assert DecisionTree.objects.count() == 1


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, "9" * 5000, '{"a": NaN}', '{"a": "\\u0000"}', "<script>", '"text"', "null"]
)
def test_text_that_is_no_tree_is_shown_again_and_refused(alice, plugin, text):
    response = page(alice).post(reverse(ADD), filled(plugin, text))
    assert response.status_code == 200
    assert "tree_data" in response.context["adminform"].form.errors
    assert b"<script>" not in response.content.replace(b"<script src", b"")


def test_a_saved_tree_is_shown_as_indented_json(alice, cover):
    shown = page(alice).get(change(cover)).context["adminform"].form["tree_data"].value()
    assert json.loads(shown) == cover_tree_data()
    assert "\n  " in shown


def test_an_editor_changes_a_tree(bob, plugin, cover):
    plugin.editors.add(bob)
    response = page(bob).post(change(cover), filled(plugin, tree(action("a"))))
    assert response.status_code == 302
    cover.refresh_from_db()
    assert cover.tree_data == tree(action("a"))


def test_others_neither_see_nor_change_nor_delete_a_tree(charlie, plugin, cover):
    client = page(charlie)
    assert list(client.get(reverse(LIST)).context["cl"].queryset) == []
    for url in (change(cover), reverse("admin:trees_decisiontree_delete", args=[cover.pk])):
        assert client.get(url).status_code == 302
        assert client.post(url, {**filled(plugin, tree(action("a"))), "post": "yes"}).status_code == 302
    cover.refresh_from_db()
    assert cover.tree_data == cover_tree_data()


def test_the_trees_of_a_published_plugin_stay_with_those_who_edit_it(charlie, plugin, cover):
    plugin.is_published = True
    plugin.save()
    assert list(page(charlie).get(reverse(LIST)).context["cl"].queryset) == []


def test_a_tree_cannot_be_put_into_the_plugin_of_somebody_else(charlie, plugin):
    response = page(charlie).post(reverse(ADD), filled(plugin, cover_tree_data()))
    assert "plugin" in response.context["adminform"].form.errors
    assert not DecisionTree.objects.exists()


def test_somebody_who_is_not_staff_is_sent_to_sign_in(plugin, cover):
    visitor = User.objects.create_user("visitor@example.org")
    plugin.editors.add(visitor)
    assert page(visitor).get(reverse(LIST)).status_code == 302


def test_the_list_counts_problems(alice, plugin, cover):
    DecisionTree.objects.create(plugin=plugin, name="Broken", tree_data=tree(action("a", ""), action("b")))
    content = page(alice).get(reverse(LIST)).content.decode()
    assert "2 errors, 0 warnings" in content
    assert "none" in content


@pytest.mark.parametrize("rows", [1, 3])
def test_the_list_takes_the_same_queries_for_any_number_of_trees(
    alice, plugin, rows, django_assert_max_num_queries
):
    for number in range(rows):
        DecisionTree.objects.create(plugin=plugin, name=f"Tree {number}", tree_data=cover_tree_data())
    client = page(alice)
    with django_assert_max_num_queries(8):
        assert client.get(reverse(LIST)).status_code == 200


def test_an_author_deletes_a_tree(alice, cover):
    url = reverse("admin:trees_decisiontree_delete", args=[cover.pk])
    assert page(alice).post(url, {"post": "yes"}).status_code == 302
    assert not DecisionTree.objects.exists()
