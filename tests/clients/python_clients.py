"""Published Python clients, each in an environment of its own: this runs there, not among the tests.

Takes the client's name, the server, a key, a plugin and a question. The last line that it prints is JSON: what the
client's user sees of each thing that was tried, and which version it is.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

NAME, SERVER, KEY, PLUGIN, QUESTION = sys.argv[1:6]
BASE = f"{SERVER}/v1"
os.environ |= {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": BASE, "OPENAI_AGENTS_DISABLE_TRACING": "1"}
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it waits for a site that it cannot reach from here
MESSAGES = [{"role": "user", "content": QUESTION}]
DESCRIPTION = "The nominal cover of a beam in severe exposure."
SCHEMA = {
    "title": "Cover",
    "description": "The cover.",
    "type": "object",
    "properties": {
        "nominal_cover": {"type": "string", "description": "The nominal cover of a beam in severe exposure."}
    },
    "required": ["nominal_cover"],
    "additionalProperties": False,
}


def openai() -> dict[str, str]:
    import openai as package

    client = package.OpenAI()
    chat = client.chat.completions.create(model=PLUGIN, messages=MESSAGES)
    streamed = client.chat.completions.create(model=PLUGIN, messages=MESSAGES, stream=True)
    response = client.responses.create(model=PLUGIN, input=QUESTION)
    with client.responses.stream(model=PLUGIN, input=QUESTION) as stream:
        for _ in stream:
            pass
        last = stream.get_final_response()
    wanted = {"type": "json_schema", "json_schema": {"name": "cover", "schema": SCHEMA, "strict": True}}
    filled = client.chat.completions.create(model=PLUGIN, messages=MESSAGES, response_format=wanted)
    return {
        "chat": chat.choices[0].message.content,
        "chat, streamed": "".join(one.choices[0].delta.content or "" for one in streamed if one.choices),
        "responses": response.output_text,
        "responses, streamed": last.output_text,
        "json_schema": filled.choices[0].message.content,
    }


def openai_agents() -> dict[str, str]:
    from agents import Agent, Runner

    agent = Agent(name="Asker", model=PLUGIN)

    async def ask() -> dict[str, str]:
        whole = await Runner.run(agent, QUESTION)
        run = Runner.run_streamed(agent, QUESTION)
        async for _ in run.stream_events():
            pass
        return {"responses": str(whole.final_output), "responses, streamed": str(run.final_output)}

    return asyncio.run(ask())


def pydantic_ai() -> dict[str, str]:
    from pydantic import BaseModel, Field
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel

    class Cover(BaseModel):
        nominal_cover: str = Field(description=DESCRIPTION)

    model = OpenAIChatModel(PLUGIN)
    text = Agent(model).run_sync(QUESTION)
    filled = Agent(model, output_type=Cover).run_sync(QUESTION)
    return {"chat": text.output, "output_type": filled.output.nominal_cover}


def langchain_openai() -> dict[str, str]:
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model=PLUGIN, base_url=BASE, api_key=KEY)
    shown = {
        "chat": model.invoke(QUESTION).content,
        "chat, streamed": "".join(str(one.content) for one in model.stream(QUESTION)),
    }
    for method in ("json_schema", "function_calling"):
        filled = model.with_structured_output(SCHEMA, method=method).invoke(QUESTION)
        shown[f"with_structured_output, {method}"] = str(filled["nominal_cover"])
    return shown


def llama_index() -> dict[str, str]:
    from llama_index.core.llms import ChatMessage
    from llama_index.llms.openai_like import OpenAILike

    model = OpenAILike(model=PLUGIN, api_base=BASE, api_key=KEY, is_chat_model=True)
    asked = [ChatMessage(role="user", content=QUESTION)]
    streamed = "".join(one.delta or "" for one in model.stream_chat(asked))
    return {"chat": str(model.chat(asked).message.content), "chat, streamed": streamed}


def litellm() -> dict[str, str]:
    import litellm as package

    given: dict[str, Any] = {"model": f"openai/{PLUGIN}", "api_base": BASE, "api_key": KEY}
    whole = package.completion(messages=MESSAGES, **given)
    streamed = package.completion(messages=MESSAGES, stream=True, **given)
    response = package.responses(input=QUESTION, **given)
    return {
        "chat": whole.choices[0].message.content,
        "chat, streamed": "".join(one.choices[0].delta.content or "" for one in streamed),
        "responses": "".join(part.text for item in response.output if item.type == "message" for part in item.content),
    }


def fastmcp() -> dict[str, str]:
    from fastmcp import Client
    from fastmcp.client.transports import StreamableHttpTransport

    async def answer(message: str, kind: Any, params: Any, context: Any) -> Any:
        return {"exposure": "severe"}

    async def run() -> dict[str, str]:
        transport = StreamableHttpTransport(f"{SERVER}/mcp", headers={"Authorization": f"Bearer {KEY}"})
        async with Client(transport, elicitation_handler=answer) as client:
            names = [tool.name for tool in await client.list_tools()]
            asked = {"plugin": PLUGIN, "question": QUESTION}
            told = await client.call_tool("ask_expert", asked)
            unclear = {"plugin": PLUGIN, "question": "What is the nominal cover of a beam?"}
            elicited = await client.call_tool("ask_expert", unclear)
        assert "ask_expert" in names
        return {"ask_expert": told.content[0].text, "elicitation": elicited.content[0].text}

    return asyncio.run(run())


CLIENTS: dict[str, tuple[str, Callable[[], dict[str, str]]]] = {
    "openai": ("openai", openai),
    "openai-agents": ("openai-agents", openai_agents),
    "pydantic-ai": ("pydantic-ai-slim", pydantic_ai),
    "langchain-openai": ("langchain-openai", langchain_openai),
    "llama-index": ("llama-index-llms-openai-like", llama_index),
    "litellm": ("litellm", litellm),
    "fastmcp": ("fastmcp", fastmcp),
}

package, use = CLIENTS[NAME]
print()
print(json.dumps({"version": version(package), "shown": use()}), flush=True)
os._exit(0)  # what has been asked is answered; tidying up takes such a package seconds
