/**
 * The one place where names change: camelCase here, snake_case on the wire.
 *
 * Keys of named schemas are names and are translated. Keys inside anything else (`extra`, `byKind`, `filters`, `edges`
 * of a write) are somebody's data and stay as they are.
 */
import { NESTED } from "./generated/routes.js";
import type { Schemas } from "./generated/types.js";

export type Wire = Record<string, unknown>;

/** An answer in our names. A field that this version does not know keeps its value as it came. */
export function fromWire<Name extends keyof Schemas>(name: Name, value: unknown): Schemas[Name] {
  return renamed(name, value) as Schemas[Name];
}

function renamed(name: keyof Schemas, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(name, one));
  if (typeof value !== "object" || value === null) return value;
  const inner = NESTED[name] ?? {};
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const within = Object.hasOwn(inner, key) ? inner[key] : undefined;
      return [toCamel(key), within ? renamed(within, one) : one];
    }),
  );
}

/** Options in the wire's names. What was left out, or is null, is not sent. */
export function toWire(options: object): Wire {
  return Object.fromEntries(
    Object.entries(options)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([key, value]) => [toSnake(key), value instanceof Date ? value.toISOString() : value]),
  );
}

function toCamel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
