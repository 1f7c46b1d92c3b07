"""What a user of a2a-sdk 1 writes: the agent is asked by its card, streamed and not, and the task is continued."""

import asyncio
import json
import sys
from typing import Any

import httpx
from a2a.client import ClientConfig, create_client
from a2a.helpers.proto_helpers import get_data_parts, get_text_parts, new_text_message
from a2a.types.a2a_pb2 import GetTaskRequest, ListTasksRequest, Role, SendMessageRequest, TaskState

agent, key, question, unclear, foreign = sys.argv[1:]


async def ask(client: Any, text: str, **ids: str) -> dict[str, Any]:
    """What came, in the order in which it came: words, data, and the states of the task."""
    seen: dict[str, Any] = {"kinds": [], "text": "", "data": {}, "state": ""}
    request = SendMessageRequest(message=new_text_message(text, role=Role.ROLE_USER, **ids))
    async for event in client.send_message(request):
        kind = event.WhichOneof("payload")
        seen["kinds"].append(kind)
        for parts in _parts(event, kind):
            seen["text"] += "".join(get_text_parts(parts))
            seen["data"] |= next(iter(get_data_parts(parts)), {})
        value = getattr(event, kind)
        seen |= {"task_id": value.id if kind == "task" else value.task_id, "context_id": value.context_id}
        if kind != "artifact_update":
            seen["state"] = TaskState.Name(value.status.state)
    return seen


def _parts(event: Any, kind: str) -> list[Any]:
    if kind == "artifact_update":
        return [event.artifact_update.artifact.parts]
    if kind == "task":
        return [artifact.parts for artifact in event.task.artifacts] + [event.task.status.message.parts]
    asks = event.status_update.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    return [event.status_update.status.message.parts] if asks else []


async def main() -> None:
    printed = {}
    headers = {"Authorization": f"Bearer {key}"}
    for name, streaming in [("streamed", True), ("whole", False)]:
        async with httpx.AsyncClient(headers=headers, timeout=60) as http:
            client = await create_client(agent, ClientConfig(httpx_client=http, streaming=streaming))
            asked = await ask(client, unclear)
            ids = {"task_id": asked["task_id"], "context_id": asked["context_id"]}
            printed[name] = {
                "answered": await ask(client, question),
                "refused": await ask(client, foreign),
                "asked": asked,
                "continued": await ask(client, "severe", **ids),
            }
            task = await client.get_task(GetTaskRequest(id=asked["task_id"]))
            printed[name]["read"] = [
                TaskState.Name(task.status.state),
                "".join(get_text_parts(task.artifacts[0].parts)),
            ]
            printed[name]["listed"] = (await client.list_tasks(ListTasksRequest(page_size=2))).total_size
            try:
                await client.get_task(GetTaskRequest(id="nothing"))
            except Exception as error:
                printed[name]["missing"] = [type(error).__name__, str(error)]
    print(json.dumps(printed))


asyncio.run(main())
