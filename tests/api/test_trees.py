"""Trees over the API: written, judged, walked, tested and put in order; and by whom."""

from __future__ import annotations

import copy
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from accounts.models import User
from plugins.models import Plugin
from tests.api.callers import assert_error, by_key, signed_in
from tests.cover import TREE
from tests.trees.growing import action, condition
from tests.trees.growing import tree as grow
from trees.drafts import MAX_TREE_BYTES, export_draft, parse_draft, save_draft
from trees.models import DecisionTree, TreeCase

pytestmark = pytest.mark.django_db

ALL = "/api/plugins/cover/trees"
SEVERE = {
    "name": "At the coast",
    "sentence": "A beam in severe exposure",
    "facts": {},
    "expectation": "reaches",
    "expected": "cover_severe",
}


def one(tree: DecisionTree | str, more: str = "") -> str:
    pk = tree.pk if isinstance(tree, DecisionTree) else tree
    return f"{ALL}/{pk}{more}"


def broken() -> dict[str, Any]:
    """A tree that leads nowhere when the exposure is severe."""
    tree = copy.deepcopy(TREE)
    del tree["nodes"]["cover_severe"]  # type: ignore[attr-defined]
    return tree


@pytest.fixture
def agent(plugin: Plugin, alice: User) -> APIClient:
    """Alice's, with a key that may author."""
    return by_key(alice)


@pytest.fixture
def tree(plugin: Plugin) -> DecisionTree:
    return plugin.trees.get()


# --- Written -----------------------------------------------------------------------------------------------------


def test_lx_053_a_tree_is_made_read_changed_and_deleted(agent: APIClient, alice: User):
    response = agent.post(ALL, {"name": "Cover", "description": "Of beams", "treeData": TREE}, format="json")
    assert response.status_code == 201
    body = response.json()
    assert (body["name"], body["description"], body["isActive"]) == ("Cover", "Of beams", True)
    assert (body["treeData"], body["problems"]) == (TREE, [])
    assert (body["nodeCount"], body["order"]) == (3, 1)
    assert response["Location"] == one(body["id"])
    assert agent.get(one(body["id"])).json() == body
    changed = agent.put(one(body["id"]), {"name": "Cover of beams"}, format="json").json()
    assert (changed["name"], changed["treeData"], changed["description"]) == ("Cover of beams", TREE, "Of beams")
    assert DecisionTree.objects.get(pk=body["id"]).changed_by == alice
    assert agent.delete(one(body["id"])).status_code == 204
    assert_error(agent.get(one(body["id"])), 404, "unknown_tree")


def test_lx_054_a_tree_that_has_problems_is_kept_and_the_answer_names_them(agent: APIClient, tree: DecisionTree):
    response = agent.patch(one(tree), {"treeData": broken()}, format="json")
    assert response.status_code == 200
    assert {problem["code"] for problem in response.json()["problems"]} >= {"dangling_child"}
    judged = agent.get(one(tree, "/problems")).json()
    assert judged["problems"] == response.json()["problems"]
    assert judged["errors"] + judged["warnings"] == len(judged["problems"])
    assert judged["errors"] > 0


def test_a_tree_is_judged_that_is_saved_nowhere(agent: APIClient):
    assert agent.post("/api/trees/problems", {"treeData": TREE}, format="json").json() == {
        "errors": 0,
        "warnings": 0,
        "problems": [],
    }
    for nonsense in ([], None, "x", 5, {"nodes": [1]}, {"nodes": {"a": 1}, "rootNodeId": 7}):
        answer = agent.post("/api/trees/problems", {"treeData": nonsense}, format="json")
        assert answer.status_code == 200
        assert answer.json()["errors"] > 0


def test_what_was_got_may_be_put(agent: APIClient, tree: DecisionTree):
    got = agent.get(one(tree))
    put = agent.put(one(tree), got.json(), format="json", headers={"If-Match": got["ETag"]})
    assert put.status_code == 200
    assert {**put.json(), "updatedAt": ""} == {**got.json(), "updatedAt": ""}


