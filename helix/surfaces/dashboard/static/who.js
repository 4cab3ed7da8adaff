// @ts-check

// Who sits here, and what they may. One person at their own machine may everything, and is not asked for.

import { change, get, isTeam, pages } from "./api.js";

/**
 * @typedef {object} Who
 * @property {string | null} user
 * @property {string | null} role
 * @property {boolean} owner Of the machine: may and sees everything.
 * @property {string[]} permissions
 * @property {string | null} signed_in "password", "key", or null for whoever showed something else.
 */

/** @typedef {{ project: string, members?: string[] }} KnownProject */

/** @type {Who | null} */
let me = null;
/** @type {Set<string>} The projects of which whoever sits here is a member. */
let joined = new Set();

/** Whether somebody sits here whom the daemon knows. */
export async function enter() {
  if (!isTeam) return true;
  me = /** @type {Who} */ (await get("/whoami"));
  if (me.user !== null) await askProjects().catch(() => []);
  return me.owner || me.user !== null;
}

/**
 * Those that there are for whoever sits here; and of which of them they are a member is known from then on.
 *
 * @returns {Promise<any[]>}
 */
export async function askProjects() {
  /** @type {KnownProject[]} */
  const found = [];
  for await (const page of pages("/projects", { limit: 50, max_tokens: 20000 })) found.push(...page.projects);
  joined = new Set(found.filter((one) => one.members?.includes(me?.user ?? "")).map((one) => one.project));
  return found;
}

/**
 * To see a memory is not to change it: who owns it does, and the members of its project.
 *
 * @param {{ owner?: string, project?: string }} memory
 */
export const mayChange = (memory) =>
  !isTeam || Boolean(me?.owner) || memory.owner === me?.user || joined.has(memory.project ?? "");

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
  return (await askProjects()).map((one) => one.project);
}
