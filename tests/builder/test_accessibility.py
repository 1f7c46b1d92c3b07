"""axe-core over every pane of the builder, wide and narrow, light and dark (tests/vendor, MPL 2.0)."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from accounts.models import User
from builder.panes import PANES
from builder.readiness import reverse_pane
from evaluation.models import GoldenQuestion
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from marketplace.publishing.publish import publish
from marketplace.publishing_run_models import PublishingRun
from plugins.models import Plugin
from querying.models import AnswerLink, Dismissal, Query
from tests.browsers import (
    WIDE_AND_NARROW,
    each_look,
    serious_in_each_look,
    sign_in,
    violations_in_each_look,
    wait_until_quiet,
)
from trees.models import DecisionTree
from webhooks.models import Delivery, Event, Webhook

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def _failing_webhook(plugin: Plugin) -> Webhook:
    """With something in its log."""
    made = Webhook.objects.create(plugin=plugin, url="https://example.org/", events=Event.values, failures=2)
    Webhook.objects.update(failing_since=made.created_at)
    for state in Delivery.State.values:
        Delivery.objects.create(webhook=made, event="document.ready", event_id=f"evt_{state}", state=state, attempts=1)
    return made


def test_axe_finds_nothing_serious_in_the_builder(page: Page, alice: User, published: Plugin) -> None:
    GoldenQuestion.objects.create(plugin=published, question="Which boots are worn on site?")
    Query.objects.create(plugin=published, release_name="boots@1.0.0", question="Gloves?", outcome="refused")
    sent_away = Query.objects.create(plugin=published, release_name="boots@1.0.0", question="?", outcome="refused")
    Dismissal.record([sent_away], by=alice)
    sign_in(page, alice, to="/admin/")
    document, tree = published.knowledge_base.documents.get(), published.trees.first()
    addresses = [
        "/admin/",
        "/admin/plugins/plugin/",
        "/admin/plugins/plugin/add/",
        "/admin/plugins/plugin/analytics/",
    ]
    addresses += [reverse_pane(published, slug) for slug in PANES]
    addresses += [f"/admin/plugins/plugin/{published.pk}/knowledge/{document.pk}/"]
    addresses += [
        f"/admin/plugins/plugin/{published.pk}/publish/",
        f"/admin/plugins/plugin/{published.pk}/inbox/dismissed/",
        f"/source/{document.pages.get().pk}?start=0&end=9",
        f"/admin/plugins/plugin/{published.pk}/sharing/webhooks/",
        f"/admin/plugins/plugin/{published.pk}/sharing/webhooks/{_failing_webhook(published).pk}/",
    ]
    addresses += [f"/admin/plugins/plugin/{published.pk}/trees/{tree.pk}/"] if tree else []
    problems = []
    for address in addresses:
        page.goto(address)
        wait_until_quiet(page)
        problems += serious_in_each_look(page, WIDE_AND_NARROW)
    assert problems == []


def test_axe_finds_nothing_at_all_on_the_way_from_a_question_to_a_release(
    page: Page, alice: User, published: Plugin, tree: DecisionTree
) -> None:
    dismissed_at = timezone.now()
    gloves = Query.objects.create(plugin=published, release_name="boots@1.0.0", question="Gloves?", outcome="refused")
    Dismissal.record([gloves], by=alice, at=dismissed_at)
    Plugin.objects.filter(pk=published.pk).update(tone="short")
    given = {"outcome": "answered", "citations": [{"document": "Rules", "documentId": "x", "excerpt": "y"}]}
    AnswerLink.objects.create(
        query=Query.objects.create(plugin=published, release_name="boots@1.0.0", question="Boots?", **given)
    )
    first, base = published.releases.get(), published.knowledge_base
    pasted = add_text(knowledge_base=base, title="Gloves", text="# Gloves\n\nGloves are worn.", enqueue=False).document
    ingest(pasted.pk)
    publish(published, by=alice)
    second = published.releases.exclude(pk=first.pk).get()
    sign_in(page, alice, to="/admin/")
    root = f"/admin/plugins/plugin/{published.pk}"
    addresses = [
        f"{root}/inbox/?{urlencode({'undo': dismissed_at.isoformat(), 'answered': '1'})}",
        f"{root}/golden/add/",
        f"{root}/golden/import/",
        f"{root}/publish/",
        f"{root}/published/",
        f"{root}/analytics/",
        f"{root}/analytics/report/",
        f"{root}/sharing/links/",
        f"{root}/releases/{second.pk}/?with={first.version}",
        f"{root}/knowledge/{pasted.pk}/text/",
        f"{root}/trees/{tree.pk}/",
        f"{root}/trees/{tree.pk}/text/",
        f"{root}/history/",
    ]
    problems = []
    for address in addresses:
        page.goto(address)
        wait_until_quiet(page)
        problems += violations_in_each_look(page, WIDE_AND_NARROW)
    page.goto(f"{root}/knowledge/")
    page.get_by_label("Select all on this page").check()
    page.get_by_role("button", name="Remove", exact=True).first.click()
    page.get_by_role("heading", name="Remove 2 documents").wait_for()
    problems += violations_in_each_look(page, WIDE_AND_NARROW)
    PublishingRun.objects.create(plugin=published, requested_by=alice, total=2)
    page.goto(f"{root}/publish/")
    page.get_by_role("button", name="Cancel").wait_for()
    problems += violations_in_each_look(page, WIDE_AND_NARROW)
    assert problems == []


# How much the edge of each field stands out from what is around it.
EDGES = """() => {
  const dot = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const pixel = (colour) => {
    dot.clearRect(0, 0, 1, 1);
    dot.fillStyle = colour;
    dot.fillRect(0, 0, 1, 1);
    return [...dot.getImageData(0, 0, 1, 1).data];
  };
  const linear = (value) => (value <= 10 ? value / 3295 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) + 0.05;
  const ratio = (...two) => Math.max(...two.map(light)) / Math.min(...two.map(light));
  const behind = (one) => {
    for (; one; one = one.parentElement) {
      const colour = pixel(getComputedStyle(one).backgroundColor);
      if (colour[3] > 200) return colour;
    }
  };
  const kinds = "#content :is(input:not([type=hidden]), select, textarea):enabled, #changelist-search > div";
  return [...document.querySelectorAll(kinds)]
    .filter((one) => one.checkVisibility() && getComputedStyle(one).borderTopWidth !== "0px")
    .map((one) => [one.name ?? one.id, pixel(getComputedStyle(one).borderTopColor), behind(one.parentElement)])
    .map(([name, edge, around]) => [name, ratio(edge, around)]);
}"""


def test_the_edges_of_fields_can_be_seen(page: Page, alice: User, published: Plugin) -> None:
    sign_in(page, alice, to="/admin/plugins/plugin/add/")
    for address in ("/admin/plugins/plugin/add/", reverse_pane(published, "persona"), "/admin/plugins/plugin/"):
        page.goto(address)
        for _, scheme in each_look(page, WIDE_AND_NARROW):
            edges = page.evaluate(EDGES)
            assert edges
            assert [(name, address, scheme) for name, ratio in edges if ratio < 3] == []


def test_axe_finds_nothing_where_nobody_has_asked_yet(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to="/admin/")
    problems = []
    for address in (reverse_pane(plugin, "analytics"), "/admin/plugins/plugin/analytics/"):
        page.goto(address)
        page.get_by_role("heading", name="Nobody asked").wait_for()
        problems += violations_in_each_look(page, WIDE_AND_NARROW)
    plugin.delete()
    page.goto("/admin/plugins/plugin/analytics/")
    page.get_by_role("heading", name="No plugin yet").wait_for()
    assert problems + violations_in_each_look(page, WIDE_AND_NARROW) == []