def test_a_change_of_what_was_changed_meanwhile_is_412(agent: APIClient, tree: DecisionTree, alice: User):
    stale = agent.get(one(tree))["ETag"]
    save_draft(parse_draft({**export_draft(tree), "name": "In the editor"}), tree=tree, version=tree.version, by=alice)
    for response in [
        agent.put(one(tree), {"name": "By an agent"}, format="json", headers={"If-Match": stale}),
        agent.delete(one(tree), headers={"If-Match": stale}),
    ]:
        assert_error(response, 412, "precondition_failed")
    fresh = agent.get(one(tree))
    assert fresh.json()["name"] == "In the editor"
    assert agent.get(one(tree), headers={"If-None-Match": fresh["ETag"]}).status_code == 304
    assert agent.patch(one(tree), {"name": "x"}, format="json", headers={"If-Match": fresh["ETag"]}).status_code == 200


def test_an_editor_that_is_open_elsewhere_notices_what_an_agent_changed(
    agent: APIClient, tree: DecisionTree, alice: User
):
    agent.post(one(tree, "/cases"), SEVERE, format="json")
    assert DecisionTree.objects.get().version != tree.version


def test_taking_a_tree_out_of_use_is_not_a_change_of_what_it_says(agent: APIClient, tree: DecisionTree):
    body = agent.patch(one(tree), {"isActive": False}, format="json").json()
    assert body["isActive"] is False
    assert DecisionTree.objects.get().version == tree.version
    assert agent.get(f"{ALL}?active=true").json()["results"] == []
    assert len(agent.get(f"{ALL}?active=false").json()["results"]) == 1


@pytest.mark.parametrize(
    "body",
    [
        [],
        None,
        {},
        {"name": "x"},
        {"treeData": TREE},
        {"name": "", "treeData": TREE},
        {"name": 5, "treeData": TREE},
        {"name": "x" * 121, "treeData": TREE},
        {"name": "a\0", "treeData": TREE},
        {"name": "x", "treeData": []},
        {"name": "x", "treeData": None},
        {"name": "x", "treeData": "{}"},
        {"name": "x", "treeData": {"nodes": {"a\0": 1}}},
        {"name": "x", "treeData": TREE, "isActive": "yes"},
        {"name": "x", "treeData": TREE, "cases": {}},
        {"name": "x", "treeData": TREE, "cases": [{"name": "y"}]},
        {"name": "x", "treeData": TREE, "cases": [SEVERE] * 101},
        {"name": "x", "treeData": TREE, "colour": "red"},
    ],
)
def test_a_body_that_is_not_as_it_should_be_is_400_and_adds_nothing(agent: APIClient, body: Any):
    response = agent.post(ALL, body, format="json")
    assert response.status_code == 400, response.content
    assert set(response.json()) == {"error", "code", "hint"}
    assert DecisionTree.objects.count() == 1


def nested(depth: int) -> Any:
    value: Any = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def test_a_tree_too_large_or_too_deep_is_refused(agent: APIClient):
    for much in (nested(40), {"nodes": dict.fromkeys(map(str, range(3000)), 1)}):
        assert agent.post(ALL, {"name": "x", "treeData": much}, format="json").status_code == 400
    deep = b'{"name": "x", "treeData": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001
    assert agent.generic("POST", ALL, deep, content_type="application/json").status_code == 400
    long = {"name": "x", "treeData": {"rootNodeId": "x" * MAX_TREE_BYTES}}
    assert_error(agent.post(ALL, long, format="json"), 413, "too_large")
    assert DecisionTree.objects.count() == 1


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
nodes = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["a", "b"]),
        "type": st.sampled_from(["question", "condition", "action"]) | values,
        "label": values,
        "question": st.fixed_dictionaries({}, optional={"text": values, "options": values, "extractFrom": values}),
        "condition": st.fixed_dictionaries({}, optional={"field": values, "operator": values, "value": values}),
        "action": st.fixed_dictionaries({}, optional={"recommendation": values, "severity": values}),
        "childrenByAnswer": values,
        "trueChildId": st.sampled_from(["a", "b", "c"]),
        "falseChildId": st.sampled_from(["a", "b", "c"]),
    },
)
trees = st.fixed_dictionaries(
    {"nodes": st.dictionaries(st.sampled_from(["a", "b"]), nodes | values) | values},
    optional={"rootNodeId": st.sampled_from(["a", "z"]) | values, "fields": values},
)


