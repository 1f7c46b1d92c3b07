// What a user of openapi-typescript and openapi-fetch writes. It has to type-check under `strict`.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

type AnswerEvent = components["schemas"]["AnswerEvent"];

const [baseUrl, key] = process.argv.slice(2);
// "application/json": of routes that stream as well, the answer in one piece.
const client = createClient<paths, "application/json">({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
const query = "What is the minimum cover for a beam exposed to weather?";

const { data, error } = await client.POST("/api/v1/query", { body: { plugin: "cover", query } });
if (error) throw new Error(error.error);
const excerpts: string[] = data.citations.map((citation) => citation.excerpt);

const refused = await client.POST("/api/v1/query", { body: { plugin: "nothing", query } });
if (!refused.error) throw new Error("This plugin does not exist.");

const figures = await client.GET("/api/plugins/{plugin}/analytics", { params: { path: { plugin: "cover" } } });
const days = figures.data?.days.map((one) => one.day) ?? [];

const streamed = await client.POST("/api/v1/query", { body: { plugin: "cover", query, stream: true }, parseAs: "text" });
const lines = String(streamed.data).split("\n").filter((line) => line.startsWith("data: "));
const events = lines.map((line) => JSON.parse(line.slice(6)) as AnswerEvent);
const words = events.map((event) => (event.type === "delta" ? event.text : "")).join("");

console.log(JSON.stringify({ answer: data.answer, excerpts, code: refused.error.code, days: days.length, words }));
