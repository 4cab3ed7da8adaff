/** Tools in the shapes of OpenAI, Chat Completions and Responses, and the answers to a model that calls them. */
import { HelixError } from "./errors.js";
import type { Helix } from "./helix.js";
import type { CallOpts } from "./settings.js";
import { definitions, isToolName, runTool } from "./tools.js";
import type { ToolChoice, ToolName } from "./tools.js";

export type { ToolChoice, ToolName } from "./tools.js";
export { isToolName } from "./tools.js";

export interface ChatTool {
  type: "function";
  function: { name: ToolName; description: string; parameters: Record<string, unknown> };
}

export interface ResponsesTool {
  type: "function";
  name: ToolName;
  description: string;
  parameters: Record<string, unknown>;
  /** Strict mode wants every argument named in each call; most of these are optional. */
  strict: false;
}

/** A call in `message.tool_calls`; other kinds of calls are passed over. */
export interface ChatToolCall {
  id: string;
  type: string;
  function?: { name: string; arguments: string };
}

/** An item of `response.output`; what is not a call of ours is passed over. */
export interface ResponsesItem {
  type: string;
  name?: unknown;
  arguments?: unknown;
  call_id?: unknown;
}

/** For `tools` of `client.chat.completions.create`. */
export function chatTools(choice?: ToolChoice): ChatTool[] {
  return definitions(choice).map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters: structuredClone(parameters) },
  }));
}

/** For `tools` of `client.responses.create`. */
export function responsesTools(choice?: ToolChoice): ResponsesTool[] {
  return definitions(choice).map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    parameters: structuredClone(parameters),
    strict: false,
  }));
}

/** Runs the calls for Helix in their order and gives the messages to append. Calls to other tools are yours. */
export async function answerChat(
  helix: Helix,
  calls: readonly ChatToolCall[] | null | undefined,
  call: CallOpts = {},
): Promise<{ role: "tool"; tool_call_id: string; content: string }[]> {
  const messages = [];
  for (const { id, function: said } of calls ?? []) {
    if (!said || !isToolName(said.name)) continue;
    const content = await outcome(helix, said.name, said.arguments, call);
    messages.push({ role: "tool" as const, tool_call_id: id, content });
  }
  return messages;
}

/** The same for `response.output`; gives the items to send as `input`. */
export async function answerResponses(
  helix: Helix,
  items: readonly ResponsesItem[],
  call: CallOpts = {},
): Promise<{ type: "function_call_output"; call_id: string; output: string }[]> {
  const answers = [];
  for (const { type, name, arguments: words, call_id: id } of items) {
    if (type !== "function_call" || typeof name !== "string" || !isToolName(name)) continue;
    const output = await outcome(helix, name, String(words), call);
    answers.push({ type: "function_call_output" as const, call_id: String(id), output });
  }
  return answers;
}

/** A model can act on an error (look for another id, leave the secret out), so it is told; an abort ends the run. */
async function outcome(helix: Helix, name: ToolName, words: string, call: CallOpts): Promise<string> {
  let said: unknown;
  try {
    said = JSON.parse(words || "{}");
  } catch {
    return JSON.stringify({ error: `the arguments of ${name} are not JSON`, code: "bad-value" });
  }
  try {
    return JSON.stringify(await runTool(helix, name, said, call));
  } catch (error) {
    if (!(error instanceof HelixError)) throw error;
    return JSON.stringify({ error: error.message, code: error.code });
  }
}
