"use client"; // for frameworks that render on a server, where hooks cannot run

/** Hooks for React. What a component asks for is asked again when its words change, and given up when it unmounts. */
import { createContext, createElement, useCallback, useContext, useEffect, useRef, useState } from "react";
import type { ReactElement, ReactNode } from "react";
import type { ContextPack, Memories, MemoryPage, SearchResult, WriteResult } from "./generated/types.js";
import type { Helix } from "./helix.js";
import type { ContextOpts, GetOpts, RecentOpts, SearchOpts, WriteOpts } from "./options.js";

const Shared = createContext<Helix | null>(null);

/** Gives every hook below it this client. */
export function HelixProvider({ client, children }: { client: Helix; children?: ReactNode }): ReactElement {
  return createElement(Shared.Provider, { value: client }, children);
}

/** The client of the nearest `HelixProvider`. */
export function useHelix(): Helix {
  const client = useContext(Shared);
  if (!client) throw new Error("there is no <HelixProvider client={…}> above this component");
  return client;
}

export interface Asking<T> {
  /** The answer; undefined until there is one. It stays while the same thing is asked again. */
  data: T | undefined;
  error: Error | undefined;
  loading: boolean;
  /** Asks again. */
  refetch: () => void;
}

/** Memories that fit a question. An empty question is not asked. */
export function useRecall(query: string, options: Omit<SearchOpts, "signal"> = {}): Asking<SearchResult> {
  return useAsking(query.trim() && ["search", query, options], (helix, signal) =>
    helix.search(query, { ...options, signal }),
  );
}

/** One memory; nothing is asked while there is no id. */
export function useMemory(
  id: string | null | undefined,
  options: Omit<GetOpts, "signal"> = {},
): Asking<MemoryPage> {
  return useAsking(id && ["get", id, options], (helix, signal) => helix.get(id ?? "", { ...options, signal }));
}

/** The text to read before a task. An empty task is not asked about. */
export function useContextPack(task: string, options: Omit<ContextOpts, "signal"> = {}): Asking<ContextPack> {
  return useAsking(task.trim() && ["context", task, options], (helix, signal) =>
    helix.context(task, { ...options, signal }),
  );
}

/** Memories by their last change. */
export function useRecent(options: Omit<RecentOpts, "signal"> = {}): Asking<Memories> {
  return useAsking(["recent", options], (helix, signal) => helix.recent({ ...options, signal }));
}

export interface Writing {
  /** Keeps a memory. It is not given up when the component unmounts. */
  write: (text: string, options?: WriteOpts) => Promise<WriteResult>;
  /** What the last write came to. */
  data: WriteResult | undefined;
  error: Error | undefined;
  writing: boolean;
}

export function useWrite(): Writing {
  const helix = useHelix();
  const isMounted = useRef(false);
  const [state, setState] = useState<Omit<Writing, "write">>({ data: undefined, error: undefined, writing: false });
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  const write = useCallback(
    async (text: string, options?: WriteOpts) => {
      const show = (next: Omit<Writing, "write">) => isMounted.current && setState(next);
      show({ data: undefined, error: undefined, writing: true });
      try {
        const data = await helix.write(text, options);
        show({ data, error: undefined, writing: false });
        return data;
      } catch (error) {
        show({ data: undefined, error: error as Error, writing: false });
        throw error;
      }
    },
    [helix],
  );
  return { write, ...state };
}

interface Answered<T> {
  helix: Helix;
  key: string;
  round: number;
  data?: T;
  error?: Error;
}

/** `words` say what is asked, falsy for nothing; `ask` asks it. */
function useAsking<T>(
  words: readonly unknown[] | "" | null | undefined,
  ask: (helix: Helix, signal: AbortSignal) => Promise<T>,
): Asking<T> {
  const helix = useHelix();
  // By value: options are new objects at each render.
  const key = words ? JSON.stringify(words) : "";
  const [round, setRound] = useState(0);
  const [answered, setAnswered] = useState<Answered<T>>();
  useEffect(() => {
    if (!key) return;
    const controller = new AbortController();
    const show = (next: Pick<Answered<T>, "data" | "error">) => {
      if (!controller.signal.aborted) setAnswered({ helix, key, round, ...next });
    };
    ask(helix, controller.signal).then(
      (data) => show({ data }),
      (error: Error) => show({ error }),
    );
    return () => controller.abort();
    // `ask` says the same as `key`.
  }, [helix, key, round]);
  const refetch = useCallback(() => setRound((before) => before + 1), []);
  // What was answered to other words is not shown for these, not even for one render.
  const current = answered?.key === key && answered.helix === helix ? answered : undefined;
  return { data: current?.data, error: current?.error, loading: key !== "" && current?.round !== round, refetch };
}
