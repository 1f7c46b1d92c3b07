from __future__ import annotations

import io
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from typing import Any

import pytest

from accounts.quotas import QuotaExceeded
from knowledge import task_queue
from knowledge.documents import mail_attachments
from knowledge.documents.lifecycle import AddResult, add_file, delete_document, update_details
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase
from knowledge.prune import prune_knowledge_base
from knowledge.versions import publish_version
from lexic.storage import StorageUnavailable
from tests.knowledge.bases import CountingEmbedder, make_base, registered
from tests.knowledge.readers.outlook_files import compound_file, outlook_message
from tests.knowledge.readers.test_mail import mail

pytestmark = pytest.mark.django_db


def receive(base: KnowledgeBase, message: EmailMessage, *, file_name: str = "mail.eml") -> Document:
    stream = io.BytesIO(message.as_bytes())
    document = add_file(knowledge_base=base, file_name=file_name, stream=stream, enqueue=False).document
    ingest(document.pk)
    document.refresh_from_db()
    return document


@pytest.fixture
def base() -> KnowledgeBase:
    return make_base()


@pytest.fixture(autouse=True)
def queued(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What was handed to a worker."""
    handed: list[object] = []
    monkeypatch.setattr(task_queue, "enqueue_ingest", handed.append)
    return handed


def attached(base: KnowledgeBase) -> list[Document]:
    return list(base.documents.present().filter(metadata__has_key="attached to").order_by("title"))


def test_attachments_become_documents_of_their_own(base: KnowledgeBase, queued: list[object]) -> None:
    message, forwarded = mail(), mail("Old words.", subject="Old")
    message.add_attachment(b"Slump is 75 mm.", maintype="text", subtype="plain", filename="mix.txt")
    message.add_attachment(b"MZ\x00\x01", maintype="application", subtype="octet-stream", filename="setup.exe")
    message.add_attachment(forwarded)
    with registered(CountingEmbedder()):
        received = receive(base, message)
    assert (received.status, received.title) == ("ready", "Cover of the raft")
    documents = attached(base)
    assert [(one.title, one.source_type) for one in documents] == [
        ("Cover of the raft: attachment 3.eml", "eml"),
        ("Cover of the raft: mix.txt", "text"),
    ]
    assert {one.pk for one in documents} == set(queued)
    assert received.metadata["file"]["attachments not read"] == "setup.exe: This type of document is not supported."
    assert received.metadata["file"]["from"] == "Ruth Ömer <ruth@example.org>"


def test_what_a_person_says_of_a_mail_while_its_attachments_are_added_stays(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = mail()
    message.add_attachment(b"Slump is 75 mm.", maintype="text", subtype="plain", filename="mix.txt")
    message.add_attachment(b"MZ\x00\x01", maintype="application", subtype="octet-stream", filename="setup.exe")

    def add_meanwhile(**options: Any) -> AddResult:
        update_details(base.documents.get(source_type="eml"), metadata={"clause": "26.4"}, enqueue=False)
        return add_file(**options)

    monkeypatch.setattr(mail_attachments, "add_file", add_meanwhile)
    with registered(CountingEmbedder()):
        received = receive(base, message)
    assert len(attached(base)) == 1
    assert received.metadata["clause"] == "26.4"
    assert received.metadata["file"]["attachments not read"] == "setup.exe: This type of document is not supported."
    assert received.metadata["file"]["from"] == "Ruth Ömer <ruth@example.org>"


def test_an_outlook_message_is_received_as_any_mail_is(base: KnowledgeBase) -> None:
    inner = outlook_message({0x0037: "Old", 0x1000: "Old words."}, header=24)
    files = [{0x3707: "mix.txt", 0x3701: b"Slump is 75 mm."}, inner]
    content = compound_file(outlook_message({0x0037: "Cover", 0x1000: "The cover is 45 mm."}, attachments=files))
    with registered(CountingEmbedder()):
        received = add_file(
            knowledge_base=base, file_name="Cover.msg", stream=io.BytesIO(content), enqueue=False
        ).document
        ingest(received.pk)
        received.refresh_from_db()
    assert (received.status, received.source_type, received.title) == ("ready", "eml", "Cover")
    assert [(one.title, one.source_type) for one in attached(base)] == [
        ("Cover: Old.eml", "eml"),
        ("Cover: mix.txt", "text"),
    ]


def test_what_came_with_an_attached_mail_is_not_followed(base: KnowledgeBase) -> None:
    inner, outer = mail(subject="Inner"), mail(subject="Outer")
    inner.add_attachment(b"Slump is 75 mm.", maintype="text", subtype="plain", filename="mix.txt")
    outer.add_attachment(inner)
    with registered(CountingEmbedder()):
        receive(base, outer)
        [attachment] = attached(base)
        ingest(attachment.pk)
    assert [one.title for one in attached(base)] == [attachment.title]


def test_two_mails_of_one_subject_keep_their_own_attachments(base: KnowledgeBase) -> None:
    with registered(CountingEmbedder()):
        for number in (1, 2):
            message = mail(f"Letter {number} about the cover.")
            message.add_attachment(b"Slump %d." % number, maintype="text", subtype="plain", filename="mix.txt")
            receive(base, message, file_name=f"{number}.eml")
    assert len(attached(base)) == 2


def test_reading_a_mail_again_adds_nothing(base: KnowledgeBase) -> None:
    message = mail()
    message.add_attachment(b"Slump is 75 mm.", maintype="text", subtype="plain", filename="mix.txt")
    with registered(CountingEmbedder()):
        first = receive(base, message)
        Document.objects.filter(pk=first.pk).update(status="queued")
        ingest(first.pk)
    assert len(attached(base)) == 1


def with_mix() -> EmailMessage:
    message = mail()
    message.add_attachment(b"Slump is 75 mm.", maintype="text", subtype="plain", filename="mix.txt")
    return message


def read_again(document: Document) -> None:
    Document.objects.filter(pk=document.pk).update(status="queued")
    ingest(document.pk)
    document.refresh_from_db()


def test_what_was_refused_comes_when_the_mail_is_read_again(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**options: Any) -> AddResult:
        raise QuotaExceeded("Your account is full.")

    with registered(CountingEmbedder()):
        with monkeypatch.context() as patched:
            patched.setattr(mail_attachments, "add_file", refuse)
            received = receive(base, with_mix())
            read_again(received)
            assert received.metadata["file"]["attachments not read"] == "mix.txt: Your account is full."
        assert not attached(base)
        read_again(received)
    assert [one.title for one in attached(base)] == ["Cover of the raft: mix.txt"]
    assert "attachments not read" not in received.metadata["file"]


def test_what_the_storage_could_not_take_comes_with_the_next_attempt(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**options: Any) -> AddResult:
        raise StorageUnavailable

    with registered(CountingEmbedder()):
        with monkeypatch.context() as patched:
            patched.setattr(mail_attachments, "add_file", fail)
            with pytest.raises(StorageUnavailable):
                receive(base, with_mix())
        received = base.documents.get()
        ingest(received.pk)
        received.refresh_from_db()
    assert received.status == "ready"
    assert [one.title for one in attached(base)] == ["Cover of the raft: mix.txt"]


def test_a_worker_that_ends_after_publishing_has_added_the_attachments(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(*arguments: object, **options: object) -> None:
        publish(*arguments, **options)
        raise SystemExit

    publish: Callable[..., None] = publish_version.publish_version
    monkeypatch.setattr(publish_version, "publish_version", end)
    with registered(CountingEmbedder()), pytest.raises(SystemExit):
        receive(base, with_mix())
    assert len(attached(base)) == 1


def test_an_attachment_that_somebody_removed_stays_away(base: KnowledgeBase) -> None:
    with registered(CountingEmbedder()):
        received = receive(base, with_mix())
        [attachment] = attached(base)
        ingest(attachment.pk)
        delete_document(attachment)
        read_again(received)
    assert not attached(base)


@pytest.mark.parametrize("status", ["queued", "failed"])
def test_an_attachment_that_somebody_removed_before_it_was_read_stays_away(base: KnowledgeBase, status: str) -> None:
    with registered(CountingEmbedder()):
        received = receive(base, with_mix())
        [attachment] = attached(base)
        Document.objects.filter(pk=attachment.pk).update(status=status)
        delete_document(attachment)
        read_again(received)
        read_again(received)
    assert not attached(base)


def test_an_attachment_that_somebody_removed_long_ago_stays_away(base: KnowledgeBase) -> None:
    with registered(CountingEmbedder()):
        received = receive(base, with_mix())
        [attachment] = attached(base)
        ingest(attachment.pk)
        delete_document(attachment)
        prune_knowledge_base(base, older_than=timedelta(0))
        assert not Document.objects.filter(pk=attachment.pk).exists()
        read_again(received)
    assert not attached(base)


def test_an_attachment_that_failed_is_tried_again_with_its_mail(base: KnowledgeBase) -> None:
    with registered(CountingEmbedder()):
        received = receive(base, with_mix())
        [attachment] = attached(base)
        Document.objects.filter(pk=attachment.pk).update(status="failed")
        read_again(received)
    assert [one.status for one in attached(base)] == ["queued"]


def test_a_mail_that_was_removed_brings_its_attachments_when_it_comes_again(base: KnowledgeBase) -> None:
    with registered(CountingEmbedder()):
        received = receive(base, with_mix())
        [attachment] = attached(base)
        delete_document(attachment)
        delete_document(received)
        receive(base, with_mix())
    assert len(attached(base)) == 1