def as_set(answer: Any) -> set[tuple[Any, ...]]:
    """The problems; those of nodes that nothing leads to are in no order of their own."""
    return {tuple(sorted(problem.items(), key=str)) for problem in answer.json()["problems"]}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=trees, facts=st.dictionaries(st.text(max_size=5), values, max_size=3))
def test_no_tree_and_no_fact_makes_an_error_of_ours(agent: APIClient, data: Any, facts: Any):
    made = agent.post(ALL, {"name": "x", "treeData": data}, format="json")
    assert made.status_code in {201, 400}
    if made.status_code == 201:
        path = one(made.json()["id"])
        assert as_set(agent.get(path)) == as_set(made)
        assert agent.post(f"{path}/walk", {"facts": facts}, format="json").status_code in {200, 400}
        assert agent.post(f"{path}/cases/run", {}, format="json").status_code == 200


# --- The list ----------------------------------------------------------------------------------------------------


def test_trees_are_listed_as_they_are_tried_and_put_in_another_order(agent: APIClient, tree: DecisionTree):
    made = [
        agent.post(ALL, {"name": f"t{number}", "treeData": TREE}, format="json").json()["id"] for number in range(2)
    ]
    ids = [str(tree.pk), *made]
    listed = agent.get(ALL).json()
    assert [row["id"] for row in listed["results"]] == ids
    assert "treeData" not in listed["results"][0]
    assert agent.put(f"{ALL}/order", {"ids": ids[::-1]}, format="json").json() == {"ids": ids[::-1]}
    assert [row["id"] for row in agent.get(ALL).json()["results"]] == ids[::-1]
    first = agent.get(f"{ALL}?limit=2").json()
    second = agent.get(first["next"]).json()
    assert [row["id"] for row in first["results"] + second["results"]] == ids[::-1]


@pytest.mark.parametrize("ids", [[], ["x"], None, [str(uuid.uuid4())], "twice", "more"])
def test_an_order_names_every_tree_once(agent: APIClient, tree: DecisionTree, ids: Any):
    pk = str(tree.pk)
    ids = {"twice": [pk, pk], "more": [pk, str(uuid.uuid4())]}.get(ids, ids) if isinstance(ids, str) else ids
    assert agent.put(f"{ALL}/order", {"ids": ids}, format="json").status_code == 400


def test_the_list_takes_as_many_statements_for_one_as_for_many(agent: APIClient, plugin: Plugin):
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert agent.get(ALL).status_code == 200
        return len(captured)

    statements()  # the first use of a key in a minute is written down
    before = statements()
    for number in range(5):
        DecisionTree.objects.create(plugin=plugin, name=f"t{number}", tree_data=TREE)
    assert statements() == before <= 6


# --- Walked ------------------------------------------------------------------------------------------------------


def test_a_walk_asks_for_what_it_needs_and_then_decides(agent: APIClient, tree: DecisionTree):
    asked = agent.post(one(tree, "/walk"), {}, format="json").json()
    assert (asked["outcome"], asked["action"]) == ("clarify", None)
    assert asked["clarification"] == {
        "node": "exposure_check",
        "field": "exposure",
        "question": "How is the member exposed?",
        "options": ["mild", "severe"],
    }
    facts = {asked["clarification"]["field"]: "severe", "colour": "red"}
    decided = agent.post(one(tree, "/walk"), {"facts": facts}, format="json").json()
    assert decided == {
        "outcome": "decided",
        "path": [
            {"step": 1, "node": "exposure_check", "label": "Exposure condition?", "value": "severe"},
            {
                "step": 2,
                "node": "cover_severe",
                "label": "Cover in severe exposure",
                "result": "45 mm nominal cover",
            },
        ],
        "action": {
            "node": "cover_severe",
            "recommendation": "45 mm nominal cover",
            "sourceHint": "nominal cover severe exposure beam",
            "severity": None,
        },
        "clarification": None,
        "facts": {"exposure": "severe"},
        "unknownFacts": ["colour"],
    }


