import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { LITELLM } from '../../server/pricing/price-lists.ts';
import { modelRows, modelsText } from '../../server/pricing/serve-pricing.ts';
import { NO_OUTSIDE } from '../../support/no-outside.ts';
import { installPi, PATH_WITHOUT_PI } from '../../support/pi-program.ts';
import { plant } from '../../support/plant.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const SCRIPT = fileURLToPath(new URL('../../../scripts/import-prices.ts', import.meta.url));
const OWN = { mine: [7, 7], 'gpt-4o': [5, 20], 'gpt-5-pro': [15, 120], 'gpt-4o-mini': [1, 1] } as const;

/** A directory with a models file and a price list of LiteLLM, and the script in it. */
const prepare = async (models: string | undefined = modelsText(OWN)) => {
  const directory = await makeTempDirectory();
  const path = join(directory, 'data/model_pricing.json');
  await mkdir(join(directory, 'data'));
  await writeFile(path, models);
  await writeFile(join(directory, 'list.json'), JSON.stringify(LITELLM));
  return {
    directory,
    read: () => readFile(path, 'utf8'),
    rows: async () => JSON.parse(await readFile(path, 'utf8')).models,
    /** Runs it; what it asks is answered with `input`, and then the input ends. */
    run: async (args: readonly string[], input = '', environment: Record<string, string> = {}) => {
      const child = spawn(process.execPath, [SCRIPT, ...args], {
        cwd: directory,
        env: { PATH: process.env.PATH, HOME: directory, ...NO_OUTSIDE, ...environment },
      });
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk) => {
        out += chunk;
      });
      child.stderr.on('data', (chunk) => {
        err += chunk;
      });
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
      return { code, out, err };
    },
  };
};

