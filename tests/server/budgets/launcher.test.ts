/**
 * `setup.sh run` of the starter root, and the run command that people copy, with an agent's budget, real shells, curl
 * and a server. A stand-in plays pi.
 */
import { spawn, spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STARTER_ROOT } from '../../resources/support.ts';
import { freePort } from '../../support/free-port.ts';
import { plant } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSession } from '../../support/session-file.ts';
import { skipAll } from '../../support/skip-all.ts';
import { startSquatter } from '../../support/squatter.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const BASH = process.env.SETUP_SH_BASH ?? 'bash';

const start = async (environment: Record<string, string> = {}) => {
  const root = await makeRoot({ 'agents/scout/pi-args': '--no-skills\n' });
  await copyFile(join(STARTER_ROOT, 'setup.sh'), join(root, 'setup.sh'));
  const directory = await makeTempDirectory();
  await plant(directory, { 'bin/pi': { script: '#!/bin/sh\necho "pi $* $DOT_MI_FORCE"\n' } });
  const point = { at: Date.now() - 1_000, price: 100_000, source: 'kraken' };
  await plant(directory, { 'data/btc_price_history.jsonl': `${JSON.stringify(point)}\n` });
  const server = await serve(root, { dataDirectory: directory, environment });
  const execute = (file: string, args: string[], more: Record<string, string>) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((done, failed) => {
      const child = spawn(file, args, {
        cwd: directory,
        env: {
          PATH: `${join(directory, 'bin')}${delimiter}${process.env.PATH}`,
          HOME: directory,
          ...more,
        },
      });
      const output = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].on('data', (chunk: Buffer) => {
          output[name] += chunk.toString();
        });
      child.on('error', failed);
      child.on('close', (code) => done({ code, ...output }));
    });
  const launch = (args: string[], more: Record<string, string> = {}) =>
    execute(BASH, [join(root, 'setup.sh'), ...args], { DOT_MI_URL: server.url, ...more });
  const operator = { Authorization: `Bearer ${server.operatorToken}` };
  const copy = async (): Promise<string> =>
    (await server.call('GET', '/api/agents/scout/run-command', undefined, operator)).body.posix;
  /** Runs a copied command as a shell does. */
  const paste = (command: string, more: Record<string, string> = {}, shell = 'sh') =>
    execute(shell, ['-c', command], more);
  const spend = async (usd: number) => {
    const session = makeSession({ startedAtMs: Date.now() - 1_000 });
    session.call({ input: 1_000, usd });
    await mkdir(join(root, 'agents/scout/sessions'), { recursive: true });
    await writeFile(join(root, 'agents/scout/sessions', session.fileName), session.text());
  };
  const limit = (limits: object) => server.call('PUT', '/api/agents/scout/budget', limits, operator);
  return { root, server, operator, launch, copy, paste, spend, limit };
};

const STARTED = { code: 0, stdout: 'pi --no-skills -c \n', stderr: '' };

