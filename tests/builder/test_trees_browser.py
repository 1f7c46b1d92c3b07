"""The tree editor in a real browser. Nothing may complain in the console."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, Route, expect

from accounts.models import User
from knowledge.ingest import ingest
from knowledge.models import Document
from knowledge.plugin_knowledge_base import own_knowledge_base
from lexic.database import release_connections
from plugins.models import Plugin
from tests.browsers import (
    AXE,
    WIDE_AND_NARROW,
    each_look,
    overflow,
    serious_in_each_look,
    sign_in,
    sign_in_by_hand,
    violations_in_each_look,
    wait_until_quiet,
)
from tests.knowledge.bases import add_markdown
from tests.remembered import remembered
from tests.trees.growing import action, condition, cover_tree_data, tree
from trees.definition.nodes import OPERATORS
from trees.definition.starter_trees import MINIMAL_TREE
from trees.drafts import create_tree, parse_draft
from trees.models import DecisionTree

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
@remembered
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Structures", domain="engineering", system_prompt="Be brief.")


@pytest.fixture
def cover(plugin: Plugin, alice: User) -> DecisionTree:
    return create_tree(parse_draft({"name": "Cover", "tree": cover_tree_data()}), plugin=plugin, by=alice)


def pane(plugin: Plugin) -> str:
    return reverse("admin:builder_trees", args=[plugin.pk])


def open_editor(page: Page, user: User, tree: DecisionTree) -> None:
    sign_in(page, user, to=reverse("admin:builder_tree", args=[tree.plugin_id, tree.pk]))
    page.locator("#tree-editor[data-ready]").wait_for()


def node(page: Page, name: str) -> Locator:
    return page.locator(f"[data-node='{name}']")


def part(page: Page, name: str) -> Locator:
    return page.locator(f"[data-part='{name}']")


def save(page: Page) -> dict[str, Any]:
    """Press Save, and give what is in the database afterwards."""
    with page.expect_response(lambda response: response.request.method == "PUT"):
        page.get_by_role("button", name="Save", exact=True).click()
    expect(part(page, "saved")).to_contain_text("Saved ")
    return DecisionTree.objects.get().tree_data


def test_the_time_of_saving_is_that_of_the_clock_of_whoever_looks(page: Page, alice: User, cover: DecisionTree) -> None:
    devtools = page.context.new_cdp_session(page)
    devtools.send("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kolkata"})
    try:
        open_editor(page, alice, cover)
        at = cover.updated_at.astimezone(ZoneInfo("Asia/Kolkata"))
        expect(part(page, "saved")).to_have_text(f"Saved {at:%H:%M}")
    finally:
        devtools.send("Emulation.setTimezoneOverride", {"timezoneId": ""})
        devtools.detach()


def test_a_tree_is_drawn_from_the_starter_saved_and_found_again(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=pane(plugin))
    page.get_by_label("Name").fill("Nominal cover")
    page.get_by_role("button", name="New tree").click()
    node(page, "start").click()
    page.get_by_role("textbox", name="Label").fill("Where does it stand?")
    page.get_by_label("Answer 1").fill("severe")
    page.get_by_label("Answer 1").press("Enter")
    expect(node(page, "start")).to_contain_text("Where does it stand?")
    node(page, "end_yes").click()
    page.get_by_label("Recommendation").fill("45 mm")
    expect(part(page, "saved")).to_have_text("Not saved")
    saved = save(page)["nodes"]
    assert (saved["start"]["label"], saved["start"]["childrenByAnswer"]) == (
        "Where does it stand?",
        {"severe": "end_yes", "no": "end_no"},
    )
    assert saved["end_yes"]["action"]["recommendation"] == "45 mm"
    page.reload()
    expect(node(page, "end_yes")).to_contain_text("45 mm")
    expect(page.locator(".branch text").first).to_have_text("severe")


def test_every_change_can_be_undone_and_done_again(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    node(page, "slab_cover").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(node(page, "slab_cover")).to_have_count(0)
    expect(page.get_by_text("slab leads nowhere")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(node(page, "slab_cover")).to_have_count(1)
    page.keyboard.press("Control+y")
    expect(node(page, "slab_cover")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    assert save(page) == cover.tree_data


def test_typing_is_undone_as_one_step(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    node(page, "mild_cover").click()
    page.get_by_role("textbox", name="Label").press_sequentially(" and dry")
    page.keyboard.press("Control+z")
    expect(page.get_by_role("textbox", name="Label")).to_have_value("Label of mild_cover")


def test_problems_are_shown_on_their_node_and_mended(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    node(page, "exposure_check").click()
    page.get_by_role("button", name="Add an answer").click()
    problems = part(page, "problems")
    expect(problems).to_contain_text("leads nowhere")
    expect(node(page, "exposure_check")).to_have_attribute("aria-label", containing("problem: The option"))
    expect(part(page, "state")).to_have_text("1 problem")
    problems.get_by_role("button", name="Add the branch").click()
    page.get_by_label("Recommendation").fill("50 mm")
    page.get_by_label("Source hint", exact=True).fill("Table 16")
    expect(part(page, "state")).to_have_text("no problems")


def test_a_condition_offers_every_operator_and_is_drawn_with_its_sign(
    page: Page, alice: User, cover: DecisionTree
) -> None:
    check = condition("exposure_check", "span", "gt", 6, true="mild_cover", false="moderate_cover")
    DecisionTree.objects.update(tree_data=tree(check, action("mild_cover"), action("moderate_cover")))
    open_editor(page, alice, cover)
    node(page, "exposure_check").click()
    offered = page.get_by_label("Is", exact=True)
    expect(offered).to_have_value("gt")
    assert offered.locator("option").evaluate_all("all => all.map((one) => one.value)") == list(OPERATORS)
    offered.select_option("at least")
    expect(node(page, "exposure_check")).to_contain_text("span ≥ 6")
    offered.select_option("at most")
    expect(node(page, "exposure_check")).to_contain_text("span ≤ 6")
    expect(part(page, "state")).to_have_text("no problems")
    assert save(page)["nodes"]["exposure_check"]["condition"] == {"field": "span", "operator": "lte", "value": 6}


def containing(words: str) -> re.Pattern[str]:
    return re.compile(re.escape(words))


def test_trying_it_lights_the_path_and_asks_on(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    page.get_by_label("A question, as an agent would ask it").fill("Cover for severe exposure?")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("group", name="Asked next: What kind of member is it?").get_by_role("button", name="beam").click()
    expect(page.get_by_role("list", name="Decision path")).to_contain_text("45mm")
    lit = page.locator(".node.lit")
    assert sorted(one.get_attribute("data-node") or "" for one in lit.all()) == [
        "cover_lookup",
        "exposure_check",
        "member_type",
    ]
    expect(page.locator(".branch.lit")).to_have_count(2)
    expect(part(page, "try")).to_contain_text("finds no passage in the current documents")
    page.get_by_role("button", name="Save as a test case").click()
    expect(part(page, "cases")).to_contain_text("1 of 1 pass")
    expect(part(page, "cases")).to_contain_text("Cases reach 1 of 4 ends, 2 of 5 branches")
    save(page)
    case = DecisionTree.objects.get().cases.get()
    assert (case.facts, case.expected) == ({"member_type": "beam"}, "cover_lookup")


def test_the_keyboard_alone_is_enough(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    page.locator("#tree-canvas").focus()
    order = []
    for _ in range(6):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.dataset.node"))
    assert order[:2] == ["exposure_check", "mild_cover"]
    assert sorted(order) == sorted(cover.tree_data["nodes"])
    node(page, "exposure_check").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.node") == "mild_cover"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.node") == "moderate_cover"
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Label")).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type(", wet")
    expect(node(page, "moderate_cover")).to_have_attribute("aria-label", containing("Label of moderate_cover, wet"))
    node(page, "moderate_cover").focus()
    page.keyboard.press("Delete")
    expect(node(page, "moderate_cover")).to_have_count(0)
    expect(node(page, "exposure_check")).to_be_focused()
    expect(part(page, "said")).to_contain_text("Removed “Label of moderate_cover, wet”")
    page.keyboard.press("Control+s")
    expect(part(page, "saved")).to_contain_text("Saved ")
    assert "moderate_cover" not in DecisionTree.objects.get().tree_data["nodes"]


def test_a_branch_is_drawn_with_the_pointer(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    node(page, "member_type").hover()
    node(page, "member_type").locator(".handle .hit").drag_to(node(page, "mild_cover").locator("text").first)
    assert save(page)["nodes"]["member_type"]["childrenByAnswer"]["answer 3"] == "mild_cover"


def middle(shape: Locator) -> tuple[float, float]:
    box = shape.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_end_of_a_line_is_dragged_to_another_node_where_the_canvas_scrolls(
    page: Page, alice: User, cover: DecisionTree
) -> None:
    DecisionTree.objects.filter(pk=cover.pk).update(tree_data=many(40))
    open_editor(page, alice, cover)
    canvas = part(page, "canvas")
    node(page, "n15").evaluate("(one) => one.scrollIntoView({ block: 'center', inline: 'center' })")
    before = canvas.evaluate("(box) => [box.scrollLeft, box.scrollTop]")
    page.mouse.move(*middle(page.locator("[data-from='n4'][data-key='answer 13'] .tip")))
    page.mouse.down()
    page.mouse.move(*middle(node(page, "n15")), steps=4)
    assert canvas.evaluate("(box) => [box.scrollLeft, box.scrollTop]") == before
    page.mouse.up()
    expect(node(page, "n4")).to_have_attribute("aria-current", "true")
    assert save(page)["nodes"]["n4"]["childrenByAnswer"] == {
        "answer 13": "n15",
        "answer 14": "n14",
        "answer 15": "n15",
    }


# Until the canvas has stood still for some frames.
SCROLLED = """() => new Promise((done) => {
    const canvas = document.getElementById("tree-canvas");
    let before = "", still = 0;
    const look = () => {
        const now = `${canvas.scrollLeft} ${canvas.scrollTop}`;
        still = now === before ? still + 1 : 0;
        before = now;
        if (still > 20) done(); else requestAnimationFrame(look);
    };
    look();
})"""


@contextmanager
def a_finger(page: Page) -> Iterator[Callable[..., None]]:
    """Touches the screen: `finger("touchStart", x, y)`, the same with `touchMove`, and `touchEnd` without a place."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def finger(what: str, *place: float) -> None:
        points = [dict(zip("xy", place, strict=True))] if place else []
        session.send("Input.dispatchTouchEvent", {"type": what, "touchPoints": points})

    try:
        yield finger
    finally:
        session.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
        session.detach()


