// A plugin as a tool of the AI SDK and of LangChain.js. It has to type-check under `strict`.
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { ToolMessage } from "@langchain/core/messages";
import { lexicTool } from "lexic-sdk/ai";
import { asDocuments, LexicRetriever, lexicTool as langchainTool } from "lexic-sdk/langchain";
import type { Answer } from "lexic-sdk";

const [query = ""] = process.argv.slice(2);
const plugin = "cover";

// A model that calls the tool with what it is told to, and then says what it was given.
function modelThatCalls(input: unknown): MockLanguageModelV4 {
  const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
  let isFirst = true;
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt, tools }) => {
      const call = { type: "tool-call", toolCallId: "1", toolName: "expert", input: JSON.stringify(input) } as const;
      const said = { type: "text", text: JSON.stringify({ last: prompt.at(-1), tools }) } as const;
      const content = [isFirst ? call : said];
      const finishReason = { unified: isFirst ? "tool-calls" : "stop", raw: undefined } as const;
      isFirst = false;
      return { content, finishReason, usage, warnings: [] };
    },
  });
}

async function byAiSdk(input: unknown) {
  // `tool()` is there for its types: what the package gives fits with it and without.
  const tools = { expert: tool(lexicTool({ plugin, queryOptions: { maxSources: 5 } })), other: lexicTool({ plugin }) };
  const model = modelThatCalls(input);
  const { text, steps } = await generateText({ model, tools, prompt: query, stopWhen: stepCountIs(2) });
  const { last, tools: shown } = JSON.parse(text) as { last: { content: { output: unknown }[] }; tools: { inputSchema: unknown }[] };
  const [result] = steps[0]?.toolResults ?? [];
  return { seen: last.content[0]?.output, schema: shown[0]?.inputSchema, output: result?.output };
}

async function byLangchain(args: Record<string, unknown>, asked = plugin) {
  const expert = langchainTool({ plugin: asked, name: "expert", description: "Consult a structural engineer." });
  const message: unknown = await expert.invoke({ type: "tool_call", id: "1", name: "expert", args });
  if (!(message instanceof ToolMessage)) throw new Error("The tool gave no message.");
  return { content: JSON.parse(String(message.content)) as unknown, artifact: message.artifact as Answer | undefined };
}

const retriever = new LexicRetriever({ plugin });
const { artifact, content } = await byLangchain({ query });
console.log(
  JSON.stringify({
    ai: await byAiSdk({ query }),
    aiUnclear: await byAiSdk({ query: "What is the nominal cover of a beam?" }),
    aiKnown: await byAiSdk({ query: "What is the nominal cover of a beam?", facts: { exposure: "mild" } }),
    aiWrong: await byAiSdk({ question: query }),
    langchain: { content, queryId: artifact?.queryId, documents: artifact ? asDocuments(artifact).length : 0 },
    langchainWrong: (await byLangchain({ query }, "nothing")).content,
    documents: (await retriever.invoke(query)).map((one) => [one.pageContent, one.metadata]),
    keyIsKept: JSON.stringify([retriever, retriever.lc_kwargs]).includes(process.env["LEXIC_API_KEY"] ?? "?"),
  }),
);
