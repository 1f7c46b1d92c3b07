// What a user of the package writes. It has to type-check under `strict`, and prints what a real server answered.
import { AuthenticationError, Lexic, NotFoundError, type Answer, type BatchResult, type LexicEvent } from "lexic-sdk";

const [question = "", unclear = "", foreign = ""] = process.argv.slice(2);
const lexic = new Lexic({ defaultPlugin: "cover", maxRetries: 0 });
const answered: Answer = await lexic.ask(question);

const events: LexicEvent[] = [];
const streamed = await lexic.stream(question).finalAnswer((event) => events.push(event));

// As if the page had been left behind the first words, and opened again.
const begun = lexic.stream(question);
let before = "";
for await (const event of begun) {
  if (event.type !== "delta") continue;
  before = event.text;
  break;
}
let behind = "";
for await (const event of lexic.stream(question, { lastEventId: begun.lastEventId })) {
  if (event.type === "delta") behind += event.text;
}

const asked = await lexic.ask(unclear);
const clarified = await lexic.answerClarification(asked, "severe");
const streamedClarified = await lexic.streamClarification(asked, "mild").finalAnswer();
const refused = await lexic.ask(foreign);

const [cited] = answered.citations;
if (!cited?.documentId) throw new Error("Nothing is cited.");
const page = await lexic.page("cover", cited.documentId, 1);
const source = await lexic.source("document", cited.documentId, { start: cited.start ?? 0, end: cited.end ?? 0 });
const feedback = await lexic.giveFeedback(answered.queryId ?? "", { verdict: "up" });

const batch = await lexic.batches.create([
  { id: "beam", query: question },
  { id: "nothing", query: question, facts: { exposure: "mild" } },
]);
await lexic.batches.wait(batch.id, { interval: 100, signal: AbortSignal.timeout(60_000) });
const results: BatchResult[] = [];
for await (const result of lexic.batches.results(batch.id)) results.push(result);
const batches: string[] = [];
for await (const one of lexic.batches.list()) batches.push(one.id);
await lexic.batches.delete(batch.id);

async function failure(asking: Promise<unknown>): Promise<unknown> {
  return asking.then(() => "no error", (error: unknown) => error);
}
const unknown = await failure(lexic.ask(question, { plugin: "nothing" }));
const stranger = await failure(new Lexic({ apiKey: "lx_" + "x".repeat(43), defaultPlugin: "cover" }).ask(question));

const same = ({ queryId: _queryId, raw: _raw, request: _request, ...rest }: Answer) => JSON.stringify(rest);
console.log(
  JSON.stringify({
    answer: answered.answer,
    sameStreamed: same(answered) === same(streamed),
    deltas: events.map((event) => (event.type === "delta" ? event.text : "")).join(""),
    kinds: [...new Set(events.map((event) => event.type))],
    resumed: before + behind,
    options: asked.clarification?.options,
    clarified: clarified.answer,
    streamedClarified: streamedClarified.answer,
    refused: [refused.outcome, refused.reason, refused.citations.length],
    excerptStandsOnPage: Array.from(page.text).slice(cited.start, cited.end).join("") === cited.excerpt,
    source: source.excerpt === cited.excerpt,
    feedback: feedback.verdict,
    batch: results.map((one) => [one.id, one.response?.outcome ?? one.error?.code]),
    batchListed: batches.includes(batch.id),
    unknown: unknown instanceof NotFoundError && unknown.code,
    stranger: stranger instanceof AuthenticationError && stranger.status,
    me: (await lexic.me()).plugins.map((one) => one.slug),
    marketplace: (await lexic.plugins()).map((one) => one.slug),
  }),
);