def test_a_question_says_facts_too_and_what_is_given_counts_more(agent: APIClient, tree: DecisionTree):
    body = {"question": "A beam exposed to weather", "facts": {}}
    said = agent.post(one(tree, "/walk"), body, format="json").json()
    assert said["facts"] == {"exposure": "severe"}
    given_ = agent.post(one(tree, "/walk"), {**body, "facts": {"exposure": "mild"}}, format="json").json()
    assert given_["action"]["node"] == "cover_mild"


def test_a_limit_belongs_to_at_least_and_to_at_most(agent: APIClient):
    check = condition("adult", "age", "gte", 18, true="yes", false="no")
    adults = grow(check, action("yes", "Served."), action("no", "Not served."))
    made = agent.post(ALL, {"name": "Age", "treeData": adults}, format="json").json()
    assert made["problems"] == []
    for operator, age, recommendation in (("gte", 18, "Served."), ("gte", 17, "Not served."), ("lte", 18, "Served.")):
        check["condition"]["operator"] = operator
        body = {"treeData": adults, "facts": {"age": age}}
        walked = agent.post(one(made["id"], "/walk"), body, format="json").json()
        assert walked["action"]["recommendation"] == recommendation


def test_a_tree_that_was_sent_is_walked_in_the_place_of_the_saved_one(agent: APIClient, tree: DecisionTree):
    body = {"facts": {"exposure": "severe"}, "treeData": broken()}
    walked = agent.post(one(tree, "/walk"), body, format="json").json()
    assert (walked["outcome"], walked["action"], walked["clarification"]) == ("nowhere", None, None)
    assert agent.get(one(tree)).json()["treeData"] == TREE


@pytest.mark.parametrize(
    "body",
    [
        [],
        {"facts": []},
        {"facts": {"exposure": {}}},
        {"facts": {"exposure": None}},
        {"facts": {"exposure": "x" * 501}},
        {"facts": {str(number): 1 for number in range(51)}},
        {"question": 5},
        {"question": "a\0"},
        {"question": "x" * 2001},
        {"treeData": []},
        {"sentence": "x"},
    ],
)
def test_what_a_walk_is_given_is_checked(agent: APIClient, tree: DecisionTree, body: Any):
    assert agent.post(one(tree, "/walk"), body, format="json").status_code == 400


# --- Cases -------------------------------------------------------------------------------------------------------


def test_cases_are_written_and_run(agent: APIClient, tree: DecisionTree):
    made = agent.post(one(tree, "/cases"), SEVERE, format="json")
    assert made.status_code == 201
    path = one(tree, f"/cases/{made.json()['id']}")
    assert made.json() == {**SEVERE, "id": made.json()["id"]}
    asks = {"name": "Nothing said", "expectation": "asks", "expected": "colour"}
    agent.post(one(tree, "/cases"), asks, format="json")
    listed = agent.get(one(tree, "/cases")).json()["results"]
    assert [case["name"] for case in listed] == ["At the coast", "Nothing said"]
    run = agent.post(one(tree, "/cases/run"), {}, format="json").json()
    assert (run["total"], run["passed"]) == (2, 1)
    assert [result["passed"] for result in run["results"]] == [True, False]
    assert run["results"][1]["said"] == "asked for exposure"
    assert run["coverage"] == {
        "ends": 2,
        "branches": 2,
        "missedEnds": ["cover_mild"],
        "missedBranches": [["exposure_check", "mild"]],
    }
    changed = agent.put(path, {**SEVERE, "expected": "cover_mild"}, format="json")
    assert changed.json()["expected"] == "cover_mild"
    assert agent.get(path).json() == changed.json()
    assert agent.delete(path).status_code == 204
    assert_error(agent.get(path), 404, "unknown_case")
    assert_error(agent.put(path, SEVERE, format="json"), 404, "unknown_case")
    assert_error(agent.delete(path), 404, "unknown_case")


