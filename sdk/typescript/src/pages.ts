/** Answers that go on: the first page as a promise, and the rest by following cursors, page by page or item by item. */

/** Await it for the first page, or walk through `pages()` for all of them. */
export type Pages<P> = Promise<P> & { pages(): AsyncIterable<P> };

/** Await it for the first page, or use `for await` for every item of every page. */
export type Paged<P, Item> = Pages<P> & AsyncIterable<Item>;

/** `ask` gets the page that a cursor leads to, and the first one without. It is called at once, as any call is. */
export function paged<P, Item>(
  ask: (cursor: string | undefined) => Promise<P>,
  itemsOf: (page: P) => readonly Item[],
): Paged<P, Item> {
  const first = ask(undefined);
  async function* pages(): AsyncGenerator<P, void, undefined> {
    let page = await first;
    yield page;
    for (let cursor = following(page); cursor; cursor = following(page)) {
      page = await ask(cursor);
      yield page;
    }
  }
  async function* items(): AsyncGenerator<Item, void, undefined> {
    for await (const page of pages()) yield* itemsOf(page);
  }
  return Object.assign(first, { pages, [Symbol.asyncIterator]: items });
}

function following(page: unknown): string | null | undefined {
  return (page as { nextCursor?: string | null }).nextCursor;
}