describe('the launcher', () => {
  skipAll(process.platform === 'win32' ? 'Windows runs no script by its first line' : undefined);

  test('starts no agent that has used its budget, says how much, and starts it when forced', {
    tags: 'slow',
  }, async () => {
    const { server, launch, spend, limit } = await start();
    expect(await launch(['run', 'scout', '-c'])).toEqual(STARTED);
    await limit({ usdPerDay: 1, satsPerMonth: 2_000 });
    await spend(0.99);
    expect(await launch(['run', 'scout', '-c'])).toEqual(STARTED);
    await spend(0.01);
    expect(await launch(['run', 'scout', '-c'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'setup.sh: scout has used its budget: 1.00 of 1.00 USD today; raise it in dot-mi, or run the agent anyway with: run --force scout\n',
    });
    await limit({ usdPerDay: null, satsPerMonth: 500 });
    expect((await launch(['run', 'scout'])).stderr).toContain('1000 of 500 sats this month');
    // Whoever copies the run command sees at once that it won't start the agent.
    const { warnings } = (await server.call('GET', '/api/agents/scout/run-command')).body;
    expect(warnings.map(({ code }: { code: string }) => code)).toContain('budget_used');
    expect((await launch(['run', '--force', 'scout', '-c'])).stdout).toBe('pi --no-skills -c yes\n');
  });

  test('without a response for this root it starts the agent, but not one with the guard', {
    tags: 'slow',
  }, async () => {
    const { root, server, launch, spend, limit } = await start();
    await limit({ usdPerDay: 1 });
    await spend(5);
    const nobody = { DOT_MI_URL: `http://127.0.0.1:${await freePort()}` };
    expect(await launch(['run', 'scout', '-c'], nobody)).toEqual(STARTED);
    // Another dot-mi, whose agent of the same name has used its budget.
    const other = await start();
    expect(await other.launch(['run', 'scout', '-c'], { DOT_MI_URL: server.url })).toEqual(STARTED);

    await plant(root, {
      'agents/scout/extensions/budget-guard.ts': { link: '../../../shared/extensions/x.ts' },
    });
    const { code, stderr } = await launch(['run', 'scout'], nobody);
    expect([code, stderr]).toEqual([
      1,
      'setup.sh: the budget of scout is not known, because dot-mi is not running for this root; run the agent anyway with: run --force scout\n',
    ]);
    await server.close();
    expect((await launch(['run', '--force', 'scout', '-c'])).code).toBe(0);
    await rm(join(root, 'agents/scout/extensions'), { recursive: true });
    expect(await launch(['run', 'scout', '-c'])).toEqual(STARTED);
  });

  test('starts no agent whose budget dot-mi shows only to keys, without such a key', {
    tags: 'slow',
  }, async () => {
    const { server, operator, launch, spend, limit } = await start({ REQUIRE_KEYS: 'true' });
    await limit({ usdPerDay: 1 });
    await spend(5);
    const because = (why: string) => ({
      code: 1,
      stdout: '',
      stderr: `setup.sh: the budget of scout is not known, because dot-mi needs a key${why}; create a key for the agent in dot-mi, in Settings, and set DOT_MI_KEY, or run the agent anyway with: run --force scout\n`,
    });
    expect(await launch(['run', 'scout'])).toEqual(because(', and DOT_MI_KEY is not set'));
    const keyWith = async (scope: string) => {
      const body = { label: 'Run', agent: 'scout', scopes: [scope] };
      return { DOT_MI_KEY: (await server.call('POST', '/api/keys', body, operator)).body.key };
    };
    expect(await launch(['run', 'scout'], await keyWith('prices'))).toEqual(
      because(' that can read agents, and DOT_MI_KEY holds none'),
    );
    const key = await keyWith('read-agents');
    expect((await launch(['run', 'scout'], key)).stderr).toContain('used its budget');
    await limit({ usdPerDay: 10 });
    expect((await launch(['run', 'scout'], key)).code).toBe(0);
    expect((await launch(['run', '--force', 'scout'])).code).toBe(0);
  });

  test('sends its key to the dot-mi that knows it, and to no other program at the port', {
    tags: 'slow',
  }, async () => {
    const { root, server, launch, spend, limit } = await start();
    await limit({ usdPerDay: 1 });
    await spend(5);
    const { key } = (
      await server.call(
        'POST',
        '/api/keys',
        { label: 'Launcher', agent: 'scout', scopes: ['read-agents'] },
        { Authorization: `Bearer ${server.operatorToken}` },
      )
    ).body;
    const keyed = { DOT_MI_KEY: key };
    expect((await launch(['run', 'scout'], keyed)).stderr).toContain('used its budget: 5.00 of 1.00 USD');
    for (const url of [`${server.url}/`, new URL(server.url).host])
      expect((await launch(['run', 'scout'], { ...keyed, DOT_MI_URL: url })).stderr).toContain(
        '5.00 of 1.00 USD',
      );

    await plant(root, {
      'agents/scout/extensions/budget-guard.ts': { link: '../../../shared/extensions/x.ts' },
    });
    // One that answers everything, and one that passes everything on.
    for (const { url, seen } of [await startSquatter(), await startSquatter(server.url)]) {
      const { code, stderr } = await launch(['run', 'scout'], { ...keyed, DOT_MI_URL: url });
      expect(seen.join()).not.toContain(key);
      expect([code, stderr]).toEqual([
        1,
        'setup.sh: the budget of scout is not known, because the program at this address does not know DOT_MI_KEY, so the key was not sent; run the agent anyway with: run --force scout\n',
      ]);
      expect(seen.length).toBeGreaterThan(0);
      // curl takes all of these for this machine.
      const { port } = new URL(url);
      for (const host of [
        '127.0.0.1',
        'localhost',
        'http://0',
        'http://0x7f000001',
        'http://2130706433',
        'http://x@127.0.0.1',
      ])
        await launch(['run', 'scout'], { ...keyed, DOT_MI_URL: `${host}:${port}` });
      expect(seen.join()).not.toContain(key);
    }
  });
});

/** What the copied command says when it starts nothing. */
const refused = (why: string) => ({
  code: 1,
  stdout: '',
  stderr: `scout was not started: ${why}, or export DOT_MI_FORCE=yes to run the agent anyway.\n`,
});

const USED = refused('its budget is used up. Raise it in dot-mi');

const GUARD = 'agents/scout/extensions/budget-guard.ts';

describe('the run command that people copy', () => {
  skipAll(process.platform === 'win32' ? 'Windows has no POSIX shell' : undefined);

  test('starts no agent that has used its budget, in any shell, and starts it when forced', async ({
    skip,
  }) => {
    const { copy, paste, spend, limit } = await start();
    expect(await copy(), 'without a budget it stays short').not.toContain('curl');
    await limit({ usdPerDay: 1 });
    const command = await copy();
    const shells = [BASH, 'dash', 'zsh'].filter((shell) => !spawnSync(shell, ['-c', ':']).error);
    for (const shell of shells)
      expect(await paste(command, {}, shell)).toEqual({ ...STARTED, stdout: 'pi --no-skills \n' });
    await spend(1);
    for (const shell of shells) expect(await paste(command, {}, shell)).toEqual(USED);
    expect((await paste(command, { DOT_MI_FORCE: 'yes' })).stdout).toBe('pi --no-skills yes\n');
    // One that was copied while the budget was used up starts the agent once it is raised.
    const later = await copy();
    await limit({ usdPerDay: 2 });
    expect((await paste(later)).code).toBe(0);
    const missing = [BASH, 'dash', 'zsh'].filter((shell) => !shells.includes(shell));
    skip(missing.length > 0, `passed without ${missing.join(' and ')}, which isn’t installed`);
  });

  test('creates no workspace for an agent that has used its budget, and resumes no session of one', {
    tags: 'slow',
  }, async () => {
    const { root, server, operator, copy, paste, spend, limit } = await start();
    await plant(root, { 'agents/scout/workspace.conf': 'notes\n' });
    await limit({ usdPerDay: 1 });
    await spend(1);
    expect(await paste(await copy())).toEqual(USED);
    expect(await readdir(root)).not.toContain('workspaces');
    const { sessions } = (await server.call('GET', '/api/agents/scout/sessions', undefined, operator)).body;
    const resume = `/api/sessions/${sessions[0].id}/resume-command?agent=scout`;
    expect(await paste((await server.call('GET', resume, undefined, operator)).body.posix)).toEqual(USED);
    await limit({ usdPerDay: 2 });
    expect((await paste(await copy())).code).toBe(0);
    expect(await readdir(root)).toContain('workspaces');
  });

  test('without a response for this root it starts the agent, but not one with the guard', {
    tags: 'slow',
  }, async () => {
    const { root, server, copy, paste, spend, limit } = await start();
    await limit({ usdPerDay: 1 });
    const command = await copy();
    await spend(5);
    await server.close();
    expect((await paste(command)).code).toBe(0);
    await plant(root, { [GUARD]: { link: '../../../shared/extensions/x.ts' } });
    expect(await paste(command)).toEqual(
      refused('it has the extension budget-guard.ts, but dot-mi is not running for this root. Start dot-mi'),
    );
  });

  test('sends no key, and leaves the check to the guard where dot-mi needs one', async () => {
    const { root, server, operator, copy, paste, limit } = await start({ REQUIRE_KEYS: 'true' });
    await limit({ usdPerDay: 1 });
    const { key } = (
      await server.call(
        'POST',
        '/api/keys',
        { label: 'Run', agent: 'scout', scopes: ['read-agents'] },
        operator,
      )
    ).body;
    const command = await copy();
    const noKey = refused(
      'dot-mi needs a key to check the budget of this agent. Use setup.sh run, which sends the key',
    );
    expect(await paste(command, { DOT_MI_KEY: key })).toEqual(noKey);
    await plant(root, { [GUARD]: { link: '../../../shared/extensions/x.ts' } });
    expect((await paste(command, { DOT_MI_KEY: key })).code).toBe(0);
    expect((await paste(command)).code).toBe(1);
    const { url, seen } = await startSquatter();
    await paste(command.replaceAll(server.url, url), { DOT_MI_KEY: key });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.join()).not.toContain(key);
  });
});
