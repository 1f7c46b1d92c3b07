"""Messages to the plugin on concrete cover, worked on in the test's own thread."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from asgiref.sync import async_to_sync
from django.utils import timezone

from accounts.models import Principal
from agents.execution.execute_run import execute_run
from agents.messages.begin_run import NewMessage, begin_run
from agents.models import AgentRun
from conversations.models import ChatMessage
from plugins.models import Plugin
from querying import releases

SPACERS = "How far apart do spacers made of mortar stand?"
OPEN = "What is the nominal cover of a beam?"
OFF_TOPIC = "Which gloves does a diver need in the Arctic?"


def new_message(plugin: Plugin, principal: Principal, text: str = SPACERS, **fields: Any) -> NewMessage:
    return NewMessage(text=text, release=releases.resolve(plugin.slug, principal=principal), **fields)


def begin(plugin: Plugin, principal: Principal, text: str = SPACERS, **fields: Any) -> AgentRun:
    return begin_run(new_message(plugin, principal, text, **fields), principal=principal)[0]


def work(run: AgentRun) -> AgentRun:
    """The run as it is stored when this process has worked on it."""
    async_to_sync(execute_run)(run)
    return AgentRun.objects.get(pk=run.pk)


def ask(plugin: Plugin, principal: Principal, text: str = SPACERS, **fields: Any) -> AgentRun:
    return work(begin(plugin, principal, text, **fields))


def died_behind(run: AgentRun, number: int) -> AgentRun:
    """The finished run, as if its process had been killed behind the event of this number; held by another one."""
    run.events.filter(number__gt=number).delete()
    ChatMessage.objects.filter(session=run.session_id, role="assistant").delete()
    long_ago = timezone.now() - timedelta(minutes=1)
    AgentRun.objects.filter(pk=run.pk).update(state="running", leased_until=long_ago, ended_at=None)
    found = AgentRun.objects.get(pk=run.pk)
    assert found.take_over()
    return found


def shown(run: AgentRun) -> list[tuple[str, dict[str, Any]]]:
    """The events on the wire."""
    return list(run.events.filter(is_public=True).order_by("number").values_list("kind", "data"))


def kinds(run: AgentRun) -> list[str]:
    return [kind for kind, _ in shown(run)]


def data_of(run: AgentRun, kind: str) -> list[dict[str, Any]]:
    return [data for one, data in shown(run) if one == kind]


def text_of(run: AgentRun) -> str:
    return "".join(data["text"] for data in data_of(run, "content"))


def answer_of(run: AgentRun) -> ChatMessage:
    return ChatMessage.objects.get(session=run.session_id, role="assistant", query_id=run.message.query_id)


def with_budget(settings: Any, **limits: float) -> None:
    settings.AGENTS = replace(settings.AGENTS, budgets=replace(settings.AGENTS.budgets, **limits))
