"""How long a newcomer takes from signing up to an answer of their own published plugin, and where the time goes.

    python -m benchmarks.first_plugin [--url http://localhost:8000] [--json] [--shots FOLDER]

At a Lexic of its own, which goes away, or at the one of `--url`. A browser walks the whole way with four files of its
own, on a desktop and on a phone. Nothing is timed: each act costs what the keystroke-level model says of an average
typist (Card, Moran and Newell 1980), words cost 1/238 of a minute (Brysbaert 2019), and waiting is counted in what the
server does, at the seconds below. `needed` counts the words of what a step uses: headings, labels and hints of what is
filled in, controls that are pressed, and what has to be judged. `at most` counts every word that comes up. Thinking up
what to write is the author's own and is not counted.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from benchmarks.ingestion import running_lexic

# Seconds of the keystroke-level model: a key, pointing at something, moving the hands between keyboard and mouse, and
# the thought before an act.
KEY, POINT, HANDS, THINK = 0.28, 1.1, 0.4, 1.35
# On a phone nothing is picked up, and people type 36 words of five letters a minute (Palin and others 2019).
PHONE_KEY, PHONE_HANDS = 60 / (36 * 5), 0.0
WORDS_PER_MINUTE = 238
# What people wait for, in seconds on an idle machine: a page, a file that is read, and a question.
WAITS = {"page": 0.5, "file": 3.0, "question": 1.0}
FILES = {
    "Ladders.md": "# Ladders\n\n## Inspection\n\nA ladder is inspected before every use.\n\n## Angle\n\n"
    "A ladder stands at an angle of 75 degrees on firm ground.\n",
    "Scaffolds.md": "# Scaffolds\n\n## Checks\n\nA scaffold is inspected every seven days by a competent person.\n\n"
    "## Load\n\nA scaffold carries at most 200 kg on each platform.\n",
    "Ropes.txt": "Ropes are replaced after ten years, and at once after a fall.\n",
    "Harnesses.md": "# Harnesses\n\n## Storage\n\nHarnesses are stored dry and away from sunlight.\n\n## Life\n\n"
    "A harness is used for at most six years.\n",
}
QUESTION = "How often is a scaffold inspected?"
LOOKS = {"desktop": (1280, 900), "phone": (390, 844)}
# The lines of text that stand on the page and can be seen.
VISIBLE = """() => {
  const inside = ["B", "SPAN", "CODE", "BDI", "EM", "STRONG"];
  const blocks = "h1, h2, h3, p, li, label, small, dt, dd, td, th, button, a, summary, legend, pre";
  return [...document.querySelectorAll(blocks)]
    .filter((one) => one.checkVisibility({visibilityProperty: true}) && !one.closest(".sr"))
    .flatMap((one) => [...one.childNodes].filter((node) => node.nodeType === 3 || inside.includes(node.nodeName)))
    .filter((node) => !node.classList?.contains("sr"))
    .map((node) => node.textContent.trim()).filter(Boolean);
}"""
# What says to those who fill a field in what it is for.
ABOUT = """(one) => {
  const described = (one.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id));
  return [...(one.labels ?? []), ...described].filter(Boolean).map((part) => part.innerText).join(" ") || one.innerText;
}"""


@dataclass
class Step:
    """Seconds of acting and of waiting, and words; `needed` are among `visible`."""

    acting: float = 0
    waiting: float = 0
    needed: int = 0
    visible: int = 0

    def minutes(self, words: int) -> float:
        return (self.acting + self.waiting) / 60 + words / WORDS_PER_MINUTE


@dataclass
class Newcomer:
    page: Page
    is_phone: bool
    steps: dict[str, Step] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    now: Step = field(default_factory=Step)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        self.now = self.steps.setdefault(name, Step())
        yield
        self.look()

    def press(self, control: Locator, *, waits: str = "page", until: Locator | None = None) -> None:
        """Think, point, press; and look at what comes, once `until` is there."""
        self.reads(control)
        self._point()
        control.click()
        if until:
            until.wait_for(timeout=300_000)
        if waits:
            self.now.waiting += WAITS[waits]
            self.page.wait_for_load_state("networkidle")
        self.look()

    def tick(self, control: Locator) -> None:
        """And look at what comes up with it."""
        self._point()
        control.check()
        self.look()

    def write(self, control: Locator, text: str) -> None:
        self.now.needed += self._new_words(control.evaluate(ABOUT).splitlines(), self.read)
        self._point()
        self.now.acting += (0 if self.is_phone else 2 * HANDS) + len(text) * (PHONE_KEY if self.is_phone else KEY)
        control.fill(text)

    def choose_files(self, control: Locator, paths: Sequence[Path]) -> None:
        """In the dialog of the system: the folder, the files together, and Open."""
        self.reads(self.page.locator("#drop label, #drop .small").filter(visible=True))
        for _ in range(3):
            self._point()
        control.set_input_files(paths)

    def reads(self, what: Locator) -> None:
        for one in what.all():
            self.now.needed += self._new_words(one.inner_text().splitlines(), self.read)

    def look(self) -> None:
        self.reads(self.page.locator("h1:visible, [role=alert]:visible"))
        self.now.visible += self._new_words(self.page.evaluate(VISIBLE), self.seen)

    def waits_for(self, what: str, times: int = 1) -> None:
        self.now.waiting += WAITS[what] * times

    def _point(self) -> None:
        self.now.acting += THINK + POINT + KEY

    @staticmethod
    def _new_words(lines: Sequence[str], known: set[str]) -> int:
        new = {line.strip() for line in lines} - known
        known |= new
        return sum(len(line.split()) for line in new)


def sign_up(one: Newcomer) -> None:
    page, address = one.page, f"erin-{time.time_ns()}@example.org"
    page.goto("/")
    one.look()
    one.press(page.get_by_role("link", name="For experts").first)
    one.reads(page.locator("main .lead"))
    one.press(page.locator("main").get_by_role("link", name="Sign up"))
    one.write(page.get_by_label("Email"), address)
    for label in ("Password", "Password (again)"):
        one.write(page.get_by_label(label, exact=True), "a long walk home")
    one.press(page.get_by_role("button", name="Sign Up"))
    one.press(page.get_by_role("button", name="Create your first plugin"))


def name_it(one: Newcomer) -> None:
    page = one.page
    one.write(page.get_by_label("Name"), "Work at height")
    one.write(page.get_by_label("Domain"), "safety")
    one.write(page.get_by_label("Tagline"), "Ladders, scaffolds and ropes.")
    one.reads(page.locator("#draft"))
    one.press(page.get_by_role("button", name="Create", exact=True))


def add_documents(one: Newcomer, folder: Path) -> None:
    page = one.page
    paths = [folder / name for name in FILES]
    for path in paths:
        path.write_text(FILES[path.name])
    one.choose_files(page.locator("#files"), paths)
    one.waits_for("file", len(paths))
    expect(page.locator(".ready")).to_contain_text(f"{len(paths)} of {len(paths)} ready", timeout=300_000)


def ask_it(one: Newcomer) -> None:
    page = one.page
    one.press(page.locator(".hub-tabs").get_by_role("link", name="Sandbox"))
    one.write(page.get_by_label("Your question"), QUESTION)
    page.keyboard.press("Enter")
    one.now.acting += KEY
    one.waits_for("question")
    turn = page.locator(".turn[data-query]")
    expect(turn).to_contain_text("seven days", timeout=60_000)
    one.reads(turn.locator(".reading, .evidence"))


def accept_golden_questions(one: Newcomer) -> None:
    page = one.page
    one.press(page.locator(".hub-tabs").get_by_role("link", name="Golden questions"))
    one.reads(page.locator(".vacant p").first)
    one.press(page.get_by_role("link", name="Propose from the documents"))
    rows = page.locator(".gq-proposed > li")
    for row in rows.all()[:3]:
        one.reads(row)
        one.now.needed += len(row.locator("input.input").first.input_value().split())
        one.tick(row.get_by_role("checkbox"))
    one.press(page.get_by_role("button", name="Add the ticked ones"))


def publish(one: Newcomer) -> None:
    page = one.page
    one.press(page.locator(".ready .go").get_by_role("link", name="Publish"))
    one.reads(page.locator(".publish-form label, .publish-form small").filter(visible=True))
    one.tick(page.locator(".publish-form input[name=audience][value=marketplace]"))
    published = page.get_by_role("link", name="Create an API key")
    one.press(page.locator(".publish-form").get_by_role("button", name="Publish 1.0.0"), until=published)
    one.waits_for("question", 3)


def ask_by_key(one: Newcomer) -> None:
    """Make a key, copy the call that is shown with it, and paste it into a terminal: it has to be answered."""
    page = one.page
    one.press(page.get_by_role("link", name="Create an API key"))
    name = page.get_by_label("Name", exact=True)
    if not name.input_value():
        one.write(name, "terminal")
    one.press(page.get_by_role("button", name="Create the key"))
    secret = page.locator("#secret").inner_text()
    one.press(page.locator("button.copy:visible").last, waits="")
    one.now.acting += 2 * (THINK + POINT) + 3 * KEY  # to the terminal, paste, Enter
    one.waits_for("question")
    command = shlex.split(page.locator("#example").inner_text().replace("\\\n", " "))
    asked = httpx.post(
        page.url.split("/api-keys")[0] + "/api/v1/query",
        json=json.loads(command[-1]),
        headers={"Authorization": f"Bearer {secret}"},
        timeout=60,
    )
    assert asked.json()["outcome"] == "answered", asked.text


def walk(browser: Browser, url: str, look: str, shots: Path | None) -> dict[str, Step]:
    """The whole way, and what each step of it costs."""
    width, height = LOOKS[look]
    context = browser.new_context(base_url=url, viewport={"width": width, "height": height}, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    one = Newcomer(context.new_page(), is_phone=look == "phone")
    acts: dict[str, Any] = {
        "Sign up": sign_up,
        "Name it": name_it,
        "Add documents": add_documents,
        "Ask it": ask_it,
        "Golden questions": accept_golden_questions,
        "Publish": publish,
        "Ask by key": ask_by_key,
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, act in acts.items():
            with one.step(name):
                act(one, Path(folder)) if act is add_documents else act(one)
            if shots:
                one.page.screenshot(path=shots / f"{look}-{name}.png", full_page=True)
    context.close()
    return one.steps


def walk_each_look(url: str | None, shots: Path | None) -> dict[str, dict[str, Step]]:
    with nullcontext((url, 0)) if url else running_lexic() as (address, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        walked = {look: walk(browser, address, look, shots) for look in LOOKS}
        browser.close()
        return walked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="a Lexic that runs already")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--shots", type=Path, help="a folder for a picture of the end of each step")
    options = parser.parse_args()
    walked = walk_each_look(options.url, options.shots)
    if options.json:
        print(json.dumps({look: {name: vars(step) for name, step in steps.items()} for look, steps in walked.items()}))
        return
    for look, steps in walked.items():
        print_steps(look, steps)


def print_steps(look: str, steps: dict[str, Step]) -> None:
    print(f"{look:18} acting s  waiting s  words needed  of visible  minutes  at most")
    for name, one in {**steps, "All": _sum(list(steps.values()))}.items():
        minutes, at_most = one.minutes(one.needed), one.minutes(max(one.needed, one.visible))
        counted = f"{one.acting:8.0f} {one.waiting:10.1f} {one.needed:13} {one.visible:11}"
        print(f"{name:18} {counted} {minutes:8.1f} {at_most:8.1f}")


def _sum(steps: Sequence[Step]) -> Step:
    total = Step()
    for one in steps:
        total.acting += one.acting
        total.waiting += one.waiting
        total.needed += one.needed
        total.visible += one.visible
    return total


if __name__ == "__main__":
    main()
