/** A server that does what the test says, one response after the other, and remembers what it was asked. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export interface Asked {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Reply = (response: ServerResponse) => void;

export interface ScriptedServer {
  url: string;
  asked: Asked[];
}

/** The last reply is given to every further request. */
export async function scriptedServer(t: TestContext, ...replies: Reply[]): Promise<ScriptedServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      asked.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
      replies[Math.min(asked.length, replies.length) - 1]?.(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

/** Events with their ids; with `breaks` the connection is cut behind them. */
export function events(found: [id: string, event: unknown][], { breaks = false } = {}): Reply {
  return (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const [id, event] of found) response.write(`${id ? `id: ${id}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
    if (!breaks) return response.end();
    // What was written has to leave before the connection is cut.
    response.write(": ping\n\n", () => setTimeout(() => response.destroy(), 30));
    return undefined;
  };
}

export const dropped: Reply = (response) => response.destroy();

export const ANSWER = {
  answer: "The cover is 45 mm. [Source 1]",
  citations: [{ id: "src_1", document: "Cover handbook", page: 5, excerpt: "45 mm", documentId: "d", start: 3, end: 8, url: "u", score: 0.9 }],
  decisionPath: [{ step: 1, node: "exposure", label: "Exposure?", value: true }],
  confidence: "high",
  confidenceBasis: { calibrated: true, probability: 0.9, explanation: "Measured." },
  pluginVersion: "1.0.0",
  outcome: "answered",
  reason: null,
  why: [],
  nearest: [],
  clarification: null,
  queryId: "q1",
  release: "cover@1.0.0",
  usage: { promptTokens: 3, completionTokens: 4 },
};
