import { chmod, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heedModes } from '../support/nobody.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { untilSettled } from '../support/settled.ts';
import { makeTempDirectory } from '../support/temp.ts';

const AGENT_MD = '---\nmodel: openai/gpt-5.2\n---\nHelp.\n';
const SETTINGS = JSON.stringify({ defaultProvider: 'anthropic', defaultModel: 'claude-opus-4-5' });

test('names the model of each agent in the order of pi, and the first line of its prompt', async () => {
  const root = await makeRoot({
    'agents/scout': null,
    'agents/args/pi-args': '--provider\ngroq\n--model\nllama-4:high\n--tools\nread, bash,\n',
    'agents/args/AGENT.md': AGENT_MD,
    'agents/args/settings.json': SETTINGS,
    'agents/file/AGENT.md': AGENT_MD,
    'agents/file/settings.json': SETTINGS,
    'agents/file/extensions/agent-prompt.ts': 'export default () => {};',
    'agents/file/SYSTEM.md': '# Courier\n\n  You carry messages.  \nMore.',
    'agents/off/AGENT.md': AGENT_MD,
    'agents/off/extensions/agent-prompt.ts': 'export default () => {};',
    'agents/off/settings.json': JSON.stringify({ defaultModel: 'a/b', extensions: ['!agent-*'] }),
    'agents/ignored/AGENT.md': AGENT_MD,
    'agents/ignored/settings.json': `\uFEFF${SETTINGS}`,
    'agents/heading/SYSTEM.md': '\n## Only a heading\n',
    'agents/long/SYSTEM.md': `#hashtag ${'wörd '.repeat(2_000)}`,
    'agents/wrong/settings.json': '{',
    // pi reads all of it.
    'agents/large/settings.json': JSON.stringify({ note: 'x'.repeat(100_000), defaultModel: 'a/c' }),
    'agents/empty/SYSTEM.md': '',
  });
  const { call } = await serve(root);
  const { status, body } = await call('GET', '/api/profiles');
  expect(status).toBe(200);
  const byId = new Map(body.agents.map((agent: { id: string }) => [agent.id, agent]));
  expect(byId.get('args')).toEqual({
    id: 'args',
    model: { name: 'groq/llama-4', thinking: 'high', source: 'pi-args' },
    // pi takes the next word only.
    tools: ['read'],
  });
  expect(byId.get('file')).toEqual({
    id: 'file',
    model: { name: 'openai/gpt-5.2', source: 'AGENT.md' },
    firstLine: 'You carry messages.',
  });
  expect(byId.get('off')).toEqual({ id: 'off', model: { name: 'a/b', source: 'settings.json' } });
  expect(byId.get('large')).toEqual({ id: 'large', model: { name: 'a/c', source: 'settings.json' } });
  expect(byId.get('ignored')).toEqual({
    id: 'ignored',
    model: { name: 'anthropic/claude-opus-4-5', source: 'settings.json' },
  });
  expect(byId.get('heading')).toEqual({ id: 'heading', firstLine: 'Only a heading' });
  const { firstLine } = byId.get('long') as { firstLine: string };
  expect([Array.from(firstLine).length, firstLine.slice(0, 9), firstLine.at(-1)]).toEqual([
    160,
    '#hashtag ',
    '…',
  ]);
  expect(byId.has('wrong')).toBe(false);
  expect(byId.has('empty')).toBe(false);
});

test('the next request knows what changed, also a write into settings.json or a linked file while events are followed', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot({
    'agents/scout/settings.json': SETTINGS,
    'agents/scout/SYSTEM.md': { link: '../../shared/SYSTEM.md' },
    'shared/SYSTEM.md': 'Look.',
  });
  const { url, call } = await serve(root);
  const agent = join(root, 'agents/scout');
  const scout = async () => (await call('GET', '/api/profiles')).body.agents[0];
  expect(await scout()).toMatchObject({ model: { name: 'anthropic/claude-opus-4-5' }, firstLine: 'Look.' });
  // Older than the span in which everything is read again.
  await untilSettled(agent);
  await scout();
  await writeFile(join(root, 'shared/SYSTEM.md'), 'Look again.');
  expect(await scout()).toMatchObject({ firstLine: 'Look again.' });

  const stopped = new AbortController();
  const stream = await fetch(`${url}/api/events`, { signal: stopped.signal });
  await stream.body?.getReader().read();
  await writeFile(join(agent, 'settings.json'), '{"defaultModel":"other"}');
  await until(async () => (await scout()).model.name === 'other');
  stopped.abort();
  await rm(agent, { recursive: true });
  expect((await call('GET', '/api/profiles')).body).toEqual({ agents: [] });
});

test('names and arguments of any length hold up no list', async () => {
  const words = '-e a '.repeat(400_000);
  const root = await makeRoot({
    ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`agents/many-${i}/pi-args`, words])),
    'agents/name/pi-args': `--model ${'x'.repeat(60_000)} --tools ${'y'.repeat(3_000)}`,
  });
  const { call } = await serve(root);
  const { agents } = (await call('GET', '/api/profiles')).body;
  const ofMany = agents.filter(({ id }: { id: string }) => id.startsWith('many-'));
  expect(ofMany.map(({ unread }: { unread: string[] }) => unread)).toEqual(Array(12).fill(['pi-args']));
  const { model, tools } = agents.find(({ id }: { id: string }) => id === 'name');
  expect([model.name.length, tools[0].length]).toEqual([200, 200]);
});

test('one agent that can’t be read hides no other, and nothing outside the root is read', async () => {
  heedModes();
  const root = await makeRoot({ 'agents/closed/SYSTEM.md': 'Closed.', 'agents/out': null });
  const outside = await makeTempDirectory();
  await writeFile(join(outside, 'SYSTEM.md'), 'A secret.');
  await symlink(join(outside, 'SYSTEM.md'), join(root, 'agents/out/SYSTEM.md'));
  await chmod(join(root, 'agents/closed'), 0);
  const { call } = await serve(root);
  const others = async () => {
    const { agents } = (await call('GET', '/api/profiles')).body;
    return agents.filter(({ id }: { id: string }) => id !== 'scout');
  };
  const unread = { id: 'out', unread: ['SYSTEM.md'] };
  const closed = { id: 'closed', unread: ['AGENT.md', 'SYSTEM.md', 'pi-args', 'settings.json'] };
  expect(await others()).toEqual([closed, unread]);
  await chmod(join(root, 'agents/closed'), 0o755);
  expect(await others()).toEqual([{ id: 'closed', firstLine: 'Closed.' }, unread]);
});

test('agents that can be listed but not entered are listed with their problem, and so are the hidden ones', async () => {
  heedModes();
  const root = await makeRoot({ 'agents/scout/SYSTEM.md': 'x', 'agents/bad name/SYSTEM.md': 'x' });
  await chmod(join(root, 'agents'), 0o444);
  const { call } = await serve(root);
  const { status, body } = await call('GET', '/api/agents');
  await chmod(join(root, 'agents'), 0o755);
  expect(status).toBe(200);
  expect(body.agents).toMatchObject([{ id: 'scout', problem: { code: 'permission_denied' } }]);
  expect(body.hidden).toMatchObject([{ name: 'bad name' }]);
});