def test_cases_are_run_against_a_tree_that_is_not_saved_yet(agent: APIClient, tree: DecisionTree):
    agent.post(one(tree, "/cases"), SEVERE, format="json")
    run = agent.post(one(tree, "/cases/run"), {"treeData": broken()}, format="json").json()
    assert (run["total"], run["passed"]) == (1, 0)


def test_a_case_keeps_its_id_when_the_tree_is_saved_as_a_whole(agent: APIClient, tree: DecisionTree, alice: User):
    made = agent.post(one(tree, "/cases"), SEVERE, format="json").json()
    tree.refresh_from_db()
    save_draft(parse_draft(export_draft(tree)), tree=tree, version=tree.version, by=alice)
    assert agent.get(one(tree, f"/cases/{made['id']}")).json() == made
    agent.patch(one(tree), {"name": "Cover"}, format="json")
    assert agent.get(one(tree, "/cases")).json()["results"] == [made]


def test_cases_come_with_a_tree_as_well(agent: APIClient, tree: DecisionTree):
    agent.patch(one(tree), {"cases": [SEVERE, {**SEVERE, "name": "Again"}]}, format="json")
    assert [case.name for case in tree.cases.all()] == ["At the coast", "Again"]


def test_a_case_that_was_changed_meanwhile_is_412(agent: APIClient, tree: DecisionTree):
    made = agent.post(one(tree, "/cases"), SEVERE, format="json")
    path = one(tree, f"/cases/{made.json()['id']}")
    agent.put(path, {**SEVERE, "expected": "cover_mild"}, format="json")
    stale = {"If-Match": made["ETag"]}
    assert_error(agent.put(path, SEVERE, format="json", headers=stale), 412, "precondition_failed")
    assert_error(agent.delete(path, headers=stale), 412, "precondition_failed")
    assert agent.delete(path, headers={"If-Match": agent.get(path)["ETag"]}).status_code == 204


def test_a_tree_has_at_most_a_hundred_cases(agent: APIClient, tree: DecisionTree):
    TreeCase.objects.bulk_create(TreeCase(tree=tree, name=str(n), expected="x") for n in range(100))
    assert_error(agent.post(one(tree, "/cases"), SEVERE, format="json"), 409, "too_many_cases")


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": None},
        {"name": "x" * 121},
        {"sentence": 5},
        {"facts": []},
        {"facts": {"a": []}},
        {"expectation": "hopes"},
        {"expected": ""},
        {"colour": "red"},
    ],
)
def test_a_case_that_is_not_as_it_should_be_is_400(agent: APIClient, tree: DecisionTree, wrong: dict[str, Any]):
    assert agent.post(one(tree, "/cases"), {**SEVERE, **wrong}, format="json").status_code == 400
    assert not TreeCase.objects.exists()


# --- Who ---------------------------------------------------------------------------------------------------------

LOOKS = [
    ("get", "", {}),
    ("get", "/{tree}", {}),
    ("get", "/{tree}/problems", {}),
    ("get", "/{tree}/cases", {}),
    ("get", "/{tree}/cases/{case}", {}),
    ("post", "/{tree}/walk", {}),
    ("post", "/{tree}/cases/run", {}),
]
CHANGES = [
    ("post", "", {"name": "New", "treeData": TREE}),
    ("patch", "/{tree}", {"name": "x"}),
    ("put", "/{tree}", {"name": "x"}),
    ("post", "/{tree}/cases", SEVERE),
    ("put", "/{tree}/cases/{case}", SEVERE),
    ("delete", "/{tree}/cases/{case}", {}),
    ("delete", "/{tree}", {}),
]


