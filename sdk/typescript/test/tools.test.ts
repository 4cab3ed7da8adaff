/** Tools for models, held against the libraries that they are for, run against a real daemon. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, stepCountIs } from "ai";
import type { ToolSet } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import type OpenAI from "openai";
import { Helix } from "@helix/sdk";
import { helixTools } from "@helix/sdk/ai";
import { answerChat, answerResponses, chatTools, responsesTools } from "@helix/sdk/openai";
import { unlike } from "./surroundings.js";

const mem = new Helix({ project: unlike("tools") });
const NAMES = ["memory_search", "memory_context", "memory_write", "memory_get", "memory_forget", "memory_relate"];

// These do not compile when a shape is not what its library takes.
const forChat: OpenAI.Chat.Completions.ChatCompletionTool[] = chatTools();
const forResponses: OpenAI.Responses.Tool[] = responsesTools();
const forAi: ToolSet = helixTools(mem);

test("every tool is there in every shape, with its description and the schema of its arguments", () => {
  assert.deepEqual(
    forChat.map((tool) => tool.type === "function" && tool.function.name),
    NAMES,
  );
  assert.deepEqual(
    forResponses.map((tool) => tool.type === "function" && tool.name),
    NAMES,
  );
  assert.deepEqual(Object.keys(forAi), NAMES);
  const [chat] = chatTools({ only: ["memory_write"] });
  assert.deepEqual(chat!.function.parameters["required"], ["text"]);
  assert.match(chat!.function.description, /decision/);
  assert.throws(() => chatTools({ only: ["memory_smell" as "memory_get"] }), /memory_smell/);
});

const call = (id: string, name: string, said: object): OpenAI.Chat.Completions.ChatCompletionMessageToolCall => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(said) },
});

test("calls of a chat model are run and answered, those to other tools are left alone", async () => {
  const text = unlike("Deploys go out on Tuesdays only");
  const [written] = await answerChat(mem, [
    call("c1", "memory_write", { text, kind: "decision", tags: ["deploy"], title: null, force: true }),
    call("c2", "get_weather", { city: "Kiel" }),
  ]);
  const messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = [written!];
  assert.equal(messages.length, 1);
  assert.equal(written!.tool_call_id, "c1");
  const { id, status } = JSON.parse(written!.content) as { id: string; status: string };
  assert.equal(status, "created");
  const answers = await answerChat(mem, [
    call("s", "memory_search", { query: "when do deploys go out", filters: { kind: "decision" }, max_tokens: 900 }),
    call("g", "memory_get", { id, response_format: "concise" }),
    call("p", "memory_context", { task: "deploy the service" }),
    call("f", "memory_forget", { id }),
  ]);
  const [found, got, pack, forgotten] = answers.map((answer) => JSON.parse(answer.content) as any);
  assert.equal(found.results[0].id, id);
  assert.ok(found.tokens_used <= 900, "the answer is the daemon's own, in the names of the wire");
  assert.equal(got.text.trim(), text);
  assert.match(pack.context, /Tuesdays/);
  assert.equal(forgotten.status, "forgotten");
  assert.deepEqual(await answerChat(mem, undefined), []);
});

test("calls of the Responses API are run and answered", async () => {
  const said = { from: "", to: "", rel: "refines" };
  for (const end of ["from", "to"] as const) {
    said[end] = (await mem.write(unlike(`The note at the ${end} end`), { force: true })).id;
  }
  const output: OpenAI.Responses.ResponseOutputItem[] = [
    { type: "message", id: "m", role: "assistant", status: "completed", content: [] },
    { type: "function_call", call_id: "r1", name: "memory_relate", arguments: JSON.stringify(said) },
  ];
  const input: OpenAI.Responses.ResponseInputItem[] = await answerResponses(mem, output);
  assert.equal(input.length, 1);
  const [answer] = await answerResponses(mem, output);
  assert.equal(answer!.call_id, "r1");
  assert.equal((JSON.parse(answer!.output) as { status: string }).status, "noop");
});

test("a model is told what went wrong, in words it can act on", async () => {
  const bad = { id: "b", type: "function", function: { name: "memory_get", arguments: "{" } };
  const answers = await answerChat(mem, [
    call("n", "memory_get", { id: "mem_2026-01-01_nobody_aaaa" }),
    call("s", "memory_write", { text: "The admin login is password = hV7x92kQmZp4" }),
    call("u", "memory_search", { query: "x", colour: "red" }),
    call("f", "memory_search", { query: "x", filters: { colour: "red" } }),
    call("m", "memory_search", {}),
    bad,
  ]);
  const codes = answers.map((answer) => (JSON.parse(answer.content) as { code: string }).code);
  assert.deepEqual(codes, ["not-found", "secret-refused", "bad-request", "bad-value", "bad-request", "bad-value"]);
});

test("an abort ends the run of the tools", async () => {
  const calls = [call("a", "memory_search", { query: "deploys" })];
  await assert.rejects(answerChat(mem, calls, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("a model may name the project it looks from", async () => {
  const project = unlike("paint");
  const said = { text: unlike("Bollards are painted yellow"), project, force: true };
  const [written] = await answerChat(mem, [call("w", "memory_write", said)]);
  const { id } = JSON.parse(written!.content) as { id: string };
  const answers = await answerChat(mem, [
    call("1", "memory_search", { query: "bollards painted" }),
    call("2", "memory_search", { query: "bollards painted", project }),
  ]);
  const seen = answers.map(({ content }) => (JSON.parse(content) as any).results.some((hit: any) => hit.id === id));
  assert.deepEqual(seen, [false, true]);
});

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls these tools, one in each step, and then says what it was told last. */
function modelThatCalls(...calls: [name: string, said: object][]): MockLanguageModelV3 {
  let step = 0;
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const next = calls[step++];
      const content = next
        ? { type: "tool-call" as const, toolCallId: `t${step}`, toolName: next[0], input: JSON.stringify(next[1]) }
        : { type: "text" as const, text: JSON.stringify(prompt.at(-1)) };
      const unified = next ? ("tool-calls" as const) : ("stop" as const);
      return { content: [content], finishReason: { unified, raw: undefined }, usage, warnings: [] };
    },
  });
}

