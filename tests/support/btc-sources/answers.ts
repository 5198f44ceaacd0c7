/** The sources in their default order. */
export const SOURCES = ['coinbase', 'kraken', 'bitstamp', 'coingecko', 'mempool'] as const;

/** The name of a source. */
export type SourceName = (typeof SOURCES)[number];

/** Each source's request path, from its own documentation. */
export const PATHS: Readonly<Record<SourceName, string>> = {
  coinbase: '/v2/prices/BTC-USD/spot',
  kraken: '/0/public/Ticker?pair=XBTUSD',
  bitstamp: '/api/v2/ticker/btcusd/',
  coingecko: '/api/v3/simple/price?ids=bitcoin&vs_currencies=usd',
  mempool: '/api/v1/prices',
};

const KRAKEN_REST = {
  a: ['64011.10000', '1', '1.000'],
  b: ['64011.00000', '2', '2.000'],
  v: ['812.15', '2210.8'],
  p: ['63950.1', '63801.9'],
  t: [21_034, 51_302],
  l: ['63100.0', '62800.0'],
  h: ['64500.0', '64900.0'],
  o: '63800.0',
};

const BITSTAMP_REST = {
  open: '63800',
  high: '64900',
  low: '62800',
  volume: '1210.5',
  vwap: '63900',
  bid: '64011',
  ask: '64012',
  side: '0',
  open_24: '63850',
  percent_change_24: '0.30',
};

/**
 * Each source's answer around a price as it writes it: JSON text, a string for most, a number for some. Two of them state
 * the time of their price, in seconds.
 */
const AROUND: Readonly<Record<SourceName, (price: string, seconds: number) => string>> = {
  coinbase: (price) => `{"data":{"amount":${price},"base":"BTC","currency":"USD"}}`,
  kraken: (price) =>
    `{"error":[],"result":{"XXBTZUSD":{"c":[${price},"0.00012"],${JSON.stringify(KRAKEN_REST).slice(1)}}}`,
  bitstamp: (price, seconds) =>
    `{"timestamp":"${seconds}","last":${price},${JSON.stringify(BITSTAMP_REST).slice(1)}`,
  coingecko: (price) => `{"bitcoin":{"usd":${price}}}`,
  mempool: (price, seconds) =>
    `{"time":${seconds},"USD":${price},"EUR":59012,"GBP":50911,"CAD":87010,"CHF":56044,"AUD":97023,"JPY":9612345}`,
};

/** The real answer of a source with JSON text in place of the price. Its time is now by default. */
export const answerAround = (name: SourceName, price: string, atMs: number = Date.now()): string =>
  AROUND[name](price, Math.floor(atMs / 1000));

/** The real answer of a source with a price. The first three sources write it as a string. */
export const answerOf = (name: SourceName, price: number, atMs?: number): string =>
  answerAround(name, name === 'coingecko' || name === 'mempool' ? `${price}` : `"${price}"`, atMs);

/** Kraken's error, which has status 200, here with a price as well. */
export const KRAKEN_ERROR = answerAround('kraken', '"64011.0"').replace(
  '"error":[]',
  '"error":["EService:Unavailable"]',
);
