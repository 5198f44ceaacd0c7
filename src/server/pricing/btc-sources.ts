import type { BtcSource } from '../config.ts';

/** Fetches JSON within a deadline. Throws {@link SourceError}. */
export type FetchJson = (url: string) => Promise<unknown>;

/** Thrown if a source returns no price. `retryAfterMs` is how long the source wants us to wait. */
export class SourceError extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'SourceError';
    this.retryAfterMs = retryAfterMs;
  }
}

/** A price source: its URL, and where its response contains the USD price. */
export interface Source {
  name: string;
  url: string;
  /** The host of a configured URL, with its port. Undefined for the default URL. */
  host?: string | undefined;
  /** Returns the price as the source writes it. Its type is unknown, because the response can be anything. */
  pick(response: unknown): unknown;
  /** Returns the time of the price, in seconds since 1970, as the source writes it. Undefined if it states none. */
  pickTime(response: unknown): unknown;
}

/** Reads a nested value in a response of any shape. Undefined if it's missing. */
const at = (value: unknown, ...keys: (string | number)[]): unknown =>
  keys.reduce<unknown>(
    (inside, key) =>
      typeof inside === 'object' && inside !== null && Object.hasOwn(inside, key)
        ? (inside as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );

const firstOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value)[0] : undefined;

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

interface SourceKind {
  origin: string;
  path: string;
  pick: Source['pick'];
  pickTime?: Source['pickTime'];
}

/** The price sources, which need no keys. */
const KINDS: Readonly<Record<string, SourceKind>> = {
  coinbase: {
    origin: 'https://api.coinbase.com',
    path: '/v2/prices/BTC-USD/spot',
    pick: (response) => at(response, 'data', 'amount'),
  },
  kraken: {
    origin: 'https://api.kraken.com',
    path: '/0/public/Ticker?pair=XBTUSD',
    pick: (response) =>
      isEmptyList(at(response, 'error')) ? at(firstOf(at(response, 'result')), 'c', 0) : undefined,
  },
  bitstamp: {
    origin: 'https://www.bitstamp.net',
    path: '/api/v2/ticker/btcusd/',
    pick: (response) => at(response, 'last'),
    pickTime: (response) => at(response, 'timestamp'),
  },
  coingecko: {
    origin: 'https://api.coingecko.com',
    path: '/api/v3/simple/price?ids=bitcoin&vs_currencies=usd',
    pick: (response) => at(response, 'bitcoin', 'usd'),
  },
  mempool: {
    origin: 'https://mempool.space',
    path: '/api/v1/prices',
    pick: (response) => at(response, 'USD'),
    pickTime: (response) => at(response, 'time'),
  },
};

/** Creates the configured sources, in their order. A configured `url` replaces the default one. */
export const createSources = (configured: readonly BtcSource[]): Source[] =>
  configured.flatMap(({ name, url }) => {
    const kind = KINDS[name];
    if (!kind) return [];
    return [
      {
        name,
        url: `${(url ?? kind.origin).replace(/\/+$/, '')}${kind.path}`,
        ...(url === undefined ? {} : { host: new URL(url).host }),
        pick: kind.pick,
        pickTime: kind.pickTime ?? (() => undefined),
      },
    ];
  });

/** The lowest plausible price. Bitcoin has never been worth less than a tenth of a cent. */
export const LOWEST_USD = 0.001;
/** The highest plausible price. More than a billion dollars must be an error. */
export const HIGHEST_USD = 1e9;

/** A decimal number as sources write it. "64,000.5" doesn't match, because its comma is ambiguous. */
const DECIMAL = /^\d{1,12}(\.\d{1,18})?$/;

const toNumber = (value: unknown): unknown =>
  typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;

/** A source's price. `atMs` is the source's own time, in milliseconds since 1970. */
interface SourcePrice {
  readonly price: number;
  readonly atMs: number | undefined;
}

/** Fetches a source's price. Throws {@link SourceError} for anything but a plausible price. */
export const askSource = async (
  { name, url, pick, pickTime }: Source,
  fetchJson: FetchJson,
): Promise<SourcePrice> => {
  const response = await fetchJson(url);
  const price = toNumber(pick(response));
  if (typeof price !== 'number' || !(price >= LOWEST_USD && price <= HIGHEST_USD))
    throw new SourceError(`${name} returned no price`);
  const seconds = toNumber(pickTime(response));
  if (seconds === undefined) return { price, atMs: undefined };
  if (typeof seconds !== 'number' || !(seconds >= 0))
    throw new SourceError(`${name} returned a price without a valid time`);
  return { price, atMs: seconds * 1000 };
};