test("generateText of the AI SDK runs our tools against the daemon", async () => {
  const text = unlike("The staging database is called heron");
  const model = modelThatCalls(
    ["memory_write", { text, kind: "fact", force: true }],
    ["memory_search", { query: "what is the staging database called?" }],
  );
  const done = await generateText({
    model,
    tools: helixTools(mem),
    stopWhen: stepCountIs(4),
    prompt: "Remember the database, then look for it.",
  });
  const outputs = done.steps.flatMap((step) => step.toolResults.map((result) => result.output as any));
  assert.equal(outputs[0].status, "created");
  assert.equal(outputs[1].results[0].id, outputs[0].id);
  assert.match(done.text, /heron/);
  const shown = model.doGenerateCalls[0]!.tools!.find((tool) => tool.name === "memory_search");
  assert.ok(shown?.type === "function");
  assert.deepEqual(shown.inputSchema.required, ["query"]);
});

test("the AI SDK shows our errors to the model", async () => {
  const model = modelThatCalls(["memory_get", { id: "mem_2026-01-01_nobody_aaaa" }], ["memory_get", []]);
  const tools = helixTools(mem, { only: ["memory_get"] });
  assert.deepEqual(Object.keys(tools), ["memory_get"]);
  const done = await generateText({ model, tools, stopWhen: stepCountIs(2), prompt: "Read it." });
  const [part] = done.steps[0]!.content.filter((one) => one.type === "tool-error");
  assert.match(String(part?.error), /mem_2026-01-01_nobody_aaaa/);
});
