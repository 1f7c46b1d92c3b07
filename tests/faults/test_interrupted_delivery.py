"""Webhooks whose worker is killed or paused while the receiver works, and receivers that answer with garbage."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import pytest
from django.utils import timezone

from lexic import egress
from tests.webhooks.conftest import boots, receiver, webhook
from tests.webhooks.reachable_receiver import PORT_VARIABLE
from tests.webhooks.receiver import Receiver
from tests.worker_processes import empty_queue, kill, log, wait_for, worker
from webhooks import sender
from webhooks.models import Delivery, Webhook
from webhooks.outbox import record_test_event
from webhooks.tasks import enqueue_due_deliveries

__all__ = ["boots", "empty_queue", "log", "receiver", "webhook"]
pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
SENDER = ("-Q", "lexic", "-I", "tests.webhooks.reachable_receiver")


@pytest.fixture(autouse=True)
def reachable(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """For workers that are processes of their own."""
    monkeypatch.setenv(PORT_VARIABLE, str(receiver.server_address[1]))


def as_if_the_claim_had_expired() -> None:
    Webhook.objects.update(not_before=timezone.now())
    Delivery.objects.filter(state__in=["pending", "failed"]).update(next_attempt_at=timezone.now())


def is_delivered() -> bool:
    return Delivery.objects.filter(state=Delivery.State.DELIVERED).exists()


def test_an_event_whose_worker_is_killed_while_the_receiver_works_comes_once_more(
    webhook: Webhook, receiver: Receiver, log: IO[bytes]
) -> None:
    receiver.is_slow = True
    record_test_event(webhook)
    with worker(log, *SENDER) as first:
        wait_for(lambda: len(receiver.arrived) == 1, log)
        kill(first)
    receiver.is_slow = False
    receiver.go_on.set()
    assert enqueue_due_deliveries() == 0, "the claim holds: a second worker would send it at once"
    as_if_the_claim_had_expired()
    assert enqueue_due_deliveries() == 1
    with worker(log, *SENDER):
        wait_for(is_delivered, log)
    assert len(receiver.arrived) == Delivery.objects.get().attempts == 2, "once more, and no oftener"
    assert len({one.headers["webhook-id"] for one in receiver.arrived}) == 1


def test_a_worker_that_slept_while_another_delivered_changes_nothing(
    webhook: Webhook, receiver: Receiver, log: IO[bytes]
) -> None:
    receiver.is_slow = True
    receiver.will_answer(500)  # what the sleeping one will be told
    record_test_event(webhook)
    with worker(log, *SENDER) as first:
        wait_for(lambda: len(receiver.arrived) == 1, log)
        os.killpg(first.pid, signal.SIGSTOP)
        receiver.is_slow = False
        receiver.go_on.set()
        as_if_the_claim_had_expired()
        sender.send_due(webhook.pk)
        assert is_delivered()
        os.killpg(first.pid, signal.SIGCONT)
        wait_for(lambda: Webhook.objects.get().failures == 1, log)  # it has noted that its attempt failed
        assert is_delivered(), "a late failure does not undo what has arrived"
    assert (len(receiver.arrived), Delivery.objects.get().attempts) == (2, 2)


@contextmanager
def answering_with(data: bytes) -> Iterator[int]:
    """A server that says this to everybody, whatever they ask. Its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(data)

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\x00\xff\x00\xff" * 500,
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 999999 What\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 200_000 + b"\r\n\r\n",
        b"HTTP/1.1 500 Oh\r\nContent-Length: 99999999999999999999\r\n\r\nshort",
        b"HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=["nothing", "bytes", "ssh", "status", "header", "length", "chunks"],
)
def test_garbage_of_a_receiver_is_a_failed_attempt_with_a_reason(webhook: Webhook, said: bytes, settings: Any) -> None:
    with answering_with(said) as port:
        policy = egress.EgressPolicy(exempt=frozenset({("127.0.0.1", port)}))
        settings.WEBHOOK_POLICY = policy
        Webhook.objects.update(url=f"http://127.0.0.1:{port}/")
        record_test_event(webhook)
        sender.send_due(webhook.pk)
    delivery = Delivery.objects.get()
    assert delivery.attempts == 1
    assert delivery.state == Delivery.State.FAILED
    assert delivery.error
    assert "unexpected" not in delivery.error
    assert delivery.next_attempt_at
    assert delivery.next_attempt_at > timezone.now()