@pytest.fixture
def case(tree: DecisionTree) -> TreeCase:
    return TreeCase.objects.create(tree=tree, name="Case", expected="cover_mild")


def ask(client: APIClient, routes: list[Any], case: TreeCase, *, plugin: str = "cover") -> list[Any]:
    base = f"/api/plugins/{plugin}/trees"
    return [
        getattr(client, method)(f"{base}{path.format(tree=case.tree_id, case=case.pk)}", body, format="json")
        for method, path, body in routes
    ]


def statuses(answers: list[Any]) -> list[int]:
    return [answer.status_code for answer in answers]


def test_the_owner_and_an_editor_look_and_change_signed_in_or_by_key(
    plugin: Plugin, case: TreeCase, alice: User, bob: User
):
    plugin.editors.add(bob)
    for client in (signed_in(alice), by_key(alice), signed_in(bob), by_key(bob, "author")):
        assert statuses(ask(client, LOOKS, case)) == [200] * len(LOOKS)
        assert statuses(ask(client, LOOKS, case, plugin=str(plugin.pk))) == [200] * len(LOOKS)
        assert client.patch(one(case.tree), {"name": "x"}, format="json").status_code == 200
    assert statuses(ask(signed_in(bob), CHANGES, case)) == [201, 200, 200, 201, 200, 204, 204]


def test_a_page_elsewhere_cannot_use_somebodys_session(case: TreeCase, alice: User):
    client = signed_in(alice, with_token=False)
    assert statuses(ask(client, CHANGES, case)) == [403] * len(CHANGES)


def test_a_viewer_looks_walks_and_changes_nothing(plugin: Plugin, case: TreeCase, bob: User):
    plugin.viewers.add(bob)
    for client in (signed_in(bob), by_key(bob)):
        assert statuses(ask(client, LOOKS, case)) == [200] * len(LOOKS)
        for answer in ask(client, CHANGES, case):
            assert_error(answer, 403, "read_only")
        assert_error(client.put(f"{ALL}/order", {"ids": []}, format="json"), 403, "read_only")
    assert DecisionTree.objects.get().name == case.tree.name


def test_a_key_that_may_read_looks_walks_and_changes_nothing(case: TreeCase, alice: User):
    client = by_key(alice, "read")
    assert statuses(ask(client, LOOKS, case)) == [200] * len(LOOKS)
    assert client.post("/api/trees/problems", {"treeData": TREE}, format="json").status_code == 200
    for answer in [*ask(client, CHANGES, case), *ask(by_key(alice, "query"), LOOKS, case)]:
        assert_error(answer, 403, "missing_capability")


def test_nobody_gets_in_and_strangers_find_nothing(case: TreeCase, plugin: Plugin, alice: User, charlie: User):
    routes = LOOKS + CHANGES
    assert statuses(ask(APIClient(), routes, case)) == [401] * len(routes)
    assert APIClient().post("/api/trees/problems", {"treeData": TREE}, format="json").status_code == 401
    elsewhere = Plugin.objects.create(owner=alice, name="Shoes", slug="shoes", domain="x", system_prompt="x")
    for client in (signed_in(charlie), by_key(charlie), by_key(alice, plugins=[elsewhere])):
        for answer in ask(client, routes, case):
            assert_error(answer, 404, "unknown_plugin")
    for answer in ask(by_key(alice), [route for route in routes if "{tree}" in route[1]], case, plugin="shoes"):
        assert_error(answer, 404, "unknown_tree")


@pytest.mark.parametrize("reference", ["no", "%00", "..", "x" * 3000, "é", "order"])
def test_an_id_that_is_none_is_no_tree(agent: APIClient, reference: str):
    for more in ("", "/problems", "/cases", "/cases/x"):
        assert agent.get(f"{ALL}/{reference}{more}").status_code in {404, 405}
