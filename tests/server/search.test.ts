import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shareServer } from '../support/shared-server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const { makeRoot, serve } = shareServer();

const start = async (root: string) => {
  const { call } = await serve(root);
  return {
    call,
    search: async (query: string) =>
      (await call('GET', `/api/search?${new URLSearchParams({ q: query })}`)).body,
  };
};

test('finds text in every file of every agent, with its first line, whatever its case and spaces', async () => {
  const root = await makeRoot({
    'agents/scout/SYSTEM.md': 'You scout.\r\nAsk the  Courier first.\r\nThe courier knows.\n',
    'agents/scout/pi-args': '--courier\n',
    'agents/writer/AGENT.md': `${'x'.repeat(300)} the courier ${'y'.repeat(300)}`,
    'agents/plain/SYSTEM.md': 'cour\nier (.*)',
    'agents/scout/notes.md': 'courier',
    'shared/skills/courier/SKILL.md': 'courier',
  });
  const { search, call } = await start(root);
  const { matches, truncated, unreadableCount } = await search('courier');
  expect({ truncated, unreadableCount }).toEqual({ truncated: false, unreadableCount: 0 });
  expect(
    matches.map((match: { agent: string; file: string; line: number; text: string }) => [
      match.agent,
      match.file,
      match.line,
    ]),
  ).toEqual([
    ['scout', 'pi-args', 1],
    ['scout', 'SYSTEM.md', 2],
    ['writer', 'AGENT.md', 1],
  ]);
  expect(matches[1].text).toBe('Ask the  Courier first.');
  for (const { text, start: from, length } of matches)
    expect(text.slice(from, from + length).toLowerCase()).toBe('courier');
  expect(matches[2].text.length).toBeLessThanOrEqual(160);

  expect((await search('the courier')).matches).toHaveLength(2);
  // A text, not a pattern.
  expect((await search('(.*)')).matches).toHaveLength(1);
  expect((await search('nowhere')).matches).toEqual([]);
  const limited = (await call('GET', '/api/search?q=courier&limit=1')).body;
  expect(limited).toMatchObject({ truncated: true, matches: [{ agent: 'scout' }] });
  for (const query of ['q=', 'q=%20', `q=${'a'.repeat(201)}`, 'limit=5', 'q=a&limit=0', 'q=a&limit=201'])
    expect((await call('GET', `/api/search?${query}`)).status).toBe(400);
});

test('sees each edit, also one that keeps the size', async () => {
  const root = await makeRoot({ 'agents/scout/SYSTEM.md': 'alpha' });
  const { search } = await start(root);
  expect((await search('alpha')).matches).toHaveLength(1);
  await writeFile(join(root, 'agents/scout/SYSTEM.md'), 'gamma');
  expect((await search('alpha')).matches).toEqual([]);
  expect((await search('gamma')).matches).toHaveLength(1);
  await rm(join(root, 'agents/scout/SYSTEM.md'));
  expect((await search('gamma')).matches).toEqual([]);
});

test('what can’t be read is named and hides nothing, and nothing outside the root is searched', async () => {
  const outside = await makeTempDirectory();
  await writeFile(join(outside, 'secret'), 'courier');
  const root = await makeRoot({
    'agents/a-directory/SYSTEM.md/in-the-way': '',
    'agents/b-binary/SYSTEM.md': 'courier\0',
    'agents/c-outside/pi-args': '',
    'agents/d-inside/SYSTEM.md': { link: '../../shared/prompt.md' },
    'agents/e-dangling/SYSTEM.md': { link: 'nowhere' },
    'agents/z-good/SYSTEM.md': 'courier',
    'shared/prompt.md': 'courier',
  });
  await symlink(join(outside, 'secret'), join(root, 'agents/c-outside/SYSTEM.md'));
  await symlink(outside, join(root, 'agents/f-linked'));
  const { search } = await start(root);
  const { matches, unreadable, unreadableCount } = await search('courier');
  expect(matches.map(({ agent }: { agent: string }) => agent)).toEqual(['d-inside', 'z-good']);
  expect(unreadableCount).toBe(3);
  expect(unreadable).toEqual([
    { agent: 'a-directory', file: 'SYSTEM.md', problem: expect.stringContaining('not a regular file') },
    { agent: 'b-binary', file: 'SYSTEM.md', problem: expect.stringContaining('not a text file') },
    { agent: 'c-outside', file: 'SYSTEM.md', problem: expect.stringContaining('outside the root') },
  ]);
  expect(JSON.stringify(unreadable)).not.toContain(outside);
});

test('searching 2,000 agents leaves the server free to respond to others', { tags: 'slow' }, async () => {
  const text = `${'A line of a prompt that says little.\n'.repeat(120)}The needle.\n`;
  const root = await makeRoot(
    Object.fromEntries(
      Array.from({ length: 2000 }, (_, at) => [`agents/agent-${at}/SYSTEM.md`, text] as const),
    ),
  );
  const { search, call } = await start(root);
  await call('GET', '/api/agents');
  // The list comes from the thread that searches.
  const [found, list] = await Promise.all([search('needle'), call('GET', '/api/agents')]);
  expect(list.body.agents.length).toBeGreaterThanOrEqual(2000);
  expect(found).toMatchObject({ truncated: true });
  expect(found.matches).toHaveLength(50);
  const all = (await call('GET', '/api/search?q=no+such+words')).body;
  expect(all).toMatchObject({ matches: [], truncated: false });
});

test('a search that takes long lets other requests through', { tags: 'slow' }, async () => {
  const root = await makeRoot({ 'agents/scout/SYSTEM.md': 'a '.repeat(400_000) });
  const { call, search } = await start(root);
  await call('GET', '/api/agents');
  const order: string[] = [];
  const searched = search(`${'a '.repeat(98)}c`).then(({ matches }) => {
    order.push('search');
    return matches;
  });
  while (!order.includes('search')) {
    await call('GET', '/api/search?q=nothing');
    order.push('other');
  }
  expect(await searched).toEqual([]);
  expect(order.indexOf('search')).toBeGreaterThan(3);
});

test('finds text across the windows in which a long text is searched', async () => {
  const text = `${'x'.repeat(16 * 1024 - 7)} the courier\n`;
  const { search } = await start(await makeRoot({ 'agents/scout/SYSTEM.md': text }));
  const { matches } = await search('the courier');
  expect(matches).toEqual([expect.objectContaining({ agent: 'scout', line: 1, length: 11 })]);
});
