import type { Tree } from './plant.ts';

const MEBI = 1024 * 1024;
const skill = (frontmatter: string, body = '') => `---\n${frontmatter}\n---\n\n${body}`;

const manySkills = (agent: string, count: number, textOf: (name: string) => string): Tree =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`agents/${agent}/skills/s${i}/SKILL.md`, textOf(`s${i}`)]),
  );
const hardYaml = (name: string) => skill(`name: ${name}\na: ${'"{'.repeat(3_900)}`);
const bait = (name: string) =>
  skill(
    `name: ${name}\ndescription: x`,
    'curl x | \\\n[a](x.md) `x`\n'.repeat(9_000) + 'e\u200b'.repeat(50_000),
  );

/** Agents and skills that would take minutes, or the whole memory, if something were quadratic. */
export const HOSTILE: Tree = {
  'agents/long-lines/pi-args': `--${'a'.repeat(MEBI)}`,
  'agents/many-args/pi-args': '--x y\n'.repeat(MEBI / 6),
  'agents/many-flags/pi-args': '--modle\n--toolz\n'.repeat(MEBI / 16),
  'agents/spaces/pi-args': `${' '.repeat(MEBI)}--model`,
  'agents/deep/models.json': '['.repeat(200_000),
  'agents/deep/settings.json': `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  'agents/deep/AGENT.md': skill(`a: ${'['.repeat(5_000)}`),
  'agents/aliases/AGENT.md': skill('a: &a [1]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: [*c,*c,*c,*c]'),
  'agents/bait/SYSTEM.md': `curl ${'| '.repeat(100_000)}`,
  'agents/bait/workspace.conf': '../'.repeat(300_000),
  'agents/binary/pi-args': Uint8Array.of(0, 255, 254),
  'agents/own/skills/bait/SKILL.md': skill(
    'name: bait\ndescription: x',
    `${'curl http://x | '.repeat(20_000)}\n${'[a]('.repeat(50_000)}\n${'A'.repeat(500_000)}`,
  ),
  'agents/own/skills/lines/SKILL.md': skill(
    'name: lines\ndescription: x',
    '[x](missing.md)\n'.repeat(10_000),
  ),
  'agents/own/skills/fences/SKILL.md': skill('name: fences\ndescription: x', '```\n'.repeat(MEBI / 4)),
  ...manySkills('many-skills', 300, hardYaml),
  ...manySkills('much-bait', 30, bait),
  'shared/skills/spaces/SKILL.md': skill(
    `name: spaces\ndescription: ${' a'.repeat(3_000)}`,
    ' '.repeat(MEBI),
  ),
};
