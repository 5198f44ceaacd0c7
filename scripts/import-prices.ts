// `npm run import-prices -- pi|models.dev|litellm|openrouter|FILE|DIRECTORY`: shows what a price list would change
// in the models file, and writes it after a yes. `pi` is the installed pi, and a directory a package of pi. `--only NAME[,NAME]` imports only these models, `--new` also
// imports models that aren't in the file yet, and `--yes` doesn't ask.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';
import { ConfigError, readConfig } from '../src/server/config.ts';
import { AppError } from '../src/server/platform/app-error.ts';
import { systemClock } from '../src/server/platform/clock.ts';
import { createEtagOf } from '../src/server/platform/etag.ts';
import { createPiFinder } from '../src/server/platform/installed-pi.ts';
import { SourceError } from '../src/server/pricing/btc-sources.ts';
import { createFetchJson } from '../src/server/pricing/fetch-json.ts';
import { createModelsFile } from '../src/server/pricing/models-file.ts';
import { PRICE_LIST_URLS, parseListText, readPriceList } from '../src/server/pricing/price-lists.ts';
import { applyChanges, previewChanges } from '../src/server/pricing/pricing.service.ts';
import { type ModelPrice, PRICE_LISTS, type PriceChange, type PriceList } from '../src/shared/api/pricing.ts';

const USAGE = `npm run import-prices -- pi|models.dev|litellm|openrouter|FILE|DIRECTORY [--only NAME,NAME] [--new] [--yes]

With pi, reads the prices in the installed pi's package. With a directory, reads those in that package of pi.
Shows what the list would change in the models file (MODEL_PRICING_PATH) and asks before it writes. Without --new or --only, models
that are not in the file yet are left out, because the public lists have thousands.

${HELP_LINE}`;

const LIST_BYTES = 32 * 1024 * 1024;
const LIST_TIMEOUT_MS = 30_000;

const isPublic = (name: string): name is PriceList => (PRICE_LISTS as readonly string[]).includes(name);

/** Where the prices are in pi's packages, whichever directory is given. */
const PI_DATA = [
  '.',
  'dist/providers/data',
  'node_modules/@earendil-works/pi-ai/dist/providers/data',
  '../pi-ai/dist/providers/data',
];

/** Reads pi's own prices: a file for each provider. */
const readPiPrices = async (directory: string) => {
  for (const data of PI_DATA.map((path) => join(directory, path))) {
    const files = (await readdir(data).catch(() => [])).filter((name) => /^[a-z].*\.json$/.test(name));
    if (files.length === 0 || files.includes('package.json')) continue;
    const providers = files.map(async (name) => [
      basename(name, '.json'),
      parseListText(await readFile(join(data, name), 'utf8')),
    ]);
    return readPriceList(Object.fromEntries(await Promise.all(providers)), 'pi');
  }
  throw new AppError(
    'price_list_invalid',
    `There are no prices of pi in ${directory}. Give the directory of the package @earendil-works/pi-ai.`,
  );
};

const installedPi = async (): Promise<string> => {
  const pi = await createPiFinder(async () => process.env.PATH ?? '')();
  if (pi?.directory !== undefined) return pi.directory;
  throw new AppError(
    'price_list_invalid',
    'No pi is installed. Install it, or give the directory of the package @earendil-works/pi-ai.',
  );
};

const readList = async (from: string) => {
  if (from === 'pi') return readPiPrices(await installedPi());
  if (!isPublic(from) && (await stat(from)).isDirectory()) return readPiPrices(from);
  if (!isPublic(from)) return readPriceList(parseListText(await readFile(from, 'utf8')));
  const fetchJson = createFetchJson(() => Date.now(), LIST_BYTES, LIST_TIMEOUT_MS);
  return readPriceList(await fetchJson(PRICE_LIST_URLS[from]), from);
};

/** Input and output, then the cache prices if there are any. */
const pricesOf = (price: ModelPrice): string => {
  const cache = [price.cache_read_usd_per_million, price.cache_write_usd_per_million];
  const prices = `${price.input_usd_per_million} / ${price.output_usd_per_million}`;
  const tiers = price.tiers?.map(
    (tier) =>
      `; above ${tier.input_tokens_above} ${tier.input_usd_per_million} / ${tier.output_usd_per_million}`,
  );
  return [
    prices,
    ...(cache.some((usd) => usd !== undefined)
      ? [` (cache ${cache.map((usd) => usd ?? '-').join(' / ')})`]
      : []),
    ...(price.request_usd === undefined ? [] : [` + ${price.request_usd} a request`]),
    ...(tiers ?? []),
  ].join('');
};

const describeChange = ({ name, before, after }: PriceChange): string => {
  return before
    ? `  ~ ${name}: ${pricesOf(before)} -> ${pricesOf(after)}`
    : `  + ${name}: ${pricesOf(after)}`;
};

/** Asks a question. Returns whether the answer is yes. A closed input means no. */
const agree = async (question: string): Promise<boolean> => {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    return /^y(es)?$/i.test((await Promise.race([lines.question(question), ended])).trim());
  } finally {
    lines.close();
  }
};

const run = async (): Promise<void> => {
  const { values, positionals } = readCommandLine(
    USAGE,
    {
      only: { type: 'string' },
      new: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
    },
    { positionals: /./ },
  );
  const [from] = positionals;
  if (from === undefined || positionals.length > 1) {
    console.log(USAGE);
    process.exitCode = 2;
    return;
  }

  const { modelPricingPath } = readConfig(process.cwd());
  const file = createModelsFile(modelPricingPath, systemClock, createEtagOf(randomBytes(32).toString('hex')));
  const { models: current = new Map(), problem, etag } = await file.read();
  if (problem) console.log(problem);
  if (problem && current.size === 0 && existsSync(modelPricingPath)) {
    throw new AppError(
      'pricing_config_invalid',
      'Fix the models file first. No price in it can be read, so an import would lose them all.',
    );
  }
  const { format, models, skipped, refused } = await readList(from);
  const only = values.only?.split(',').map((name) => name.trim());
  const { changes, unchanged } = previewChanges(current, models);
  const wanted = changes.filter(({ name, before }) =>
    only ? only.includes(name) : before !== null || values.new,
  );

  console.log(
    `Read as ${format}: ${models.size} models with prices, ${skipped} without. USD per million, input / output:`,
  );
  for (const { name, fields } of refused) {
    if (only ? only.includes(name) : current.has(name) || values.new)
      console.log(`  ! ${name}: not imported, because dot-mi doesn't understand ${fields.join(', ')}`);
  }
  for (const change of wanted) console.log(describeChange(change));
  console.log(`${wanted.length} would change, ${unchanged} are already the same.`);
  if (wanted.length === 0) return;
  if (!values.yes && !(await agree(`Write ${modelPricingPath}? (y/N) `))) {
    console.log('Nothing was written.');
    return;
  }
  await file.write(applyChanges(current, wanted), etag ?? undefined);
  console.log('Written.');
};

try {
  await run();
} catch (error) {
  const known =
    error instanceof AppError ||
    error instanceof SourceError ||
    error instanceof ConfigError ||
    (error as { code?: string }).code;
  if (!known) throw error;
  console.error((error as Error).message);
  process.exitCode = 1;
}
