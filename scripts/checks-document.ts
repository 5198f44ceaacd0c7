// Writes docs/checks.md from the rules: node scripts/checks-document.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rule } from '../src/server/checks/rule.ts';
import { rules } from '../src/server/checks/rules/index.ts';

const TOPICS: readonly [Rule['topic'], string, string][] = [
  ['pi-args', 'pi-args', 'The arguments that a launcher passes to pi.'],
  ['files', 'Files of an agent', 'Prompts, settings, models, and how they fit together.'],
  ['links', 'Links', 'The entries that an agent links to, and its own prompt templates and themes.'],
  [
    'skill',
    'Skills',
    'Each SKILL.md, checked against the skill specification (agentskills.io) and what pi does with it. Shared skills are checked once.',
  ],
  [
    'security',
    'Security of skills',
    'A skill is text that a model follows. These rules point at text to read before you trust a skill. They don’t block anything, and they miss attacks that hide well.',
  ],
];

const SEVERITY: Record<Rule['severity'], string> = {
  error: 'Error',
  warning: 'Warning',
  hint: 'Hint',
};

/** Rules whose findings have buttons for the link itself, because there is no text to edit. */
const REPAIRED = new Set(['link-broken']);

/** What a rule offers, read from its code: each finding decides for itself whether it has a fix. */
const fixOf = ({ id, check }: Rule): string => {
  if (REPAIRED.has(id)) return 'Repair or remove';
  const [, isSafe] = /\bsafe: (true|false)/.exec(check.toString()) ?? [];
  if (isSafe === undefined) return '';
  return isSafe === 'true' ? 'Safe fix' : 'Fix to review';
};

/** The anchor that GitHub makes of a heading. */
export const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const INTRODUCTION = `# Checks

dot-mi reads the files of agents and skills and reports problems. It never runs what it reads.
You see the problems on an agent's **Checks** tab and in its editor. Programs get them from
\`GET /api/agents/:id/checks\`, and \`npm run check -- ROOT\` prints them.

- An **error** keeps something from working.
- A **warning** is about something that works, but probably not as you meant it, or not safely.
- A **hint** is about something that may be exactly what you want.

A **safe fix** doesn't change the meaning of the file, so you can apply all of them at once. Read a **fix to review**
before you apply it. Right after you apply it, you can undo either kind.

This page is generated from \`src/server/checks/rules\`. After a change, run \`node scripts/checks-document.ts\`.
`;

const SUMMARY_HEAD = `## Summary

| Check | Severity | Problem | Fix |
|---|---|---|---|
`;

/** The text of docs/checks.md. */
export const checksDocument = (): string => {
  const sections = TOPICS.map(([topic, heading, about]) => {
    const entries = rules
      .filter((rule) => rule.topic === topic)
      .map(({ id, title, severity, why }) => `### ${title}\n\n\`${id}\` · ${SEVERITY[severity]}\n\n${why}\n`);
    return entries.length > 0 ? [`## ${heading}\n\n${about}\n`, ...entries].join('\n') : '';
  });
  const rows = TOPICS.flatMap(([topic]) => rules.filter((rule) => rule.topic === topic)).map(
    (rule) =>
      `| \`${rule.id}\` | ${SEVERITY[rule.severity]} | [${rule.title.replaceAll('|', '\\|')}](#${anchorOf(rule.title)}) | ${fixOf(rule)} |\n`,
  );
  return [INTRODUCTION, SUMMARY_HEAD + rows.join(''), ...sections.filter(Boolean)].join('\n');
};

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../docs/checks.md'), checksDocument());
