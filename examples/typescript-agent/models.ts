/** Two models behind one function: a few rules that run here, or any server that speaks Chat Completions. */
import type { ChatTool } from "@helix/sdk/openai";

export interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

export interface Message {
  role: "system" | "user" | "assistant" | "tool";
  content: string | null;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
}

export type Complete = (messages: readonly Message[], tools: readonly ChatTool[]) => Promise<Message>;

/** `OPENAI_BASE_URL` (such as that of a local server) and `OPENAI_MODEL` choose a real model. */
export function chooseModel(env: Record<string, string | undefined>): Complete {
  const { OPENAI_BASE_URL: url, OPENAI_MODEL: model, OPENAI_API_KEY: key } = env;
  return url && model ? served(url, model, key) : rules;
}

function served(url: string, model: string, key: string | undefined): Complete {
  return async (messages, tools) => {
    const answer = await fetch(`${url.replace(/\/+$/, "")}/chat/completions`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(key ? { Authorization: `Bearer ${key}` } : {}) },
      body: JSON.stringify({ model, messages, tools }),
    });
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${(await answer.text()).slice(0, 200)}`);
    const { choices } = (await answer.json()) as { choices: { message: Message }[] };
    return choices[0]!.message;
  };
}

const TELLS = /^(please )?(remember|note|keep in mind)( that)?[:,]?\s+/i;
const DECIDES = /\b(decided|from now on|always|never)\b/i;

/** What it is told to remember it writes, everything else it looks up. The same words always get the same answer. */
const rules: Complete = async (messages) => {
  const last = messages.at(-1)!;
  if (last.role === "tool") return { role: "assistant", content: told(JSON.parse(last.content ?? "{}")) };
  const said = last.content ?? "";
  if (!TELLS.test(said)) return calls("memory_search", { query: said, max_tokens: 800 });
  const text = said.replace(TELLS, "");
  return calls("memory_write", { text, kind: DECIDES.test(text) ? "decision" : "fact" });
};

function calls(name: string, said: object): Message {
  const call: ToolCall = { id: "call-1", type: "function", function: { name, arguments: JSON.stringify(said) } };
  return { role: "assistant", content: null, tool_calls: [call] };
}

interface Told {
  error?: string;
  id?: string;
  status?: string;
  supersedes?: string[];
  results?: { id: string; text: string }[];
}

function told({ error, id, status, supersedes, results }: Told): string {
  if (error) return `That did not work: ${error}`;
  if (status === "superseded") return `Noted as ${id}; it replaces ${supersedes?.join(", ")}.`;
  if (status) return status === "created" ? `Noted as ${id}.` : `I knew that already: ${id}.`;
  if (!results?.length) return "I remember nothing about that.";
  return results.map((hit) => `${hit.text.trim()} [${hit.id}]`).join("\n");
}
