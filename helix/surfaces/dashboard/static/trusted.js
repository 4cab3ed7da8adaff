// @ts-check

// The page's one policy for what a browser calls trusted types: two uses, both of things of our own.

const WORKER = new URL("canvas/layout-worker.js", import.meta.url).href;

/** @type {{ createHTML: (text: string) => string, createScriptURL: (address: string) => string }} */
const rules = {
  // Only for sanitize.js, which parses it into a document that runs nothing and copies what is allowed.
  createHTML: (text) => text,
  createScriptURL: (address) => {
    if (address !== WORKER) throw new TypeError("not a script of this page");
    return address;
  },
};
/** @type {any} */
const browser = window; // TypeScript does not know trusted types
const policy = browser.trustedTypes?.createPolicy("helix", rules) ?? rules;

/** @param {string} text */
export const toParse = (text) => policy.createHTML(text);
export const layoutWorker = () => new Worker(policy.createScriptURL(WORKER), { type: "module" });
