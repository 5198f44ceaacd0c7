import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { interpret } from '../../../src/pi/interpret.ts';
import { ANYONE_READER } from '../../../src/server/platform/caller.ts';
import { createKnownTexts, createPiDisk } from '../../../src/server/platform/pi-disk.ts';
import { collectPackages } from '../../../src/server/prompt/collect-parts.ts';
import { plant, type Tree } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { servePrompts } from './serve-prompts.ts';

// How pi loads packages is captured in pi-prompt-cases.ts. This is what dot-mi adds: origins, notes and limits.

const AGENT = 'agents/scout';
const NPM = `${AGENT}/npm/node_modules`;
const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n`;
const settings = (...packages: unknown[]): Tree => ({
  [`${AGENT}/settings.json`]: JSON.stringify({ packages }),
});
const codesOf = ({ notes }: { notes: { code: string }[] }) => notes.map(({ code }) => code);

test('counts the skills of installed packages in the prompt, its tokens and the cost of a call', {
  tags: 'slow',
}, async () => {
  const { asOperator, prompt, operator } = await servePrompts({
    [`${AGENT}/SYSTEM.md`]: 'You are a scout.\n',
    ...settings({ source: 'npm:tools', skills: ['!skills/off'] }),
    [`${NPM}/tools/package.json`]: '{"version":"1.0.0"}',
    [`${NPM}/tools/skills/on/SKILL.md`]: skill('on'),
    [`${NPM}/tools/skills/off/SKILL.md`]: skill('off'),
    [`${NPM}/tools/extensions/say.ts`]: '',
  });
  const { body } = await prompt({}, operator);
  expect(body.text).toContain('<name>on</name>');
  expect(body.text).not.toContain('<name>off</name>');
  expect(body.skills).toEqual([
    {
      name: 'on',
      path: expect.stringMatching(/scout\/npm\/node_modules\/tools\/skills\/on\/SKILL\.md$/),
      from: 'package',
      inPrompt: true,
      tokens: expect.any(Number),
    },
  ]);
  expect(body.skills[0].tokens).toBeGreaterThan(10);
  expect(body.leftOutSkills).toEqual([
    { path: expect.stringContaining('tools/skills/off/SKILL.md'), reason: 'switched_off' },
  ]);
  expect(body.complete).toBe(true);
  expect(codesOf(body)).toEqual(['extensions']);
  expect(body.notes[0].message).toContain('say.ts');
  const cost = await asOperator('GET', '/api/agents/scout/cost');
  expect(cost.body.promptTokens).toBe(body.totalTokens);

  // The source of a package is a value of settings.json, and its skills count for others too.
  const forOthers = (await prompt()).body;
  expect(JSON.stringify(forOthers)).not.toContain('tools/');
  expect(forOthers).toMatchObject({ complete: true, skills: [{ name: '[hidden: settings.json]' }] });
  expect(forOthers.skills[0].tokens).toBe(body.skills[0].tokens);
});

test('names the packages that it can’t read, and not those that it counts', { tags: 'slow' }, async () => {
  const { prompt, operator } = await servePrompts({
    ...settings(
      'npm:here',
      'npm:gone',
      'npm:here@2.0.0',
      { source: 'npm:filtered', skills: 'all' },
      'https://someone:secret@github.com/me/private',
      { skills: [] },
      '../../../elsewhere',
    ),
    [`${NPM}/here/package.json`]: '{"version":"1.0.0"}',
    [`${NPM}/here/skills/one/SKILL.md`]: skill('one'),
    [`${NPM}/filtered/package.json`]: '{"version":"1.0.0"}',
    [`${NPM}/filtered/skills/two/SKILL.md`]: skill('two'),
  });
  const { body } = await prompt({}, operator);
  expect(body.skills.map(({ name }: { name: string }) => name)).toEqual(['one']);
  expect(body.complete).toBe(false);
  const { message } = body.notes.find(({ code }: { code: string }) => code === 'packages_unread');
  expect(message).toContain('"npm:gone", "npm:filtered", "https://…@github.com/me/private" and 2 more');
  expect(message).not.toContain('npm:here');
  expect(JSON.stringify(body)).not.toContain('secret');
});

test('--no-skills and --no-extensions leave packages out, so that nothing of them is unknown', {
  tags: 'slow',
}, async () => {
  const { prompt, rootPath } = await servePrompts({
    ...settings('npm:gone', './pack'),
    [`${AGENT}/pack/skills/one/SKILL.md`]: skill('one'),
    [`${AGENT}/pack/extensions/say.ts`]: '',
    [`${AGENT}/pi-args`]: '--no-skills\n',
  });
  const first = (await prompt()).body;
  expect([first.skills, first.complete, codesOf(first)]).toEqual([
    [],
    true,
    expect.arrayContaining(['packages_unread', 'extensions']),
  ]);
  await writeFile(join(rootPath, `${AGENT}/pi-args`), '--no-skills\n--no-extensions\n');
  const second = (await prompt()).body;
  expect(codesOf(second)).not.toContain('packages_unread');
  expect(codesOf(second)).not.toContain('extensions');
});

const SECRET = 'What-is-outside-the-root';

test.each([
  { at: `${NPM}/tools`, to: 'package' },
  { at: `${NPM}/tools/skills`, to: 'package/skills' },
  { at: `${NPM}/tools/skills/far`, to: 'package/skills/far' },
  { at: `${NPM}/tools/skills/far/SKILL.md`, to: 'package/skills/far/SKILL.md' },
  { at: `${NPM}/tools/package.json`, to: 'package/package.json' },
  { at: `${AGENT}/npm`, to: 'npm' },
])(
  'reads nothing outside the root through a link at $at, for nobody',
  { tags: 'slow' },
  async ({ at, to }) => {
    const outside = await makeTempDirectory();
    const rootPath = await makeRoot(settings('npm:tools'));
    const files = {
      'package.json': '{"version":"1.0.0","pi":{"skills":["skills"]}}',
      'skills/far/SKILL.md': `---\nname: far\ndescription: ${SECRET}\n---\n`,
    };
    await plant(join(outside, 'package'), files);
    await plant(join(outside, 'npm/node_modules/tools'), files);
    if (!at.endsWith('/npm')) {
      const inside = Object.entries({ ...files, 'skills/near/SKILL.md': skill('near') }).filter(
        ([path]) => !`${NPM}/tools/${path}`.startsWith(at),
      );
      await mkdir(join(rootPath, at, '..'), { recursive: true });
      if (at !== `${NPM}/tools`) await plant(join(rootPath, NPM, 'tools'), Object.fromEntries(inside));
    }
    await symlink(join(outside, to), join(rootPath, at));
    const { prompt, operator } = await servePrompts(rootPath);
    for (const headers of [{}, operator]) {
      const { body } = await prompt({}, headers);
      expect(JSON.stringify(body)).not.toContain(SECRET);
      expect(body.complete).toBe(false);
      expect(codesOf(body)).toContain('packages_unread');
    }
  },
);

test('a link beside a package, which leads out of the root, says nothing about the package', {
  tags: 'slow',
}, async () => {
  const { prompt, operator, rootPath } = await servePrompts({
    ...settings('./pack'),
    [`${AGENT}/pack/skills/one/SKILL.md`]: skill('one'),
  });
  await symlink(await makeTempDirectory(), join(rootPath, AGENT, 'elsewhere'));
  expect((await prompt({}, operator)).body).toMatchObject({ complete: true, skills: [{ name: 'one' }] });
});

test('an agent without packages costs no look at the disk', async () => {
  const rootPath = await makeRoot({ [`${AGENT}/settings.json`]: '{"theme":"dark"}' });
  const agent = join(rootPath, AGENT);
  const facts = interpret(
    createPiDisk(ANYONE_READER, { root: rootPath, ownData: [] }, createKnownTexts(), 0),
    agent,
    rootPath,
    '1.5',
  );
  const found = collectPackages(facts, '1.5', () => {
    throw new Error('a package was looked for');
  });
  expect(found).toEqual({ skills: [], extensions: [], unread: [] });
});
