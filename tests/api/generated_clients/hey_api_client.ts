// What a user of @hey-api/openapi-ts writes. It has to type-check under `strict`.
import { askQuestion, getAnalytics, type AnswerEvent } from "./hey";
import { client } from "./hey/client.gen";

const [baseUrl, key] = process.argv.slice(2);
client.setConfig({ baseUrl: baseUrl as string, auth: key });
const query = "What is the minimum cover for a beam exposed to weather?";

const { data, error } = await askQuestion({ body: { plugin: "cover", query } });
if (!data) throw new Error(error.error);
const excerpts: string[] = data.citations.map((citation) => citation.excerpt);

const refused = await askQuestion({ body: { plugin: "nothing", query } });
if (!refused.error) throw new Error("This plugin does not exist.");

const figures = await getAnalytics({ path: { plugin: "cover" } });
const days = figures.data?.days.map((one) => one.day) ?? [];

let words = "";
const { stream } = await client.sse.post<AnswerEvent>({
  url: "/api/v1/query",
  security: [{ scheme: "bearer", type: "http" }],
  body: { plugin: "cover", query, stream: true },
  headers: { "Content-Type": "application/json" },
});
for await (const event of stream as AsyncIterable<AnswerEvent>) words += event.type === "delta" ? event.text : "";

console.log(JSON.stringify({ answer: data.answer, excerpts, code: refused.error.code, days: days.length, words }));
