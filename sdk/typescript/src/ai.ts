/** Tools in the shape of the Vercel AI SDK: `generateText({ tools: helixTools(mem), … })`. */
import type { Helix } from "./helix.js";
import type { Wire } from "./spelling.js";
import { definitions, runTool } from "./tools.js";
import type { ToolChoice, ToolDefinition, ToolName } from "./tools.js";

export type { ToolChoice, ToolName } from "./tools.js";

/** A Standard Schema that can say itself as a JSON Schema, which is how the AI SDK takes schemas from anybody. */
export interface ArgumentsSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Wire; readonly output: Wire } | undefined;
    readonly validate: (value: unknown) => { value: Wire } | { issues: { message: string }[] };
    readonly jsonSchema: {
      readonly input: (options: { target: string }) => Record<string, unknown>;
      readonly output: (options: { target: string }) => Record<string, unknown>;
    };
  };
}

export interface HelixTool {
  description: string;
  inputSchema: ArgumentsSchema;
  /** Rejects with a HelixError, whose message the AI SDK shows to the model. */
  execute: (said: Wire, options?: { abortSignal?: AbortSignal | undefined }) => Promise<Wire>;
}

/** By name, for `tools`. */
export function helixTools<Name extends ToolName = ToolName>(
  helix: Helix,
  choice: ToolChoice & { only?: readonly Name[] | undefined } = {},
): Record<Name, HelixTool> {
  const tools = definitions(choice).map((tool): [string, HelixTool] => [
    tool.name,
    {
      description: tool.description,
      inputSchema: schemaOf(tool),
      execute: (said, options) => runTool(helix, tool.name, said, { signal: options?.abortSignal }),
    },
  ]);
  return Object.fromEntries(tools) as Record<Name, HelixTool>;
}

function schemaOf({ name, parameters }: ToolDefinition): ArgumentsSchema {
  // A copy each time: the AI SDK writes into what it is given.
  const asJson = () => structuredClone(parameters) as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "helix",
      // The values themselves are judged by the daemon, which says in a sentence what is wrong with them.
      validate: (value) =>
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? { value: value as Wire }
          : { issues: [{ message: `${name} takes an object of arguments` }] },
      jsonSchema: { input: asJson, output: asJson },
    },
  };
}
