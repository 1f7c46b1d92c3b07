// What a user of @a2a-js/sdk 1 writes.
import { randomUUID } from "node:crypto";
import { ClientFactory } from "@a2a-js/sdk/client";

const [agent, key, question, unclear, foreign] = process.argv.slice(2);
const serviceParameters = { Authorization: `Bearer ${key}` };
const client = await new ClientFactory().createFromUrl(`${agent}/`);

const parts = (value) => value?.parts ?? [];
const texts = (found) => found.map((part) => (part.content?.$case === "text" ? part.content.value : "")).join("");
const datas = (found) => Object.assign({}, ...found.map((part) => (part.content?.$case === "data" ? part.content.value : {})));
const request = (text, ids) => ({
  tenant: "",
  message: {
    messageId: randomUUID(),
    role: 1,
    parts: [{ content: { $case: "text", value: text }, mediaType: "", filename: "", metadata: undefined }],
    contextId: "",
    taskId: "",
    extensions: [],
    referenceTaskIds: [],
    metadata: undefined,
    ...ids,
  },
  configuration: undefined,
  metadata: undefined,
});

function read(task) {
  const found = [...(task.artifacts ?? []).flatMap(parts), ...parts(task.status?.message)];
  return { text: texts(found), data: datas(found), state: task.status.state, taskId: task.id, contextId: task.contextId };
}

async function whole(text, ids) {
  const { payload, ...rest } = await client.sendMessage(request(text, ids), { serviceParameters });
  return read(payload?.value ?? rest);
}

async function streamed(text, ids) {
  const seen = { kinds: [], text: "", data: {}, state: 0 };
  for await (const event of client.sendMessageStream(request(text, ids), { serviceParameters })) {
    const { $case: kind, value } = event.payload;
    seen.kinds.push(kind);
    if (kind === "artifactUpdate") {
      seen.text += texts(parts(value.artifact));
      Object.assign(seen.data, datas(parts(value.artifact)));
    } else {
      seen.state = value.status.state;
    }
  }
  return seen;
}

const asked = await whole(unclear);
const ids = { taskId: asked.taskId, contextId: asked.contextId };
const missing = await client.getTask({ tenant: "", id: "nothing" }, { serviceParameters }).catch((error) => [error.constructor.name, error.message]);
console.log(
  JSON.stringify({
    card: client.agentCard?.name,
    answered: await whole(question),
    streamed: await streamed(question),
    refused: await whole(foreign),
    asked,
    continued: await whole("severe", ids),
    missing,
  }),
);
