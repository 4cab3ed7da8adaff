// @ts-check

// What a view is. Nothing is run here: this is the one place where the shape that all views share is written down.

/**
 * @typedef {import("./route.js").Route} Route
 */

/**
 * A view that is on the screen.
 *
 * @typedef {object} Life
 * @property {(route: Route) => void} update The hash changed and still names this view.
 * @property {() => void} refresh Read everything anew: the daemon is back, or somebody signed in. What a person is
 *   writing stays.
 * @property {() => void} end Another view is coming: stop timers, requests and listeners.
 */

/**
 * A view, as the navigation lists it. `begin` draws it into `root` and says how it goes on; `count` shows a number of
 * things beside the view's name in the navigation.
 *
 * @typedef {object} View
 * @property {string} name The first part of its hash, and the name of its icon.
 * @property {string} title
 * @property {(root: HTMLElement, route: Route, count: (number: number) => void) => Life} begin
 */

export {};
