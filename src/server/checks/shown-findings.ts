import type { Finding } from '../../shared/api/checks.ts';
import { rules } from './rules/index.ts';

/**
 * The rules whose messages or fixes contain something from other files than their finding's: models.json, and skills
 * outside the root.
 */
const QUOTES_OTHERS: ReadonlySet<string> = new Set(['model-unknown', 'prompt-too-large', 'user-skills-leak']);

/** The rules whose messages contain nothing but a link of the agent. */
const SAYS_ONLY_LINKS: ReadonlySet<string> = new Set(['link-broken', 'link-outside']);

const titleOf = new Map(rules.map(({ id, title }) => [id, title]));

/**
 * Returns findings without details of files that the reader doesn't see. `isShown` returns whether the reader sees a
 * finding's file.
 *
 * SECURITY: a message or a fix can quote its file.
 */
export const shownFindings = (
  findings: readonly Finding[],
  isShown: (file: string) => boolean,
): Finding[] => {
  const known = new Map<string, boolean>();
  const sees = (file: string): boolean => {
    const shown = known.get(file) ?? isShown(file);
    known.set(file, shown);
    return shown;
  };
  return findings.map((finding) => {
    const { rule, severity, file } = finding;
    if (SAYS_ONLY_LINKS.has(rule) || (sees(file) && !QUOTES_OTHERS.has(rule))) return finding;
    return {
      rule,
      severity,
      file,
      ...{ line: 1, column: 1, endLine: 1, endColumn: 1 },
      message: `${titleOf.get(rule) ?? rule}. The operator can see the details.`,
    };
  });
};