@pytest.mark.parametrize("begun_on", ["[data-from='n4'][data-key='answer 13'] .tip", "[data-node='n4'] .handle .hit"])
def test_a_finger_that_scrolls_from_a_line_or_a_hidden_handle_leads_nothing_elsewhere(
    page: Page, alice: User, cover: DecisionTree, begun_on: str
) -> None:
    DecisionTree.objects.filter(pk=cover.pk).update(tree_data=many(40))
    open_editor(page, alice, cover)
    node(page, "n15").evaluate("(one) => one.scrollIntoView({ block: 'center', inline: 'center' })")
    with a_finger(page) as finger:
        x, y = middle(page.locator(begun_on))
        finger("touchStart", x, y)
        for moved in (20, 40, 60, 80):
            finger("touchMove", x, y - moved)
        finger("touchEnd")
        page.evaluate(SCROLLED)  # a tap on what still moves only stops it
        node(page, "n14").evaluate("(one) => one.scrollIntoView({ block: 'center', inline: 'center' })")
        page.evaluate(SCROLLED)
        finger("touchStart", *middle(node(page, "n14")))
        finger("touchEnd")
    expect(page.locator(".edge.drawn")).to_have_count(0)
    expect(node(page, "n14")).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_a_finger_draws_a_branch_from_the_handle_of_the_selected_node(
    page: Page, alice: User, cover: DecisionTree
) -> None:
    open_editor(page, alice, cover)
    node(page, "member_type").click()
    with a_finger(page) as finger:
        finger("touchStart", *middle(node(page, "member_type").locator(".handle .hit")))
        finger("touchMove", *middle(node(page, "moderate_cover")))
        finger("touchMove", *middle(node(page, "mild_cover")))
        finger("touchEnd")
    assert save(page)["nodes"]["member_type"]["childrenByAnswer"]["answer 3"] == "mild_cover"


