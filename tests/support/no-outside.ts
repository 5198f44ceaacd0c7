import { fileURLToPath } from 'node:url';

/**
 * The environment of every server in tests. It asks nobody for the BTC price, and ends if it tries to reach
 * another machine.
 */
export const NO_OUTSIDE: Readonly<Record<string, string>> = {
  BTC_PRICE_SOURCES: 'mempool=http://127.0.0.1:9',
  NODE_OPTIONS: `--require ${fileURLToPath(new URL('./loopback-only.cjs', import.meta.url))}`,
};
