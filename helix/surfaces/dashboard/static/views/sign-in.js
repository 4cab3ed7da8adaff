// The way in for the people of a team: a user and a password, or a key.

import { signIn } from "../api.js";
import { button, fill, h } from "../dom.js";
import { signInWith, startAnew } from "../who.js";

const KEY = "hx_sk_";

/** @param {HTMLElement} root */
export function askWhoItIs(root) {
  const problem = h("p", { class: "problem", role: "alert" });
  const fields = h("div", { class: "sign-in-fields" });
  const sure = h("button", { type: "submit", class: "button primary" }, "Sign in");
  const other = button("", () => draw(!withKey), { kind: "link" });
  const form = h("form", { class: "card sign-in", onsubmit }, h("h1", {}, "Sign in"), fields, problem, sure, other);
  let withKey = false;

  function draw(key) {
    withKey = key;
    problem.textContent = "";
    fill(other, key ? "Use your password" : "Use a key");
    fill(
      fields,
      key
        ? input("Key", { type: "password", name: "key", autocomplete: "off" })
        : [
            input("User", { name: "user", autocomplete: "username", autocapitalize: "none" }),
            input("Password", { type: "password", name: "password", autocomplete: "current-password" }),
          ],
    );
    fields.querySelector("input")?.focus();
  }

  async function onsubmit(event) {
    event.preventDefault();
    const given = Object.fromEntries([...fields.querySelectorAll("input")].map((one) => [one.name, one.value]));
    sure.disabled = true;
    problem.textContent = "";
    try {
      // The token of the machine's owner is no key, and makes no session: it is kept in this tab.
      if (withKey && !given.key.trim().startsWith(KEY)) signIn(given.key.trim());
      else await signInWith(given);
      startAnew();
    } catch (error) {
      problem.textContent = error.message;
      sure.disabled = false;
      fields.querySelector("input[type=password]").select();
    }
  }

  draw(false);
  document.title = "Sign in · Helix";
  fill(root, h("div", { class: "page sign-in-page" }, form));
  fields.querySelector("input")?.focus();
}

const input = (label, more) =>
  h("label", { class: "field" }, h("span", {}, label), h("input", { required: true, spellcheck: false, ...more }));