def test_a_line_that_the_browser_takes_from_the_pointer_leads_nowhere(
    page: Page, alice: User, cover: DecisionTree
) -> None:
    open_editor(page, alice, cover)
    node(page, "member_type").hover()
    page.mouse.move(*middle(node(page, "member_type").locator(".handle .hit")))
    page.mouse.down()
    page.mouse.move(*middle(node(page, "mild_cover")))
    expect(page.locator(".edge.drawn")).to_have_count(1)
    cancel = "(one) => one.dispatchEvent(new PointerEvent('pointercancel', { pointerId: 1, bubbles: true }))"
    node(page, "mild_cover").evaluate(cancel)
    expect(page.locator(".edge.drawn")).to_have_count(0)
    page.mouse.up()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_json_goes_both_ways_and_a_mistake_has_its_line(
    page: Page, alice: User, cover: DecisionTree, complaints: list[str]
) -> None:
    open_editor(page, alice, cover)
    page.get_by_role("button", name="JSON", exact=True).click()
    text = page.get_by_role("textbox", name="The tree as JSON")
    assert json.loads(text.input_value()) == cover_tree_data()
    text.fill('{\n  "rootNodeId": "a",\n  "nodes" {}\n}')
    page.get_by_role("button", name="Draw it").click()
    expect(part(page, "json")).to_contain_text("This is not JSON: Expecting ':' delimiter at line 3, column 11.")
    data = cover_tree_data()
    data["nodes"]["mild_cover"]["label"] = "Indoors"
    # As it is exported: with what it decides and its test cases beside it.
    case = {"name": "Inside", "sentence": "", "facts": {}, "expectation": "reaches", "expected": "mild_cover"}
    beside = {"name": "Cover", "description": "The cover that a member needs.", "cases": [case]}
    text.fill(json.dumps({**beside, **data}, indent=2))
    page.get_by_role("button", name="Draw it").click()
    expect(part(page, "json")).to_contain_text("Drawn. Nothing is wrong with it.")
    expect(page.get_by_role("textbox", name="Decides")).to_have_value("The cover that a member needs.")
    page.get_by_role("button", name="Back to the drawing").click()
    expect(node(page, "mild_cover")).to_contain_text("Indoors")
    assert "cases" not in save(page)
    assert DecisionTree.objects.get().cases.get().as_dict() == case
    complaints[:] = [said for said in complaints if "400" not in said]


