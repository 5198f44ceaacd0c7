import { join } from 'node:path';
import { type PlayedSources, playBtcSources } from '../../support/btc-sources/play.ts';
import { type FakeClock, makeClock } from '../../support/clock.ts';
import { until } from '../../support/raw-http.ts';
import { makeRoot } from '../../support/root.ts';
import { type Answer, type ServeOptions, serve, type TestServer } from '../../support/server.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** A minute, in milliseconds. */
export const MINUTE = 60_000;
/** The default of BTC_PRICE_REFRESH_INTERVAL. */
export const INTERVAL = 5 * MINUTE;

/** A server with prices, with shorthands for what tests do all the time. */
export interface PricingServer extends TestServer {
  clock: FakeClock;
  sources: PlayedSources;
  /** The models file. */
  models: string;
  /** The file of the BTC prices. */
  history: string;
  get(path: string): Promise<Answer>;
  refresh(): Promise<Answer>;
  tokens(model: string): Promise<Answer>;
  asOperator(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** What a server with prices is given. */
export interface PricingServerOptions extends ServeOptions {
  clock?: FakeClock;
  sources?: PlayedSources;
  /** Of BTC_PRICE_SOURCES. Default: all five, played. */
  setting?: string;
  /** The directory of the models file. Default: a new one. */
  directory?: string;
  environment?: Record<string, string>;
  /** Do not wait for a first price. */
  early?: boolean;
}

/** Starts the real server on played sources and a clock that the test moves; it ends with the test. */
export const servePricing = async ({
  clock = makeClock(),
  sources,
  setting,
  directory,
  environment = {},
  early = false,
  ...options
}: PricingServerOptions = {}): Promise<PricingServer> => {
  const played = sources ?? (await playBtcSources());
  const home = directory ?? (await makeTempDirectory());
  const models = join(home, 'model_pricing.json');
  const server = await serve(await makeRoot(), {
    ...options,
    clock,
    refreshPauseMs: options.refreshPauseMs ?? 0,
    environment: {
      BTC_PRICE_SOURCES: setting ?? played.setting(),
      MODEL_PRICING_PATH: models,
      ...environment,
    },
  });
  const { call, operatorToken } = server;
  const get = (path: string) => call('GET', path);
  const refresh = () => call('POST', '/api/pricing/refresh');
  if (!early) {
    // Its answer is the end of the refresh of the start, or of one that began after it.
    await until(async () => (await refresh()).status === 200);
    played.forget();
  }
  return {
    ...server,
    clock,
    sources: played,
    models,
    history: join(home, 'btc_price_history.jsonl'),
    get,
    refresh,
    tokens: (model) => get(`/api/pricing/tokens?model=${encodeURIComponent(model)}`),
    asOperator: (method, path, body, headers = {}) =>
      call(method, path, body, { Authorization: `Bearer ${operatorToken}`, ...headers }),
  };
};

/** `[input, output, cacheRead?, cacheWrite?]`, in USD per million. */
type RowPrices = readonly [input: unknown, output: unknown, cacheRead?: unknown, cacheWrite?: unknown];

/** The text of a models file with these rows. */
export const modelsText = (rows: Readonly<Record<string, RowPrices>>): string =>
  JSON.stringify({ models: modelRows(rows) });

/** Rows of a models file. */
export const modelRows = (rows: Readonly<Record<string, RowPrices>>) =>
  Object.fromEntries(
    Object.entries(rows).map(([name, [input, output, cacheRead, cacheWrite]]) => [
      name,
      {
        input_usd_per_million: input,
        output_usd_per_million: output,
        ...(cacheRead === undefined ? {} : { cache_read_usd_per_million: cacheRead }),
        ...(cacheWrite === undefined ? {} : { cache_write_usd_per_million: cacheWrite }),
      },
    ]),
  );
