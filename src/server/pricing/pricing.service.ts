import type { TypedPrices } from '../../pi/typed-prices.ts';
import type {
  BtcPrice,
  ImportPreview,
  ModelPriceList,
  PriceChange,
  PriceList,
  PricePoint,
  PriceRefresh,
  QuotedTokens,
  TokenPrice,
  TokenQuote,
} from '../../shared/api/pricing.ts';
import type { TokenPrices } from '../../shared/price-math.ts';
import { satsOf, satsPerToken } from '../../shared/sats.ts';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { PreparedBody } from '../platform/prepared-body.ts';
import { unknownModel } from '../platform/unknown-model.ts';
import type { BtcPriceKeeper, CurrentPrice } from './btc-price.ts';
import { type FetchJson, SourceError } from './btc-sources.ts';
import type { ReportedPrice } from './find-btc-price.ts';
import type { ModelsFile, ModelsSnapshot } from './models-file.ts';
import { checkRows, type Models, orderPrice } from './parse-models.ts';
import { parseListText, readPriceList } from './price-lists.ts';
import { costOfTokens, findPrices } from './quote-tokens.ts';

/** Converts a model's prices to sats per model token. */
const inSats = (prices: TokenPrices, btcUsd: number) => ({
  input_sats_per_token: satsPerToken(prices.input_usd_per_million, btcUsd),
  output_sats_per_token: satsPerToken(prices.output_usd_per_million, btcUsd),
  ...(prices.cache_read_usd_per_million === undefined
    ? {}
    : { cache_read_sats_per_token: satsPerToken(prices.cache_read_usd_per_million, btcUsd) }),
  ...(prices.cache_write_usd_per_million === undefined
    ? {}
    : { cache_write_sats_per_token: satsPerToken(prices.cache_write_usd_per_million, btcUsd) }),
});

/**
 * Returns the changes that importing a price list would make, sorted by name. Keeps models and prices that the list
 * lacks.
 */
export const previewChanges = (
  current: Models,
  list: Models,
): { changes: PriceChange[]; unchanged: number } => {
  const changes: PriceChange[] = [];
  let unchanged = 0;
  for (const [name, listed] of list) {
    const before = current.get(name) ?? null;
    // Both lists' prices have their fields in the same order.
    const after = orderPrice({ ...before, ...listed });
    if (JSON.stringify(before) === JSON.stringify(after)) unchanged += 1;
    else changes.push({ name, before, after });
  }
  return { changes: changes.sort((a, b) => (a.name < b.name ? -1 : 1)), unchanged };
};

/** Applies changes to the models. Adds new models at the end. */
export const applyChanges = (current: Models, changes: readonly PriceChange[]): Models =>
  new Map([...current, ...changes.map(({ name, after }) => [name, after] as const)]);

/** The service behind the pricing routes. */
export interface PricingService {
  tokenPrice(model: string): Promise<TokenPrice>;
  /**
   * Uses a price that an agent's models.json has if the models file has none. Throws `unknown_model`,
   * `pricing_config_invalid` and `price_unavailable`.
   */
  quote(model: string, tokens: QuotedTokens, typed?: TypedPrices): Promise<TokenQuote>;
  btcPrice(): BtcPrice;
  /** Returns the models in the models file. Throws `pricing_config_invalid` if no valid version was ever read. */
  modelPrices(): Promise<Models>;
  models(): Promise<PreparedBody<ModelPriceList>>;
  writeModels(models: unknown, ifMatch: string | undefined): Promise<{ ok: true; etag: string }>;
  refresh(): Promise<PriceRefresh>;
  history(hours: number): PricePoint[];
  previewImport(from: { source?: PriceList; content?: string }): Promise<ImportPreview>;
}

interface PricingParts {
  modelsFile: ModelsFile;
  price: BtcPriceKeeper;
  /** Fetches a public price list, which is larger than a BTC price's response. */
  fetchList: FetchJson;
  listUrls: Readonly<Record<PriceList, string>>;
  clock: Clock;
  /** Called after a write to the models file. */
  onModels(): void;
}

const HOUR_MS = 60 * 60 * 1000;

const iso = (at: number): string => new Date(at).toISOString();

const priceOf = ({ price, source, host, at }: ReportedPrice) => ({
  btc_price_usd: price,
  source,
  ...(host === undefined ? {} : { source_host: host }),
  updated_at: iso(at),
});

/** Returns the BTC price's fields for a response about a model. */
const usedPriceOf = ({ price, source, host, at, stale }: CurrentPrice) => ({
  btc_price_usd: price,
  btc_price_source: source,
  ...(host === undefined ? {} : { btc_price_source_host: host }),
  updated_at: iso(at),
  stale,
});

