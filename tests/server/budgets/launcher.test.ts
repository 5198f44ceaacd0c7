/**
 * `setup.sh run` of the starter root and an agent's budget, with a real bash, curl and server. A stand-in plays pi.
 */
import { spawn } from 'node:child_process';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
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

const start = async () => {
  const root = await makeRoot({ 'agents/scout/pi-args': '--no-skills\n' });
  await copyFile(join(STARTER_ROOT, 'setup.sh'), join(root, 'setup.sh'));
  const directory = await makeTempDirectory();
  await plant(directory, { 'bin/pi': { script: '#!/bin/sh\necho "pi $* $DOT_MI_FORCE"\n' } });
  const point = { at: Date.now() - 1_000, price: 100_000, source: 'kraken' };
  await plant(directory, { 'data/btc_price_history.jsonl': `${JSON.stringify(point)}\n` });
  const server = await serve(root, { dataDirectory: directory });
  const launch = (args: string[], more: Record<string, string> = {}) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((done, failed) => {
      const child = spawn(BASH, [join(root, 'setup.sh'), ...args], {
        cwd: directory,
        env: {
          PATH: `${join(directory, 'bin')}${delimiter}${process.env.PATH}`,
          HOME: directory,
          DOT_MI_URL: server.url,
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
  const spend = async (usd: number) => {
    const session = makeSession({ startedAtMs: Date.now() - 1_000 });
    session.call({ input: 1_000, usd });
    await mkdir(join(root, 'agents/scout/sessions'), { recursive: true });
    await writeFile(join(root, 'agents/scout/sessions', session.fileName), session.text());
  };
  const limit = (limits: object) =>
    server.call('PUT', '/api/agents/scout/budget', limits, {
      Authorization: `Bearer ${server.operatorToken}`,
    });
  return { root, server, launch, spend, limit };
};

const STARTED = { code: 0, stdout: 'pi --no-skills -c \n', stderr: '' };

describe('the launcher', () => {
  skipAll(process.platform === 'win32' ? 'Windows runs no script by its first line' : undefined);

  test('starts no agent that has used its budget, says how much, and starts it when forced', async () => {
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
    // The run command that people copy can't ask, so it comes with a warning.
    const { warnings } = (await server.call('GET', '/api/agents/scout/run-command')).body;
    expect(warnings.map(({ code }: { code: string }) => code)).toContain('budget_used');
    expect((await launch(['run', '--force', 'scout', '-c'])).stdout).toBe('pi --no-skills -c yes\n');
  });

  test('without an answer for this root it starts the agent, but not one with the guard', async () => {
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

  test('sends its key to the dot-mi that knows it, and to no other program at the port', async () => {
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
        'setup.sh: the budget of scout is not known, because no dot-mi that knows DOT_MI_KEY answers, so the key was not sent; run the agent anyway with: run --force scout\n',
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
