/** The verbs about skills that others may pull. */
import type * as wire from "./generated/types.js";
import type * as opts from "./options.js";
import { paged } from "./pages.js";
import type { Paged } from "./pages.js";
import type { Ask } from "./route.js";
import type { CallOpts } from "./settings.js";

export class PublishedSkillVerbs {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** The skills that are published, each as its SKILL.md. */
  list(options: opts.PublishedSkillsOpts = {}): Paged<wire.PublishedSkillList, wire.SkillListed> {
    return paged(
      (cursor) => this.#ask("GET /published-skills", { ...options, ...from(cursor) }),
      (page) => page.skills,
    );
  }

  /** Put a skill that was validated or revised before others. The same again changes nothing. */
  publish(skillId: string, options: opts.SkillPublishOpts = {}): Promise<wire.SkillPublished> {
    return this.#ask("POST /published-skills", { ...options, skillId });
  }

  /** Take a skill back. Who pulls next has it no more. */
  withdraw(name: string, options: CallOpts = {}): Promise<wire.SkillWithdrawn> {
    return this.#ask("POST /published-skills/{name}/withdraw", options, { name });
  }

  /** Propose another SKILL.md; it waits in the inbox for somebody who may publish. */
  propose(name: string, text: string, editedFrom: string, options: CallOpts = {}): Promise<wire.SkillProposed> {
    return this.#ask("POST /published-skills/{name}/proposals", { ...options, text, editedFrom }, { name });
  }

  /**
   * Write the published skills into the folders of harnesses, on the machine of the daemon; without a folder into the
   * user's own. A copy that somebody changed stays, and is proposed.
   */
  pull(options: opts.SkillPullOpts = {}): Promise<wire.PulledSkills> {
    return this.#ask("POST /published-skills/pull", options);
  }

  /** Take out of the folders of harnesses what was pulled. A copy that somebody changed stays. */
  unpull(options: opts.SkillUnpullOpts = {}): Promise<wire.PulledSkills> {
    return this.#ask("POST /published-skills/unpull", options);
  }
}

const from = (cursor: string | undefined): object => (cursor === undefined ? {} : { cursor });
