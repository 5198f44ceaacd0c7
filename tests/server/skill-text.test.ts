import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heedModes } from '../support/nobody.ts';
import { makeRoot, plant } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const skill = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n`;

test('reads the SKILL.md of a shared skill, of a linked one, and of one that only the agent has', {
  tags: 'slow',
}, async () => {
  const { call } = await serve(
    await makeRoot({
      'shared/skills/usage/SKILL.md': skill('usage', 'Named as a route.'),
      'shared/skills/50% #1/SKILL.md': skill('x', 'An unusual name.'),
      'agents/scout/skills/usage': { link: '../../../shared/skills/usage' },
      'agents/scout/skills/own/SKILL.md': skill('own', 'Only here.'),
      'agents/scout/skills/git-summary/SKILL.md': skill('git-summary', 'Not the shared one.'),
    }),
  );
  const shared = await call('GET', '/api/catalog/skills/usage/text');
  expect([shared.status, shared.body]).toEqual([
    200,
    {
      name: 'usage',
      description: 'Named as a route.',
      path: 'shared/skills/usage/SKILL.md',
      text: skill('usage', 'Named as a route.'),
      diagnostics: [],
    },
  ]);
  const linked = await call('GET', '/api/catalog/skills/usage/text?agent=scout');
  expect(linked.body).toEqual(shared.body);
  const own = await call('GET', '/api/catalog/skills/own/text?agent=scout');
  expect(own.body).toMatchObject({ description: 'Only here.', path: 'agents/scout/skills/own/SKILL.md' });
  const same = await call('GET', '/api/catalog/skills/git-summary/text?agent=scout');
  expect(same.body.description).toBe('Not the shared one.');
  const unusual = await call('GET', `/api/catalog/skills/${encodeURIComponent('50% #1')}/text`);
  expect([unusual.status, unusual.body.diagnostics[0].rule]).toEqual([200, expect.any(String)]);
});

test('refuses what leads out of the root, through any link on the way', async () => {
  const outside = await makeTempDirectory();
  await plant(outside, { 'skill/SKILL.md': skill('skill', 'Secret.'), 'note.md': 'Secret.' });
  const { call } = await serve(
    await makeRoot({
      'shared/skills/directory': { link: join(outside, 'skill') },
      'shared/skills/file/SKILL.md': { link: join(outside, 'note.md') },
      'agents/scout/skills/through': { link: '../../../shared/skills/directory' },
      'agents/writer/skills': { link: outside },
      'agents/writer/SYSTEM.md': 'w',
    }),
  );
  for (const path of ['directory/text', 'file/text', 'through/text?agent=scout', 'skill/text?agent=writer']) {
    const { status, body } = await call('GET', `/api/catalog/skills/${path}`);
    expect([path, status, body.code]).toEqual([path, 403, 'outside_root']);
    expect(JSON.stringify(body)).not.toContain(outside);
    expect(JSON.stringify(body)).not.toContain('Secret');
  }
});

test('says why a SKILL.md has no text: missing, a directory, binary, too large, or not permitted', {
  tags: 'slow',
}, async () => {
  heedModes();
  const root = await makeRoot({
    'shared/skills/empty': null,
    'shared/skills/folder/SKILL.md': null,
    'shared/skills/binary/SKILL.md': Buffer.from([0xff, 0xfe]),
    'shared/skills/nul/SKILL.md': 'a\0b',
    'shared/skills/large/SKILL.md': 'x'.repeat(2 * 1024 * 1024 + 1),
    'shared/skills/locked/SKILL.md': skill('locked', 'Nobody may read it.'),
    'agents/scout/skills/gone': { link: '../../../shared/skills/gone' },
  });
  await chmod(join(root, 'shared/skills/locked/SKILL.md'), 0o000);
  const { call } = await serve(root);
  const codes: Record<string, unknown> = {};
  for (const name of ['nobody', 'empty', 'folder', 'binary', 'nul', 'large', 'locked', '.hidden', 'a%2Fb']) {
    codes[name] = (await call('GET', `/api/catalog/skills/${name}/text`)).body.code;
  }
  expect(codes).toEqual({
    nobody: 'file_not_found',
    empty: 'file_not_found',
    folder: 'not_a_file',
    binary: 'not_text',
    nul: 'not_text',
    large: 'file_too_large',
    locked: 'permission_denied',
    '.hidden': 'invalid_name',
    'a%2Fb': 'invalid_name',
  });
  const ofAgent = async (query: string) =>
    (await call('GET', `/api/catalog/skills/gone/text?${query}`)).body.code;
  expect(await ofAgent('agent=scout')).toBe('file_not_found');
  expect(await ofAgent('agent=nobody')).toBe('agent_not_found');
  expect(await ofAgent('agent=a..b')).toBe('invalid_agent_id');
});
