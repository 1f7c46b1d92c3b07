"""The workspace in a real browser: files come in and are watched, and axe has nothing to say."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections
from playwright.sync_api import Page, Route, expect

from accounts.models import User
from agents.models import AgentRun
from connectors.models import DriveConnection
from contracts.review.run_review import run_review
from contracts.review.start_review import start_review
from conversations.models import ChatSession, Project
from knowledge.citation_url import source_path
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Document
from plugins.models import Plugin
from tests.browsers import sign_in, streamed_page, violations_in_each_look
from tests.contracts.documents import give_contract
from tests.google_stub import REFRESH_TOKEN, Google, google
from tests.workspace.conftest import SETTLEMENT, read_text
from tests.workspace.test_panel import TEMPLATE

__all__ = ["google", "streamed_page"]  # fixtures of theirs that are used here too

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LONG = "abcdefghij" * 11
# As soon as anything comes into the conversation, whoever asked is elsewhere, or has begun the next message.
GOES_ELSEWHERE = """() => new MutationObserver((_, observer) => {
    document.querySelector("nav a").focus();
    observer.disconnect();
  }).observe(document.getElementById("talk"), { subtree: true, childList: true })"""
WRITES_AT_ONCE = """() => new MutationObserver(() => (document.querySelector("#chat-form textarea").value ||= "And"))
  .observe(document.getElementById("talk"), { subtree: true, childList: true })"""


@pytest.fixture
def project(alice: User) -> Project:
    """Made on another thread: Playwright keeps an event loop in this one."""
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(_furnished, alice).result()


def _furnished(alice: User) -> Project:
    made = Project.objects.create_with_base(owner=alice, name=LONG, description=LONG * 3)
    made.set_member(f"{LONG[:40]}@example.org", "viewer")
    document = read_text(made.knowledge_base, LONG, SETTLEMENT)
    _converse(alice, made, document)
    Document.objects.create(
        knowledge_base=made.knowledge_base, title="Scan", source_type="pdf", status="failed", error=LONG
    )
    add_text(knowledge_base=made.knowledge_base, title="Waiting", text="It waits.", enqueue=False)
    connections.close_all()
    return made


def _converse(alice: User, project: Project, document: Document) -> None:
    """A conversation in the project: an answer that quotes the document, and a question back."""
    session = ChatSession.objects.begin_private(user=alice, project=project, title=LONG)
    page = document.pages.get()
    start = page.text.index("nineteen")
    cited = {"documentId": str(document.pk), "documentTitle": LONG, "chunkId": document.chunks.get().pk}
    place = {"start": start, "end": start + 8, "excerpt": "nineteen", "pageId": page.pk, "page": None}
    place["url"] = source_path(page.pk, start=start, end=start + 8)
    asked_back = {"question": "Which party?", "options": ["Marrow", LONG], "field": "party", "token": "t"}
    answers: list[dict[str, Any]] = [
        {"outcome": "answered", "answer": "It pays nineteen. [Source 1]", "citations": [{**cited, **place}]},
        {"outcome": "clarify", "clarification": asked_back},
    ]
    for answer in answers:
        asked = uuid4()
        session.messages.create(role="user", content="What does it pay?", query_id=asked)
        session.messages.create(role="assistant", content="", metadata=answer, query_id=asked)


def test_every_page_passes_axe_in_each_look(page: Page, alice: User, project: Project) -> None:
    sign_in(page, alice)
    found = []
    root = f"/projects/{project.pk}"
    document = Document.objects.get(title="Scan")
    for path in (
        "/projects",
        root,
        f"{root}?q=thirty+days",
        f"{root}/delete",
        f"{root}/documents/{document.pk}/delete",
        f"{root}/documents/{Document.objects.get(title=LONG).pk}/compare",
    ):
        page.goto(path)
        found += violations_in_each_look(page)
    session = ChatSession.objects.get()
    for path in ("/chats", "/chats/new", f"/c/{session.pk}", f"/c/{session.pk}/delete"):
        page.goto(path)
        found += violations_in_each_look(page)
    page.goto("/knowledge")
    for summary in ("Paste text", "Add web pages"):
        page.locator("summary", has_text=summary).click()
    assert found + violations_in_each_look(page) == []


def test_a_file_is_sent_with_progress_and_the_list_follows_its_reading(
    page: Page, alice: User, project: Project, tmp_path: Path
) -> None:
    file = tmp_path / "notes.md"
    file.write_text("# Limitation\n\nA claim in contract is barred six years after the breach.")
    sign_in(page, alice, to="/knowledge")
    page.get_by_label("Drop files here").set_input_files(file)
    row = page.locator("#documents .file")
    expect(row).to_contain_text("waiting")
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(_read_all).result()
    expect(row).to_contain_text("ready")
    expect(page.locator("#documents-said")).to_have_text("Nothing is being read.")
    row.get_by_role("link", name="Limitation", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Limitation")


def _read_all() -> None:
    for document in Document.objects.unfinished():
        ingest(document.pk)
    connections.close_all()


def test_a_message_is_answered_as_it_comes_and_stands_there_when_the_page_is_opened_again(
    streamed_page: Page, alice: User, project: Project
) -> None:
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(_give_plugin, alice, project).result()
    page = streamed_page
    sign_in(page, alice, to=f"/chats/new?project={project.pk}")
    page.get_by_label("Your message").fill("What does Marrow pay within thirty days of signature?")
    page.get_by_role("button", name="Send").dblclick()
    answer = page.locator("#talk > .turn[data-outcome=answered]")
    expect(answer).to_contain_text("nineteen thousand pounds")
    expect(page.get_by_role("heading", level=1)).to_contain_text("What does Marrow pay")
    session = ChatSession.objects.get(title__startswith="What does Marrow")
    assert page.url.endswith(f"/c/{session.pk}")
    page.locator(".attach summary").click()
    expect(page.locator(".attachable input").first).to_be_enabled()
    page.reload()
    expect(answer).to_contain_text("nineteen thousand pounds")
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    # A connection that breaks loses nothing: the run goes on, and so does the page.
    page.route("**/chats/ask", _cut_off)
    page.get_by_label("Your message").fill("How many thousand pounds does Marrow pay?")
    page.get_by_role("button", name="Send").click()
    expect(answer).to_have_count(2)
    page.unroute("**/chats/ask")


def _cut_off(route: Route) -> None:
    """The answer up to its first sentence."""
    response = route.fetch()
    whole = response.text()
    route.fulfill(response=response, body=whole[: whole.index("event: content")])


def test_a_stream_that_ends_before_its_run_is_named_is_said_to_have_stopped(
    page: Page, alice: User, project: Project
) -> None:
    address = f"/c/{ChatSession.objects.get().pk}"
    sign_in(page, alice, to=address)
    headers = {"content-type": "text/event-stream", "content-location": address}
    page.route("**/chats/ask", lambda route: route.fulfill(headers=headers, body=": begun\n\n"))
    page.get_by_label("Your message").fill("What does Marrow pay?")
    page.get_by_role("button", name="Send").click()
    turn = page.locator("#talk > .turn").last
    expect(turn.get_by_role("alert")).to_contain_text("The answer stopped early.")
    expect(turn).to_have_attribute("aria-busy", "false")


def test_files_of_google_drive_are_chosen(page: Page, alice: User, google: Google) -> None:
    google.add("one", "notes.txt", b"Marrow beds are watered in the evening.")
    google.add("two", LONG, b"", "application/vnd.google-apps.presentation")
    sign_in(page, alice, to="/knowledge/google-drive")
    found = violations_in_each_look(page)
    page.goto("/settings")
    found += violations_in_each_look(page)
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(_connect_drive, alice).result()
    page.reload()
    found += violations_in_each_look(page)
    page.get_by_role("link", name="Add files to my documents").click()
    expect(page.get_by_label("notes.txt")).to_be_visible()
    found += violations_in_each_look(page)
    page.get_by_label("notes.txt").check()
    page.get_by_role("button", name="Add chosen files").click()
    expect(page.locator("#documents .file")).to_contain_text("notes")
    assert found == []


def _connect_drive(alice: User) -> None:
    DriveConnection.objects.connect(alice, refresh_token=REFRESH_TOKEN, account_email="ada@gmail.example")
    connections.close_all()


def test_a_review_is_read_by_keys_and_passes_axe(page: Page, alice: User) -> None:
    with ThreadPoolExecutor(1) as elsewhere:
        address = elsewhere.submit(_review, alice).result()
    sign_in(page, alice, to=address)
    page.get_by_text("Risk grid").click()
    found = violations_in_each_look(page)
    for key in "jjk":
        page.keyboard.press(key)
    first = page.locator("#finding-1")
    expect(first).to_be_focused()
    page.keyboard.press("a")
    expect(first).to_contain_text("Accepted by Alice")
    expect(first).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("d")
    expect(page.locator("#finding-2")).to_contain_text("Dismissed by Alice")
    page.locator("[data-shows]").first.click()
    expect(page.get_by_role("region", name="Text of the document")).to_be_focused()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == "finding"
    page.goto(f"{address}/delete")
    assert found + violations_in_each_look(page) == []


def test_jl_058_jl_059_a_draft_stands_in_a_panel_beside_its_answer_with_the_way_to_it(
    streamed_page: Page, alice: User, project: Project
) -> None:
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(_give_plugin, alice, project).result()
    page = streamed_page
    sign_in(page, alice, to=f"/chats/new?project={project.pk}")
    page.locator(".attach summary").click()
    page.get_by_label(LONG).check()
    expect(page.locator("[data-attached]")).to_have_text("1")
    found = violations_in_each_look(page)
    page.keyboard.press("Escape")
    expect(page.get_by_label(LONG)).to_be_hidden()
    expect(page.locator(".attach summary")).to_be_focused()
    page.get_by_label("Your message").fill("Draft a notice of termination.\nTenant: Acme")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_label("Your answer")).to_be_focused()
    page.get_by_label("Your answer").fill("31 March")
    page.get_by_role("button", name="Continue").click()
    panel = page.locator("#talk > .turn:last-child .panel")
    expect(panel).to_contain_text("To Acme: the lease ends on 31 March.")
    expect(page.locator("[data-attached]")).to_be_hidden()
    widths = [page.locator(part).last.bounding_box() for part in (".side", ".panel")]
    assert [box and round(box["width"]) for box in widths] == [250, 400]
    panel.get_by_text("How this came about").click()
    expect(panel.locator(".flow")).to_contain_text("Filled in the template")
    found += violations_in_each_look(page)
    panel.get_by_role("link", name="Save as a document").click()
    expect(page.get_by_role("button", name="Save document")).to_be_visible()
    found += violations_in_each_look(page)
    page.get_by_role("button", name="Save document").click()
    expect(page.locator(".panel .state.ok")).to_have_text("saved")
    page.goto(f"{page.url.split('#')[0]}/runs/{AgentRun.objects.latest('created_at').pk}/flow")
    assert found + violations_in_each_look(page) == []


def test_who_types_at_the_options_of_a_question_back_answers_in_words(
    page: Page, alice: User, project: Project
) -> None:
    sign_in(page, alice, to=f"/c/{ChatSession.objects.get().pk}")
    page.get_by_role("button", name="Marrow").focus()
    page.keyboard.type("the lessor")
    expect(page.get_by_label("Your message")).to_have_value("the lessor")


@pytest.mark.parametrize(
    ("does", "focused"), [(WRITES_AT_ONCE, "#chat-form textarea[name=question]"), (GOES_ELSEWHERE, "nav a >> nth=0")]
)
def test_a_question_back_takes_the_focus_from_nobody(
    streamed_page: Page, alice: User, project: Project, does: str, focused: str
) -> None:
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(_give_plugin, alice, project).result()
    page = streamed_page
    sign_in(page, alice, to=f"/chats/new?project={project.pk}")
    page.get_by_label("Your message").fill("Draft a notice of termination.\nTenant: Acme")
    page.evaluate(does)
    page.keyboard.press("Enter")
    expect(page.get_by_label("Your answer")).to_be_visible()
    expect(page.locator(focused)).to_be_focused()


@pytest.mark.parametrize("presses_key", [False, True])
def test_jl_059_a_citation_shows_its_source_in_the_panel_and_the_source_opens_its_page(
    page: Page, alice: User, project: Project, presses_key: bool
) -> None:
    sign_in(page, alice, to=f"/c/{ChatSession.objects.get().pk}")
    mark = page.locator(".reading .cite").first
    if presses_key:
        mark.focus()
        page.keyboard.press("Enter")
    else:
        mark.click()
    source = page.locator(".panel .evidence li:target")
    expect(source.locator("mark")).to_have_text("nineteen")
    expect(source).to_be_in_viewport()
    assert source.evaluate("(one) => getComputedStyle(one).outlineStyle") == "solid"
    page.keyboard.press("Tab")  # the panel goes on where the mark has led
    opens = source.get_by_role("link", name="Open source 1")
    expect(opens).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/source/**")
    page.go_back()
    assert violations_in_each_look(page) == []


def _review(alice: User) -> str:
    document = give_contract(alice)
    review = start_review(document, by=alice, principal=alice)
    run_review(review)
    connections.close_all()
    return f"/contracts/reviews/{review.pk}"


def _give_plugin(alice: User, project: Project) -> None:
    plugin = Plugin.objects.create(
        owner=alice, name="Desk", slug="desk", domain="law", system_prompt="You are a clerk."
    )
    project.change(plugin=plugin)
    template = read_text(project.knowledge_base, "Notice of termination", TEMPLATE)
    Document.objects.filter(pk=template.pk).update(is_template=True)
    connections.close_all()
