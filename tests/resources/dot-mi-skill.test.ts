/**
 * The skill dot-mi, which teaches agents how to use the API: every example runs with a real bash, curl, server and mint,
 * and answers what the skill says.
 */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTokenCounter } from '../../src/server/prompt/count-tokens.ts';
import { ERRORS, type ErrorCode, errorInfo } from '../../src/shared/api/errors.ts';
import { endpoints } from '../../src/shared/api/index.ts';
import { KEY_SCOPES } from '../../src/shared/api/key-scopes.ts';
import { errorsOf } from '../../src/shared/api/problem.ts';
import { playBtcSources } from '../support/btc-sources/play.ts';
import { testMint } from '../support/mint/for-test.ts';
import { until } from '../support/raw-http.ts';
import { startSquatter } from '../support/squatter.ts';
import { makeTempDirectory } from '../support/temp.ts';
import { serveWallet } from '../support/wallet.ts';
import { STARTER_ROOT } from './support.ts';

/** Set it to write references/errors.md from the table of errors. */
const UPDATE_SWITCH = 'UPDATE_SKILL';

const SKILL = join(STARTER_ROOT, 'shared/skills/dot-mi');
const TEXT = await readFile(join(SKILL, 'SKILL.md'), 'utf8');

/** A command of the skill, and the answer that the skill shows for it. */
interface Command {
  readonly line: string;
  readonly answer?: unknown;
}

/** The skill in its order: the lines that begin each call, the files to write, and the commands. */
const readSkill = () => {
  const blocks = [...TEXT.matchAll(/([^\n]*)\n\n```(sh|json)\n(.*?)\n```$/gms)].map(
    ([, before = '', kind, code = '']) => ({
      before,
      kind,
      code,
    }),
  );
  const [setup, ...rest] = blocks;
  const files: { name: string; content: string }[] = [];
  const commands: Command[] = [];
  for (const { before, kind, code } of rest) {
    if (kind === 'sh') commands.push(...code.split('\n').map((line) => ({ line })));
    else if (before === '') commands.push({ ...(commands.pop() as Command), answer: JSON.parse(code) });
    else files.push({ name: /`([\w-]+\.json)`[^`]*$/.exec(before)?.[1] ?? '', content: code });
  }
  return { setup: setup?.code ?? '', files, commands };
};

const { setup, files, commands } = readSkill();

/** The method and the path of a command, without its query. */
const requestOf = (line: string) => {
  const [, path = ''] = /^dotmi ["']?([^\s"'?]+)/.exec(line) ?? [];
  const [, method = / -d /.test(line) ? 'POST' : 'GET'] = / -X (\w+)/.exec(line) ?? [];
  return { method, path: path.replaceAll('$ME', 'scout') };
};

const endpointOf = (line: string) => {
  const { method, path } = requestOf(line);
  return endpoints.find(
    (each) => each.method === method && new RegExp(`^${each.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path),
  );
};

const runBash = (script: string, cwd: string, env: Record<string, string>) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((done, failed) => {
    const child = spawn('bash', ['--norc', '-c', script], {
      cwd,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk: Buffer) => {
        output[name] += chunk;
      });
    child.on('error', failed).on('close', (code) => done({ code, ...output }));
  });

// An id or an ETag that the server made. The first one that an answer has stands for the one in the skill.
const MADE_ID = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|"[0-9a-f]{64}")$/;

describe('the examples', () => {
  test.skipIf(process.platform === 'win32')('send no key to another program at the port', async () => {
    const key = `dmk_${'5'.repeat(64)}`;
    const { url, seen } = await startSquatter();
    const { code, stdout, stderr } = await runBash(`${setup}\ndotmi /api/agents`, await makeTempDirectory(), {
      DOT_MI_URL: url,
      DOT_MI_KEY: key,
    });
    expect(seen.join()).not.toContain(key);
    expect(seen.length).toBe(1);
    expect([code, stdout, stderr]).toEqual([
      7,
      '',
      'The program at this address does not know DOT_MI_KEY, so the key was not sent.\n',
    ]);
  });

  test('each call a route that agents may use, and none needs a key that agents can’t have', () => {
    expect(commands.length).toBeGreaterThan(15);
    expect(files.map(({ name }) => name)).toEqual(['token.json', 'agent-md.json']);
    for (const { line } of commands) {
      const endpoint = endpointOf(line);
      expect([line, endpoint?.keys ?? 'none']).not.toEqual([line, 'none']);
    }
  });

  test.skipIf(process.platform === 'win32')(
    'run in their order, with the key of an agent, and answer what the skill says',
    { tags: 'slow' },
    async () => {
      const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }] });
      const sources = await playBtcSources(64_000);
      const server = await serveWallet(mint.url, { environment: { BTC_PRICE_SOURCES: sources.setting() } });
      await until(async () => (await server.call('GET', '/api/pricing/btc')).status === 200);
      const { key } = (
        await server.asOperator('POST', '/api/keys', {
          label: 'Skill',
          agent: 'scout',
          scopes: KEY_SCOPES.filter((scope) => scope !== 'spend'),
        })
      ).body;
      const cwd = await makeTempDirectory();
      const real = new Map([
        ['https://mint.example', mint.url],
        ['cashuB…', mint.issue(64)],
      ]);
      const toReal = (text: string): string =>
        [...real].reduce((so, [shown, made]) => so.replaceAll(shown, made), text);
      for (const { name, content } of files) await writeFile(join(cwd, name), toReal(content));

      /** What the skill shows of an answer, if the answer has it. Otherwise, what it has in its place. */
      const seen = (shown: unknown, answered: unknown): unknown => {
        if (typeof shown === 'string') {
          if (MADE_ID.test(shown) && !real.has(shown) && MADE_ID.test(String(answered)))
            real.set(shown, String(answered));
          return toReal(shown) === answered ? shown : answered;
        }
        if (Array.isArray(shown) && Array.isArray(answered))
          return shown.map((each, at) => seen(each, answered[at]));
        if (typeof shown !== 'object' || shown === null) return answered;
        return Object.fromEntries(
          Object.entries(shown).map(([name, value]) => [
            name,
            seen(value, (answered as Record<string, unknown> | undefined)?.[name]),
          ]),
        );
      };

      const env = { DOT_MI_URL: server.url, DOT_MI_KEY: key, PI_CODING_AGENT_DIR: '/root/agents/scout' };
      for (const { line, answer } of commands) {
        const { code, stdout, stderr } = await runBash(`${setup}\n${toReal(line)}`, cwd, env);
        expect([line, code, stderr]).toEqual([line, 0, '']);
        const answered = JSON.parse(stdout);
        expect([line, answered.code]).toEqual([line, undefined]);
        if (answer !== undefined) expect([line, seen(answer, answered)]).toEqual([line, answer]);
      }

      // Without a key, what only reads works the same, but for the list of charges.
      const { DOT_MI_KEY: _key, ...keyless } = env;
      const reads = commands
        .filter(({ line }) => requestOf(line).method === 'GET' && endpointOf(line)?.access === 'api')
        .map(({ line }) => toReal(line));
      const { code, stdout } = await runBash(`${setup}\n${reads.join(' | cat; echo\n')}`, cwd, keyless);
      const answers = stdout.trim().split('\n');
      expect([code, answers.length]).toEqual([0, reads.length]);
      for (const [at, text] of answers.entries())
        expect([reads[at], JSON.parse(text).code]).toEqual([reads[at], undefined]);

      // A refusal has a code, and no server is an exit code and a message of curl.
      const refused = await runBash(`${setup}\ndotmi /api/settings`, cwd, env);
      expect(JSON.parse(refused.stdout)).toHaveProperty('code');
      const nobody = await runBash(`${setup}\ndotmi /api/agents`, cwd, {
        ...env,
        DOT_MI_URL: 'http://127.0.0.1:9',
      });
      expect([nobody.code === 0, nobody.stderr]).toEqual([false, expect.stringContaining('connect')]);
    },
  );
});

