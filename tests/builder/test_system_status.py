"""The operators' page: what the site needs, what waits, and who works on it."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import User
from audit import verification
from audit.chain import BrokenChain
from knowledge import ocr_cost
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from knowledge.readers.types import OcrReading, PageText
from lexic import diagnostics, task_queues
from lexic.celery import app

pytestmark = pytest.mark.django_db
URL = reverse("admin:builder_system_status")


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root@example.org", "correct horse battery"))
    return client


@pytest.fixture(autouse=True)
def empty_queues() -> None:
    with app.connection_for_write() as connection:
        connection.default_channel.client.delete(*task_queues.QUEUES)


def queue(page: Any, name: str) -> Any:
    return next(one for one in page.context["queues"] if one.name == name)


def test_what_ocr_costs_is_said_once_there_was_any(operator: Client) -> None:
    cache.clear()
    assert "read by OCR" not in operator.get(URL).content.decode()
    read = [PageText(number=number, text="5", ocr=OcrReading(confidence=0.9, cpu_seconds=2.4)) for number in (1, 2, 3)]
    ocr_cost.count_pages([*read, PageText(number=4, text="a page with a text layer")])
    page = operator.get(URL)
    assert page.context["ocr"] == ocr_cost.OcrCost(pages=3, seconds_a_page=pytest.approx(2.4))
    assert "pages read by OCR" in page.content.decode()


def test_only_operators_see_it(client: Client, alice: User) -> None:
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    assert client.get(URL).status_code == 404
    assert "System status" not in client.get(reverse("admin:index")).content.decode()


def test_it_names_what_waits_and_who_serves_it(operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    app.send_task("knowledge.nothing", queue="reading")
    app.send_task("knowledge.nothing", queue="reading")
    monkeypatch.setattr(diagnostics, "served_queues", lambda *, seconds: {"reviewer@here": {"reviews"}})
    page = operator.get(URL)
    assert queue(page, "reading").waiting == 2
    assert queue(page, "reading").workers == []
    assert queue(page, "reviews").workers == ["reviewer@here"]
    said = page.content.decode()
    assert "reviewer@here" in said
    assert said.count("none answers") == 3
    assert "3 problems" in said
    assert operator.get(reverse("admin:index")).content.decode().count("System status") >= 1


def test_documents_that_failed_are_one_press_away(operator: Client, alice: User) -> None:
    base = KnowledgeBase.objects.create(owner=alice, name="b", embedder="local")
    for number, status in enumerate([DocumentStatus.FAILED, DocumentStatus.READY, DocumentStatus.READING]):
        Document.objects.create(
            knowledge_base=base, title=f"{status} one", source_type="text", sha256=f"{number:064}", status=status
        )
    page = operator.get(URL)
    assert (page.context["failed_documents"], page.context["unfinished_documents"]) == (1, 1)
    link = reverse("admin:knowledge_document_changelist") + "?status__exact=failed"
    assert link in page.content.decode()
    listed = operator.get(link).content.decode()
    assert ("failed one" in listed, "ready one" in listed) == (True, False)


def test_a_problem_comes_first_with_what_to_do(operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(**_: Any) -> None:
        raise BrokenChain("Entry 7 of the audit log was changed.")

    monkeypatch.setattr(verification, "verify_chain", changed)
    with pytest.raises(BrokenChain):
        verification.verify_and_remember()
    page = operator.get(URL)
    first = page.context["checks"][0]
    assert (first.name, first.detail) == ("audit", "Entry 7 of the audit log was changed.")
    assert first.hint in page.content.decode()
    monkeypatch.setattr(verification, "verify_chain", lambda *, known: known)
    verification.verify_and_remember()
    assert "as it was written" in operator.get(URL).content.decode()


def test_without_the_broker_the_page_is_shown(operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(**_: Any) -> None:
        raise task_queues.BrokerUnavailable("away")

    monkeypatch.setattr(diagnostics, "served_queues", away)
    monkeypatch.setattr(task_queues, "count_waiting", away)
    page = operator.get(URL)
    assert page.status_code == 200
    assert page.content.decode().count("none answers") == 4
