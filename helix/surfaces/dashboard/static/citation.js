// @ts-check

// The address of an event in the log of a session: `eventloom://SESSION/events/SEQ#HASH`.

import { h } from "./dom.js";
import { spell } from "./route.js";

const CITATION = /eventloom:\/\/([\w.-]{1,128})\/events\/(\d{1,15})(?:#([0-9a-f]{12,64}))?(?![\w#])/;

/** @typedef {{ session: string, seq: string, hash?: string }} Place */

/**
 * The event that a text names, if it names one.
 *
 * @param {string | null | undefined} text
 * @returns {Place | null}
 */
export function citedIn(text) {
  const [, session, seq, hash] = CITATION.exec(text ?? "") ?? [];
  return session ? { session, seq, hash } : null;
}

/**
 * The same where the whole text is a citation and nothing else.
 *
 * @param {string} text
 */
export const citationIn = (text) =>
  new RegExp(`^${CITATION.source}$`).test(text.trim()) ? citedIn(text) : null;

/**
 * Where in the page the event stands.
 *
 * @param {Place} place
 */
export const placeOf = ({ session, seq, hash }) => ({ name: "session", arg: session, query: { seq, hash } });

/** @param {Place} place */
export const eventLink = (place) =>
  h("a", { class: "event-link", href: spell(placeOf(place)) }, `event ${place.seq} of ${place.session}`);