def test_a_tree_is_saved_after_a_new_sign_in_in_another_tab(
    page: Page, alice: User, cover: DecisionTree, complaints: list[str]
) -> None:
    open_editor(page, alice, cover)
    node(page, "mild_cover").click()
    page.get_by_role("textbox", name="Label").fill("Indoors")
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Sign in again in another tab; your text is still here.")
    sign_in_by_hand(page.context.new_page(), alice)
    assert save(page)["nodes"]["mild_cover"]["label"] == "Indoors"
    complaints[:] = [said for said in complaints if "403" not in said and "405" not in said]


def test_other_words_are_kept_of_options_that_have_a_colon(page: Page, alice: User, cover: DecisionTree) -> None:
    options = ["beam", "slab", "1", "1:500", "Stage 2: detailed design"]
    data = cover_tree_data()
    data["fields"] = {"member_type": {"type": "choice", "options": options, "synonyms": {"1:500": ["site plan"]}}}
    DecisionTree.objects.filter(pk=cover.pk).update(tree_data=data)
    open_editor(page, alice, cover)
    page.get_by_role("button", name="Name and facts").click()
    page.locator("details[data-name='fact:member_type'] summary").click()
    words = page.locator("[data-name='fact:member_type:synonyms']")
    expect(words).to_have_value("1:500: site plan")
    words.fill("1:500: site plan, block plan\nStage 2: detailed design: working drawings\n1: full size\nStage 3: late")
    saved = save(page)["fields"]["member_type"]["synonyms"]
    assert saved == {
        "1:500": ["site plan", "block plan"],
        "Stage 2: detailed design": ["working drawings"],
        "1": ["full size"],
        "Stage 3": ["late"],
    }
    words.fill("1:500\nStage 2: detailed design:")
    assert save(page)["fields"]["member_type"]["synonyms"] == {"1:500": [], "Stage 2: detailed design": []}


