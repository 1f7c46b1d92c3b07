"""What a user of a2a-sdk 0.3 writes."""

import asyncio
import json
import sys
from typing import Any
from uuid import uuid4

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import DataPart, Message, Part, Role, TaskQueryParams, TextPart

agent, key, question, unclear, foreign = sys.argv[1:]


async def ask(client: Any, text: str, **ids: str) -> dict[str, Any]:
    part = Part(root=TextPart(text=text))
    message = Message(role=Role.user, parts=[part], message_id=str(uuid4()), **ids)
    last = None
    kinds = []
    async for event in client.send_message(message):
        task, update = event
        kinds.append(update.kind if update else task.kind)
        last = task
    assert last is not None
    artifacts = [part.root for artifact in last.artifacts or [] for part in artifact.parts]
    told = [part.root for part in last.status.message.parts] if last.status.state == "input-required" else []
    parts = [*artifacts, *told]
    return {
        "kinds": kinds,
        "text": "".join(part.text for part in parts if isinstance(part, TextPart)),
        "data": next((part.data for part in parts if isinstance(part, DataPart)), {}),
        "state": last.status.state.value,
        "task_id": last.id,
        "context_id": last.context_id,
    }


async def main() -> None:
    printed = {}
    headers = {"Authorization": f"Bearer {key}"}
    for name, streaming in [("streamed", True), ("whole", False)]:
        async with httpx.AsyncClient(headers=headers, timeout=60) as http:
            card = await A2ACardResolver(http, agent).get_agent_card()
            client = ClientFactory(ClientConfig(httpx_client=http, streaming=streaming)).create(card)
            asked = await ask(client, unclear)
            ids = {"task_id": asked["task_id"], "context_id": asked["context_id"]}
            printed[name] = {
                "answered": await ask(client, question),
                "refused": await ask(client, foreign),
                "asked": asked,
                "continued": await ask(client, "severe", **ids),
            }
            task = await client.get_task(TaskQueryParams(id=asked["task_id"]))
            printed[name]["read"] = [task.status.state.value, task.artifacts[0].parts[0].root.text]
            try:
                await client.get_task(TaskQueryParams(id="nothing"))
            except Exception as error:
                printed[name]["missing"] = [type(error).__name__, str(error)]
    print(json.dumps(printed))


asyncio.run(main())
