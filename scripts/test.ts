// `npm test`: the checks, the quick tests and the @smoke tests. `--rest` runs what else there is, `--all` both.
// One line for each step, what failed, and a closing line with the sums.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';
import { COMPILE_CACHE } from '../tests/support/compile-cache.ts';
import type { TestSummary } from '../tests/support/summary.ts';
import { build } from './build.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const scriptFile = (name: string) => fileURLToPath(new URL(name, import.meta.url));
/** What each step printed, and what the programs under test logged. */
const LOGS = join(root, 'test-results');

interface StepResult extends Partial<TestSummary> {
  readonly ok: boolean;
  /** What to show when it failed. */
  readonly output?: string;
}

/** Runs a script of node_modules, or one of ours, and keeps what it prints. */
const run = async (
  name: string,
  [script, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<{ ok: boolean; output: string }> => {
  const child = spawn(process.execPath, [resolve(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  const log = createWriteStream(join(LOGS, `${name}.log`));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
      log.write(chunk);
    });
  const [status] = await once(child, 'close');
  log.end();
  return { ok: status === 0, output };
};

const readReport = (path: string) => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // A runner that crashed wrote no report. Its step has already failed.
    return undefined;
  }
};

const vitest = async (name: string, ...args: string[]): Promise<StepResult> => {
  const report = join(LOGS, `${name}.json`);
  const reporters = ['--reporter=minimal', '--reporter=tests/support/summary.ts'];
  const result = await run(name, ['vitest/vitest.mjs', 'run', ...reporters, ...args], {
    TEST_SUMMARY: report,
    // Nearly every test starts threads.
    ...COMPILE_CACHE,
  });
  return { ...result, ...(readReport(report) as TestSummary | undefined) };
};

interface Spec {
  readonly file: string;
  readonly title: string;
  readonly tests: readonly {
    readonly status: string;
    readonly results: readonly { readonly duration: number }[];
    readonly annotations: readonly { readonly type: string; readonly description?: string }[];
  }[];
}

interface Suite {
  readonly specs?: readonly Spec[];
  readonly suites?: readonly Suite[];
}

const specsIn = ({ specs = [], suites = [] }: Suite): readonly Spec[] => [
  ...specs,
  ...suites.flatMap(specsIn),
];

const playwright = async (name: string, ...args: string[]): Promise<StepResult> => {
  const report = join(LOGS, `${name}.json`);
  const result = await run(name, ['@playwright/test/cli.js', 'test', '--reporter=dot,json', ...args], {
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  });
  const specs = specsIn((readReport(report) ?? {}) as Suite);
  const withStatus = (status: string) =>
    specs.filter(({ tests }) => tests.some((test) => test.status === status));
  const named = ({ file, title }: Spec) => `tests/e2e/${file}: ${title}`;
  const reasonOf = ({ tests }: Spec) =>
    tests.flatMap(({ annotations }) => annotations.find(({ type }) => type === 'skip')?.description ?? [])[0];
  const filesMs: Record<string, number> = {};
  for (const { file, tests } of specs) {
    const ms = tests.flatMap(({ results }) => results).reduce((sum, { duration }) => sum + duration, 0);
    filesMs[`tests/e2e/${file}`] = (filesMs[`tests/e2e/${file}`] ?? 0) + ms;
  }
  return {
    ...result,
    filesMs,
    passed: withStatus('expected').length + withStatus('flaky').length,
    failed: withStatus('unexpected').length,
    skipped: withStatus('skipped').map((spec) => `${named(spec)}: ${reasonOf(spec) ?? 'no reason given'}`),
    flaky: withStatus('flaky').map(named),
  };
};

/** One thread: the tests next to it need the other core. */
const tsc = (project: string) => ['@typescript/native/bin/tsc', '--singleThreaded', '-p', project] as const;

/** Checks that need no build. */
const CHECKS = {
  'server types': tsc('tsconfig.json'),
  'page types': tsc('src/renderer/tsconfig.json'),
  lint: ['@biomejs/biome/bin/biome', 'ci', '--log-level=warn', '.'],
  comments: [scriptFile('check-comments.ts')],
  'dependency rules': [
    'dependency-cruiser/bin/dependency-cruiser.mjs',
    '--config',
    '.dependency-cruiser.cjs',
    'src',
  ],
} as const;

/** Runs the checks, one at a time: all at once would slow down the tests next to them. */
const runChecks = async (): Promise<StepResult> => {
  const failures: string[] = [];
  for (const [name, command] of Object.entries(CHECKS)) {
    const { ok, output } = await run(name.replaceAll(' ', '-'), command);
    if (!ok) failures.push(`${name}:\n${output.trimEnd()}`);
  }
  return { ok: failures.length === 0, output: failures.join('\n') };
};

type Steps = Readonly<Record<string, () => Promise<StepResult>>>;

let checks: Promise<StepResult> | undefined;
/** At most five minutes on two cores, without one retry. */
const QUICK: Steps = {
  'tools that the tests need': () => run('tools', [scriptFile('test-needs.ts')]),
  build: async () => {
    const ok = build();
    // The tests leave the processor idle while they wait, so the checks cost little then.
    checks = runChecks();
    // Reported where they are awaited, after the tests. Until then a rejection must not end the run.
    checks.catch(() => undefined);
    return { ok };
  },
  'unit and API tests': () => vitest('unit', '--project=unit', '--project=shell', '--tags-filter=!slow'),
  'types, lint, comments and dependency rules': async () => (await checks) ?? { ok: false },
  'tests in the browser': () => playwright('browser', '--grep=@smoke'),
};

/** A slow machine of CI may fail one of thousands. The closing lines say which. */
const RETRIES = process.env.CI ? 1 : 0;
/** The slow tests wait for most of their time. With three workers, they took a quarter longer. */
const SLOW_OPTIONS = [`--retry=${RETRIES}`, '--maxWorkers=5'];
const REST: Steps = {
  // It reads all of the page and the server once more, which takes longer than the tests of a feature.
  'types of the tests in the browser': () => run('browser-test-types', tsc('tests/tsconfig.dom.json')),
  'tools that the other tests need': () => run('other-tools', [scriptFile('test-needs.ts'), '--all']),
  'slow tests and package tests': () =>
    vitest('slow', '--project=slow', '--project=package', '--project=other-packages', ...SLOW_OPTIONS),
  'slow tests among the quick ones': () =>
    vitest('tagged', '--project=unit', '--project=shell', '--tags-filter=slow', ...SLOW_OPTIONS),
  'other tests in the browser': () =>
    playwright('other-browser', '--grep-invert=@smoke', `--retries=${RETRIES}`),
};

const USAGE = `Runs the checks, the quick tests and 14 tests in the browser.

Usage: npm test -- [--all | --rest]

  --all                   runs everything
  --rest                  runs what --all adds
${HELP_LINE}`;

const { values } = readCommandLine(USAGE, { all: { type: 'boolean' }, rest: { type: 'boolean' } });
const parts: Steps = { ...(values.rest ? {} : QUICK), ...(values.rest || values.all ? REST : {}) };

mkdirSync(LOGS, { recursive: true });
const runStartedAtMs = Date.now();
const filesMs: [file: string, ms: number][] = [];
const failedSteps: string[] = [];
const sums = { passed: 0, failed: 0, skipped: 0 };
for (const [name, step] of Object.entries(parts)) {
  const startedAtMs = Date.now();
  if (process.stdout.isTTY) process.stdout.write(`…      ${name}\r`);
  let result: StepResult;
  try {
    result = await step();
  } catch (error) {
    result = { ok: false, output: error instanceof Error ? error.message : String(error) };
  }
  const { ok, output = '', passed = 0, failed = 0, skipped = [], flaky = [] } = result;
  const isOk = ok && failed === 0;
  filesMs.push(...Object.entries(result.filesMs ?? {}));
  if (!isOk) failedSteps.push(name);
  sums.passed += passed;
  sums.failed += failed;
  sums.skipped += skipped.length;
  if (!isOk) console.log(output.trimEnd());
  for (const line of skipped) console.log(`skipped: ${line}`);
  for (const line of flaky) console.log(`passed only on a retry: ${line}`);
  console.log(`${isOk ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - startedAtMs) / 1000).toFixed(0)} s)`);
}

if (failedSteps.length > 0) {
  console.log(`Failed: ${failedSteps.join(', ')}. What each step printed is in ${relative(root, LOGS)}/.`);
} else rmSync(LOGS, { recursive: true, force: true });
const SLOWEST_FILES = 5;
const totalSeconds = Math.round((Date.now() - runStartedAtMs) / 1000);
const slowest = filesMs
  .sort(([, a], [, b]) => b - a)
  .slice(0, SLOWEST_FILES)
  .map(([file, ms]) => `${file} ${(ms / 1000).toFixed(0)} s`);
console.log(
  `${Math.floor(totalSeconds / 60)}:${String(totalSeconds % 60).padStart(2, '0')} minutes. The slowest files: ${slowest.join(', ')}`,
);
const { passed, failed, skipped } = sums;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failedSteps.length > 0 || failed > 0 || passed === 0 ? 1 : 0);
