/** The hooks, rendered by React itself into a document, against a real daemon. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { StrictMode, act, createElement } from "react";
import type { ReactNode } from "react";
import type { Root } from "react-dom/client";
import { Window } from "happy-dom";
import { Helix, NotFound } from "@helix/sdk";
import { HelixProvider, useContextPack, useMemory, useRecall, useRecent, useWrite } from "@helix/sdk/react";
import type { Asking } from "@helix/sdk/react";
import { faulty, given, unlike } from "./surroundings.js";

const mem = new Helix({ project: unlike("react") });
let page: Window;
let createRoot: (place: Element) => Root;
const complaints: string[] = [];

before(async () => {
  page = new Window();
  const names = {
    window: page,
    document: page.document,
    navigator: page.navigator,
    IS_REACT_ACT_ENVIRONMENT: true,
  };
  // Newer versions of Node have a navigator of their own, which cannot be assigned to.
  for (const [name, value] of Object.entries(names))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  console.error = (...words: unknown[]) => complaints.push(words.map(String).join(" "));
  ({ createRoot } = await import("react-dom/client"));
});
after(async () => {
  await page.happyDOM.close();
  assert.deepEqual(complaints, [], "React had nothing to complain about");
});

async function show(client: Helix, children: ReactNode): Promise<Root> {
  const root = createRoot(page.document.createElement("div") as unknown as Element);
  await draw(root, client, children);
  return root;
}

function draw(root: Root, client: Helix, children: ReactNode): Promise<void> {
  return act(async () =>
    root.render(
      <StrictMode>
        <HelixProvider client={client}>{children}</HelixProvider>
      </StrictMode>,
    ),
  );
}

/** Renders until it holds; the test runner's own limit ends a wait that never does. */
async function until(holds: () => boolean): Promise<void> {
  for (const ends = Date.now() + 10_000; !holds();) {
    assert.ok(Date.now() < ends, "this did not come true within 10 s");
    await act(() => new Promise((done) => setTimeout(done, 5)));
  }
}

/** A component that shows what a hook gives to `seen`. */
function watching<T, P>(
  hook: (props: P) => Asking<T>,
): { Component: (props: P) => null; seen: Asking<T>[]; now: () => Asking<T> } {
  const seen: Asking<T>[] = [];
  const Component = (props: P) => {
    seen.push(hook(props));
    return null;
  };
  return { Component, seen, now: () => seen.at(-1)! };
}

test("useRecall loads, shows what was found, and asks again when the question changes or on demand", async () => {
  const word = unlike("halyard").replace(/[\W\d]/g, ""); // a number would be a word of its own, and found
  const watch = watching(({ query }: { query: string }) =>
    useRecall(query, { limit: 3, filters: { kind: "fact" } }),
  );
  const root = await show(mem, <watch.Component query={word} />);
  assert.equal(watch.seen[0]!.loading, true);
  await until(() => !watch.now().loading);
  assert.deepEqual(watch.now().data!.results, []);

  await mem.write(`The ${word} is new`, { force: true });
  await act(async () => watch.now().refetch());
  await until(() => !watch.now().loading && watch.now().data!.results.length === 1);
  assert.ok(
    watch.seen.some((one) => one.loading && one.data?.results.length === 0),
    "the old answer stays meanwhile",
  );

  const before = watch.seen.length;
  await draw(root, mem, <watch.Component query="nothing of the kind" />);
  assert.equal(watch.seen[before]!.data, undefined, "no answer is shown for another question");
  await until(() => !watch.now().loading);
  await draw(root, mem, <watch.Component query=" " />);
  assert.deepEqual([watch.now().loading, watch.now().data], [false, undefined]);
  await act(async () => root.unmount());
});

test("useMemory gives one memory, and the error when there is none", async () => {
  const { id } = await mem.write(unlike("The jib is torn"), { force: true });
  const watch = watching(({ id }: { id: string | null }) => useMemory(id));
  const root = await show(mem, <watch.Component id={null} />);
  assert.equal(watch.now().loading, false);
  await draw(root, mem, <watch.Component id={id} />);
  await until(() => !watch.now().loading);
  assert.equal(watch.now().data!.id, id);
  await draw(root, mem, <watch.Component id="mem_2026-01-01_nobody_aaaa" />);
  await until(() => !watch.now().loading);
  assert.ok(watch.now().error instanceof NotFound);
  assert.equal(watch.now().data, undefined);
  await act(async () => root.unmount());
});

test("useContextPack and useRecent ask what they say", async () => {
  await mem.write(unlike("Sails are dried before they are stowed"), { force: true });
  const pack = watching(() => useContextPack("stow the sails", { maxTokens: 800 }));
  const recent = watching(() => useRecent({ limit: 2 }));
  const root = await show(
    mem,
    <>
      <pack.Component />
      <recent.Component />
    </>,
  );
  await until(() => !pack.now().loading && !recent.now().loading);
  assert.match(pack.now().data!.context, /dried before/);
  assert.equal(recent.now().data!.results.length, 2);
  await act(async () => root.unmount());
});

test("a component that unmounts gives up its question and hears no more of it", async () => {
  const line = faulty("stall*");
  const aborted: boolean[] = [];
  const client = new Helix({
    url: line.url,
    fetch: (input, init) => {
      init!.signal!.addEventListener("abort", () => aborted.push(true));
      return fetch(input, init);
    },
  });
  const watch = watching(() => useRecall("anything"));
  const root = await show(client, <watch.Component />);
  const rendered = watch.seen.length;
  await act(async () => root.unmount());
  // Two questions under StrictMode, which mounts everything twice; both are over.
  assert.equal(aborted.length, 2);
  await act(() => new Promise((done) => setTimeout(done, 20)));
  assert.equal(watch.seen.length, rendered);
});

test("a new client asks anew", async () => {
  const line = faulty("stall*");
  const watch = watching(() => useRecent());
  const root = await show(new Helix({ url: line.url }), <watch.Component />);
  assert.equal(watch.now().loading, true);
  await draw(root, new Helix({ url: given("HELIX_URL") }), <watch.Component />);
  await until(() => !watch.now().loading);
  assert.ok(watch.now().data);
  await act(async () => root.unmount());
});

test("useWrite keeps a memory, says how it went, and finishes after an unmount", async () => {
  const states: ReturnType<typeof useWrite>[] = [];
  const Component = () => {
    states.push(useWrite());
    return null;
  };
  const root = await show(mem, <Component />);
  const text = unlike("The anchor holds in sand");
  let write: ReturnType<Helix["write"]>;
  await act(async () => void (write = states.at(-1)!.write(text, { force: true })));
  assert.ok(states.some((state) => state.writing));
  await until(() => !states.at(-1)!.writing);
  assert.equal(states.at(-1)!.data!.id, (await write!).id);
  await act(() => assert.rejects(states.at(-1)!.write("ok"), { name: "NotWorthKeeping" }) as Promise<void>);
  assert.equal(states.at(-1)!.error?.name, "NotWorthKeeping");
  const late = states.at(-1)!.write(unlike("The dinghy leaks"), { force: true });
  await act(async () => root.unmount());
  assert.equal((await late).status, "created");
});

test("without a provider the hook says what is missing", () => {
  const Component = () => (useRecent(), null);
  const root = createRoot(page.document.createElement("div") as unknown as Element);
  assert.throws(() => act(() => root.render(createElement(Component))), /HelixProvider/);
  complaints.length = 0; // React reports what was thrown
});
