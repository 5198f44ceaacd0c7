import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { SharedPrompt } from '../../../src/shared/api/catalog.ts';
import { FRONTMATTER_CASES, UNREAD_CASES } from '../../support/frontmatter-cases.ts';
import { PI_VERSIONS, startRpc } from '../../support/real-pi.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSharedDirectory } from '../../support/temp.ts';

const PI = PI_VERSIONS['1.6.0'];

let program: string | undefined;
let reason = '';

beforeAll(async () => {
  const { directory, remove } = await makeSharedDirectory();
  try {
    program = await PI.install(directory);
  } catch (error) {
    reason = `npm can't get ${PI.name}: ${(error as Error).message.split('\n')[0]}`;
  }
  return remove;
});

test('pi loads the skills and prompt templates that dot-mi says it loads', async (context) => {
  if (program === undefined) return context.skip(reason);
  const texts = Object.entries(FRONTMATTER_CASES).map(([name, { text }]) => [name, text] as const);
  const all = [...texts, ...Object.entries(UNREAD_CASES)];
  const root = await makeRoot(
    Object.fromEntries(
      all.flatMap(([name, text]) => [
        [`shared/skills/${name}/SKILL.md`, text],
        [`agents/scout/skills/${name}`, { link: `../../../shared/skills/${name}` }],
        [`shared/prompts/${name}.md`, text],
        [`agents/scout/prompts/${name}.md`, { link: `../../../shared/prompts/${name}.md` }],
      ]),
    ),
  );
  const pi = await startRpc(program, join(root, 'agents/scout'));
  const commands = await pi.commands();
  const offered = (source: string) =>
    Object.fromEntries(
      commands
        .filter((command) => command.source === source)
        .map(({ name, description }) => [name.replace(/^skill:/, ''), description]),
    );
  const skills = offered('skill');
  const said = Object.fromEntries(
    Object.entries(FRONTMATTER_CASES).flatMap(([name, { loaded }]) =>
      loaded ? [[name, loaded.description]] : [],
    ),
  );
  const beyond = Object.fromEntries(Object.keys(UNREAD_CASES).map((name) => [name, 'Use it when asked.']));
  expect(skills).toEqual({ ...said, ...beyond });

  const { call } = await serve(root);
  const { prompts } = (await call('GET', '/api/catalog/prompts')).body as { prompts: SharedPrompt[] };
  const templates = Object.fromEntries(
    prompts
      .filter(
        ({ command, diagnostics }) =>
          !Object.hasOwn(UNREAD_CASES, command) && !diagnostics.some(({ severity }) => severity === 'error'),
      )
      .map(({ command, description = '' }) => [command, description]),
  );
  const { ...ofPi } = offered('prompt');
  for (const name of Object.keys(UNREAD_CASES)) delete ofPi[name];
  expect(templates).toEqual(ofPi);
});
