"""From signing up to an agent's answer, by hand, as somebody who has never seen the builder does it.

Every page on the way must be quiet in the console, no wider than the screen, with a name on every control and a way
on. The walk is done wide and light, and on a phone in the dark; every page is looked at in the other light too.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from evaluation import tasks
from evaluation.models import EvaluationRun
from knowledge.ingest import ingest
from knowledge.models import Document
from lexic.database import release_connections
from plugins.models import Plugin
from querying.models import Query
from tests.browsers import SLOW, shade, wait_until_quiet, watch_requests
from tests.knowledge.bases import pdf

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGES = ["A ladder is inspected before every use.", "A ladder stands at an angle of 75 degrees on firm ground."]
SCAFFOLDS = "# Scaffolds\n\n## Checks\n\nA scaffold is inspected every seven days by a competent person.\n"
ROPES = "Ropes are replaced after ten years, and at once after a fall."
TREE = ("Which inspection", "What is inspected?", "inspection of a ladder", "inspection of a scaffold")

# What reaches beyond the screen, and is not inside of something that scrolls.
WIDE = """() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  return [`${scrollWidth} in ${clientWidth}`, ...[...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > clientWidth + 1 && !one.closest(".scroll, pre"))
    .map((one) => `${one.tagName}.${one.className.baseVal ?? one.className}`)].slice(0, 9);
}"""
# Controls that say nothing to those who cannot see them.
UNNAMED = """() => [...document.querySelectorAll(":is(input:not([type=hidden]), select, textarea, button, a[href])")]
  .filter((one) => one.checkVisibility() && !(one.labels?.length || one.ariaLabel || one.title
    || one.getAttribute("aria-labelledby") || one.textContent.trim() || one.querySelector("img[alt]")))
  .map((one) => one.outerHTML.slice(0, 160))"""
# What one can press in the page itself, the theme's frame set aside.
WAYS_ON = """() => [...document.querySelectorAll(":is(main, .lexic, #content) :is(a[href], button:not([disabled]))")]
  .filter((one) => one.checkVisibility() && !one.closest("nav[aria-label=Main], header.bar")).length"""


class Walker:
    """Somebody at a browser who looks at every page that comes up."""

    def __init__(self, page: Page, scheme: str) -> None:
        self.page = page
        self.scheme, self.other = scheme, "light" if scheme == "dark" else "dark"
        self.wrong: list[str] = []

    def look(self) -> None:
        wait_until_quiet(self.page)
        url = self.page.url
        for scheme in (self.other, self.scheme):
            shade(self.page, scheme)
            self.wrong += [f"{url} is wide: {one}" for one in self.page.evaluate(WIDE)]
            self.wrong += [f"{url} has no name for: {one}" for one in self.page.evaluate(UNNAMED)]
            if not self.page.evaluate(WAYS_ON):
                self.wrong.append(f"{url} leads nowhere")
            if self.page.locator("h1:visible, h2:visible").count() == 0:
                self.wrong.append(f"{url} says not what it is")

    def open(self, pane: str) -> None:
        """By the tab, as people do."""
        self.page.locator(".hub-tabs").get_by_role("link", name=pane).click()
        self.page.locator(f".hub-tabs a[aria-current=page]:has-text('{pane}')").wait_for()
        self.look()


@pytest.fixture
def walker(
    browser: Browser, server: str, complaints: list[str], width: int, scheme: Any, settings: Any
) -> Iterator[Walker]:
    settings.LEXIC_PUBLIC_URL = server
    context = browser.new_context(
        base_url=server, viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.set_default_timeout(SLOW)

    def listen(page: Page) -> None:
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))

    context.on("page", listen)
    watch_requests(context)
    yield Walker(context.new_page(), scheme)
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_lx_095_from_signing_up_to_an_answer_over_the_api(
    walker: Walker, server: str, complaints: list[str], tmp_path: Path
) -> None:
    _sign_up(walker)
    _make_a_plugin(walker)
    _drop_in_documents(walker, tmp_path)
    _draw_a_tree(walker)
    _fix_two_questions(walker)
    _ask_in_the_sandbox(walker)
    _publish(walker)
    answer = _ask_over_the_api(server, _make_a_key(walker))
    assert answer["citations"][0]["document"] == "Scaffolds"
    assert "seven days" in answer["answer"]
    _visit_the_rest(walker)
    assert (walker.wrong, complaints) == ([], [])


def _sign_up(walker: Walker) -> None:
    page = walker.page
    page.goto("/")
    walker.look()
    page.get_by_role("link", name="For experts").click()
    walker.look()
    page.locator("main").get_by_role("link", name="Sign up").click()
    walker.look()
    page.get_by_label("Email").fill("erin@example.org")
    page.get_by_label("Password", exact=True).fill("a long walk home")
    page.get_by_label("Password (again)").fill("a long walk home")
    page.get_by_role("button", name="Sign Up").click()
    page.get_by_role("button", name="Create your first plugin").wait_for()
    walker.look()


def _make_a_plugin(walker: Walker) -> None:
    page = walker.page
    page.get_by_role("button", name="Create your first plugin").click()
    page.get_by_label("Name").wait_for()
    walker.look()
    page.get_by_label("Name").fill("Work at height")
    page.get_by_label("Domain").fill("safety")
    page.get_by_label("Tagline").fill("Ladders, scaffolds and ropes.")
    page.get_by_role("button", name="Create", exact=True).click()
    page.locator("#drop").wait_for()
    walker.look()
    walker.open("Persona")
    page.get_by_text("What a language model gets").click()
    page.get_by_label("Tone").fill("short and plain")
    expect(page.locator("#prompt")).to_contain_text("short and plain")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Draft saved.").wait_for()
    assert Plugin.objects.get().tone == "short and plain"


def _drop_in_documents(walker: Walker, folder: Path) -> None:
    page = walker.page
    (folder / "ladders.pdf").write_bytes(pdf(PAGES))
    (folder / "scaffolds.md").write_text(SCAFFOLDS)
    (folder / "Rules on ropes.txt").write_text(ROPES)
    walker.open("Knowledge")
    files = [folder / name for name in ("ladders.pdf", "scaffolds.md", "Rules on ropes.txt")]
    page.get_by_label("Drop files here").set_input_files(files)
    expect(page.locator("#documents")).to_contain_text("3 still working")
    walker.look()
    for document in Document.objects.filter(status="queued"):
        ingest(document.pk)
    expect(page.locator(".ready")).to_contain_text("3 of 3 ready")
    for title in ("ladders", "Scaffolds", "Rules on ropes"):
        page.locator("#documents").get_by_role("link", name=title).click()
        page.locator("#document-title").wait_for()
        walker.look()
        page.get_by_role("link", name="All documents").click()
    page.get_by_role("link", name="Test the search").click()
    page.get_by_role("searchbox", name="Question").fill("How often is a scaffold inspected?")
    page.get_by_role("button", name="Find").click()
    page.locator("#found").wait_for()
    walker.look()


def _draw_a_tree(walker: Walker) -> None:
    page, (name, asked, ladder, scaffold) = walker.page, TREE
    walker.open("Trees")
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="New tree").click()
    page.locator("#tree-editor[data-ready]").wait_for()
    walker.look()
    page.locator("[data-node='start']").click()
    page.get_by_role("textbox", name="Label").fill(asked)
    page.get_by_role("textbox", name="Question", exact=True).fill(asked)
    for number, answer in ((1, "ladder"), (2, "scaffold")):
        page.get_by_label(f"Answer {number}").fill(answer)
        page.get_by_label(f"Answer {number}").press("Enter")
    for node, recommendation in (("end_yes", ladder), ("end_no", scaffold)):
        page.locator(f"[data-node='{node}']").focus()
        page.keyboard.press("Enter")
        page.get_by_role("textbox", name="Label").fill(recommendation)
        page.get_by_label("Recommendation").fill(recommendation)
        page.get_by_label("Source hint", exact=True).fill(recommendation)
    expect(page.locator("[data-part='state']")).to_have_text("no problems")
    page.get_by_label("A question, as an agent would ask it").fill("Which inspection of a scaffold is due?")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("list", name="Decision path")).to_contain_text("scaffold")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("[data-part='saved']")).to_contain_text("Saved ")
    walker.look()
    page.get_by_role("link", name="Trees", exact=True).first.click()
    page.get_by_role("link", name=name, exact=True).wait_for()
    walker.look()


def _fix_two_questions(walker: Walker) -> None:
    page, plugin = walker.page, Plugin.objects.get()
    walker.open("Golden questions")
    page.get_by_role("link", name="Write the first one").click()
    page.get_by_label("Question", exact=True).fill("When are ropes replaced?")
    page.get_by_label("Must cite").fill("Rules on ropes")
    page.get_by_label("Must contain").fill("ten years")
    walker.look()
    page.get_by_role("button", name="Save and add another").click()
    page.get_by_text("Saved. The next run asks it too").wait_for()
    page.get_by_label("Question", exact=True).fill("What is the capital of France?")
    page.get_by_label("Expectation").select_option("refuse")
    page.get_by_role("button", name="Save", exact=True).click()
    begun = timezone.now()
    page.get_by_role("button", name="Run all 2").click()
    page.get_by_text("2 questions to ask.").wait_for()
    walker.look()
    _as_a_worker(lambda: tasks.run_golden_questions(plugin_id=str(plugin.pk), asked_at=begun.isoformat()))
    expect(page.locator("#golden-all")).to_contain_text("2 of 2 passed")
    walker.look()
    assert EvaluationRun.objects.get().questions[0]["passed"]


def _as_a_worker(task: Callable[[], None]) -> None:
    """On a thread of its own: the browser keeps an event loop on this one."""

    def work() -> None:
        with release_connections():
            task()

    with ThreadPoolExecutor(max_workers=1) as worker:
        worker.submit(work).result()


def _ask_in_the_sandbox(walker: Walker) -> None:
    page = walker.page
    walker.open("Sandbox")
    page.get_by_label("Your question").fill("At which angle does a ladder stand?")
    page.keyboard.press("Enter")
    turn = page.locator(".turn[data-query]")
    expect(turn).to_have_count(1, timeout=SLOW)
    expect(turn.locator(".evidence mark").first).to_contain_text("75 degrees")
    walker.look()
    with page.context.expect_page() as opened:
        turn.locator(".reading .cite").first.click()
    source = opened.value
    reader = Walker(source, walker.scheme)
    # The page of the PDF is shown as a picture with the words marked on it, and as text.
    wait_until_quiet(source)
    assert source.evaluate("performance.getEntriesByType('resource').some((one) => one.name.endsWith('/picture'))")
    expect(source.locator("svg rect.hl:visible")).not_to_have_count(0)
    expect(source.locator("mark").first).to_contain_text("75 degrees")
    reader.look()
    walker.wrong += reader.wrong
    source.close()


def _publish(walker: Walker) -> None:
    page = walker.page
    page.locator(".ready").get_by_role("link", name="Publish 1.0.0").click()
    page.get_by_text("Notes and version (optional)").click()
    page.get_by_label("Notes").fill("The first one.")
    walker.look()
    page.locator("input[name=audience][value=marketplace]").check()
    page.get_by_role("button", name="Publish 1.0.0", exact=True).click()
    page.get_by_text("Published: work-at-height@1.0.0.").wait_for()
    expect(page.locator(".ready")).to_contain_text("Everything is published")
    page.get_by_role("link", name="Create an API key").wait_for()
    walker.look()
    walker.open("Releases")
    page.get_by_role("table").get_by_role("link", name="1.0.0", exact=True).click()
    page.get_by_role("heading", name="1.0.0").wait_for()
    walker.look()


def _make_a_key(walker: Walker) -> str:
    page = walker.page
    page.goto("/marketplace/work-at-height")
    walker.look()
    page.get_by_role("link", name="Get a key").click()
    walker.look()
    page.get_by_label("Name").fill("site agent")
    page.get_by_role("button", name="Create the key").click()
    return page.locator("#secret").inner_text()


def _ask_over_the_api(server: str, secret: str) -> dict[str, Any]:
    body = {"plugin": "work-at-height", "query": "How often is a scaffold inspected?"}
    request = urllib.request.Request(
        f"{server}/api/v1/query",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {secret}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        answer: dict[str, Any] = json.load(response)
    assert Query.objects.filter(api_key__isnull=False, outcome="answered").count() == 1
    return answer


def _visit_the_rest(walker: Walker) -> None:
    """What the walk did not need, but a newcomer looks into."""
    page = walker.page
    page.goto("/admin/")
    page.get_by_role("heading", name="Your plugins").wait_for()
    walker.look()
    page.get_by_role("link", name="Analytics of all plugins").click()
    page.get_by_role("heading", name="By plugin").wait_for()
    walker.look()
    page.get_by_role("table").get_by_role("link", name="Work at height").click()
    for pane in ("Inbox", "Analytics", "Releases", "Sharing", "Persona"):
        walker.open(pane)
