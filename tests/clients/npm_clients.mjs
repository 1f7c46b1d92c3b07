// Published clients of npm. Reads {client, server, key, plugin, question} from standard input; prints what the client's
// user sees as JSON, and which version it is.
import { readFileSync } from "node:fs";

const { client, server, key, plugin, question } = JSON.parse(readFileSync(0, "utf8"));
const baseURL = `${server}/v1`;
delete process.env.OPENAI_BASE_URL; // an empty one is refused when the package is loaded
const messages = [{ role: "user", content: question }];
const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
const description = "The nominal cover of a beam in severe exposure.";

async function joined(stream) {
  let text = "";
  for await (const piece of stream) text += piece;
  return text;
}

const CLIENTS = {
  async openai() {
    const { default: OpenAI } = await import("openai");
    const openai = new OpenAI({ apiKey: key, baseURL });
    const chat = await openai.chat.completions.create({ model: plugin, messages });
    const response = await openai.responses.create({ model: plugin, input: question });
    const stream = openai.responses.stream({ model: plugin, input: question });
    for await (const _ of stream);
    const last = await stream.finalResponse();
    return {
      chat: chat.choices[0].message.content,
      responses: response.output_text,
      "responses, streamed": last.output_text,
    };
  },
  async "@openai/agents"() {
    const { Agent, OpenAIProvider, Runner } = await import("@openai/agents");
    const runner = new Runner({ modelProvider: new OpenAIProvider({ apiKey: key, baseURL }), tracingDisabled: true });
    const agent = new Agent({ name: "Asker", model: plugin });
    return { responses: (await runner.run(agent, question)).finalOutput };
  },
  async "@ai-sdk/openai"() {
    const { generateObject, generateText, streamText } = await import("ai");
    const { createOpenAI } = await import("@ai-sdk/openai");
    const { z } = await import("zod");
    const openai = createOpenAI({ apiKey: key, baseURL });
    const schema = z.object({ nominal_cover: z.string().describe(description) });
    const filled = await generateObject({ model: openai(plugin), schema, prompt: question });
    return {
      "generateText, responses": (await generateText({ model: openai(plugin), prompt: question })).text,
      "generateText, chat": (await generateText({ model: openai.chat(plugin), prompt: question })).text,
      streamText: await joined(streamText({ model: openai(plugin), prompt: question }).textStream),
      generateObject: filled.object.nominal_cover,
    };
  },
  async "@langchain/openai"() {
    const { ChatOpenAI } = await import("@langchain/openai");
    const { z } = await import("zod");
    const model = new ChatOpenAI({ model: plugin, apiKey: key, configuration: { baseURL } });
    const schema = z.object({ nominal_cover: z.string().describe(description) });
    const filled = await model.withStructuredOutput(schema).invoke(question);
    return { chat: (await model.invoke(question)).content, withStructuredOutput: filled.nominal_cover };
  },
};

const shown = await CLIENTS[client]();
// One line of its own: a client may log to standard output as well.
process.stdout.write(`\n${JSON.stringify({ version: versionOf(client), shown })}\n`, () => process.exit(0));