/** Returns the models in use. Throws `pricing_config_invalid` if no valid version was ever read. */
const requireModels = ({ models, problem, etag }: ModelsSnapshot): Models => {
  if (models) return models;
  throw new AppError(
    'pricing_config_invalid',
    `${problem ?? 'There is no models file.'} Ask the operator to fix this.`,
    { etag },
  ).withHint({
    route: 'PUT /api/pricing/models',
    text: 'The operator can also send a new one with PUT /api/pricing/models.',
  });
};

const serialiseModels = (snapshot: ModelsSnapshot): PreparedBody<ModelPriceList> => {
  const models: ModelPriceList['models'] = Object.fromEntries(requireModels(snapshot));
  const { problem, etag } = snapshot;
  return new PreparedBody(
    Buffer.from(JSON.stringify({ models, ...(problem === undefined ? {} : { configError: problem }), etag })),
    { etag },
  );
};

const requireRows = (rows: unknown): Models => {
  const invalid = (issues: { path: string; message: string }[]) =>
    new AppError('invalid_request', 'Some model prices are not valid. See "issues".', { issues });
  if (typeof rows !== 'object' || rows === null || Array.isArray(rows)) {
    throw invalid([{ path: 'body.models', message: 'models must be an object that maps names to prices.' }]);
  }
  const { models, problems } = checkRows(rows as Record<string, unknown>);
  const issues = [...problems].map(([name, { message, field }]) => ({
    path: ['body.models', name, ...(field === undefined ? [] : [field])].join('.'),
    message,
  }));
  for (const [name, price] of models) {
    const known = Object.keys(price);
    const unknown = Object.keys((rows as Record<string, object>)[name] ?? {}).filter(
      (key) => !known.includes(key),
    );
    for (const key of unknown) {
      issues.push({ path: `body.models.${name}.${key}`, message: 'This route doesn’t accept this field.' });
    }
  }
  if (issues.length === 0) return models;
  throw invalid(issues);
};

export const createPricingService = ({
  modelsFile,
  price,
  fetchList,
  listUrls,
  clock,
  onModels,
}: PricingParts): PricingService => {
  /** The serialized list for each version of the file. */
  const serialised = new WeakMap<ModelsSnapshot, PreparedBody<ModelPriceList>>();

  const ageOf = ({ at }: CurrentPrice): number => Math.max(0, Math.round((clock.now() - at) / 1000));

  const readList = async ({ source, content }: { source?: PriceList; content?: string }) => {
    if (content !== undefined) return readPriceList(parseListText(content));
    const named = source ?? 'models.dev';
    try {
      return readPriceList(await fetchList(listUrls[named]), named);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      throw new AppError(
        'price_list_unavailable',
        `dot-mi could not fetch the price list from ${named} (${error.message}). Try again, or send the list’s text as "content".`,
      );
    }
  };

  return {
    async tokenPrice(model) {
      const models = requireModels(await modelsFile.read());
      const row = models.get(model);
      if (!row) throw unknownModel(model, models.keys());
      const current = price.current();
      const { price: btc } = current;
      return {
        model,
        ...inSats(row, btc),
        ...(row.request_usd === undefined ? {} : { request_sats: satsOf(row.request_usd, btc) }),
        ...(row.tiers === undefined
          ? {}
          : {
              tiers: row.tiers.map(({ input_tokens_above, ...prices }) => ({
                input_tokens_above,
                ...inSats(prices, btc),
              })),
            }),
        ...usedPriceOf(current),
      };
    },

    async quote(model, tokens, typed) {
      const found = findPrices(model, requireModels(await modelsFile.read()), typed);
      const current = price.current();
      return {
        model,
        ...found,
        tokens,
        ...costOfTokens(tokens, found.prices, current.price),
        ...usedPriceOf(current),
        age_seconds: ageOf(current),
      };
    },

    btcPrice() {
      const current = price.current();
      return { ...priceOf(current), age_seconds: ageOf(current), stale: current.stale };
    },

    modelPrices: async () => requireModels(await modelsFile.read()),

    async models() {
      const snapshot = await modelsFile.read();
      const known = serialised.get(snapshot);
      if (known) return known;
      const body = serialiseModels(snapshot);
      serialised.set(snapshot, body);
      return body;
    },

    async writeModels(rows, ifMatch) {
      const etag = await modelsFile.write(requireRows(rows), ifMatch);
      onModels();
      return { ok: true, etag };
    },

    refresh: async () => ({ success: true, ...priceOf(await price.refresh()) }),

    history: (hours) =>
      price.since(clock.now() - hours * HOUR_MS).map(({ at, price: btc, source, host }) => ({
        at: iso(at),
        btc_price_usd: btc,
        source,
        ...(host === undefined ? {} : { source_host: host }),
      })),

    async previewImport(from) {
      const { format, models, skipped, refused } = await readList(from);
      const current = await modelsFile.read();
      return {
        format,
        skipped,
        ...(refused.length > 0 ? { refused } : {}),
        ...previewChanges(current.models ?? new Map(), models),
      };
    },
  };
};
