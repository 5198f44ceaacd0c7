import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { plant, type Tree } from '../support/plant.ts';
import { makeTempDirectory } from '../support/temp.ts';

const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Runs `npm run arrows` in a directory with these files of src. Returns the rules that each file breaks. */
const brokenRules = async (files: Tree): Promise<Record<string, string[]>> => {
  const directory = await makeTempDirectory();
  await plant(directory, { 'tsconfig.json': '{}', ...files });
  const { stdout } = spawnSync(
    process.execPath,
    [
      inRepository('node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'),
      ...['--config', inRepository('.dependency-cruiser.cjs'), '--output-type', 'json', 'src'],
    ],
    { cwd: directory, encoding: 'utf8' },
  );
  const { summary } = JSON.parse(stdout);
  const broken: Record<string, string[]> = {};
  for (const { from, rule } of summary.violations) broken[from] = [...(broken[from] ?? []), rule.name].sort();
  return broken;
};

/** A file that imports one name from others, as a value or as a type. */
const importing = (...from: string[]) =>
  from
    .map(
      (path, at) =>
        `import ${path.startsWith('type ') ? 'type ' : ''}{ name as n${at} } from '${path.replace('type ', '')}';\n`,
    )
    .join('') +
  `export const name = [${from.flatMap((path, at) => (path.startsWith('type ') ? [] : `n${at}`)).join(', ')}];\n`;

test('nothing goes past the doors of the wallet and of selling', async () => {
  const inOrder = {
    'src/shared/terms.ts': importing(),
    'src/server/platform/lock.ts': importing(),
    'src/server/wallet/store/sqlite.ts': importing(),
    'src/server/wallet/index.ts': importing('./store/sqlite.ts'),
    'src/server/selling/charges.ts': importing('type ../wallet/index.ts', '../platform/lock.ts'),
    'src/server/selling/process/shop.ts': importing('../../../shared/terms.ts'),
    'src/server/selling/index.ts': importing('./charges.ts'),
    'src/server/start.ts': importing('./wallet/index.ts', './selling/index.ts'),
    'src/main/program.ts': importing('type ../server/selling/index.ts'),
  };
  const past = {
    'src/server/host.ts': importing('type ./wallet/store/sqlite.ts', 'type ./selling/charges.ts'),
    'src/main/vault.ts': importing('../server/wallet/store/sqlite.ts'),
    'src/server/workers/thread.ts': importing('../selling/process/shop.ts'),
    'src/server/selling/buy.ts': importing('./process/shop.ts'),
    'src/server/selling/earnings.ts': importing('type ../wallet/store/sqlite.ts'),
    'src/server/selling/estimate.ts': importing('../wallet/index.ts'),
    'src/server/selling/process/pay.ts': importing('type ../../wallet/index.ts'),
    'src/server/selling/process/run.ts': importing('../../platform/lock.ts'),
  };
  expect(await brokenRules({ ...inOrder, ...past })).toEqual({
    'src/server/host.ts': ['selling-has-one-door', 'wallet-has-one-door'],
    'src/main/vault.ts': ['wallet-has-one-door'],
    'src/server/workers/thread.ts': ['no-server-knows-the-program-that-sells', 'selling-has-one-door'],
    'src/server/selling/buy.ts': ['no-server-knows-the-program-that-sells'],
    'src/server/selling/earnings.ts': ['wallet-has-one-door'],
    'src/server/selling/estimate.ts': ['features-are-created-in-start'],
    'src/server/selling/process/pay.ts': ['the-program-that-sells-knows-no-server'],
    'src/server/selling/process/run.ts': ['the-program-that-sells-knows-no-server'],
  });
});
