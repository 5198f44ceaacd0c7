import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { itemsOf, type McpAction } from '../../../src/renderer/src/features/matrix/mcp-changes.ts';
import type { JsonObject } from '../../../src/shared/json-object.ts';
import { editFile } from '../../support/json-edits.ts';
import { editsOf } from '../../support/mcp.ts';
import { NOTES_PROGRAM } from '../../support/pi-prompt-cases.ts';
import { plant } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSharedDirectory, makeTempDirectory } from '../../support/temp.ts';

// A real pi starts the servers that the API added, and none that it switched off or removed.

const run = promisify(execFile);
const PI = '@earendil-works/pi-coding-agent@1.6.0';

let program: string | undefined;
let reason = '';

beforeAll(async () => {
  const { directory, remove } = await makeSharedDirectory();
  try {
    await run('npm', ['pack', '--silent', PI], { cwd: directory });
    const [archive = ''] = (await readdir(directory)).filter((name) => name.endsWith('.tgz'));
    await run('tar', ['-xzf', archive], { cwd: directory });
    const { bin } = JSON.parse(await readFile(join(directory, 'package/package.json'), 'utf8'));
    program = join(directory, 'package', bin.pi);
  } catch (error) {
    reason = `npm can't get ${PI}: ${(error as Error).message.split('\n')[0]}`;
  }
  return remove;
});

interface PiServer {
  readonly name: string;
  readonly state: string;
  readonly tools?: readonly unknown[];
}

/** What `pi mcp list` says of each server of an agent, by name. */
const listedBy = async (pi: string, directory: string, work: string): Promise<Record<string, string>> => {
  const { stdout } = await run(process.execPath, [pi, 'mcp', 'list', '--json'], {
    cwd: work,
    env: {
      PATH: process.env.PATH,
      HOME: work,
      PI_CODING_AGENT_DIR: directory,
      PI_OFFLINE: '1',
      PI_TELEMETRY: '0',
      NOTES_KEY: 'from the environment',
    },
  }).catch((error: { stdout: string }) => error);
  const { servers } = JSON.parse(stdout) as { servers: PiServer[] };
  return Object.fromEntries(servers.map(({ name, state }) => [name, state]));
};

test('pi starts the MCP servers that the API added, with their variables, and none that is off', async (context) => {
  if (program === undefined) return context.skip(reason);
  const pi = program;
  const rootPath = await makeRoot();
  const work = await makeTempDirectory();
  await plant(work, { 'notes.mjs': NOTES_PROGRAM });
  const server = await serve(rootPath);
  const { asOperator: call } = server;

  const listed = () => listedBy(pi, join(rootPath, 'agents/scout'), work);
  const change = async (name: string, fields: JsonObject | null, more: { newName?: string } = {}) => {
    const text = await readFile(join(rootPath, 'agents/scout/mcp.json'), 'utf8').catch(() => '{}');
    const edits = editsOf(text, { name, server: fields, ...more });
    const made = await editFile(server, { json: 'mcp.json', edits });
    expect(made.error).toBe(undefined);
    return made.change;
  };

  const command = { command: process.execPath, args: ['notes.mjs'] };
  await change('on', { ...command, env: { KEY: '$NOTES_KEY' } });
  await change('off', { ...command, enabled: false });
  await change('gone', command);
  const removed = await change('gone', null);
  expect(await listed()).toEqual({ on: 'connected', off: 'disabled' });

  // The variable is set, and without it pi doesn't start the server.
  await change('on', { env: { KEY: '$NOT_SET_ANYWHERE' } });
  await change('off', { enabled: true });
  expect(await listed()).toEqual({ on: expect.not.stringMatching('^connected$'), off: 'connected' });

  const renamed = await change('off', { enabled: false, env: { KEY: 'literal' } }, { newName: 'later' });
  expect(await listed()).toMatchObject({ later: 'disabled' });
  await call('POST', `/api/changes/${renamed}/undo`);
  expect(await listed()).toMatchObject({ off: 'connected' });
  const { body } = await call('POST', `/api/changes/${removed}/undo`);
  expect(body.refused[0].code).toBe('file_changed');
});

test('pi starts a server that was copied from another agent, and one that came with a preset', async (context) => {
  if (program === undefined) return context.skip(reason);
  const pi = program;
  const work = await makeTempDirectory();
  await plant(work, { 'notes.mjs': NOTES_PROGRAM });
  const notes = {
    ...{ command: process.execPath, args: ['notes.mjs'], env: { KEY: '$NOTES_KEY' } },
    ...{ exposure: 'direct', timeout: 30, toolExposure: { add: 'hidden' } },
  };
  const rootPath = await makeRoot({
    'agents/writer/mcp.json': JSON.stringify({ mcpServers: { copied: { ...notes, enabled: false } } }),
    'shared/presets/notes.json': JSON.stringify({ mcpServers: { given: notes } }),
  });
  const { asOperator: call } = await serve(rootPath);
  const listed = (id: string) => listedBy(pi, join(rootPath, 'agents', id), work);

  const changeAll = async (change: McpAction) => {
    const { body: overview } = await call('GET', '/api/mcp');
    const items = itemsOf(overview, change, new Map([['writer', { copied: notes }]]));
    return (await call('POST', '/api/changes', { label: 'x', items })).body;
  };
  const copied = await changeAll({
    action: 'copy',
    steps: [{ names: ['copied'], from: 'writer', agents: ['scout'] }],
  });
  expect(copied).toMatchObject({ applied: 1, refused: [] });
  const { body: applied } = await call('POST', '/api/presets/notes/apply', { agents: ['scout', 'writer'] });
  expect(applied.mcp.agents.flatMap(({ failed }: { failed: unknown[] }) => failed)).toEqual([]);
  expect(await listed('scout')).toEqual({ copied: 'connected', given: 'connected' });
  expect(await listed('writer')).toEqual({ copied: 'disabled', given: 'connected' });

  const switched = await changeAll({
    action: 'off',
    steps: [{ names: ['copied', 'given'], agents: ['scout', 'writer'] }],
  });
  expect(await listed('scout')).toEqual({ copied: 'disabled', given: 'disabled' });
  for (const undo of [switched.change, applied.undo])
    expect((await call('POST', `/api/changes/${undo}/undo`)).body.refused).toEqual([]);
  expect(await listed('scout')).toEqual({ copied: 'connected' });
});
