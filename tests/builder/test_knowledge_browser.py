"""The pane of documents in a real browser: many files at once, with and without scripts, on wide and narrow screens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from accounts.models import User
from builder.readiness import reverse_pane
from knowledge.ingest import ingest
from knowledge.models import Document
from plugins.models import Plugin
from tests.browsers import SLOW, each_look, sign_in, sign_in_by_hand
from tests.knowledge.bases import pdf

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# What reaches beyond the screen, and is not inside of something that scrolls.
WIDE = """() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  return [`${scrollWidth} in ${clientWidth}`, ...[...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > clientWidth + 1 && !one.closest(".scroll, pre, nav a"))
    .map((one) => `${one.tagName}.${one.className.baseVal ?? one.className}`)].slice(0, 9);
}"""
LONG = "abcdefghij" * 12


def open_pane(page: Page, user: User, plugin: Plugin) -> None:
    sign_in(page, user, to=reverse_pane(plugin, "knowledge"))
    page.locator("#documents").wait_for()


def manuals(folder: Path, count: int) -> list[Path]:
    files = [folder / f"manual {number:02}.pdf" for number in range(count)]
    for number, file in enumerate(files):
        file.write_bytes(pdf([f"Manual {number} says that valve {number} opens first."]))
    return files


def test_forty_files_are_shown_at_once_and_sent_three_at_a_time(
    page: Page, alice: User, plugin: Plugin, tmp_path: Path
) -> None:
    open_pane(page, alice, plugin)
    held: list[Route] = []
    page.route("**/knowledge/files/", lambda route: held.append(route))
    page.get_by_label("Drop files here").set_input_files(manuals(tmp_path, 40))
    # Nothing has been answered yet, and all forty can be seen.
    expect(page.locator("#sending li")).to_have_count(40)
    page.wait_for_timeout(300)
    assert len(held) == 3
    requests = 0
    while held:
        held.pop(0).continue_()
        requests += 1
        page.wait_for_timeout(20)
        while requests + len(held) < 40 and len(held) < 3:
            page.wait_for_timeout(20)
        assert len(held) <= 3
    expect(page.locator("#sending li")).to_have_count(0)
    expect(page.locator("#documents")).to_contain_text("40 still working")
    expect(page.locator("#documents .stages").first).to_be_visible()
    assert (requests, Document.objects.filter(status="queued").count()) == (40, 40)


def test_a_refused_file_stays_in_sight_with_the_reason(page: Page, alice: User, plugin: Plugin, tmp_path: Path) -> None:
    program = tmp_path / "<b>setup.exe"
    program.write_bytes(b"MZ\x00\x01")
    open_pane(page, alice, plugin)
    page.get_by_label("Drop files here").set_input_files([program, *manuals(tmp_path, 2)])
    expect(page.locator("#sending li")).to_have_count(1)
    expect(page.locator("#sending")).to_contain_text("<b>setup.exe")
    expect(page.locator("#sending")).to_contain_text("This type of document is not supported.")
    expect(page.locator("#documents")).to_contain_text("2 still working")
    page.get_by_role("button", name="Clear refused files").click()
    expect(page.locator("#sending")).to_be_hidden()


def test_a_file_that_is_too_large_is_not_even_sent(
    page: Page, alice: User, plugin: Plugin, tmp_path: Path, settings: Any
) -> None:
    settings.LEXIC_MAX_DOCUMENT_BYTES = 1000
    large = tmp_path / "large.md"
    large.write_text("x" * 1001)
    open_pane(page, alice, plugin)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if "/files/" in request.url else None)
    page.get_by_label("Drop files here").set_input_files(large)
    expect(page.locator("#sending")).to_contain_text("The file is larger than")
    assert sent == []


def test_a_connection_that_breaks_is_said(
    page: Page, alice: User, plugin: Plugin, tmp_path: Path, complaints: list[str]
) -> None:
    open_pane(page, alice, plugin)
    page.route("**/knowledge/files/", lambda route: route.abort())
    page.get_by_label("Drop files here").set_input_files(manuals(tmp_path, 1))
    expect(page.locator("#sending")).to_contain_text("The connection was lost.")
    complaints[:] = [said for said in complaints if "ERR_FAILED" not in said]


def test_whoever_is_signed_out_meanwhile_is_told_so(page: Page, alice: User, plugin: Plugin, tmp_path: Path) -> None:
    open_pane(page, alice, plugin)
    page.context.clear_cookies(name="sessionid")
    page.get_by_label("Drop files here").set_input_files(manuals(tmp_path, 1))
    expect(page.locator("#sending")).to_contain_text(
        "You are signed out. Sign in again, then drop the file in once more."
    )
    assert not Document.objects.filter(title__icontains="manual").exists()


def test_a_file_is_sent_after_a_new_sign_in_in_another_tab(
    page: Page, alice: User, plugin: Plugin, tmp_path: Path
) -> None:
    open_pane(page, alice, plugin)
    page.context.clear_cookies(name="sessionid")
    sign_in_by_hand(page.context.new_page(), alice)
    page.get_by_label("Drop files here").set_input_files(manuals(tmp_path, 1))
    expect(page.locator("#documents")).to_contain_text("1 still working")
    expect(page.locator("#sending")).to_be_hidden()


def test_sp_11_files_are_dropped(page: Page, alice: User, plugin: Plugin) -> None:
    open_pane(page, alice, plugin)
    transfer = page.evaluate_handle(
        """() => {
          const dropped = new DataTransfer();
          dropped.items.add(new File(["Wear gloves."], "gloves.md", {type: "text/markdown"}));
          return dropped;
        }"""
    )
    page.dispatch_event("#drop", "dragenter", {"dataTransfer": transfer})
    expect(page.locator("#drop")).to_contain_class("over")
    page.dispatch_event("#drop", "drop", {"dataTransfer": transfer})
    expect(page.locator("#documents")).to_contain_text("gloves")
    expect(page.locator("#drop")).not_to_contain_class("over")


def drop(page: Page, *paths: Path) -> None:
    """As from the system's own windows: the browser makes the entries of files and folders."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 100, "y": 300, "data": data})


