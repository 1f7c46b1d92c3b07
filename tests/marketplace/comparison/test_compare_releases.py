"""What is different between a release and the draft after it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from accounts.models import User
from evaluation.models import EvaluationRun, GoldenQuestion
from knowledge.documents.lifecycle import delete_document
from knowledge.models import Document, KnowledgeBase
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.comparison.compare_releases import ReleaseComparison, compare_releases
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from privacy.plugin_deletion import delete_knowledge_base
from querying import releases
from querying.types.evidence import SUFFICIENCY_THRESHOLD
from tests.cover import HANDBOOK, TREE, give_document, handbook, plugin, published  # noqa: F401
from tests.knowledge.bases import attach
from tests.marketplace.comparison.replaced import replace_text
from tests.trees.growing import condition
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db


def compare(plugin: Plugin, viewer: User | None = None) -> ReleaseComparison:  # noqa: F811
    latest = plugin.latest_release()
    assert latest
    return compare_releases(releases.snapshot(plugin), then=latest, viewer=viewer or plugin.owner)


def shown(rows: Any) -> list[tuple[str, str, str]]:
    return [
        (row.kind, "".join(one.text for one in row.then), "".join(one.text for one in row.now))
        for row in rows
        if row.kind not in ("same", "skipped")
    ]


def test_an_unchanged_draft_differs_in_nothing(published: Plugin) -> None:  # noqa: F811
    found = compare(published)
    assert found.summary == []
    assert [found.texts, found.settings] == [[], []]
    assert not found.trees
    assert not found.documents


def test_settings_are_shown_with_both_values(published: Plugin) -> None:  # noqa: F811
    published.top_k, published.evidence_threshold, published.public_only = 12, 0.5, True
    published.limits, published.synonyms = "Never guess.", [["w/c", "water-cement ratio"]]
    found = compare(published)
    assert [(one.title, one.then, one.now) for one in found.settings] == [
        ("Passages read", "8", "12"),
        ("Evidence needed", f"{SUFFICIENCY_THRESHOLD:.2f}, the default", "0.50"),
        ("Only what is public", "no", "yes"),
    ]
    assert [(one.title, shown(one.rows)) for one in found.texts] == [
        ("Limits", [("new", "", "Never guess.")]),
        ("Synonyms", [("new", "", "w/c = water-cement ratio")]),
    ]


def test_documents_that_came_went_and_changed_are_named(published: Plugin, handbook: Document) -> None:  # noqa: F811
    replace_text(handbook, HANDBOOK.replace("45 mm", "50 mm"))
    give_document(published, title="Slabs", text="# Slabs\n\nSlabs are level.")
    found = compare(published)
    assert found.documents.added == ["Slabs"]
    (document,) = found.documents.replaced
    (page,) = document.pages
    assert (document.title, page.kind) == ("Cover handbook", "changed")
    assert all("45 mm" in then and "50 mm" in now for _, then, now in shown(page.rows))
    assert found.summary == ["1 document added: “Slabs”.", "1 document replaced: “Cover handbook”."]
    publish(published, by=published.owner)
    delete_document(Document.objects.get(title="Slabs"))
    assert compare(published).documents.removed == ["Slabs"]


def test_a_document_added_again_under_its_title_counts_as_replaced(
    published: Plugin,  # noqa: F811
    handbook: Document,  # noqa: F811
) -> None:
    delete_document(handbook)
    give_document(published, title="Cover handbook", text=HANDBOOK.replace("mortar", "steel"))
    found = compare(published).documents
    assert (found.added, found.removed, [one.title for one in found.replaced]) == ([], [], ["Cover handbook"])
    ((_, then, now),) = shown(found.replaced[0].pages[0].rows)
    assert "mortar" in then
    assert "steel" in now


def test_a_document_of_another_base_that_says_the_same_is_no_difference(
    published: Plugin,  # noqa: F811
    handbook: Document,  # noqa: F811
    alice: User,
) -> None:
    """As in a copy of a plugin, whose documents are others with the same titles."""
    copy_of_it = Plugin.objects.create(owner=alice, name="Copy", domain="engineering", system_prompt="Be brief.")
    give_document(copy_of_it, title="Cover handbook", text=HANDBOOK)
    latest = published.latest_release()
    assert latest
    assert not compare_releases(latest, then=releases.snapshot(copy_of_it), viewer=alice).documents
    replace_text(handbook, HANDBOOK.replace("45 mm", "50 mm"))
    changed = compare_releases(releases.snapshot(published), then=releases.snapshot(copy_of_it), viewer=alice)
    assert [one.title for one in changed.documents.replaced] == ["Cover handbook"]


def test_text_that_the_viewer_may_not_read_is_left_out(
    published: Plugin,  # noqa: F811
    handbook: Document,  # noqa: F811
    charlie: User,
) -> None:
    replace_text(handbook, HANDBOOK.replace("45 mm", "50 mm"))
    (document,) = compare(published, viewer=charlie).documents.replaced
    assert document.pages == []


def test_nodes_of_trees_are_told_in_sentences(published: Plugin) -> None:  # noqa: F811
    changed = copy.deepcopy(TREE)
    nodes: Any = changed["nodes"]
    nodes["cover_severe"]["action"]["recommendation"] = "50 mm nominal cover"
    nodes["exposure_check"]["childrenByAnswer"]["coastal"] = "cover_coast"
    nodes["exposure_check"]["question"]["options"].append("coastal")
    nodes["cover_coast"] = {**nodes["cover_severe"], "id": "cover_coast", "label": "Cover at the coast"}
    DecisionTree.objects.update(tree_data=changed)
    (tree,) = compare(published).trees.changed
    assert (tree.added, tree.removed) == (["Cover at the coast"], [])
    assert {node.title: shown(node.rows) for node in tree.changed} == {
        "Exposure condition?": [("new", "", "“coastal” leads to: Cover at the coast")],
        "Cover in severe exposure": [("changed", "Recommends: 45 mm nominal cover", "Recommends: 50 mm nominal cover")],
    }


@pytest.mark.parametrize(
    ("operator", "value", "words"),
    [
        ("eq", 18, "age is 18"),
        ("gt", 18, "age is greater than 18"),
        ("gte", 18, "age is at least 18"),
        ("lt", 18, "age is less than 18"),
        ("lte", 18, "age is at most 18"),
        ("contains", "18", "age contains 18"),
        ("in", [17, 18], "age is one of 17 or 18"),
    ],
)
def test_a_condition_is_told_in_words(published: Plugin, operator: str, value: Any, words: str) -> None:  # noqa: F811
    changed = copy.deepcopy(TREE)
    nodes: Any = changed["nodes"]
    nodes["exposure_check"] = condition("exposure_check", "age", operator, value, true="cover_severe", false=None)
    DecisionTree.objects.update(tree_data=changed)
    (tree,) = compare(published).trees.changed
    (node,) = tree.changed
    assert f"Condition: {words}" in [now for _, _, now in shown(node.rows)]


def test_golden_questions_with_another_answer_are_named(plugin: Plugin, handbook: Document) -> None:  # noqa: F811
    question = "What is the nominal cover of a beam in severe exposure?"
    GoldenQuestion.objects.create(plugin=plugin, question=question, must_contain=["45 mm"])
    GoldenQuestion.objects.create(plugin=plugin, question="What are spacers made of?", must_contain=["mortar"])
    DecisionTree.objects.all().delete()
    publish(plugin, by=plugin.owner)
    replace_text(handbook, HANDBOOK.replace("45 mm", "50 mm"))
    golden = compare(plugin).golden
    assert golden
    assert not golden.is_complete  # the draft has not been asked yet
    publish(plugin, by=plugin.owner)
    first, second = plugin.releases.order_by("created_at")
    golden = compare_releases(second, then=first, viewer=plugin.owner).golden
    assert golden
    assert (golden.is_complete, golden.asked) == (True, 2)
    (change,) = golden.changed
    assert (change.question, change.then, change.now) == (question, "answered, passed", "answered, failed")
    assert change.is_worse
    assert all("45 mm" in then and "50 mm" in now for _, then, now in shown(change.rows))


def test_answers_go_with_a_knowledge_base_that_is_deleted(plugin: Plugin, bob: User) -> None:  # noqa: F811
    base = KnowledgeBase.objects.create(owner=bob, name="Bob's")
    attach(base, plugin)
    GoldenQuestion.objects.create(plugin=plugin, question="What are spacers made of?", must_contain=["mortar"])
    publish(plugin, by=plugin.owner)
    (asked,) = EvaluationRun.objects.get().questions
    assert "mortar" in asked["answer"]
    delete_knowledge_base(base)
    (asked,) = EvaluationRun.objects.get().questions
    assert "answer" not in asked
    assert asked["passed"]


def test_comparing_costs_the_same_for_many_documents(
    published: Plugin,  # noqa: F811
    django_assert_max_num_queries: Any,
) -> None:
    base = own_knowledge_base(published)
    for n in range(4):
        give_document(published, title=f"Note {n}", text=f"# Note {n}\n\nSlab {n} is level.")
    assert base.documents.count() == 5
    with django_assert_max_num_queries(25):
        compare(published)
