import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRoot } from '../../../src/server/platform/root.ts';
import { readSessionSettings } from '../../../src/server/sessions/session-dir.ts';
import { makeRoot, type Tree } from '../../support/root.ts';
import { serve } from '../../support/server.ts';

const SETTINGS = '{"defaultProvider":"anthropic","defaultModel":"odd","sessionDir":"../../kept"}';
const AGENT_MD = '---\nmodel: anthropic/odd\n---\nBe odd.\n';
const nested = `${'['.repeat(2_000)}${']'.repeat(2_000)}`;
const latin1 = (text: string) => Buffer.from(text.replace('odd', 'od\u00E9'), 'latin1');
const padded = (text: string, kibi: number) => `${text}${' '.repeat(kibi * 1024)}\n`;

/** Agents with an odd file, by the name of the file. */
const ODD: Readonly<Record<string, Tree>> = {
  'settings.json': {
    plain: SETTINGS,
    mark: `\uFEFF${SETTINGS}`,
    latin1: latin1(SETTINGS),
    nul: `${SETTINGS}\0`,
    long: padded(SETTINGS, 300),
    'too-long': padded(SETTINGS, 2 * 1024),
    deep: SETTINGS.replace('{', `{"x":${nested},`),
    linked: { link: '../../shared/lib/settings.json' },
    away: { link: '../../../settings.json' },
    broken: { link: 'nowhere' },
    itself: { link: 'settings.json' },
    directory: null,
  },
  'pi-args': {
    plain: '--model\nodd\n',
    latin1: latin1('--model\nodd\n'),
    'too-long': padded('--model\nodd\n', 70),
    directory: null,
    broken: { link: 'nowhere' },
  },
  'AGENT.md': {
    plain: AGENT_MD,
    crlf: AGENT_MD.replaceAll('\n', '\r\n'),
    latin1: latin1(AGENT_MD),
    long: padded(AGENT_MD, 300),
    directory: null,
    broken: { link: 'nowhere' },
  },
  'SYSTEM.md': {
    nul: 'You are.\0',
    directory: null,
    broken: { link: 'nowhere' },
  },
  'mcp.json': {
    latin1: latin1('{"mcpServers":{}} // odd'),
    deep: `{"mcpServers":{"one":${nested}}}`,
    directory: null,
  },
};

const agents = Object.entries(ODD).flatMap(([file, kinds]) =>
  Object.entries(kinds).map(([kind, content]) => ({
    id: `${file.replace(/\W/g, '-')}-${kind}`,
    file,
    content,
  })),
);

test('the lists, the checks and the prompt read an odd file alike, and each says what it didn’t read', async () => {
  const root = await makeRoot({
    '../settings.json': SETTINGS,
    'shared/lib/settings.json': SETTINGS,
    'shared/extensions/agent-prompt.ts': 'systemPromptOptions',
    ...Object.fromEntries(
      agents.flatMap(({ id, file, content }) => [
        [`agents/${id}/SYSTEM.md`, 'You are.\n'],
        [`agents/${id}/extensions/agent-prompt.ts`, { link: '../../../shared/extensions/agent-prompt.ts' }],
        [`agents/${id}/${file}`, content],
      ]),
    ),
  });
  const { call } = await serve(root);
  const profiles = (await call('GET', '/api/profiles')).body.agents;
  const mcp = (await call('GET', '/api/mcp')).body.agents;
  const said = await Promise.all(
    agents.map(async ({ id, file }) => {
      const [prompt, checks] = await Promise.all([
        call('GET', `/api/agents/${id}/prompt`),
        call('GET', `/api/agents/${id}/checks`),
      ]);
      const of = (rows: { id: string }[]) =>
        rows.find((row) => row.id === id) as Record<string, unknown> | undefined;
      const { model, unread } = (of(profiles) ?? {}) as { model?: { name: string }; unread?: string[] };
      const isRead = file === 'mcp.json' ? of(mcp)?.problem === undefined : unread === undefined;
      const finding = checks.body.findings.find(({ rule }: { rule: string }) => rule === 'file-unreadable');
      return {
        list: [id, isRead, model?.name ?? null],
        prompt: [id, prompt.body.complete, prompt.body.model?.name ?? null],
        checks: [id, finding === undefined],
      };
    }),
  );
  const lists = said.map(({ list }) => list);
  expect(said.map(({ prompt }) => prompt)).toEqual(lists);
  const unreadIn = (each: readonly unknown[][]) => each.flatMap(([id, isRead]) => (isRead ? [] : [id]));
  const unread = unreadIn(lists).filter((id) => id !== 'settings-json-away');
  // A link that points outside the root is the author's choice. Rules need positions, which take longer to find.
  expect(unreadIn(said.map(({ checks }) => checks))).toEqual(
    agents.map(({ id }) => id).filter((id) => unread.includes(id) || id === 'settings-json-long'),
  );
  // What pi treats as missing isn't unread.
  expect(lists.filter(([id]) => String(id).endsWith('broken'))).toEqual(
    lists.filter(([id]) => String(id).endsWith('broken')).map(([id]) => [id, true, null]),
  );
});

test('the sessions read settings.json as the lists do, and say if they can’t', async () => {
  const settings = Object.entries(ODD['settings.json'] ?? {});
  const root = await makeRoot({
    'shared/lib/settings.json': SETTINGS,
    ...Object.fromEntries(settings.map(([kind, content]) => [`agents/${kind}/settings.json`, content])),
  });
  await mkdir(join(root, 'kept'));
  const places = createRoot(root);
  const found = settings.map(([kind]) => {
    const [setting] = readSessionSettings(places, places.agent(kind), root);
    return [kind, setting?.isUnknown ? 'unknown' : (setting?.named?.path.slice(root.length) ?? 'none')];
  });
  expect(Object.fromEntries(found)).toEqual({
    plain: '/kept',
    mark: '/kept',
    latin1: 'unknown',
    nul: 'unknown',
    long: '/kept',
    'too-long': 'unknown',
    deep: 'unknown',
    linked: '/kept',
    away: 'unknown',
    broken: 'none',
    itself: 'none',
    directory: 'unknown',
  });
});
