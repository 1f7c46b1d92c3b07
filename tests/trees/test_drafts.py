from __future__ import annotations

import pytest

from accounts.models import User
from plugins.models import Plugin
from tests.remembered import remembered
from tests.trees.growing import action, cover_tree_data, tree
from trees.drafts import (
    InvalidDraft,
    TreeChanged,
    VersionRequired,
    create_tree,
    export_draft,
    parse_draft,
    save_draft,
)
from trees.import_export import export_tree, parse_tree_file
from trees.models import DecisionTree, TreeCase
from trees.tree_order import move_tree
from trees.tree_test_cases import InvalidCase

CASE = {
    "name": "Beam",
    "sentence": "Cover for a coastal beam?",
    "facts": {"exposure": "severe"},
    "expectation": "reaches",
    "expected": "cover_lookup",
}


def sent(**changes: object) -> dict[str, object]:
    return {"name": "Cover", "description": "", "tree": cover_tree_data(), "cases": [CASE], **changes}


@pytest.fixture
@remembered
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Structures", domain="engineering", system_prompt="Be brief.")


@pytest.fixture
def cover(plugin: Plugin, alice: User) -> DecisionTree:
    return create_tree(parse_draft(sent()), plugin=plugin, by=alice)


def test_a_draft_is_kept_as_it_was_sent(cover):
    assert export_draft(DecisionTree.objects.get()) == sent()


def test_a_draft_with_problems_can_be_saved(cover, bob):
    saved = save_draft(
        parse_draft(sent(tree=tree(action("a"), action("lost")))), tree=cover, version=cover.version, by=bob
    )
    assert (saved.changed_by, len(saved.tree_data["nodes"])) == (bob, 2)


def test_nothing_is_overwritten_when_somebody_else_was_quicker(cover, alice, bob):
    edited = cover.version
    save_draft(parse_draft(sent(name="Bob's", cases=[])), tree=cover, version=edited, by=bob)
    with pytest.raises(TreeChanged, match="Bob changed this tree at ") as refused:
        save_draft(parse_draft(sent(name="Alice's")), tree=cover, version=edited, by=alice)
    assert refused.value.current.name == "Bob's"
    assert (DecisionTree.objects.get().name, TreeCase.objects.count()) == ("Bob's", 0)


def test_saving_needs_the_version_that_was_edited(cover, alice):
    with pytest.raises(VersionRequired):
        save_draft(parse_draft(sent()), tree=cover, version="", by=alice)


def test_where_a_tree_stands_is_no_new_version(cover, plugin, alice):
    create_tree(parse_draft(sent(name="Second")), plugin=plugin, by=alice)
    move_tree(cover, by=1)
    assert DecisionTree.objects.get(pk=cover.pk).version == cover.version
    save_draft(parse_draft(sent()), tree=cover, version=cover.version, by=alice)


def test_trees_move_among_those_of_their_plugin(plugin, alice):
    trees = [create_tree(parse_draft(sent(name=name)), plugin=plugin, by=alice) for name in "abc"]
    move_tree(trees[2], by=-1)
    assert [tree.name for tree in plugin.trees.all()] == ["a", "c", "b"]
    move_tree(trees[0], by=-1)
    assert [tree.name for tree in plugin.trees.all()] == ["a", "c", "b"]


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"name": "x"},
        sent(name=" "),
        sent(name="x" * 121),
        sent(name=3),
        sent(description=["x"]),
        sent(tree=[]),
        sent(tree={"nodes": {str(number): {} for number in range(2001)}}),
        sent(tree={"nodes": {"a": "\0"}}),
        sent(tree={"nodes": {"a": float("inf")}}),
        sent(description="\ud800"),
    ],
)
def test_what_cannot_be_stored_is_refused(data):
    with pytest.raises(InvalidDraft):
        parse_draft(data)


def test_a_file_brings_the_same_tree_back(cover, plugin, alice):
    cover.description = "Which cover."
    cover.save()
    copy = create_tree(parse_tree_file(export_tree(cover)), plugin=plugin, by=alice)
    assert export_draft(copy) == export_draft(cover)
    assert export_tree(copy) == export_tree(cover)


def test_a_file_without_a_name_gets_one(cover):
    assert parse_tree_file(cover_tree_data(), name="nominal-cover").name == "nominal-cover"


@pytest.mark.parametrize("data", [None, [], {}, {"nodes": []}, {"nodes": {}}])
def test_a_file_without_a_tree_is_refused(data):
    with pytest.raises(InvalidDraft, match="holds no tree"):
        parse_tree_file(data)


def test_a_file_with_wrong_cases_is_refused():
    with pytest.raises(InvalidCase):
        parse_tree_file({**cover_tree_data(), "cases": [{}]}, name="x")


def test_only_those_who_edit_the_plugin_see_the_cases(cover, alice, bob, charlie):
    cover.plugin.editors.add(bob)
    assert [TreeCase.objects.visible_to(user).count() for user in (alice, bob, charlie)] == [1, 1, 0]
