import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom, makeMarkdown, makeSentences } from './make-text.ts';

const SHARED_EXTENSIONS = 24;
/** Every tenth is a folder with an index.ts, as larger extensions are. */
const isFolder = (i: number) => i % 10 === 0;

const numbered = (word: string, i: number) => `${word}-${String(i).padStart(5, '0')}`;

/** The id of the i-th agent. */
export const agentId = (i: number): string => numbered('agent', i);

const skillName = (i: number) => numbered('skill', i);
const extensionName = (i: number) =>
  isFolder(i) ? numbered('extension', i) : `${numbered('extension', i)}.ts`;

const makeExtension = (directory: string, i: number) => {
  const code = `export default (pi) => pi.on('start', () => pi.say(${i}));\n`.repeat(20);
  if (!isFolder(i)) return writeFileSync(join(directory, extensionName(i)), code);
  mkdirSync(join(directory, extensionName(i)));
  writeFileSync(join(directory, extensionName(i), 'index.ts'), code);
};

const makeSkill = (directory: string, i: number, random: () => number) => {
  const name = skillName(i);
  const frontmatter = [
    `name: ${name}`,
    // Folded, as long descriptions are written.
    `description: >-\n  ${makeSentences(random, 120 + random() * 200)}\n  Use when somebody asks for ${name}.`,
    'license: MIT',
    ...(i % 3 === 0 ? ['compatibility: Needs bash, git and curl.'] : []),
    ...(i % 4 === 0 ? ['metadata:', '  author: bench', `  version: "1.${i % 10}"`] : []),
    ...(i % 5 === 0 ? ['allowed-tools: Bash(git:*) Read'] : []),
  ];
  mkdirSync(join(directory, name));
  const body = makeMarkdown(random, name, 1_500 + random() * 3_000);
  writeFileSync(join(directory, name, 'SKILL.md'), `---\n${frontmatter.join('\n')}\n---\n\n${body}`);
};

const makeLinks = (agent: string, kind: string, names: readonly string[]) => {
  mkdirSync(join(agent, kind));
  for (const name of new Set(names)) symlinkSync(`../../../shared/${kind}/${name}`, join(agent, kind, name));
};

const makeAgent = (directory: string, i: number, skills: number, random: () => number) => {
  const id = agentId(i);
  const agent = join(directory, id);
  mkdirSync(agent);
  writeFileSync(join(agent, 'SYSTEM.md'), makeMarkdown(random, `You are ${id}`, 2_000 + random() * 3_000));
  writeFileSync(join(agent, 'pi-args'), '--thinking\nlow\n--tools\nread,bash,edit,write\n');
  writeFileSync(join(agent, 'settings.json'), '{ "defaultModel": "qwen3-coder" }\n');
  if (i % 5 === 0) writeFileSync(join(agent, 'workspace.conf'), 'sources\ndrafts\nfinal\n');
  if (i % 3 === 0) writeFileSync(join(agent, 'AGENT.md'), makeMarkdown(random, id, 600));
  if (i % 7 === 0) writeFileSync(join(agent, 'APPEND_SYSTEM.md'), `${makeSentences(random, 300)}\n`);
  makeLinks(
    agent,
    'extensions',
    [0, 7, 13].map((step) => extensionName((i + step) % SHARED_EXTENSIONS)),
  );
  makeLinks(
    agent,
    'skills',
    [0, 7].map((step) => skillName((i + step) % skills)),
  );
};

/** Makes a dot-mi root that looks like one in use: files of a few kB, shared entries and links to them. */
export const makeRoot = (path: string, agents: number, skills: number): void => {
  const random = createRandom(agents);
  for (const folder of ['agents', 'shared/extensions', 'shared/skills']) {
    mkdirSync(join(path, folder), { recursive: true });
  }
  writeFileSync(join(path, 'setup.sh'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(path, 'setup.sh'), 0o755);
  for (let i = 0; i < SHARED_EXTENSIONS; i++) makeExtension(join(path, 'shared/extensions'), i);
  for (let i = 0; i < skills; i++) makeSkill(join(path, 'shared/skills'), i, random);
  for (let i = 0; i < agents; i++) makeAgent(join(path, 'agents'), i, skills, random);
};

/** The links of each kind of {@link LINKED_AGENT}. */
const LINKS_OF_LINKED = 20;

/** The agent of {@link addLinkedAgent}. */
export const LINKED_AGENT = 'linked';

/** Adds an agent with 20 links of each kind to a root of {@link makeRoot}, which has at least as many skills. */
export const addLinkedAgent = (path: string): void => {
  const agent = join(path, 'agents', LINKED_AGENT);
  mkdirSync(agent);
  writeFileSync(join(agent, 'SYSTEM.md'), 'You have many links.\n');
  const numbers = Array.from({ length: LINKS_OF_LINKED }, (_, i) => i);
  makeLinks(agent, 'extensions', numbers.map(extensionName));
  makeLinks(agent, 'skills', numbers.map(skillName));
};

/** Makes a root in which each agent has `links` of `skills` skills, spread over all of them. */
export const makeMatrixRoot = (path: string, agents: number, skills: number, links: number): void => {
  for (let i = 0; i < skills; i++) {
    const skill = join(path, 'shared/skills', skillName(i));
    mkdirSync(skill, { recursive: true });
    writeFileSync(
      join(skill, 'SKILL.md'),
      `---\nname: ${skillName(i)}\ndescription: Does part ${i}. Use it when somebody asks for it.\n---\n`,
    );
  }
  for (let i = 0; i < agents; i++) {
    const agent = join(path, 'agents', agentId(i));
    mkdirSync(agent, { recursive: true });
    writeFileSync(join(agent, 'SYSTEM.md'), `You are ${agentId(i)}.\n`);
    const names = Array.from({ length: links }, (_, nth) => skillName((i * 7 + nth * 23) % skills));
    makeLinks(agent, 'skills', names);
  }
};