@pytest.mark.long
def test_sp_11_dropped_folders_come_in_whole_beside_a_file(
    page: Page, alice: User, plugin: Plugin, tmp_path: Path
) -> None:
    manuals_of = tmp_path / "rules" / "2024"
    manuals_of.mkdir(parents=True)
    for number in range(101):  # a browser gives a hundred entries of a folder at a time
        (manuals_of / f"{number:03}.md").write_text(f"Rule {number}.")
    (tmp_path / "rules" / "Thumbs.db").write_bytes(b"left by a system")
    (tmp_path / "loose.md").write_text("On its own.")
    (tmp_path / "bare").mkdir()
    open_pane(page, alice, plugin)
    drop(page, tmp_path / "rules", tmp_path / "loose.md", tmp_path / "bare")
    expect(page.locator("#sending")).to_contain_text("There are no files in this folder.")
    expect(page.locator("#sending-count")).to_have_text(re.compile(r"^\d+ added, 1 refused$"), timeout=SLOW * 6)
    names = set(Document.objects.filter(file_name__contains=".md").values_list("file_name", flat=True))
    assert {f"rules/2024/{number:03}.md" for number in range(101)} | {"loose.md"} <= names
    assert not any("Thumbs" in name for name in names)


# A folder with a file that went away meanwhile, and a folder that may not be opened.
HALF_READABLE = """() => {
  const file = (name, read) => ({ isFile: true, isDirectory: false, name, fullPath: `/rules/${name}`, file: read });
  const shut = { isFile: false, isDirectory: true, name: "shut", fullPath: "/rules/shut",
    createReader: () => ({ readEntries: (_, fail) => fail(new DOMException("no", "NotReadableError")) }) };
  const gloves = file("a.md", (give) => give(new File(["Wear gloves."], "a.md")));
  const rest = [gloves, file("gone.md", (_, fail) => fail()), shut];
  const folder = { isFile: false, isDirectory: true, name: "rules", fullPath: "/rules",
    createReader: () => ({ readEntries: (give) => give(rest.splice(0)) }) };
  return lexicDroppedFiles.dropped({ items: [{ webkitGetAsEntry: () => folder }], files: [] })
    .then(({ files, missed }) => [files.map((one) => one.path), missed.map((one) => one.path)]);
}"""
MANY = """() => lexicDroppedFiles.dropped({ items: [],
  files: Array.from({ length: 2001 }, (_, number) => new File(["x"], `${number}.md`)) })
  .then(({ files, missed }) => [files.length, files.at(-1).path, missed[0].why])"""


