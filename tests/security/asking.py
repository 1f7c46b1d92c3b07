"""Asking a plugin in the process, with a model of one's choice."""

from __future__ import annotations

from typing import Any

from asgiref.sync import async_to_sync

from plugins.models import Plugin
from querying import pipeline, releases
from querying.llm_interface import LLM
from querying.types.question import Caller, Question


def ask(plugin: Plugin, text: str, llm: LLM | None = None, *, reference: str = "cover@draft", **fields: Any) -> Any:
    release = releases.resolve(reference, principal=plugin.owner)
    question = Question(text=text, release=release, caller=Caller(name="test"), **fields)

    async def events() -> list[Any]:
        return [event async for event in pipeline.stream(question, llm=llm)]

    return question, async_to_sync(events)()
