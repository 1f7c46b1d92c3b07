// The official TypeScript client of MCP, given an address and nothing else. It finds the server, registers itself and sends
// the person to a page, whose address is printed. It reads where the person was sent back from standard input, and prints
// what it asked.
import { createInterface } from "node:readline/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [address, question] = process.argv.slice(2);
const redirectUrl = "http://localhost:53682/callback";
const kept = {};
const say = (told) => process.stdout.write(`${JSON.stringify(told)}\n`);
const authProvider = {
  redirectUrl,
  clientMetadata: {
    client_name: "TypeScript host",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  state: () => "the-state",
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  redirectToAuthorization: (url) => say({ authorize: url.href }),
};

async function connect() {
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider });
  const client = new Client({ name: "host", version: "1" });
  await client.connect(transport);
  return client;
}

try {
  await connect();
  throw new Error("it was let in without a token");
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
}
const lines = createInterface({ input: process.stdin });
const code = await new Promise((resolve) => lines.once("line", resolve));
lines.close();
await new StreamableHTTPClientTransport(new URL(address), { authProvider }).finishAuth(code);

const asked = { name: "ask_expert", arguments: { plugin: "cover", question } };
let client = await connect();
const { structuredContent } = await client.callTool(asked);
await client.close();

// A token that has ended is refused; the client goes on with its refresh token and asks nobody.
const first = kept.tokens.access_token;
kept.tokens = { ...kept.tokens, access_token: `lxa_${"x".repeat(43)}` };
client = await connect();
const again = await client.callTool(asked);
await client.close();
say({ answer: structuredContent.answer, again: again.structuredContent.answer, isNew: kept.tokens.access_token !== first });
process.exit(0);
