// `npm test`: every check there is, then one closing line that sums the runners' own reports.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.ts';
import { flakyTests, slowestFiles } from './slowest-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = mkdtempSync(join(tmpdir(), 'dot-mi-reports-'));
const SLOWEST = 15;
const bin = (path: string) => resolve(root, 'node_modules', path);

const run = async (
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<boolean> => {
  const child = spawn(process.execPath, [bin(script), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }), ...env },
  });
  const [status] = await once(child, 'exit');
  return status === 0;
};

const readReport = (name: string) => {
  try {
    return JSON.parse(readFileSync(join(reports, name), 'utf8'));
  } catch {
    // A runner that crashed wrote no report. Its step has already failed.
    return undefined;
  }
};

const tsc = (project: string) => ['typescript/bin/tsc', '-p', project] as const;

/** Checks that need no build. Each runs in its own process. */
const CHECKS: Readonly<Record<string, readonly [script: string, ...args: string[]]>> = {
  'server types': tsc('tsconfig.json'),
  'page types': tsc('src/renderer/tsconfig.json'),
  'browser test types': tsc('tests/tsconfig.dom.json'),
  lint: ['@biomejs/biome/bin/biome', 'ci', '--log-level=warn', '.'],
  comments: [fileURLToPath(new URL('./check-comments.ts', import.meta.url))],
  'dependency rules': [
    'dependency-cruiser/bin/dependency-cruiser.mjs',
    '--config',
    '.dependency-cruiser.cjs',
    'src',
  ],
};

interface CheckResult {
  name: string;
  output: string;
  ok: boolean;
}

const runCheck = async (
  name: string,
  [script, ...args]: readonly [string, ...string[]],
): Promise<CheckResult> => {
  const child = spawn(process.execPath, [bin(script), ...args], { cwd: root, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const [status] = await once(child, 'close');
  return { name, output, ok: status === 0 };
};

/** Runs the checks next to the tests, one at a time: all at once would slow down tests with deadlines. */
const runChecks = async (): Promise<CheckResult[]> => {
  const results: CheckResult[] = [];
  for (const [name, command] of Object.entries(CHECKS)) results.push(await runCheck(name, command));
  return results;
};

/** Prints the output of each check, in their order. */
const showChecks = (results: readonly CheckResult[]): boolean => {
  for (const { name, output, ok } of results)
    console.log(`${output.trimEnd()}\n${ok ? 'ok    ' : 'FAILED'} ${name}`.trim());
  return results.every(({ ok }) => ok);
};

let checks: Promise<CheckResult[]> | undefined;
const steps: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
  'tools that the tests need': () => run(fileURLToPath(new URL('./test-needs.ts', import.meta.url)), []),
  build: () => {
    const ok = build();
    // The tests leave the processor idle while they wait, so the checks cost little then.
    checks = runChecks();
    // Reported where they are awaited, after the tests. Until then a rejection must not end the run.
    checks.catch(() => undefined);
    return ok;
  },
  'unit, API and package tests': () =>
    run('vitest/vitest.mjs', [
      'run',
      // CI runs them with npm run test:packages.
      '--project=!other-packages',
      '--reporter=dot',
      '--reporter=tests/support/say-skipped.ts',
      '--reporter=json',
      `--outputFile.json=${join(reports, 'vitest.json')}`,
    ]),
  'types, lint, comments and dependency rules': async () => checks !== undefined && showChecks(await checks),
  'end-to-end tests': () =>
    run('@playwright/test/cli.js', ['test', '--reporter=list,json'], {
      PLAYWRIGHT_JSON_OUTPUT_NAME: join(reports, 'playwright.json'),
    }),
};

const failed: string[] = [];
for (const [name, step] of Object.entries(steps)) {
  const startedAtMs = Date.now();
  let ok = false;
  try {
    ok = await step();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
  if (!ok) failed.push(name);
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - startedAtMs) / 1000).toFixed(1)} s)\n`);
}

const unit = readReport('vitest.json');
const browser = readReport('playwright.json');
const endToEnd = browser?.stats;
rmSync(reports, { recursive: true, force: true });

const passedCount = (unit?.numPassedTests ?? 0) + (endToEnd?.expected ?? 0) + (endToEnd?.flaky ?? 0);
const failedCount = (unit?.numFailedTests ?? 0) + (endToEnd?.unexpected ?? 0);
const skippedCount = (unit?.numPendingTests ?? 0) + (unit?.numTodoTests ?? 0) + (endToEnd?.skipped ?? 0);
console.log(`Slowest files:\n${slowestFiles(root, unit, browser, SLOWEST).join('\n')}`);
for (const name of flakyTests(browser)) console.log(`flaky: ${name}`);
if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}.`);
console.log(
  `${passedCount} passed, ${failedCount} failed${skippedCount > 0 ? `, ${skippedCount} skipped` : ''}`,
);
process.exit(failed.length > 0 || failedCount > 0 || passedCount === 0 ? 1 : 0);
