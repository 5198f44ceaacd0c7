// `npm test`: every check there is, then one closing line that sums the runners' own reports.
import { spawn, spawnSync } from 'node:child_process';
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

const run = (script: string, args: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [bin(script), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }), ...env },
  }).status === 0;

const readReport = (name: string) => {
  try {
    return JSON.parse(readFileSync(join(reports, name), 'utf8'));
  } catch {
    // A runner that died wrote none; its step has failed.
    return undefined;
  }
};

const tsc = (project: string) => ['typescript/bin/tsc', '-p', project] as const;

/** What needs no build; each has a process of its own. */
const CHECKS: Readonly<Record<string, readonly [script: string, ...args: string[]]>> = {
  'tools that the tests need': [fileURLToPath(new URL('./test-needs.ts', import.meta.url))],
  'server types': tsc('tsconfig.json'),
  'page types': tsc('src/renderer/tsconfig.json'),
  'browser test types': tsc('tests/tsconfig.dom.json'),
  lint: ['@biomejs/biome/bin/biome', 'ci', '--log-level=warn', '.'],
  'dependency rules': [
    'dependency-cruiser/bin/dependency-cruiser.mjs',
    '--config',
    '.dependency-cruiser.cjs',
    'src',
  ],
};

/** Runs all checks at once, and shows what each said in their order. */
const check = async (): Promise<boolean> => {
  const results = await Promise.all(
    Object.entries(CHECKS).map(async ([name, [script, ...args]]) => {
      const child = spawn(process.execPath, [bin(script), ...args], { cwd: root, stdio: 'pipe' });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          said += chunk;
        });
      const [status] = await once(child, 'close');
      return { name, said, ok: status === 0 };
    }),
  );
  for (const { name, said, ok } of results)
    console.log(`${said.trimEnd()}\n${ok ? 'ok    ' : 'FAILED'} ${name}`.trim());
  return results.every(({ ok }) => ok);
};

const steps: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
  'types, lint, dependency rules and test tools': check,
  build,
  'unit, API and package tests': () =>
    run('vitest/vitest.mjs', [
      'run',
      '--reporter=dot',
      '--reporter=tests/support/say-skipped.ts',
      '--reporter=json',
      `--outputFile.json=${join(reports, 'vitest.json')}`,
    ]),
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
