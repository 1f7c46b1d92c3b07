"""What each plugin has in the builder: its list with search and export, its settings, its switch, and its pages."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.test import Client
from django.urls import reverse
from lxml import html

from accounts.models import User
from plugins.models import Plugin
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
LIST = "admin:plugins_plugin_changelist"


@async_to_sync
async def _read(response: Any) -> bytes:
    return b"".join([part async for part in response])


def test_lx_019_the_list_of_plugins_is_searched(browsing: Browse, alice: User, published: Plugin) -> None:
    Plugin.objects.create(owner=alice, name="Ropes", slug="ropes", domain="climbing", system_prompt="You climb.")
    listed = {}
    for words in ("", "boot", "climbing", "zzz"):
        page = html.fromstring(browsing(alice).get(reverse(LIST), {"q": words}).content.decode())
        rows = " ".join(row.text_content() for row in page.xpath("//table[@id='result_list']//tbody"))
        listed[words] = [name for name in ("Boots", "Ropes") if name in rows]
    assert listed == {"": ["Boots", "Ropes"], "boot": ["Boots"], "climbing": ["Ropes"], "zzz": []}


def test_lx_019_the_list_of_plugins_exports_each(browsing: Browse, alice: User, published: Plugin) -> None:
    export = reverse("admin:builder_download", args=[published.pk])
    assert export in browsing(alice).get(reverse(LIST)).content.decode()
    with zipfile.ZipFile(io.BytesIO(_read(browsing(alice).get(export)))) as exported:
        assert "Boots" in "".join(exported.read(name).decode("utf-8", "replace") for name in exported.namelist())


def test_lx_019_the_form_of_the_settings_keeps_what_is_sent(browsing: Browse, alice: User, plugin: Plugin) -> None:
    address = reverse("admin:plugins_plugin_change", args=[plugin.pk])
    form = html.fromstring(browsing(alice).get(address).content.decode()).get_element_by_id("plugin_form")
    sent = dict(form.form_values()) | {"tone": "Short and dry."}
    response = browsing(alice).post(address, sent)
    assert response.status_code == 302, response.context and response.context.get("errors")
    plugin.refresh_from_db()
    assert plugin.tone == "Short and dry."


def test_lx_019_a_plugin_is_published_and_unpublished(browsing: Browse, alice: User, published: Plugin) -> None:
    client, public = browsing(alice), reverse("plugin", args=[published.slug])
    assert client.get(public).status_code == 200
    client.post(reverse("admin:builder_withdraw", args=[published.pk]))
    assert client.get(public).status_code == 404
    client.post(reverse("admin:builder_publish", args=[published.pk]), {"version": "1.0.0", "notes": ""})
    published.refresh_from_db()
    assert (published.is_published, client.get(public).status_code) == (True, 200)


@pytest.mark.parametrize("page", ["knowledge", "trees", "sandbox"])
def test_lx_019_each_plugin_has_its_pages(browsing: Browse, alice: User, plugin: Plugin, page: str) -> None:
    address = reverse(f"admin:builder_{page}", args=[plugin.pk])
    first = browsing(alice).get(reverse("admin:plugins_plugin_change", args=[plugin.pk])).content.decode()
    assert address in first
    assert browsing(alice).get(address).status_code == 200


def test_sp_11_a_tree_is_edited_as_json_beside_its_drawing(
    browsing: Browse, alice: User, plugin: Plugin, tree: DecisionTree
) -> None:
    shown = html.fromstring(
        browsing(alice).get(reverse("admin:builder_tree", args=[plugin.pk, tree.pk])).content.decode()
    )
    assert shown.xpath("//textarea[@aria-labelledby='tree-json-title']")
    assert shown.xpath("//*[local-name()='svg' and @role]") or shown.xpath("//*[contains(@class, 'canvas')]")
    assert json.loads(json.dumps(tree.tree_data))["rootNodeId"] in html.tostring(shown, encoding="unicode")


def test_sp_11_an_answer_shows_its_citations_and_how_sure_it_is(client: Client, published: Plugin) -> None:
    asked = client.post(
        reverse("try_plugin", args=[published.slug]), {"question": "Which boots are worn on every site?"}
    )
    answer = html.fromstring(asked.content.decode()).xpath("//article[@aria-label='The answer']")[0]
    [badge] = answer.xpath(".//*[contains(@class, 'reading')]//a[@class='cite']")
    assert (badge.text, badge.get("aria-label")) == ("1", "Source 1: Rules on boots, Boots > 1 On site")
    [sure] = answer.xpath(".//*[@class='conf']")
    assert sure.text_content().strip().split(" ")[1] == "confidence"


def test_a_button_that_says_what_is_being_done_has_the_script_for_it() -> None:
    pages = {path: path.read_text() for path in (Path(settings.BASE_DIR) / "templates").rglob("*.html")}
    busy = {path: text for path, text in pages.items() if "data-busy" in text}
    assert busy
    pieces = [path.name for path in busy if path.name.startswith("_")]
    shown = {path: text for path, text in pages.items() if path in busy or any(piece in text for piece in pieces)}
    whole = {path: text for path, text in shown.items() if not path.name.startswith("_")}
    without = [path for path, text in whole.items() if "builder/busy_forms.js" not in text or "common.js" not in text]
    assert without == []
