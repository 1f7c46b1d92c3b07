"""The pane of trees and what the editor asks the server."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from builder.trees.editor_json import checked_tree_json
from knowledge.ingest import ingest
from knowledge.plugin_knowledge_base import own_knowledge_base
from plugins.models import Plugin
from querying.models import Query
from tests.knowledge.bases import add_markdown
from tests.remembered import remembered
from tests.trees.growing import action, cover_tree_data, question, tree
from trees.definition.key_order import order_tree_keys
from trees.drafts import create_tree, parse_draft
from trees.models import DecisionTree, TreeCase
from trees.validation.tree_problems import find_problems

pytestmark = pytest.mark.django_db
CASE = {
    "name": "In",
    "sentence": "",
    "facts": {"exposure": "mild"},
    "expectation": "reaches",
    "expected": "mild_cover",
}


@pytest.fixture
@remembered
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Structures", domain="engineering", system_prompt="Be brief.")


@pytest.fixture
def cover(plugin: Plugin, alice: User) -> DecisionTree:
    return grow(plugin, alice)


def grow(plugin: Plugin, by: User, name: str = "Cover", **more: Any) -> DecisionTree:
    draft = {"name": name, "tree": cover_tree_data(), "cases": [CASE], **more}
    return create_tree(parse_draft(draft), plugin=plugin, by=by)


def browse(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def of(tree: DecisionTree, name: str = "tree") -> str:
    return reverse(f"admin:builder_{name}", args=[tree.plugin_id, tree.pk])


def pane(plugin: Plugin, name: str = "trees") -> str:
    return reverse(f"admin:builder_{name}", args=[plugin.pk])


def put(client: Client, tree: DecisionTree, data: Any, version: str | None = None) -> Any:
    body = data if isinstance(data, str | bytes) else json.dumps(data)
    headers = {"If-Match": f'"{tree.version if version is None else version}"'}
    return client.put(of(tree), body, content_type="application/json", headers=headers)


def post(client: Client, url: str, data: Any) -> Any:
    return client.post(url, data if isinstance(data, str) else json.dumps(data), content_type="application/json")


def sent(**changes: Any) -> dict[str, Any]:
    return {"name": "Cover", "description": "", "tree": cover_tree_data(), "cases": [], **changes}


# --- As text --------------------------------------------------------------------------------


def test_lx_055_a_tree_is_edited_as_text_without_a_script(alice, cover):
    client, url = browse(alice), of(cover, "tree_text")
    page = client.get(url)
    assert json.loads(page.context["text"])["tree"] == cover_tree_data()
    draft = sent(name="Cover of beams", tree=tree(action("a")))
    client.post(url, {"draft": json.dumps(draft), "version": page.context["version"]})
    cover.refresh_from_db()
    assert (cover.name, cover.tree_data, cover.changed_by) == ("Cover of beams", tree(action("a")), alice)


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, "9" * 5000, '{"a": NaN}', '{"a": "\\u0000"}', "<script>", '"text"', "null"]
)
def test_text_that_is_no_tree_is_shown_again_and_refused(alice, cover, text):
    response = browse(alice).post(of(cover, "tree_text"), {"draft": text, "version": cover.version})
    assert "Nothing was saved." in response.context["error"]
    assert response.context["text"] == text
    assert b"<script>" not in response.content.replace(b"<script src", b"")
    cover.refresh_from_db()
    assert cover.tree_data == cover_tree_data()


def test_json_with_a_mistake_says_where(alice, cover):
    response = browse(alice).post(of(cover, "tree_text"), {"draft": '{"a": 1,\n}', "version": cover.version})
    assert "This is not JSON:" in response.context["error"]
    assert "line " in response.context["error"]


def test_text_does_not_overwrite_what_somebody_else_saved(alice, cover):
    draft = json.dumps(sent(name="Mine"))
    response = browse(alice).post(of(cover, "tree_text"), {"draft": draft, "version": "older"})
    assert response.context["error"]
    cover.refresh_from_db()
    assert cover.name == "Cover"


# --- The list -----------------------------------------------------------------------------------------------


def test_the_list_says_how_each_tree_stands(alice, plugin, cover):
    grow(plugin, alice, "Broken", tree=tree(action("a"), action("lost")), cases=[{**CASE, "expected": "lost"}])
    content = browse(alice).get(pane(plugin)).content.decode()
    for words in ("1 of 1 case", "1 problem", "0 of 1 case", "not yet"):
        assert words in content
    assert "Asks “What is the exposure condition?” and 1 more" in content


def test_the_list_says_nothing_of_what_a_tree_decides_that_is_not_written_yet(alice, plugin):
    client = browse(alice)
    client.post(pane(plugin, "tree_new"), {"name": "Which licence", "start": "small"})
    assert client.get(pane(plugin)).context["rows"][0].summary == ""
    DecisionTree.objects.update(description="Whether a boat needs a licence.")
    assert client.get(pane(plugin)).context["rows"][0].summary == "Whether a boat needs a licence."


def test_the_editor_lists_problems_in_the_order_in_which_the_api_does(alice, plugin):
    tree_data = {
        "rootNodeId": "start",
        "nodes": {
            "a": {"id": "a", "type": "action", "label": "", "action": {"recommendation": ""}},
            "start": {"id": "start", "type": "question", "label": "", "question": {"text": "?", "options": ["x"]}},
        },
    }
    tree_data["nodes"]["start"]["childrenByAnswer"] = {"x": "a"}
    listed = [problem.as_dict() for problem in find_problems(order_tree_keys(tree_data))]
    assert [problem["node"] for problem in listed[:1]] == ["start"]
    assert checked_tree_json(tree_data, [])["problems"] == listed


def test_an_empty_pane_says_what_trees_are_for(alice, plugin):
    assert "No trees, and none needed." in browse(alice).get(pane(plugin)).content.decode()


def walked(plugin: Plugin, *nodes: str, times: int = 1) -> None:
    path = [{"step": number, "node": node, "label": f"Label of {node}"} for number, node in enumerate(nodes, 1)]
    for _ in range(times):
        Query.objects.create(plugin=plugin, question="?", outcome="answered", decision_path=path)


def test_walks_are_counted_from_the_audit_log(alice, plugin, cover):
    walked(plugin, "exposure_check", "mild_cover", times=15)
    walked(plugin, "exposure_check", "member_type", times=10)
    walked(plugin, "elsewhere", "mild_cover")
    Query.objects.create(plugin=plugin, question="?", outcome="refused")
    row = browse(alice).get(pane(plugin)).context["rows"][0]
    assert (row.usage.walk_count, row.usage.share, row.usage.common_exit) == (25, 60, "Label of member_type")


def test_walks_of_trees_that_start_alike_are_not_guessed_at(alice, plugin, cover):
    grow(plugin, alice, "Twin")
    walked(plugin, "exposure_check")
    assert [row.usage for row in browse(alice).get(pane(plugin)).context["rows"]] == [None, None]


def test_the_list_takes_the_same_queries_for_any_number_of_trees(alice, plugin):
    client = browse(alice)
    counts = []
    for number in range(3):
        grow(plugin, alice, f"Tree {number}")
        with CaptureQueriesContext(connection) as asked:
            client.get(pane(plugin))
        counts.append(len(asked))
    assert len(set(counts)) == 1


def test_the_list_is_paginated(alice, plugin):
    for number in range(27):
        grow(plugin, alice, f"Tree {number}")
    client = browse(alice)
    assert len(client.get(pane(plugin)).context["rows"]) == 25
    assert [row.tree.name for row in client.get(f"{pane(plugin)}?page=2").context["rows"]] == ["Tree 25", "Tree 26"]


# --- A whole tree -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("start", "nodes"), [("small", 3), ("example", 5), ("", 3)])
def test_a_new_tree_opens_in_its_editor(alice, plugin, start, nodes):
    response = browse(alice).post(pane(plugin, "tree_new"), {"name": "Lap length", "start": start})
    made = DecisionTree.objects.get()
    assert response.url == of(made)
    assert (made.name, made.node_count, made.changed_by) == ("Lap length", nodes, alice)


def test_a_new_tree_answers_nobody_with_its_sample_texts_until_it_is_taken_into_use(alice, plugin):
    client = browse(alice)
    editor = client.post(pane(plugin, "tree_new"), {"name": "Lap length", "start": "small"}).url
    made = DecisionTree.objects.get()
    assert not made.is_active
    assert "Take into use" in client.get(editor).content.decode()
    assert client.post(of(made, "tree_use"), {"use": "yes", "from": "editor"}).url == editor
    assert DecisionTree.objects.get().is_active
    assert "Take into use" not in client.get(editor).content.decode()


def test_a_tree_without_a_name_is_not_made(alice, plugin):
    response = browse(alice).post(pane(plugin, "tree_new"), {"name": " "}, follow=True)
    assert next(str(message) for message in response.context["messages"]).startswith("The tree needs a name.")
    assert not DecisionTree.objects.exists()


def test_a_copy_is_not_in_use(alice, cover):
    browse(alice).post(of(cover, "tree_duplicate"))
    copy = DecisionTree.objects.get(name="Cover (copy)")
    assert (copy.is_active, copy.tree_data, copy.cases.count()) == (False, cover.tree_data, 1)


def test_an_exported_tree_can_be_imported(alice, plugin, cover):
    client = browse(alice)
    exported = client.get(of(cover, "tree_export"))
    assert exported["Content-Disposition"] == 'attachment; filename="cover.json"'
    file = SimpleUploadedFile("anything.json", exported.content)
    client.post(pane(plugin, "tree_import"), {"file": file})
    copy = DecisionTree.objects.exclude(pk=cover.pk).get()
    assert (copy.name, copy.tree_data, copy.order, copy.is_active) == (cover.name, cover.tree_data, 1, False)
    assert copy.cases.get().as_dict() == cover.cases.get().as_dict()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"nodes": {}}', b"\xff\xfe", b"[" * 100_000, b" " * 2_100_000])
def test_a_file_that_is_no_tree_is_refused_and_said_so(alice, plugin, content):
    file = SimpleUploadedFile("cover.json", content)
    response = browse(alice).post(pane(plugin, "tree_import"), {"file": file}, follow=True)
    assert "cover.json was not imported." in str(next(iter(response.context["messages"])))
    assert not DecisionTree.objects.exists()


def test_trees_are_moved_and_taken_out_of_use_without_a_new_version(alice, plugin, cover):
    grow(plugin, alice, "Second")
    client = browse(alice)
    client.post(of(cover, "tree_move"), {"to": "down"})
    client.post(of(cover, "tree_use"), {"use": "no"})
    assert [tree.name for tree in plugin.trees.all()] == ["Second", "Cover"]
    after = DecisionTree.objects.get(pk=cover.pk)
    assert (after.is_active, after.version) == (False, cover.version)


def test_a_tree_is_deleted_after_a_question(alice, cover):
    client = browse(alice)
    assert "Delete “Cover”?" in client.get(of(cover, "tree_delete")).content.decode()
    client.post(of(cover, "tree_delete"))
    assert not DecisionTree.objects.exists()


# --- The editor ---------------------------------------------------------------------------------------------


def test_the_editor_knows_the_tree_and_its_problems(alice, cover):
    data = browse(alice).get(of(cover)).context["data"]
    assert (data["draft"]["tree"], data["mayChange"]) == (cover_tree_data(), True)
    assert [one["passed"] for one in data["checked"]["cases"]] == [True]
    assert data["checked"]["coverage"]["missedEnds"] == ["moderate_cover", "cover_lookup", "slab_cover"]


def test_a_tree_that_cannot_be_read_can_still_be_opened(alice, cover):
    for broken in ({}, [], {"rootNodeId": 3, "nodes": {"a": 5}}, "text"):
        DecisionTree.objects.update(tree_data=broken)
        response = browse(alice).get(of(cover))
        assert response.status_code == 200
        assert response.context["data"]["checked"]["problems"]
        assert browse(alice).get(pane(cover.plugin)).status_code == 200


def test_a_tree_is_saved_with_its_cases(alice, cover):
    response = put(browse(alice), cover, sent(name="Nominal cover", cases=[CASE, {**CASE, "expected": "slab_cover"}]))
    saved = DecisionTree.objects.get()
    assert response.status_code == 200
    assert response.json()["version"] == saved.version
    assert [one["passed"] for one in response.json()["checked"]["cases"]] == [True, False]
    assert (saved.name, TreeCase.objects.count()) == ("Nominal cover", 2)


def test_whoever_is_slower_sees_whose_work_it_is_and_overwrites_nothing(alice, bob, cover):
    cover.plugin.editors.add(bob)
    put(browse(bob), cover, sent(name="Bob's"))
    response = put(browse(alice), cover, sent(name="Alice's"))
    said = response.json()
    assert (response.status_code, said["code"]) == (412, "changed_meanwhile")
    assert said["error"].startswith("Bob changed this tree at ")
    assert said["hint"] == "Your text is below; nothing was overwritten."
    assert said["current"]["draft"]["name"] == DecisionTree.objects.get().name == "Bob's"


def test_saving_without_a_version_is_refused(alice, cover):
    assert put(browse(alice), cover, sent(), version="").status_code == 428


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("", 400, "not_json"),
        ("{", 400, "not_json"),
        (b"\xff", 400, "not_json"),
        ("[" * 100_000, 400, "not_json"),
        ("9" * 5000, 400, "not_json"),
        ("[]", 400, "invalid"),
        ("{}", 400, "invalid_tree"),
        ('{"name": "x", "tree": {"a": NaN}}', 400, "not_json"),
        ('{"name": "x", "tree": {"a": -1e999}}', 400, "not_json"),
        ('{"name": "x", "tree": {"a": "\\u0000"}}', 400, "invalid_tree"),
        ('{"name": "x", "tree": {}, "cases": [{}]}', 400, "invalid_case"),
        (" " * 2_100_000, 413, "too_large"),
        (" " * 6_000_000, 413, "too_large"),
    ],
)
def test_what_cannot_be_saved_changes_nothing(alice, cover, body, status, code):
    response = put(browse(alice), cover, body)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert DecisionTree.objects.get().tree_data == cover.tree_data


def test_problems_of_a_tree_that_is_not_saved_are_named(alice, cover):
    broken = tree(question("q", {"yes": "a"}, options=["yes", "no"]), action("a"))
    said = post(browse(alice), of(cover, "tree_check"), {"tree": broken, "cases": [CASE]}).json()
    assert [(one["code"], one["node"]) for one in said["problems"]] == [("unmatched_answer", "q")]
    fact = {"name": "q", "type": "boolean", "unit": "", "options": ["yes", "no"], "question": "Which q?"}
    assert said["facts"] == [fact]
    assert DecisionTree.objects.get().tree_data == cover.tree_data


def test_the_line_where_json_goes_wrong_is_said(alice, cover):
    response = post(browse(alice), of(cover, "tree_check"), {"text": '{\n  "nodes": {\n  "a" 1\n}}'})
    assert (response.status_code, response.json()["line"], response.json()["column"]) == (400, 3, 7)
    good = post(browse(alice), of(cover, "tree_check"), {"text": json.dumps(cover_tree_data())}).json()
    assert (good["tree"], good["problems"]) == (cover_tree_data(), [])


@pytest.mark.parametrize("text", ["[]", "3", "null", '{"nodes": ' + "[" * 50 + "]" * 50 + "}"])
def test_text_that_no_draft_can_hold_is_refused(alice, cover, text):
    response = post(browse(alice), of(cover, "tree_check"), {"text": text})
    assert (response.status_code, response.json()["error"].startswith(("A tree is", "The tree is"))) == (400, True)


@pytest.mark.parametrize("tree_data", [None, [], 3, {}, {"nodes": 3}, {"nodes": {"a": []}}])
def test_whatever_is_checked_gets_an_answer(alice, cover, tree_data):
    assert post(browse(alice), of(cover, "tree_check"), {"tree": tree_data}).json()["problems"]


def test_a_walk_says_its_path_and_what_is_asked_next(alice, cover):
    said = post(
        browse(alice),
        of(cover, "tree_walk"),
        {"tree": cover_tree_data(), "sentence": "Cover on the coast, severe?", "facts": {}},
    ).json()
    assert [step["node"] for step in said["path"]] == ["exposure_check", "member_type"]
    assert (said["path"][0]["value"], said["path"][0]["source"]) == ("severe", "question")
    assert said["branches"] == [["exposure_check", "severe"]]
    assert (said["missing"]["field"], said["missing"]["options"]) == ("member_type", ["beam", "slab"])


def test_a_hint_without_knowledge_finds_nothing(alice, cover):
    said = post(
        browse(alice), of(cover, "tree_walk"), {"tree": cover_tree_data(), "facts": {"exposure": "mild"}}
    ).json()
    assert said["action"] == {"recommendation": "20mm", "sourceHint": "Table 16"}
    assert said["hint"] == {"hint": "Table 16", "found": None, "error": ""}


@pytest.mark.parametrize("data", [{"sentence": 3}, {"facts": []}, {"facts": {"a": []}}, {"sentence": "x" * 3000}])
def test_a_walk_by_nonsense_is_refused(alice, cover, data):
    response = post(browse(alice), of(cover, "tree_walk"), {"tree": cover_tree_data(), **data})
    assert response.status_code == 400


# --- Who may what -------------------------------------------------------------------------------------------


def test_a_viewer_looks_and_walks_and_changes_nothing(bob, cover):
    cover.plugin.viewers.add(bob)
    client = browse(bob)
    assert client.get(of(cover)).context["data"]["mayChange"] is False
    assert "Export" in client.get(pane(cover.plugin)).content.decode()
    said = client.get(of(cover, "tree_walk"), {"sentence": "", "facts": '{"exposure": "mild"}'}).json()
    assert said["outcome"] == "reached “Label of mild_cover”"
    assert put(client, cover, sent()).status_code == 404
    for name in ("tree_check", "tree_walk", "tree_duplicate", "tree_move", "tree_use", "tree_delete"):
        assert client.post(of(cover, name)).status_code == 404
    assert client.get(of(cover, "tree_delete")).status_code == 404
    assert DecisionTree.objects.get().version == cover.version


def test_a_tree_is_reached_only_through_its_own_plugin(alice, charlie, cover):
    other = Plugin.objects.create(owner=charlie, name="Paint", domain="x", system_prompt="x")
    client = browse(charlie)
    for name in ("tree", "tree_check", "tree_walk", "tree_export", "tree_delete", "tree_duplicate", "tree_move"):
        for plugin in (other.pk, cover.plugin_id):
            address = reverse(f"admin:builder_{name}", args=[plugin, cover.pk])
            assert {client.get(address).status_code, post(client, address, "{}").status_code} <= {404, 405}
    assert browse(alice).get(reverse("admin:builder_tree", args=[cover.plugin_id, uuid4()])).status_code == 404


def test_trying_a_sentence_says_whether_the_plugin_would_take_the_tree(alice, cover):
    of_the_tree, of_another = (
        post(browse(alice), of(cover, "tree_walk"), {"tree": cover_tree_data(), "sentence": text, "facts": {}}).json()
        for text in ("What is the nominal cover of a concrete beam in severe exposure?", "Who won the world cup?")
    )
    assert (of_the_tree["selection"]["taken"], of_the_tree["selection"]["others"]) == (True, [])
    assert of_another["selection"]["taken"] is False
    assert of_another["selection"]["score"] <= of_another["selection"]["threshold"] < of_the_tree["selection"]["score"]


VOMITING: dict[str, Any] = {
    "rootNodeId": "young",
    "nodes": {
        "young": {
            "id": "young",
            "type": "question",
            "label": "Younger than six months?",
            "question": {"text": "Is the animal younger than six months?", "options": ["yes", "no"]},
            "childrenByAnswer": {"yes": "today", "no": "later"},
        },
        "today": {
            "id": "today",
            "type": "action",
            "label": "Today",
            "action": {"recommendation": "Any vomiting in a young animal is seen today", "sourceHint": "vomiting"},
        },
        "later": {
            "id": "later",
            "type": "action",
            "label": "Later",
            "action": {"recommendation": "An animal with vomiting is seen within three days", "sourceHint": "vomiting"},
        },
    },
}


def test_a_question_that_may_be_about_something_else_is_told_to_be_answered_by_the_documents(alice, cover):
    DecisionTree.objects.update(name="How soon is an animal with vomiting seen")

    def selection(sentence: str) -> Any:
        asked = {"tree": VOMITING, "sentence": sentence, "facts": {}}
        return post(browse(alice), of(cover, "tree_walk"), asked).json()["selection"]

    alone = selection("How soon must an animal that vomits be seen?")
    told = selection("How soon must a dog that vomits be seen?")
    beside = selection("Is a dog that vomits seen in the evening?")
    other = selection("When is a vomiting dog weighed?")
    assert (alone["taken"], alone["others"]) == (True, [])
    assert (told["taken"], told["others"]) == (True, [])
    assert (beside["taken"], beside["others"]) == (False, ["dog", "evening"])
    assert beside["score"] > beside["threshold"]
    assert (other["taken"], other["others"]) == (False, [])


def try_end(user: User, tree: DecisionTree, **end: object) -> Any:
    return browse(user).post(of(tree, "tree_end"), json.dumps(end), content_type="application/json")


@pytest.fixture
def documented(plugin: Plugin, cover: DecisionTree) -> DecisionTree:
    text = "# Cover\n\nConcrete in severe exposure has a nominal cover of 45 mm.\n"
    ingest(add_markdown(own_knowledge_base(plugin), text, name="cover.md").pk)
    return cover


def test_an_end_is_tried_against_the_documents(alice, documented):
    told = try_end(alice, documented, label="Severe exposure", recommendation="Nominal cover of 45 mm").json()
    assert (told["outcome"], told["cited"]["title"]) == ("answered", "Cover")
    assert "45 mm" in told["cited"]["excerpt"]
    assert told["cited"]["url"].startswith("/source/")


@pytest.mark.parametrize(
    ("citations", "outcome"), [("mandatory", "refused"), ("optional", "unverified"), ("off", "unchecked")]
)
def test_an_end_that_no_page_supports_says_what_people_get(alice, documented, citations, outcome):
    Plugin.objects.update(citation_mode=citations)
    told = try_end(alice, documented, label="Call", recommendation="Call the office of Professor Quillfeather").json()
    assert told == {
        "outcome": outcome,
        "cited": None,
        "why": "No passage that was read has a word of it.",
        "error": "",
    }


def test_the_author_is_told_which_words_of_an_end_the_nearest_page_lacks(alice, documented):
    told = try_end(alice, documented, label="Cover", recommendation="Nominal cover of a balcony in severe exposure")
    assert told.json()["why"] == "The nearest passage does not say “balcony”."


def test_yes_before_the_words_of_a_page_is_supported_by_it(alice, documented):
    told = try_end(
        alice, documented, label="Allowed", recommendation="Yes: in severe exposure, a cover of 45 mm"
    ).json()
    assert (told["outcome"], told["why"]) == ("answered", "")


def test_an_end_is_tried_by_those_who_may_change_the_plugin(alice, bob, charlie, plugin, documented):
    plugin.viewers.add(bob)
    for stranger in (bob, charlie):
        assert try_end(stranger, documented, recommendation="45 mm").status_code == 404
    for wrong in ({}, {"recommendation": " "}, {"recommendation": 3}, {"recommendation": "x" * 2001}):
        answer = try_end(alice, documented, **wrong)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
