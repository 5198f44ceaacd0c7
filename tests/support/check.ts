import { expect } from 'vitest';
import { describeFile, type FileKind } from '../../src/server/catalog/describe-file.ts';
import { checkAgentSnapshot, checkSkillSnapshot } from '../../src/server/checks/run-rules.ts';
import {
  type AgentSnapshot,
  CHECKED_FILES,
  type CheckedFile,
  type CheckFacts,
  type ExtensionEntry,
  type FileEntry,
  type FileState,
  type IgnoreFile,
  type LinkTarget,
  type PackageState,
  type SkillEntry,
  type SkillSnapshot,
} from '../../src/server/checks/snapshot.ts';
import type { Finding } from '../../src/shared/api/checks.ts';
import type { LinkKind } from '../../src/shared/api/names.ts';
import { applyFixes } from '../../src/shared/apply-edits.ts';

type Text = string | FileState;

/** An agent for a rule. It has an empty pi-args and a prompt, and what is given here. */
export interface CheckedAgent {
  files?: Partial<Record<CheckedFile, Text | undefined>>;
  /** Skills by their name; a text is the SKILL.md of a skill of the agent itself. */
  skills?: Record<string, string | Partial<SkillEntry>>;
  /** Extensions by their name. */
  extensions?: Record<string, Partial<ExtensionEntry>>;
  /** Prompt templates and themes by the names of their files; a text is a file of the agent itself. */
  prompts?: Record<string, string | Partial<FileEntry>>;
  themes?: Record<string, string | Partial<FileEntry>>;
  /** Of the entries of `packages`. */
  packages?: PackageState[];
  ignoreFiles?: IgnoreFile[];
  names?: string[];
  facts?: Partial<CheckFacts>;
}

/** A skill for a rule: its SKILL.md, and what is given here. */
export type CheckedSkill = string | (Partial<Omit<SkillSnapshot, 'file'>> & { file: Text });

const fileOf = (text: Text | undefined): FileState =>
  text === undefined ? { kind: 'missing' } : typeof text === 'string' ? { kind: 'text', text } : text;

/** A link to a shared entry, as dot-mi makes it. */
export const linkTo = (kind: LinkKind, name: string): LinkTarget => ({
  text: `../../../shared/${kind}/${name}`,
  state: 'there',
  shared: name,
});

/** The snapshot of a skill. Its directory is `git-summary`. */
export const skillSnapshot = (skill: CheckedSkill): SkillSnapshot => ({
  name: 'git-summary',
  paths: ['SKILL.md'],
  hasAllPaths: true,
  texts: [],
  ...(typeof skill === 'string' ? {} : skill),
  file: fileOf(typeof skill === 'string' ? skill : skill.file),
});

const fileEntries = (kind: FileKind, entries: CheckedAgent[FileKind] = {}): FileEntry[] =>
  Object.entries(entries)
    .sort()
    .map(([name, entry]) => ({
      name,
      path: `${kind}/${name}`,
      ...(typeof entry === 'string' ? describeFile(kind, name, { text: entry }) : entry),
    }));

/** The snapshot of an agent. */
export const agentSnapshot = ({
  files = {},
  skills = {},
  extensions = {},
  ...more
}: CheckedAgent): AgentSnapshot => ({
  id: 'scout',
  files: Object.fromEntries(
    CHECKED_FILES.map((name) => [
      name,
      fileOf(
        name in files ? files[name] : { 'pi-args': '', 'SYSTEM.md': 'You are a scout.\n' }[name as string],
      ),
    ]),
  ) as AgentSnapshot['files'],
  skills: Object.entries(skills)
    .sort()
    .map(([name, skill]) => ({
      name,
      path: `skills/${name}`,
      ...(typeof skill === 'string' ? { own: skillSnapshot({ name, file: skill }) } : skill),
      file: `${typeof skill === 'object' && skill.link?.shared ? `shared/${skill.link.shared}` : name}/SKILL.md`,
    })),
  extensions: Object.entries(extensions)
    .sort()
    .map(([name, extension]) => ({
      name,
      path: `extensions/${name}`,
      calls: { flags: [], tools: [], providers: [], isComplete: true },
      ...extension,
    })),
  prompts: fileEntries('prompts', more.prompts),
  themes: fileEntries('themes', more.themes),
  ...(more.packages ? { packages: more.packages } : {}),
  ignoreFiles: more.ignoreFiles ?? [],
  names: more.names ?? [],
});

/** The findings in an agent, of one rule or of all. */
export const checkAgent = (agent: CheckedAgent, rule?: string): readonly Finding[] => {
  const facts = { pricedModels: [], userSkills: [], ...agent.facts };
  const { findings } = checkAgentSnapshot(agentSnapshot(agent), facts);
  return findings.filter((finding) => rule === undefined || finding.rule === rule);
};

/** The findings in a skill, of one rule or of all. */
export const checkSkill = (skill: CheckedSkill, rule?: string): readonly Finding[] =>
  checkSkillSnapshot(skillSnapshot(skill)).findings.filter(
    (finding) => rule === undefined || finding.rule === rule,
  );

/** The text that a range of a finding covers. */
export const marked = (text: string, { line, column, endLine, endColumn }: Finding): string => {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .slice(line - 1, endLine);
  const last = lines.length - 1;
  return lines
    .map((one, index) => one.slice(index === 0 ? column - 1 : 0, index === last ? endColumn - 1 : undefined))
    .join('\n');
};

/** The text after all fixes of these findings. */
export const fixed = (text: string, findings: readonly Finding[]): string => {
  const fixes = findings.flatMap(({ fix }) => (fix ? [fix.edits] : []));
  expect(fixes).not.toEqual([]);
  const { text: after, refused } = applyFixes(text, fixes);
  expect(refused).toEqual([]);
  return after;
};

/**
 * Expects that the fixes of a rule turn one text into another, which passes the rule. Texts are written with
 * `\n` and a final newline, and are also tried with CRLF, without the final newline, and with a byte order
 * mark, to see that the fixes keep those.
 */
export const expectFix = (
  check: (text: string) => readonly Finding[],
  before: string,
  after: string,
): void => {
  const variants: ((text: string) => string)[] = [
    (text) => text,
    (text) => text.replaceAll('\n', '\r\n'),
    (text) => text.replace(/\n$/, ''),
    (text) => `\uFEFF${text}`,
  ];
  for (const variant of variants) {
    const findings = check(variant(before));
    const result = fixed(variant(before), findings);
    expect(result).toBe(variant(after));
    expect(check(result)).toEqual([]);
  }
};