describe('npm run import-prices -- FILE', () => {
  test('shows what would change and asks, and only yes writes', async () => {
    const { run, read, rows } = await prepare();
    const before = await read();
    const answers = await Promise.all(['n\n', '', 'yesterday\n'].map((input) => run(['list.json'], input)));
    for (const { code, out, err } of answers) {
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain('Read as litellm: 7 models with prices, 7 without.');
      expect(out).toContain('  ~ gpt-4o: 5 / 20 -> 2.5 / 10\n');
      expect(out).toContain('  ~ gpt-4o-mini: 1 / 1 -> 0.15 / 0.6\n');
      expect(out).toContain('2 would change, 1 are already the same.');
      expect(out).not.toMatch(/^ {2}\+/m);
      expect(out).toMatch(/Write .*model_pricing\.json\? \(y\/N\)/);
      expect(out).toContain('Nothing was written.');
    }
    expect(await read()).toBe(before);

    const { code, out } = await run(['list.json'], 'y\n');
    expect([code, out.includes('Written.')]).toEqual([0, true]);
    expect(await rows()).toEqual(modelRows({ ...OWN, 'gpt-4o': [2.5, 10], 'gpt-4o-mini': [0.15, 0.6] }));
    const again = await run(['list.json']);
    expect([again.code, again.out.includes('0 would change, 3 are already the same.')]).toEqual([0, true]);
    expect(again.out).not.toContain('Write ');
  });

  test('--only imports the named models, --new those that don’t exist yet, and --yes does not ask', async () => {
    const { run, rows, directory } = await prepare();
    const only = await run(['list.json', '--only', 'gpt-4o, deepseek-x,unknown', '--yes']);
    expect([only.code, only.err]).toEqual([0, '']);
    expect(only.out).not.toContain('(y/N)');
    expect(await rows()).toEqual(
      modelRows({ ...OWN, 'gpt-4o': [2.5, 10], 'deepseek-x': [0.028, 0.42, 0.0028] }),
    );

    const other = join(directory, 'elsewhere.json');
    await writeFile(other, modelsText(OWN));
    const added = await run(['list.json', '--new', '--yes'], '', { MODEL_PRICING_PATH: other });
    expect(added.out).toContain('  + claude-3-haiku: 0.25 / 1.25\n');
    const models = JSON.parse(await readFile(other, 'utf8')).models;
    expect(Object.keys(models)).toHaveLength(4 + 4);
    expect(models.mine).toEqual(modelRows(OWN).mine);
  });

  test('reads the prices of pi in its package, or in the installed pi', async () => {
    const { run, rows, directory } = await prepare('{"models":{}}');
    const cost = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 0 };
    const tiers = [{ inputTokensAbove: 272_000, ...cost, input: 4 }];
    const data = 'node_modules/@earendil-works/pi-ai/dist/providers/data';
    const pi = 'lib/node_modules/@earendil-works/pi-coding-agent';
    await plant(directory, {
      [`${pi}/${data}/.manifest.json`]: '{}',
      [`${pi}/${data}/openai.json`]: JSON.stringify({
        responses: { 'chat:gpt': { cost: { ...cost, tiers } } },
      }),
      [`${pi}/${data}/reseller.json`]: JSON.stringify({
        api: { 'chat:gpt': { cost }, 'chat:other': { cost } },
      }),
    });
    const PATH = await installPi(directory, '1.6.0');
    const short = modelRows({ x: [2, 10, 0.1] }).x;
    const long = { input_tokens_above: 272_000, ...modelRows({ x: [4, 10, 0.1] }).x };
    for (const from of ['pi', pi, `${pi}/node_modules/@earendil-works/pi-ai`]) {
      await writeFile(join(directory, 'data/model_pricing.json'), '{"models":{}}');
      const { code, out, err } = await run([from, '--new', '--yes'], '', { PATH });
      expect([from, code, err]).toEqual([from, 0, '']);
      expect(out).toContain('  + gpt: 2 / 10 (cache 0.1 / -); above 272000 4 / 10\n');
      expect(await rows()).toEqual({ gpt: { ...short, tiers: [long] }, other: short });
    }
    const none = await run(['pi'], '', { PATH: PATH_WITHOUT_PI });
    expect([none.code, none.err]).toEqual([1, expect.stringMatching(/^No pi is installed[^\n]+\n$/)]);
  });

  test('says which models it refuses, and why', async () => {
    const { run, directory } = await prepare();
    const list = {
      'gpt-4o': { input_cost_per_token: 1e-6, output_cost_per_token: 1e-6, input_cost_per_second: 1 },
    };
    await writeFile(join(directory, 'list.json'), JSON.stringify(list));
    const { code, out } = await run(['list.json']);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(
        "  ! gpt-4o: not imported, because dot-mi doesn't understand input_cost_per_second\n",
      ),
    ]);
  });

  test('a failure is one line and a nonzero exit code, and nothing is written', async () => {
    const { run, read, directory } = await prepare();
    const before = await read();
    await writeFile(join(directory, 'bad.json'), '{"models":');
    await writeFile(join(directory, 'other.json'), '{}');
    const failures = await Promise.all([
      run(['nowhere.json', '--yes']),
      run(['.', '--yes']),
      run(['bad.json', '--yes', '--new']),
      run(['other.json', '--yes', '--new']),
      run(['list.json'], '', { PORT: 'abc' }),
    ]);
    for (const { code, err } of failures) {
      expect([code, err]).toEqual([1, expect.stringMatching(/^[^\n]+\n$/)]);
      expect(err).not.toContain('    at ');
    }
    const { code, out } = await run(['list.json', 'second.json']);
    expect([code, out]).toEqual([2, expect.stringContaining('npm run import-prices --')]);
    expect(await read()).toBe(before);
  });

  test('does not write over a models file that it cannot read', async () => {
    const { run, read } = await prepare('{"models": {"mine": {"input_usd_per_million": 1,}}}');
    const before = await read();
    const { code, out, err } = await run(['list.json', '--new', '--yes']);
    expect([code, err]).toEqual([1, expect.stringMatching(/^[^\n]+\n$/)]);
    expect(out).toMatch(/not valid JSON \(line 1,/);
    expect(await read()).toBe(before);
  });

  test('creates the models file when there is none', async () => {
    const { run, directory } = await prepare();
    const path = join(directory, 'new/prices.json');
    const { code } = await run(['list.json', '--new', '--yes'], '', { MODEL_PRICING_PATH: path });
    expect([code, Object.keys(JSON.parse(await readFile(path, 'utf8')).models).length]).toEqual([0, 7]);
  });
});