describe('the skill', () => {
  test('has fewer than 5,000 model tokens', async () => {
    const tokens = await createTokenCounter()(TEXT);
    expect(tokens).toBeGreaterThan(1_000);
    expect(tokens).toBeLessThan(5_000);
  });

  test('names no code that doesn’t exist, and says “retry” of a code only if a retry can succeed', () => {
    const rows = [...TEXT.matchAll(/^\| (`.+`) \| (.+) \|$/gm)];
    expect(rows.length).toBeGreaterThan(8);
    for (const [, codes = '', advice = ''] of rows) {
      for (const [, code = ''] of codes.matchAll(/`(\w+)`/g)) {
        expect([code, Object.hasOwn(ERRORS, code)]).toEqual([code, true]);
        const { retryable } = errorInfo(code as ErrorCode);
        if (/don't retry/i.test(advice)) expect([code, retryable]).toEqual([code, false]);
        if (/^Wait|Try again later/.test(advice)) expect([code, retryable]).toEqual([code, true]);
      }
    }
  });

  test('lists every code that an agent can get in references/errors.md', async () => {
    const forAgents = endpoints.filter(({ keys = 'none' }) => keys !== 'none');
    // operator_required: what the skill forbids, an agent may still try.
    const met = new Set<ErrorCode>(['operator_required', ...forAgents.flatMap(errorsOf)]);
    const rows = (Object.keys(ERRORS) as ErrorCode[])
      .filter((code) => met.has(code))
      .map((code) => {
        const { status, retryable, title = 'A bug in dot-mi' } = errorInfo(code);
        return `| \`${code}\` | ${status} | ${title} | ${retryable ? 'yes' : 'no'} |`;
      });
    const text = [
      '# Error codes',
      '',
      'This page lists every code that a route for agents can return. If *Retry* is yes, the same request can succeed later. Wait',
      '`retryAfterSeconds` first, or 10 seconds if the response has no such field.',
      '',
      '| Code | Status | Meaning | Retry |',
      '|---|---|---|---|',
      ...rows,
      '',
    ].join('\n');
    const path = join(SKILL, 'references/errors.md');
    if (process.env[UPDATE_SWITCH]) await writeFile(path, text);
    expect(await readFile(path, 'utf8'), `Run with ${UPDATE_SWITCH}=1 to write it.`).toBe(text);
  });
});
