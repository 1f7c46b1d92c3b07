// Published TypeScript hosts of the protocol. Reads {host, server, calls} from standard input; prints the names of the
// tools, and for each call the text that the host's user or model sees. `server` is {url, headers}, or a command.
import { readFileSync } from "node:fs";

const { host, server, calls } = JSON.parse(readFileSync(0, "utf8"));
const info = { name: "test", version: "1" };
const textOf = (result) => result.content.filter((block) => block.type === "text").map((block) => block.text).join("\n");
const shown = (result) => ({ isError: Boolean(result.isError), text: textOf(result) });

function officialSession(client) {
  return {
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, given) => shown(await client.callTool({ name, arguments: given })),
    close: () => client.close(),
  };
}

const HOSTS = {
  async sdk() {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const client = new Client(info, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { exposure: "severe" } }));
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    await client.connect(
      server.url
        ? new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: server.headers } })
        : new StdioClientTransport(server),
    );
    return officialSession(client);
  },
  async client() {
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    const options = { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } };
    const client = new Client(info, options);
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { exposure: "severe" } }));
    await client.connect(
      server.url
        ? new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: server.headers } })
        : new StdioClientTransport(server),
    );
    return officialSession(client);
  },
  async "ai-sdk"() {
    const { createMCPClient } = await import("@ai-sdk/mcp");
    const { Experimental_StdioMCPTransport: StdioTransport } = await import("@ai-sdk/mcp/mcp-stdio");
    const client = await createMCPClient({ transport: server.url ? { type: "http", ...server } : new StdioTransport(server) });
    const tools = await client.tools();
    return {
      tools: async () => Object.keys(tools),
      call: async (name, given) => shown(await tools[name].execute(given, { messages: [], toolCallId: "1" })),
      close: () => client.close(),
    };
  },
  async langchain() {
    const { MultiServerMCPClient } = await import("@langchain/mcp-adapters");
    const lexic = { transport: server.url ? "http" : "stdio", ...server };
    const client = new MultiServerMCPClient({ mcpServers: { lexic } });
    const tools = Object.fromEntries((await client.getTools()).map((tool) => [tool.name, tool]));
    return {
      tools: async () => Object.keys(tools),
      call: async (name, given) => ({ isError: false, text: JSON.stringify(await tools[name].invoke(given)) }),
      close: () => client.close(),
    };
  },
  async "mcp-use"() {
    const { MCPClient } = await import("mcp-use/client");
    const client = new MCPClient({ mcpServers: { lexic: server } });
    const session = await client.createSession("lexic");
    return {
      tools: async () => (await session.listTools()).map((tool) => tool.name),
      call: async (name, given) => shown(await session.callTool(name, given)),
      close: () => client.closeAllSessions(),
    };
  },
  async "openai-agents"() {
    const { MCPServerStdio, MCPServerStreamableHttp } = await import("@openai/agents");
    const { url, headers } = server;
    const session = url
      ? new MCPServerStreamableHttp({ url, name: "lexic", requestInit: { headers } })
      : new MCPServerStdio({ ...server, name: "lexic", clientSessionTimeoutSeconds: 60 });
    await session.connect();
    return {
      tools: async () => (await session.listTools()).map((tool) => tool.name),
      call: async (name, given) => ({ isError: false, text: JSON.stringify(await session.callTool(name, given)) }),
      close: () => session.close(),
    };
  },
};

const session = await HOSTS[host]();
const tools = await session.tools();
const results = [];
for (const [name, given] of calls) {
  // Some hosts throw where a tool answers with an error: the message is what their users see.
  const failed = (error) => ({ isError: true, text: error.message });
  results.push(await session.call(name, given).catch(failed));
}
await session.close();
// One line of its own: hosts log to standard output as well.
process.stdout.write(`\n${JSON.stringify({ tools, results })}\n`, () => process.exit(0));
