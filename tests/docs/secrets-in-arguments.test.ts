/**
 * No example puts a secret into an argument list, which `ps` shows to every user of the machine. The texts are
 * scanned, and the wallet commands of docs/api are run with the real curl and looked for in /proc.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readCommands } from '../../resources/starter-root/shared/extensions/bash-guardrails/shell-words.ts';
import { createOpenApiDocument } from '../../src/server/http/openapi.ts';
import { endpoints } from '../../src/shared/api/index.ts';
import { runCommand } from '../../src/shared/run-command.ts';
import { makeTempDirectory } from '../support/temp.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SCANNED = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs',
  'resources',
  'src',
  'scripts',
  'packaging',
];
const TEXT = /\.(md|ts|tsx|sh|json|ya?ml|html|txt|nsh|conf)$|pi-args$/;

/** What must not be a word of a program's arguments. */
const SECRETS = [
  /\bbearer\s+\S/i,
  /cashu[ab][\w…]/i,
  /[#?&](access_|api_)?token=./i,
  /"(token|prepaidKey|words|mnemonic|seed|password|secret|apiToken|operatorToken)"\s*:/i,
  /\$\{?\w*(TOKEN|SECRET|PASSWORD|PASSWD|MNEMONIC|WORDS|SEED|API_?KEY)/i,
  /^\w*(TOKEN|SECRET|PASSWORD|MNEMONIC|API_?KEY)\w*=./i,
  /^--(oauth2-bearer|token|password|passphrase|secret|api-?key)(=|$)/i,
];
/** curl's user:password. */
const CREDENTIALS = /^(-u|--user|-U|--proxy-user)$/;
/** These run in the shell itself, without an argument list of their own. */
const BUILTIN = /^(printf|echo|read|export|local|readonly|set|test|\[|:|cd|umask|\.|source)$/;

/** The same in a text that is not a shell's: commands in strings, and lists of arguments. */
const RAW = [
  /--oauth2-bearer[= ]/i,
  /(-H|--header)(\\?["'`]|[,=\s])*authorization/i,
  /(-d|--data\S*|--json)\s*\\?["'`]?\{[^}]{0,200}?\\?"(token|prepaidKey|words|mnemonic|seed|password|secret)\\?"/i,
];

const ASSIGNMENT = /^\w+=/;

/** Calls in a shell's text that show a secret. */
const leaksInShell = (text: string): string[] =>
  readCommands(text, { parent: undefined })
    .commands.map(({ words }) => words.slice(words.findIndex((word) => !ASSIGNMENT.test(word))))
    .filter(
      ([program = '', ...args]) =>
        !ASSIGNMENT.test(program) &&
        !BUILTIN.test(program) &&
        args.some(
          (arg, i) =>
            SECRETS.some((secret) => secret.test(arg)) ||
            (CREDENTIALS.test(arg) && /^[^@].*:|\$/.test(args[i + 1] ?? '')),
        ),
    )
    .map((words) => words.join(' '));

/** What in a text a person or an agent may take for a command. */
function shellTexts(path: string, text: string): string[] {
  if (path.endsWith('.sh')) return [text];
  const lines = [...text.matchAll(/\b(?:curl|wget|http|xh|npm|npx|env) [^\n]*/g)].map(([line]) => line);
  if (!path.endsWith('.md')) return lines;
  const fences = [...text.matchAll(/^```\w*\n(.*?)^```/gms)].map(([, code = '']) =>
    code.replace(/^\$ /gm, ''),
  );
  const spans = [...text.replace(/^```.*?^```/gms, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  return [...fences, ...spans];
}

const leaks = (path: string, text: string): string[] => [
  ...shellTexts(path, text).flatMap(leaksInShell),
  ...RAW.flatMap((pattern) => pattern.exec(text)?.[0] ?? []),
];

/** Each file below `path`, or `path` itself. */
async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => undefined);
  if (!entries) return [path];
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('the texts', () => {
  test('show no secret in an argument list', async () => {
    const files = (await Promise.all(SCANNED.map((path) => filesOf(join(ROOT, path))))).flat();
    const texts = files.filter((file) => TEXT.test(file));
    expect(texts.length).toBeGreaterThan(300);
    const found: string[] = [];
    for (const file of texts) {
      const path = relative(ROOT, file);
      for (const leak of leaks(path, await readFile(file, 'utf8'))) found.push(`${path}: ${leak}`);
    }
    expect(found).toEqual([]);
  });

  test('of the OpenAPI document and of the copied command show none', () => {
    const document = JSON.stringify(
      createOpenApiDocument(endpoints, { version: '1.0.0', asksForToken: false }),
      undefined,
      1,
    );
    expect(leaks('openapi.md', document.replaceAll('\\n', '\n').replaceAll('\\"', '"'))).toEqual([]);
    expect(
      leaksInShell(
        runCommand({ path: '/home/ann/dot-mi/agents/scout', piArgs: '--thinking\nlow\n' }, new Date()).posix,
      ),
    ).toEqual([]);
  });
});

const inMarkdown = (code: string) => `Do it:\n\n\`\`\`sh\n${code}\n\`\`\`\n`;

describe('the scan', () => {
  test.each([
    'curl -s $API/wallet/history -H "Authorization: Bearer $TOKEN"',
    'curl -s $API/wallet/history -H "Authorization: Bearer $(cat data/wallet/operator-token)"',
    "curl -s $API/wallet/history \\\n  -H 'Authorization: Bearer 0123abcd'",
    'curl -s --oauth2-bearer "$TOKEN" $API/wallet/history',
    'curl -s --oauth2-bearer "$(cat data/wallet/operator-token)" $API/wallet/history',
    'curl -su operator:$PASSWORD $API/health',
    'curl -s -u ann:s3cret $API/health',
    `curl -s $API/wallet/validate -d '{"token":"cashuB…"}'`,
    `curl -s $API/wallet/validate -d "{\\"token\\":\\"$TOKEN\\"}"`,
    `curl -s $API/wallet/restore --json '{"words":"abandon ability able"}'`,
    `curl -s $API/prepaid-balances/read --json '{"prepaidKey":"sk-…"}'`,
    'npm run receive -- cashuBo2F0gqJhaUgA',
    'open "http://127.0.0.1:8000/#token=0123abcd"',
    'env API_TOKEN=0123abcd npm start',
    'docker run -e API_TOKEN=0123abcd dot-mi',
    'jq --arg t "$OPERATOR_TOKEN" .',
    'x=$(curl -H "Authorization: Bearer $TOKEN" $API/health)',
  ])('refuses %j', (command) => {
    expect(leaks('x.md', inMarkdown(command))).not.toEqual([]);
  });

  test.each([
    'curl -s $API/wallet/validate -d @token.json',
    'printf \'Authorization: Bearer %s\' "$(cat data/wallet/operator-token)" | curl -s -H @- $API/wallet/history',
    'curl -s -H @<(printf \'Authorization: Bearer %s\' "$TOKEN") $API/wallet/history',
    'curl -s -d @- $API/wallet/receive <<END\n{"token":"cashuB…"}\nEND',
    'API_TOKEN=0123abcd npm start',
    'export API_TOKEN=0123abcd',
    'TOKEN=$(cat data/wallet/operator-token)',
    'npm run -s test-mint -- token 100 --memo thanks',
  ])('accepts %j', (command) => {
    expect(leaks('x.md', inMarkdown(command))).toEqual([]);
  });

  test.each([
    { path: 'x.md', text: 'Call `curl -H "Authorization: Bearer $TOKEN" $API/agents` for that.' },
    { path: 'x.sh', text: 'curl -s "$API" -H "Authorization: Bearer $TOKEN"\n' },
    { path: 'x.ts', text: 'const copied = `curl -s -H "Authorization: Bearer ${' + 'token}" ${' + 'url}`;' },
    { path: 'x.ts', text: "spawn('curl', ['-H', `Authorization: Bearer ${" + 'token}`]);' },
    {
      path: 'x.json',
      text: String.raw`{ "description": "curl -d '{\"token\":\"cashuB…\"}' /api/wallet/receive" }`,
    },
  ])('reads $path: $text', ({ path, text }) => {
    expect(leaks(path, text)).not.toEqual([]);
  });
});

describe('real curl', { tags: 'slow' }, () => {
  const SECRET = 'f00dfeed'.repeat(8);
  const ECASH = `cashuB${'c0ffee'.repeat(8)}`;
  const KEY = `dmk_${'beefcafe'.repeat(8)}`;

  /** What every process of this machine was called with, except this one. */
  const argumentLists = async (): Promise<string> => {
    const pids = (await readdir('/proc')).filter(
      (name) => /^\d+$/.test(name) && Number(name) !== process.pid,
    );
    const lists = await Promise.all(
      pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    );
    return lists.join('\n');
  };

  /** Runs `script` in sh against a server that looks at all argument lists while curl waits for its answer. */
  async function run(script: string, input = '') {
    const requests: { url: string; authorization: string; body: string; shown: string }[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { url = '', headers } = request;
      requests.push({ url, authorization: headers.authorization ?? '', body, shown: await argumentLists() });
      response.end('{}\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const cwd = await makeTempDirectory();
    await mkdir(join(cwd, 'data/wallet'), { recursive: true });
    await writeFile(join(cwd, 'data/wallet/operator-token'), `${SECRET}\n`);
    const API = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
    const shell = spawn('sh', ['-c', script], {
      cwd,
      env: { PATH: process.env.PATH, API, DOT_MI_KEY: KEY },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    shell.stdin.end(input);
    await new Promise((resolve) => shell.once('close', resolve));
    return requests;
  }

  const whyNot = (): string | undefined => {
    if (process.platform !== 'linux') return 'only Linux has /proc';
    return spawnSync('curl', ['--version']).error ? 'curl is not installed' : undefined;
  };

  test('keeps the secrets of the documented wallet commands out of every argument list', async ({ skip }) => {
    const reason = whyNot();
    skip(reason !== undefined, reason);
    const pages = ['wallet.md', 'operator.md'].map((name) => readFile(join(ROOT, 'docs/api', name), 'utf8'));
    const script = [...(await Promise.all(pages)).join('\n').matchAll(/^```sh\n(.*?)^```/gms)]
      .map(([, code = '']) => code)
      .filter((code) => /token\.json|operator-token|API\/wallet/.test(code))
      .join('\n');
    const requests = await run(script, `{"token":"${ECASH}"}`);

    const to = (path: string) => requests.find(({ url }) => url === `/api/wallet/${path}`);
    expect(to('validate')?.body).toBe(`{"token":"${ECASH}"}`);
    expect(to('receive')?.body).toBe(`{"token":"${ECASH}"}`);
    for (const path of ['history', 'seed']) expect(to(path)?.authorization).toBe(`Bearer ${SECRET}`);
    // An agent sends with its key, and the operator with the token.
    const senders = requests.filter(({ url }) => url === '/api/wallet/send').map((one) => one.authorization);
    expect(new Set(senders)).toEqual(new Set([`Bearer ${KEY}`, `Bearer ${SECRET}`]));
    for (const { shown } of requests) {
      expect(shown).toContain('curl');
      expect(shown).not.toContain(SECRET);
      expect(shown).not.toContain(ECASH);
      expect(shown).not.toContain(KEY);
    }
  });

  test('shows a secret that is an argument, so that this test can fail', async ({ skip }) => {
    const reason = whyNot();
    skip(reason !== undefined, reason);
    const [request] = await run(
      'curl -s $API/x -H "Authorization: Bearer $(cat data/wallet/operator-token)"',
    );
    expect(request?.shown).toContain(SECRET);
  });
});
