"""The operators' list of trees: read-only, scoped, and a way to the builder."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from plugins.models import Plugin
from tests.remembered import remembered
from tests.trees.growing import action, cover_tree_data, tree
from trees.models import DecisionTree

LIST = "admin:trees_decisiontree_changelist"


@pytest.fixture
@remembered
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


def test_a_row_leads_to_the_editor(alice, plugin, cover):
    editor = reverse("admin:builder_tree", args=[plugin.pk, cover.pk])
    assert f'href="{editor}' in page(alice).get(reverse(LIST)).content.decode()
    assert page(alice).get(change(cover))["Location"] == editor


@pytest.mark.parametrize("superuser", [False, True])
def test_nothing_is_added_changed_or_deleted_here(alice, plugin, cover, superuser):
    User.objects.filter(pk=alice.pk).update(is_superuser=superuser)
    client = page(alice)
    delete = reverse("admin:trees_decisiontree_delete", args=[cover.pk])
    for url in (reverse("admin:trees_decisiontree_add"), change(cover), delete):
        sent = {"plugin": plugin.pk, "name": "Taken", "tree_data": "{}", "order": 0, "post": "yes"}
        assert client.post(url, sent).status_code == 403
    client.post(reverse(LIST), {"action": "delete_selected", "_selected_action": [str(cover.pk)], "post": "yes"})
    cover.refresh_from_db()
    assert cover.name == "Cover"


def test_others_neither_see_nor_reach_a_tree(charlie, plugin, cover):
    client = page(charlie)
    assert list(client.get(reverse(LIST)).context["cl"].queryset) == []
    response = client.get(change(cover))
    assert (response.status_code, response["Location"]) == (302, reverse("admin:index"))


def test_the_trees_of_a_published_plugin_stay_with_those_who_edit_it(charlie, plugin, cover):
    plugin.is_published = True
    plugin.save()
    assert list(page(charlie).get(reverse(LIST)).context["cl"].queryset) == []


def test_somebody_who_is_not_staff_is_sent_to_sign_in(plugin, cover):
    visitor = User.objects.create_user("visitor@example.org")
    plugin.editors.add(visitor)
    assert page(visitor).get(reverse(LIST)).status_code == 302
    assert page(visitor).get(change(cover))["Location"].startswith("/admin/login/")


def test_the_list_counts_problems(alice, plugin, cover):
    DecisionTree.objects.create(plugin=plugin, name="Broken", tree_data=tree(action("a", ""), action("b")))
    content = page(alice).get(reverse(LIST)).content.decode()
    assert "2 errors, 0 warnings" in content
    assert "none" in content


@pytest.mark.parametrize("rows", [1, 3])
def test_the_list_takes_the_same_queries_for_any_number_of_trees(alice, plugin, rows, django_assert_max_num_queries):
    for number in range(rows):
        DecisionTree.objects.create(plugin=plugin, name=f"Tree {number}", tree_data=cover_tree_data())
    client = page(alice)
    with django_assert_max_num_queries(9):
        assert client.get(reverse(LIST)).status_code == 200