def test_what_cannot_be_read_of_a_folder_keeps_nothing_else_out_and_no_limit_is_silent(
    page: Page, alice: User, plugin: Plugin
) -> None:
    open_pane(page, alice, plugin)
    assert page.evaluate(HALF_READABLE) == [["rules/a.md"], ["rules/gone.md", "rules/shut"]]
    length, last, why = page.evaluate(MANY)
    assert (length, last) == (2000, "1999.md")
    assert "The first 2,000 files come in." in why


def test_a_folder_comes_in_whole_and_several_documents_are_changed_together(
    page: Page, alice: User, plugin: Plugin, tmp_path: Path
) -> None:
    for year in ("2023", "2024"):
        (tmp_path / "rules" / year).mkdir(parents=True)
        (tmp_path / "rules" / year / "gloves.md").write_text(f"Gloves of {year} are blue.")
    (tmp_path / "rules" / ".DS_Store").write_bytes(b"left by a system")
    open_pane(page, alice, plugin)
    page.locator("#folder").set_input_files(tmp_path / "rules")
    expect(page.locator("#documents")).to_contain_text("2 still working")
    names = Document.objects.filter(title="gloves").order_by("file_name").values_list("file_name", flat=True)
    assert list(names) == ["rules/2023/gloves.md", "rules/2024/gloves.md"]
    page.get_by_label("Select all on this page").check()
    expect(page.locator("#bulk-count")).to_have_text("3 selected")
    with page.expect_response("**/knowledge/list/**"):  # the list is fetched anew meanwhile
        page.evaluate("htmx.trigger('#documents', 'refresh')")
    expect(page.locator("#bulk-count")).to_have_text("3 selected")
    page.get_by_role("button", name="Make public").click()
    expect(page.get_by_text("Made 3 documents public.")).to_be_visible()


def test_without_scripts_the_same_form_sends_them_together(
    browser: Browser, live_server: Any, alice: User, plugin: Plugin, tmp_path: Path
) -> None:
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    open_pane(page, alice, plugin)
    page.get_by_label("Drop files here").set_input_files(manuals(tmp_path, 3))
    page.get_by_role("button", name="Add the files").click()
    page.get_by_text("3 are in, and are read one after another.").wait_for()
    page.get_by_role("button", name="Stop manual 01: it is removed").click()
    page.get_by_text("“manual 01” was not added.").wait_for()
    page.get_by_label("State").select_option("Still working")
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("link", name="manual 02").wait_for()
    assert not page.get_by_role("link", name="Rules on boots").count()
    context.close()


def test_polling_ends_when_all_is_read(page: Page, alice: User, plugin: Plugin, tmp_path: Path) -> None:
    open_pane(page, alice, plugin)
    page.get_by_label("Drop files here").set_input_files(manuals(tmp_path, 1))
    page.locator("#documents[data-working='1']").wait_for()
    ingest(Document.objects.get(status="queued").pk)
    page.locator("#documents[data-working='0']").wait_for()
    expect(page.locator(".ready")).to_contain_text("2 of 2 ready")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(4500)
    assert asked == []


