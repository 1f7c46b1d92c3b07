"""The smaller parts of the page: code to copy, the QR code, the picture for other sites, the days, the releases."""

from __future__ import annotations

import ast
import io
import json
import re
import shlex
from datetime import date

import qrcode
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from accounts.models import User
from knowledge.models import Document
from marketplace.models import DayOfPlugin
from marketplace.plugin_page import qr_code, release_history, social_card, usage_chart
from marketplace.plugin_page.code_snippets import build_snippets
from marketplace.plugin_page.social_card import SocialCard
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from tests.marketplace.comparison.replaced import replace_text
from trees.models import DecisionTree

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=100)


@given(question=TEXT)
def test_whatever_a_question_says_it_is_a_string_in_the_code(question: str) -> None:
    asked = " ".join(question.split()) or "Your question"
    code = {one.id: one.code for one in build_snippets("boots@1.0.0", question=question)}
    for name in ("python", "openai"):
        strings = [node.value for node in ast.walk(ast.parse(code[name])) if isinstance(node, ast.Constant)]
        assert asked in strings
        assert "boots@1.0.0" in strings
    body = shlex.split(code["http"].replace("\\\n", " "))[-1]
    assert json.loads(body) == {"plugin": "boots@1.0.0", "query": asked}
    assert json.loads(code["mcp"])["mcpServers"]["lexic"]["url"].endswith("/mcp")


def test_the_drawing_is_the_code() -> None:
    address = "https://lexic.example/marketplace/structural-engineering"
    code = qr_code.build_qr_code(address)
    drawn = [[False] * code.size for _ in range(code.size)]
    for x, y, length in re.findall(r"M(\d+) (\d+)\.5h(\d+)", code.path):
        for at in range(int(x), int(x) + int(length)):
            drawn[int(y)][at] = True
    expected = qrcode.QRCode(error_correction=qrcode.constants.ERROR_CORRECT_M, border=2)
    expected.add_data(address)
    assert drawn == expected.get_matrix()


def test_the_picture_is_a_png_of_the_size_that_others_want(client: Client, published: Plugin) -> None:
    answer = client.get("/marketplace/boots/card.png")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)
    assert len(answer.content) < 100_000


@settings(max_examples=25)
@given(name=TEXT, tagline=TEXT)
def test_any_name_can_be_drawn(name: str, tagline: str) -> None:
    card = SocialCard(
        name=social_card._printable_text(name), tagline=social_card._printable_text("x" * 200 + tagline), figures=()
    )
    assert social_card.render_card(card).startswith(b"\x89PNG")


def test_days_without_questions_are_there_and_the_busiest_is_named(published: Plugin) -> None:
    for day, asked in ((date(2026, 3, 1), 8), (date(2026, 3, 9), 2), (date(2026, 1, 1), 99)):
        DayOfPlugin.objects.create(plugin=published, day=day, asked=asked, answered=asked)
    found = usage_chart.build_usage_chart(published, today=date(2026, 3, 10))
    assert (len(found.days), len(found.bars), found.asked) == (30, 2, 10)
    assert found.sentence == "Asked 10 times in the last 30 days, most often on 1 March, 8 times."
    assert [(use.day.day, use.asked) for use in found.days_with_questions] == [(9, 2), (1, 8)]
    assert [bar.height for bar in found.bars] == [60.0, 15.0]


def test_what_a_release_scored() -> None:
    assert release_history.pass_counts({}) == {"right": "", "refused": ""}
    assert release_history.pass_counts({"golden_total": 9, "golden_passed": 8})["all"] == "8/9"
    now = {"golden_total": 9, "golden_passed": 8, "answered": [5, 6], "refused": [3, 3]}
    assert release_history.pass_counts(now) == {"right": "5/6", "refused": "3/3"}


def test_a_release_says_what_is_different_and_never_what_it_says(
    client: Client, published: Plugin, alice: User, tree: DecisionTree
) -> None:
    published.system_prompt, published.tone, published.top_k = "A sentinel persona.", "sentinel tones", 9
    published.save()
    tree.name = "sentinel tree"
    tree.save()
    publish(published, by=alice, notes="More boots.")
    said = client.get("/marketplace/boots@1.1.0").content.decode()
    for words in (
        "Persona: changed.",
        "Tone: changed.",
        "Passages read: changed.",
        "Decision trees: 1, before 0.",
    ):
        assert words in said
    assert ("More boots." in said, "sentinel" in said) == (True, False)
    first = client.get("/marketplace/boots@1.0.0").content.decode()
    assert ("There is nothing to compare it with." in first, "agents that pin it still use it" in first) == (
        True,
        True,
    )
    for version in ("9.9.9", "1.0.0%00", "latest", "x" * 99):
        assert client.get(f"/marketplace/boots@{version}").status_code == 404


def test_a_release_names_the_public_sources_that_say_something_else(
    client: Client, published: Plugin, alice: User
) -> None:
    document = Document.objects.get(title="Rules on boots")
    for version in ("1.1.0", "1.2.0"):
        replace_text(document, f"# Boots\n\nBoots are replaced after {version} months of sentinel wear.")
        publish(published, by=alice, version=version)
    assert "Changed source: Rules on boots" in client.get("/marketplace/boots@1.1.0").content.decode()
    assert "sentinel" not in client.get("/marketplace/boots@1.1.0").content.decode()
    Plugin.objects.update(public_chat=True)  # from now on, public documents are told from others
    assert "Rules on boots" not in client.get("/marketplace/boots@1.2.0").content.decode()


def test_all_releases_are_a_link_away(client: Client, published: Plugin, alice: User) -> None:
    for number in range(1, 7):
        publish(published, by=alice, version=f"1.{number}.0")
    few = client.get("/marketplace/boots").content.decode()
    whole = client.get("/marketplace/boots?releases=all").content.decode()
    assert ("Show all 7 releases" in few, "boots@1.0.0" in few) == (True, False)
    assert ("Show all" in whole, "boots@1.0.0" in whole) == (False, True)
