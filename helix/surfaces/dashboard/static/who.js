// @ts-check

// Who sits here, and what they may. One person at their own machine may everything, and is not asked for.

import { change, get, isTeam } from "./api.js";

/**
 * @typedef {object} Who
 * @property {string | null} user
 * @property {string | null} role
 * @property {boolean} owner Of the machine: may and sees everything.
 * @property {string[]} permissions
 * @property {string | null} signed_in "password", "key", or null for whoever showed something else.
 */

/** @type {Who | null} */
let me = null;

/** Whether somebody sits here whom the daemon knows. */
export async function enter() {
  if (!isTeam) return true;
  me = /** @type {Who} */ (await get("/whoami"));
  return me.owner || me.user !== null;
}

/**
 * What somebody may not do is not drawn; the daemon refuses it all the same.
 *
 * @param {string} permission
 */
export const may = (permission) => !isTeam || (me?.permissions.includes(permission) ?? false);

export const who = () => me;

/** @param {Record<string, string>} given A user and a password, or a key. */
export const signInWith = (given) => change("POST", "/sign-in", given, { keyed: false });

/** The page anew: nothing of what was read stays in it. `place` is where it begins. */
export function startAnew(place = location.hash) {
  history.replaceState(null, "", `/${place}`);
  location.reload();
}

/** The projects that there are for whoever sits here. */
export async function projectNames() {
  if (may("analytics")) {
    const stats = await get("/stats", { scope: "all", max_tokens: 20000 });
    return Object.keys(stats.by_project).filter(Boolean);
  }
  const { projects } = await get("/projects", { limit: 50, max_tokens: 20000 });
  return projects.map((/** @type {{ project: string }} */ one) => one.project);
}