def test_where_files_are_chosen_it_says_that_they_were_added(
    page: Page, alice: User, plugin: Plugin, tmp_path: Path
) -> None:
    open_pane(page, alice, plugin)
    (tmp_path / "rule.md").write_text("Rule.")
    page.locator("#files").set_input_files(tmp_path / "rule.md")
    expect(page.locator("#drop")).to_contain_text("1 added. The list of documents says what is ready.")


def test_the_list_is_searched_while_one_types(page: Page, alice: User, plugin: Plugin) -> None:
    for number in range(3):
        Document.objects.create(
            knowledge_base=plugin.knowledge_base, title=f"Manual {number}", source_type="pdf", status="ready"
        )
    open_pane(page, alice, plugin)
    page.get_by_role("searchbox").press_sequentially("manual 2")
    expect(page.locator("#documents .file")).to_have_count(1)
    assert page.url.endswith("?q=manual+2")
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_no_page_is_wider_than_the_screen(
    page: Page, alice: User, plugin: Plugin, handbook: Document, tmp_path: Path
) -> None:
    (file,) = manuals(tmp_path, 1)
    open_pane(page, alice, plugin)
    page.get_by_label("Drop files here").set_input_files(file)
    page.locator("#documents[data-working='1']").wait_for()
    manual = Document.objects.get(status="queued")
    ingest(manual.pk)
    Document.objects.filter(pk=manual.pk).update(title=LONG, file_name=f"{LONG}.pdf", doc_type=LONG[:60])
    Document.objects.filter(pk=handbook.pk).update(status="failed", error=LONG)
    pane, leaf = reverse_pane(plugin, "knowledge"), manual.pages.get()
    wide: list[Any] = []
    for address in (
        pane,
        f"{pane}find/?q=boots",
        f"{pane}{manual.pk}/?q=valve",
        f"{pane}{handbook.pk}/",
        f"{pane}{manual.pk}/remove/",
        f"/source/{leaf.pk}?start=0&end=20",
    ):
        page.goto(address)
        wide += [(address, look, beyond) for look in each_look(page) if (beyond := page.evaluate(WIDE))]
    assert wide == []


def test_every_control_has_a_name(page: Page, alice: User, plugin: Plugin, handbook: Document) -> None:
    open_pane(page, alice, plugin)
    pane = reverse_pane(plugin, "knowledge")
    for address in (pane, f"{pane}{handbook.pk}/?q=boots", f"/source/{handbook.pages.get().pk}"):
        page.goto(address)
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll(
                ":is(.lexic, main) :is(input:not([type=hidden]), select, textarea, button, a)")]
              .filter((one) => !(one.labels?.length || one.ariaLabel || one.textContent.trim()
                || one.querySelector("img[alt]")))
              .map((one) => one.outerHTML)"""
        )
        assert unnamed == [], address


def test_a_citation_is_seen_on_the_picture_and_a_phone_chooses_between_both(
    page: Page, alice: User, plugin: Plugin, tmp_path: Path
) -> None:
    open_pane(page, alice, plugin)
    page.get_by_label("Drop files here").set_input_files(manuals(tmp_path, 1))
    page.locator("#documents[data-working='1']").wait_for()
    manual = Document.objects.get(status="queued")
    ingest(manual.pk)
    leaf = manual.pages.get()
    start = leaf.text.index("valve 0")
    page.goto(f"/source/{leaf.pk}?start={start}&end={start + 7}")
    expect(page.locator("mark")).to_have_text("valve 0")
    expect(page.locator("svg.leaf:not(.close-up) rect.hl")).to_have_count(1)
    page.wait_for_function("performance.getEntriesByType('resource').some((one) => one.name.endsWith('/picture'))")
    page.get_by_label("Text", exact=True).check(force=True)
    expect(page.locator(".leafbox")).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"/source/{leaf.pk}?start={start}&end={start + 7}")
    expect(page.locator("svg.close-up")).to_be_visible()
    expect(page.locator("mark")).to_be_hidden()
    page.get_by_label("Text", exact=True).check(force=True)
    expect(page.locator("mark")).to_be_visible()