def hold_checks_of_json(page: Page) -> list[Route]:
    """What is asked about typed JSON from now on waits here."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        if "text" in (route.request.post_data_json or {}):
            held.append(route)
        else:
            route.continue_()

    page.route("**/check/", hold)
    return held


def test_saving_twice_while_typed_json_is_checked_saves_once(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    page.get_by_role("button", name="JSON", exact=True).click()
    data = cover_tree_data()
    data["nodes"]["mild_cover"]["label"] = "Indoors"
    page.get_by_role("textbox", name="The tree as JSON").fill(json.dumps(data))
    held, put = hold_checks_of_json(page), []
    page.on("request", lambda request: put.append(request.url) if request.method == "PUT" else None)
    button = page.get_by_role("button", name="Save", exact=True)
    button.click()
    expect(part(page, "saved")).to_have_text("Saving…")
    button.click()
    while not held:
        page.wait_for_timeout(20)
    for route in held:
        route.continue_()
    expect(part(page, "saved")).to_contain_text("Saved ")
    wait_until_quiet(page)
    assert (len(put), page.get_by_role("alert").count()) == (1, 0)
    assert DecisionTree.objects.get().tree_data["nodes"]["mild_cover"]["label"] == "Indoors"


def test_what_is_typed_while_json_is_checked_stays(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    page.get_by_role("button", name="JSON", exact=True).click()
    data = cover_tree_data()
    data["nodes"]["mild_cover"]["label"] = "Indoors"
    text = page.get_by_role("textbox", name="The tree as JSON")
    text.fill(json.dumps(data))
    held = hold_checks_of_json(page)
    page.get_by_role("button", name="Draw it").click()
    typed = json.dumps(data).replace("Indoors", "Indoors and dry")
    text.fill(typed)
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(part(page, "json")).to_contain_text("Drawn.")
    expect(text).to_have_value(typed)


def test_nothing_of_anybody_is_lost_when_two_save(
    page: Page, alice: User, bob: User, cover: DecisionTree, complaints: list[str]
) -> None:
    open_editor(page, alice, cover)
    theirs = cover_tree_data()
    theirs["nodes"]["mild_cover"]["label"] = "Bob's words"
    DecisionTree.objects.filter(pk=cover.pk).update(changed_by=bob)
    tree = DecisionTree.objects.get()
    tree.tree_data = theirs
    tree.save()
    node(page, "mild_cover").click()
    page.get_by_role("textbox", name="Label").fill("Alice's words")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Bob changed this tree at ")
    expect(node(page, "mild_cover")).to_contain_text("Alice's words")
    assert DecisionTree.objects.get().tree_data == theirs
    page.get_by_role("button", name="Keep mine").click()
    assert save(page)["nodes"]["mild_cover"]["label"] == "Alice's words"
    complaints[:] = [said for said in complaints if "412" not in said]


def test_leaving_with_unsaved_changes_asks_first(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    node(page, "mild_cover").click()
    page.get_by_role("textbox", name="Label").fill("Changed")
    asked: list[str] = []
    page.once("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.reload()
    assert asked == ["beforeunload"]


def test_a_viewer_reads_and_tries_and_cannot_change(page: Page, bob: User, cover: DecisionTree) -> None:
    cover.plugin.viewers.add(bob)
    open_editor(page, bob, cover)
    expect(page.get_by_role("button", name="Save", exact=True)).to_have_count(0)
    node(page, "mild_cover").click()
    expect(page.get_by_role("textbox", name="Label")).to_be_disabled()
    node(page, "mild_cover").press("Delete")
    expect(node(page, "mild_cover")).to_have_count(1)
    page.get_by_label("A question, as an agent would ask it").fill("Cover in mild exposure?")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("list", name="Decision path")).to_contain_text("20mm")


def test_only_the_canvas_scrolls_sideways(page: Page, alice: User, cover: DecisionTree) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    data = cover_tree_data()
    data["nodes"]["mild_cover"]["label"] = "abcdefghij" * 20
    DecisionTree.objects.filter(pk=cover.pk).update(tree_data=data, name="x" * 120)
    open_editor(page, alice, cover)
    wide = too_wide(page)
    node(page, "mild_cover").click()
    wide += too_wide(page)
    page.goto(pane(cover.plugin))
    assert wide + too_wide(page) == []


def test_on_a_phone_the_panel_comes_to_who_taps_a_node_and_a_link_leads_back(
    page: Page, alice: User, cover: DecisionTree
) -> None:
    page.set_viewport_size({"width": 390, "height": 700})
    open_editor(page, alice, cover)
    root = page.locator("[data-node]").first
    root.click()
    expect(page.locator("#tree-panel-title")).to_be_in_viewport()
    page.get_by_role("link", name="To the drawing").click()
    expect(root).to_be_in_viewport()
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.get_by_role("link", name="To the drawing")).to_be_hidden()
    page.evaluate("scrollTo(0, 0)")
    root.click()
    assert page.evaluate("scrollY") == 0  # the panel stands beside


def too_wide(page: Page) -> list[Any]:
    return [(page.url, look) for look in each_look(page, [(390, "light"), (1440, "light")]) if overflow(page) > 0]


def many(count: int) -> dict[str, Any]:
    """A tree of questions with three answers each."""
    nodes: dict[str, Any] = {}
    for number in range(count):
        children = [child for child in range(3 * number + 1, 3 * number + 4) if child < count]
        answers = {f"answer {child}": f"n{child}" for child in children}
        asked = {"text": "Which?", "options": list(answers)}
        one = {"id": f"n{number}", "label": f"Node {number}"}
        nodes[one["id"]] = (
            {**one, "type": "question", "question": asked, "childrenByAnswer": answers}
            if children
            else {**one, "type": "action", "action": {"recommendation": f"{number} mm", "sourceHint": "Table 16"}}
        )
    return {"rootNodeId": "n0", "nodes": nodes}


def test_a_selection_lays_nothing_out_and_draws_two_nodes(page: Page, alice: User, cover: DecisionTree) -> None:
    DecisionTree.objects.filter(pk=cover.pk).update(tree_data=many(200))
    open_editor(page, alice, cover)
    assert page.locator("[data-node]").count() == 200
    page.evaluate("""() => {
        window.touched = new Set();
        new MutationObserver((changes) => changes.forEach((one) => window.touched.add(one.target)))
            .observe(document.getElementById("tree-canvas"), { subtree: true, childList: true, attributes: true });
    }""")
    node(page, "n1").click()
    node(page, "n2").click()
    assert page.evaluate("window.touched.size") == 2
    assert page.evaluate("performance.getEntriesByName('tree-layout').length") == 1


def test_answers_are_drawn_in_the_order_in_which_they_are_written(page: Page, alice: User, cover: DecisionTree) -> None:
    data = many(40)
    DecisionTree.objects.filter(pk=cover.pk).update(tree_data=data)
    open_editor(page, alice, cover)
    tops = {name: node(page, name).bounding_box()["y"] for name in data["nodes"]}  # type: ignore[index]
    for one in data["nodes"].values():
        drawn = [tops[child] for child in one.get("childrenByAnswer", {}).values()]
        assert drawn == sorted(drawn), one["id"]


def test_a_target_is_told_from_others_of_its_name(page: Page, alice: User, cover: DecisionTree) -> None:
    data = many(4)
    for name in ("n1", "n2"):
        data["nodes"][name]["label"] = "Look up"
    DecisionTree.objects.filter(pk=cover.pk).update(tree_data=data)
    open_editor(page, alice, cover)
    node(page, "n0").click()
    target = page.get_by_label("“answer 2” leads to")
    expect(target.locator("option:checked")).to_have_text("Look up · 2 mm")
    answer = page.get_by_label("Answer 2", exact=True)
    assert target.bounding_box()["width"] > answer.bounding_box()["width"]  # type: ignore[index]


def test_the_drawing_is_moved_with_the_pointer_and_the_selection_stays(
    page: Page, alice: User, cover: DecisionTree
) -> None:
    DecisionTree.objects.filter(pk=cover.pk).update(tree_data=many(200))
    open_editor(page, alice, cover)
    node(page, "n0").click()
    canvas = part(page, "canvas")
    for ground in ("svg", ".branch .hit"):
        canvas.evaluate("(box) => box.scrollTo(200, 2000)")
        start = canvas.evaluate(
            """(box, ground) => {
              const { left, top, width, height } = box.getBoundingClientRect();
              for (let x = left + 40; x < left + width - 40; x += 7)
                for (let y = top + 40; y < top + height - 40; y += 7)
                  if (document.elementFromPoint(x, y)?.matches(ground)) return [x, y];
            }""",
            ground,
        )
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(start[0] + 60, start[1] + 90, steps=4)
        page.mouse.up()
        assert canvas.evaluate("(box) => [box.scrollLeft, box.scrollTop]") == [140, 1910]
        expect(node(page, "n0")).to_have_attribute("aria-current", "true")


def _read(document: Document) -> None:
    with release_connections():
        ingest(document.pk)


def test_ends_are_tried_against_the_documents_and_marked(page: Page, alice: User, cover: DecisionTree) -> None:
    text = "# Cover\n\nConcrete in mild exposure has a nominal cover of 20 mm.\n"
    document = add_markdown(own_knowledge_base(cover.plugin), text, name="cover.md")
    with ThreadPoolExecutor(max_workers=1) as worker:  # the browser keeps an event loop on this thread
        worker.submit(_read, document).result()
    data = many(3)
    data["nodes"]["n1"]["action"] = {"recommendation": "Nominal cover of 20 mm", "sourceHint": "mild exposure"}
    data["nodes"]["n2"]["action"] = {"recommendation": "Ask Professor Quillfeather", "sourceHint": ""}
    DecisionTree.objects.filter(pk=cover.pk).update(tree_data=data)
    open_editor(page, alice, cover)
    ends = part(page, "ends")
    ends.get_by_role("button", name="Try all ends").click()
    expect(ends.locator("[data-count]")).to_have_text("1 of 2 supported")
    expect(node(page, "n2")).to_have_attribute("aria-label", containing("people who get here are refused"))
    expect(ends.get_by_role("link", name="Cover", exact=True)).to_have_attribute("href", containing("/source/"))
    assert serious_in_each_look(page) == []
    node(page, "n2").click()
    page.get_by_label("Recommendation").fill("In mild exposure, a nominal cover of 20 mm")
    expect(ends).to_contain_text("not tried")
    page.get_by_role("button", name="Try it against the documents").click()
    expect(part(page, "panel").locator("blockquote")).to_contain_text("20 mm")
    expect(ends.locator("[data-count]")).to_have_text("2 of 2 supported")
    expect(node(page, "n2")).not_to_have_attribute("aria-label", containing("refused"))


def test_what_blocks_no_release_is_to_be_looked_at_and_no_problem(page: Page, alice: User, cover: DecisionTree) -> None:
    DecisionTree.objects.filter(pk=cover.pk).update(tree_data=MINIMAL_TREE)
    open_editor(page, alice, cover)
    expect(part(page, "state")).to_have_text("2 to look at")
    expect(part(page, "problems").get_by_role("listitem")).to_have_count(2)


def test_an_end_that_no_page_supports_is_a_problem_as_soon_as_it_is_saved(
    page: Page, alice: User, cover: DecisionTree
) -> None:
    open_editor(page, alice, cover)
    expect(part(page, "state")).to_have_text("no problems")
    node(page, "mild_cover").press("Enter")
    page.get_by_label("Recommendation").fill("Ask Professor Quillfeather")
    with page.expect_response(lambda response: response.request.method == "PUT"):
        page.get_by_role("button", name="Save", exact=True).click()
    refused = "No page says this: people who get here are refused."
    expect(part(page, "ends")).to_contain_text(refused)
    expect(part(page, "problems")).to_contain_text(refused)
    expect(part(page, "state")).not_to_have_text("no problems")


def test_a_walk_says_whether_a_page_supports_its_end(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    page.get_by_label("A question, as an agent would ask it").fill("Cover in mild exposure?")
    page.get_by_role("button", name="Run").click()
    expect(part(page, "try")).to_contain_text("people who get here are refused")


def test_a_tree_is_called_by_its_new_name_once_it_is_saved(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    page.get_by_label("Name", exact=True).fill("Cover of walls")
    with page.expect_response(lambda response: response.request.method == "PUT"):
        page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Cover of walls", exact=True)).to_be_visible()
    expect(page.get_by_role("group", name="Decision tree Cover of walls")).to_have_count(1)
    expect(page).to_have_title(re.compile("^Cover of walls · Structures"))


def test_tab_goes_on_after_an_answer_is_renamed(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    node(page, "exposure_check").press("Enter")
    answer = page.get_by_label("Answer 1")
    answer.fill("harsh")
    answer.press("Tab")
    expect(page.get_by_label("“harsh” leads to")).to_be_focused()
    expect(page.locator(".branch text").filter(has_text="harsh")).to_have_count(1)


def test_what_is_written_is_saved_by_its_key_from_within_the_field(
    page: Page, alice: User, cover: DecisionTree
) -> None:
    open_editor(page, alice, cover)
    node(page, "exposure_check").press("Enter")
    answer = page.get_by_label("Answer 1")
    answer.fill("harsh")
    with page.expect_response(lambda response: response.request.method == "PUT"):
        answer.press("Control+s")
    expect(part(page, "saved")).to_contain_text("Saved ")
    expect(answer).to_be_focused()
    assert "harsh" in DecisionTree.objects.get().tree_data["nodes"]["exposure_check"]["childrenByAnswer"]


def test_arrows_open_a_list_whose_choice_acts_at_once(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    node(page, "exposure_check").press("Enter")
    page.get_by_label("Answer 1").press("Tab")
    before = page.locator("[data-node]").count()
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(part(page, "saved")).to_have_text("Not saved")
    expect(part(page, "said")).not_to_be_empty()
    assert page.get_by_role("button", name="Undo").is_enabled()
    page.keyboard.press("Control+z")
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()  # it was one change
    expect(page.locator("[data-node]")).to_have_count(before)


def test_the_focus_stays_near_what_was_pressed(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    node(page, "exposure_check").press("Enter")
    page.get_by_role("button", name="Remove the answer").first.press("Enter")
    expect(part(page, "said")).to_contain_text("Removed the answer")
    assert page.evaluate("document.activeElement.closest('[data-part=panel]') !== null")
    undo = page.get_by_role("button", name="Undo")
    undo.press("Enter")
    expect(undo).to_be_disabled()
    expect(page.get_by_role("button", name="Redo")).to_be_focused()
    page.get_by_label("Answer 1").press("Escape")
    expect(node(page, "exposure_check")).to_be_focused()
    tries = page.get_by_role("button", name="Try all ends")
    tries.press("Enter")
    expect(part(page, "said")).to_contain_text("ends")
    expect(tries).to_be_focused()


def test_a_tree_is_read_and_edited_while_its_ends_are_checked(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    held: list[Route] = []
    for address in ("**/end/", "**/check/"):
        page.route(address, lambda route: held.append(route))
    ends, progress = part(page, "ends"), page.locator("[data-progress]")
    ends.get_by_role("button", name="Try all ends").click()
    expect(progress).to_have_text("Checking end 1 of 4 against the documents: “20mm”")
    expect(part(page, "said")).to_have_text("Checking end 1 of 4 against the documents: “20mm”")
    expect(progress.get_by_role("progressbar", name="Ends checked")).to_have_attribute("max", "4")
    # Whatever is being checked is as dark as before, and can be changed: even the end that is next is taken away.
    node(page, "moderate_cover").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(part(page, "problems")).to_have_attribute("aria-busy", "true")
    expect(part(page, "problems").get_by_text("checking…")).to_be_visible()
    assert violations(page) == []
    pale = "all => all.filter(one => getComputedStyle(one).opacity === '0.6').length"
    assert page.locator(".tree-editor *").evaluate_all(pale) == 0
    ends.get_by_role("link", name="40mm").focus()
    page.unroute("**/end/")
    for route in held:
        route.continue_()
    expect(part(page, "said")).to_have_text("3 of 3 ends are not supported by the documents.")
    expect(progress).to_be_hidden()
    expect(ends.get_by_role("link", name="40mm")).to_be_focused()


def test_checking_the_ends_can_be_stopped(page: Page, alice: User, cover: DecisionTree) -> None:
    open_editor(page, alice, cover)
    held: list[Route] = []
    page.route("**/end/", lambda route: held.append(route))
    ends = part(page, "ends")
    ends.get_by_role("button", name="Try all ends").click()
    ends.get_by_role("button", name="Stop").click()
    expect(part(page, "said")).to_have_text("Stopped at end 1 of 4.")
    for route in held:
        route.continue_()
    expect(ends).to_contain_text("No page says this")
    assert len(held) == 1
    expect(ends.get_by_role("button", name="Try all ends")).to_be_focused()


NAMED_BY_WHAT_IS_SHOWN = """() => axe.run("#tree-canvas", { runOnly: ["label-content-name-mismatch"] })
  .then(({ passes, violations }) => [passes, violations].map((found) => found.flatMap((one) => one.nodes).length))"""
LONG = "How far is the member from the sea, and which wind blows over it in most months of the year?"


def test_nodes_whose_words_are_too_long_are_named_by_what_is_shown(
    page: Page, alice: User, cover: DecisionTree
) -> None:
    data = cover_tree_data()
    for name in ("member_type", "mild_cover"):
        data["nodes"][name]["label"] = LONG
    data["nodes"]["mild_cover"]["action"]["recommendation"] = f"20 mm. {LONG}"
    DecisionTree.objects.filter(pk=cover.pk).update(tree_data=data)
    open_editor(page, alice, cover)
    page.evaluate(AXE.read_text())
    passed, failed = page.evaluate(NAMED_BY_WHAT_IS_SHOWN)
    assert passed > 3
    assert failed == 0
    cut = node(page, "mild_cover").locator(".cut")
    assert cut.evaluate_all("all => all.map((one) => one.scrollWidth > one.clientWidth)") == [True, True]
    # What is not seen is not there for the pointer either, and makes the node no wider.
    assert node(page, "mild_cover").evaluate("one => one.getBBox().width") <= 200
    node(page, "mild_cover").click()
    expect(page.get_by_role("textbox", name="Label")).to_have_value(LONG)


def violations(page: Page) -> list[str]:
    return violations_in_each_look(page, WIDE_AND_NARROW)


def test_axe_finds_nothing_in_any_state_of_the_tree_editor(
    page: Page, alice: User, cover: DecisionTree, complaints: list[str]
) -> None:
    open_editor(page, alice, cover)
    problems = violations(page)
    for name in ("exposure_check", "member_type", "mild_cover"):
        node(page, name).focus()
        node(page, name).press("Enter")
        problems += violations(page)
    page.get_by_role("textbox", name="Label").fill("")
    page.get_by_role("button", name="Question", exact=True).click()
    problems += violations(page)
    page.get_by_role("button", name="Name and facts").click()
    problems += violations(page)
    page.get_by_label("A question, as an agent would ask it").fill("Cover in mild exposure?")
    page.get_by_role("button", name="Run").click()
    part(page, "try").get_by_role("list", name="Decision path").wait_for()
    page.get_by_role("button", name="Try all ends").click()
    problems += violations(page)
    page.get_by_role("button", name="JSON", exact=True).click()
    page.get_by_role("textbox", name="The tree as JSON").fill("{")
    page.get_by_role("button", name="Draw it").click()
    problems += violations(page)
    assert sorted(set(problems)) == []
    complaints[:] = [said for said in complaints if "400" not in said]  # what is no JSON is refused
