/** Up to 1,000 questions as a job, which a worker of the server asks one after the other. */
import type { CallOptions, Connection } from "./connection.js";
import * as normalise from "./normalise.js";
import { makeBody, type Question } from "./question.js";
import type { Batch, BatchResult } from "./results.js";
import { listPages } from "./pages.js";
import { sleep } from "./retries.js";

/** A question with an id of your own, by which you find its answer. */
export interface BatchQuestion extends Question {
  id: string;
  query: string;
}

export interface WaitOptions extends CallOptions {
  /** Milliseconds between looks; two seconds unless said. */
  interval?: number | undefined;
  onProgress?: ((batch: Batch) => void) | undefined;
}

export class Batches {
  readonly #connection: Connection;
  readonly #defaultPlugin: string | undefined;

  constructor(connection: Connection, defaultPlugin?: string) {
    this.#connection = connection;
    this.#defaultPlugin = defaultPlugin;
  }

  /** Has them asked. Where one of them is wrong, none is asked. */
  async create(questions: readonly BatchQuestion[], options?: CallOptions): Promise<Batch> {
    const lines = questions.map(({ id, query, ...question }) => ({ id, ...makeBody(query, question, this.#defaultPlugin) }));
    return (await this.#connection.json({ method: "POST", path: "/api/v1/batch", lines }, options)) as Batch;
  }

  /** How far it is. */
  async get(id: string, options?: CallOptions): Promise<Batch> {
    const call = { method: "GET", path: "/api/v1/batch/{batch}", parameters: { batch: id } } as const;
    return (await this.#connection.json(call, options)) as Batch;
  }

  /** The batches of this key, the newest first. */
  list(options?: CallOptions): AsyncGenerator<Batch, void, undefined> {
    const read = (page: unknown) => (normalise.asObject(page)["results"] as Batch[] | undefined) ?? [];
    return listPages(this.#connection, "/api/v1/batch", read, options);
  }

  /** Asks no further question of it. */
  async cancel(id: string, options?: CallOptions): Promise<Batch> {
    const call = { method: "POST", path: "/api/v1/batch/{batch}/cancel", parameters: { batch: id }, body: {} } as const;
    return (await this.#connection.json(call, options)) as Batch;
  }

  /** Cancels it, and forgets its results. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#connection.json({ method: "DELETE", path: "/api/v1/batch/{batch}", parameters: { batch: id } }, options);
  }

  /** Looks again and again until it is done or cancelled. */
  async wait(id: string, options: WaitOptions = {}): Promise<Batch> {
    for (;;) {
      const batch = await this.get(id, options);
      options.onProgress?.(batch);
      if (batch.state === "done" || batch.state === "cancelled") return batch;
      await sleep(options.interval ?? 2000, options.signal);
    }
  }

  /** What was answered so far, in the order of the questions. */
  async *results(id: string, options: CallOptions = {}): AsyncGenerator<BatchResult, void, undefined> {
    const headers = { Accept: "application/x-ndjson, */*;q=0.1" };
    const path = "/api/v1/batch/{batch}/results";
    const call = { method: "GET", path, parameters: { batch: id }, headers } as const;
    const { exchange } = await this.#connection.open(call, options);
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const chunk of exchange.chunks()) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line.trim()) yield normalise.batchResult(JSON.parse(line));
      }
      if (rest.trim()) yield normalise.batchResult(JSON.parse(rest));
    } finally {
      exchange.close();
    }
  }
}
