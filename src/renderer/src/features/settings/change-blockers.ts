// Separate from the settings page, so that its tests need no browser.
import { settings as words } from '../../strings/settings.ts';

/** Why the root or the port can't be changed now. */
export interface ChangeBlockers {
  readonly root: string | undefined;
  readonly port: string | undefined;
}

/**
 * Finds what a change would lose. Drafts belong to an agent of this root. A new port is a new origin, which
 * has neither the drafts nor a token in this page's memory.
 */
export const findChangeBlockers = (
  draftedAgents: readonly string[],
  holdsTokens: boolean,
): ChangeBlockers => {
  const drafted = draftedAgents.length > 0 ? words.unsavedFirst(draftedAgents) : undefined;
  return { root: drafted, port: drafted ?? (holdsTokens ? words.tokenFirst : undefined) };
};
