// Context lab: a task and a budget in, exactly the pack that an agent would get out; and what was left out, and why.

import { change, get } from "../api.js";
import { button, fill, h, put } from "../dom.js";
import { copy, empty, failed, loading } from "../feedback.js";
import { capital, number, plural, words } from "../format.js";
import { memoryLink } from "../memory-words.js";
import { here, replace } from "../route.js";
import { projectNames } from "../who.js";

const BUDGETS = [500, 1000, 2000, 4000, 8000, 16000];
const WHY = {
  "over-budget": "no room left",
  "says-the-same": "says the same",
  "below-gate": "does not fit the task",
  "not-in-scope": "not in scope",
  contradicted: "contradicted",
  superseded: "superseded",
  forgotten: "forgotten",
  unreadable: "cannot be read",
};

export const lab = { name: "lab", title: "Context lab", begin };

function begin(root, first) {
  let request = 0;
  const task = h("textarea", {
    name: "task",
    rows: 3,
    placeholder: "What is the agent about to do?  e.g. debug the retry storm of the auth client",
    value: first.query.task ?? "",
  });
  const budget = h(
    "select",
    { name: "budget" },
    BUDGETS.map((value) => h("option", { value }, `${number(value)} tokens`)),
  );
  const project = h("select", { name: "project" }, h("option", { value: "" }, "No project: sees all"));
  const out = h("div", { class: "lab-out", "aria-live": "polite" });
  const form = h(
    "form",
    {
      class: "lab-form card",
      onsubmit: (event) => {
        event.preventDefault();
        ask();
      },
      onkeydown: (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && form.requestSubmit(),
    },
    h("label", { class: "field" }, h("span", {}, "Task"), task),
    h(
      "div",
      { class: "lab-row" },
      h("label", { class: "field" }, h("span", {}, "Budget"), budget),
      h("label", { class: "field" }, h("span", {}, "Asked from"), project),
      h("button", { type: "submit", class: "button primary" }, "Pack"),
    ),
  );
  put(
    root,
    h(
      "div",
      { class: "page" },
      h(
        "header",
        { class: "page-head" },
        h("h1", {}, "Context lab"),
        h("p", { class: "hint" }, "What an agent is given to read before a task, to the last token."),
      ),
      form,
      out,
    ),
  );

  function ask() {
    const query = { task: task.value.trim(), budget: budget.value, project: project.value };
    replace({ name: "lab", query });
  }

  async function pack(query) {
    request += 1;
    const mine = request;
    if (!query.task) {
      fill(
        out,
        empty("lab", "Try a task", "The pack is made as for an agent: nothing is written, nothing is kept."),
      );
      return;
    }
    fill(out, loading("Packing"));
    try {
      const answer = await change(
        "POST",
        "/context",
        {
          task: query.task,
          max_tokens: Number(query.budget) || 4000,
          explain: true,
          scope: query.project ? "project" : "all",
        },
        {
          keyed: false,
          headers: query.project ? { "Helix-Project": encodeURIComponent(query.project) } : {},
        },
      );
      if (mine === request) fill(out, shown(answer, Number(query.budget) || 4000));
    } catch (error) {
      if (mine === request)
        fill(
          out,
          failed(error, () => pack(query)),
        );
    }
  }

  function update({ query }) {
    if (document.activeElement !== task) task.value = query.task ?? "";
    budget.value = BUDGETS.includes(Number(query.budget)) ? query.budget : 4000;
    project.value = query.project ?? "";
    pack(query);
  }

  projectNames()
    .then((names) => {
      put(
        project,
        names.map((value) => h("option", { value }, value)),
      );
      project.value = here().query.project ?? "";
    })
    .catch(() => {});
  update(first);
  return {
    update,
    refresh: () => update(here()),
    end: () => {
      request += 1; // the answer that is under way is nobody's now
    },
  };
}

function shown(answer, budget) {
  const parts = answer.parts ?? [];
  return [
    answer.note && h("p", { class: "lab-note" }, answer.note),
    h(
      "section",
      { class: "card lab-sum", "aria-label": "Budget" },
      h(
        "p",
        { class: "lab-figure" },
        h("b", {}, number(answer.tokens_used)),
        ` of ${number(budget)} tokens, `,
        plural(parts.length, "memory", "memories"),
        answer.dropped > 0 && `, ${number(answer.dropped)} left out`,
      ),
      bar(parts, answer, budget),
    ),
    h(
      "div",
      { class: "lab-columns" },
      h(
        "section",
        { class: "card" },
        h(
          "div",
          { class: "card-head" },
          h("h2", {}, "The pack"),
          button("Copy", () => copy(answer.context, "the pack"), { symbol: "copy" }),
        ),
        h("pre", { class: "pack", tabindex: "0", "aria-label": "The pack" }, marked(answer.context, parts)),
      ),
      h(
        "div",
        { class: "lab-lists" },
        h(
          "section",
          { class: "card" },
          h("h2", {}, "What is in it"),
          parts.length
            ? table(
                ["Memory", "Section", "Tokens"],
                parts.map((part, place) => [
                  [swatch(place), memoryLink(part.id, part.title)],
                  part.section,
                  number(part.tokens),
                ]),
              )
            : h("p", { class: "hint" }, "Nothing in the vault fits this task."),
          answer.overhead_tokens > 0 &&
            h(
              "p",
              { class: "hint" },
              `${number(answer.overhead_tokens)} tokens are headings, fences and the answer around it.`,
            ),
        ),
        h(
          "section",
          { class: "card" },
          h("h2", {}, "What was left out"),
          (answer.left_out ?? []).length
            ? table(
                ["Memory", "Why", "Tokens"],
                answer.left_out.map((one) => [
                  memoryLink(one.id, one.title),
                  h(
                    "span",
                    { title: one.why },
                    WHY[one.reason] ?? words(one.reason),
                    one.why && h("span", { class: "hint lab-why" }, one.why),
                  ),
                  one.tokens == null ? "" : number(one.tokens),
                ]),
              )
            : h("p", { class: "hint" }, "Nothing: all that fits the task is in the pack."),
        ),
      ),
    ),
  ];
}

const swatch = (place) => h("span", { class: ["swatch", `tone-${place % 6}`] });

/** One strip as wide as the budget: a piece for each memory, what is around them, what is free. */
function bar(parts, answer, budget) {
  const pieces = parts.map((part, place) => [
    part.tokens,
    `tone-${place % 6}`,
    `${part.title}: ${number(part.tokens)}`,
  ]);
  pieces.push([answer.overhead_tokens ?? 0, "tone-around", "around the memories"]);
  pieces.push([Math.max(0, budget - answer.tokens_used), "tone-free", "free"]);
  return h(
    "div",
    { class: "strip", role: "img", "aria-label": `${answer.tokens_used} of ${budget} tokens are used` },
    pieces
      .filter(([tokens]) => tokens > 0)
      .map(([tokens, tone, title]) => {
        const piece = h("span", { class: tone, title });
        piece.style.flexGrow = tokens;
        return piece;
      }),
  );
}

/** The pack as it is, letter for letter; each memory in it with the colour of its row. */
function marked(text, parts) {
  const places = new Map(parts.map((part, place) => [part.id, place]));
  const pieces = [];
  let from = 0;
  for (const match of text.matchAll(/<memory id="([^"]+)"[\s\S]*?<\/memory>/g)) {
    pieces.push(text.slice(from, match.index));
    pieces.push(
      h(
        "span",
        { class: ["pack-memory", places.has(match[1]) && `tone-line-${places.get(match[1]) % 6}`] },
        match[0],
      ),
    );
    from = match.index + match[0].length;
  }
  return [...pieces, text.slice(from)];
}

function table(heads, rows) {
  const last = heads.length - 1;
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map((one, at) => h("th", { scope: "col", class: at === last && "figure" }, capital(one))),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map((row) =>
        h(
          "tr",
          {},
          row.map((cell, at) => h("td", { class: at === last && "figure" }, cell)),
        ),
      ),
    ),
  );
}
