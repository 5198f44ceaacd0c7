import type { MintControl } from './test-mint.ts';

/** Every control of a mint, called over HTTP. */
export type RemoteControl = {
  [Name in keyof MintControl]: (
    ...args: Parameters<MintControl[Name]>
  ) => Promise<ReturnType<MintControl[Name]>>;
};

const NAMES: Record<keyof MintControl, true> = {
  fail: true,
  clearFaults: true,
  hanging: true,
  rotate: true,
  setKeyset: true,
  keysets: true,
  setPending: true,
  clearPending: true,
  issue: true,
  unspent: true,
  states: true,
  spend: true,
  totals: true,
  outstanding: true,
  unspentOf: true,
  setOutputsPending: true,
  setLimits: true,
  setRateLimit: true,
  requests: true,
  requestCount: true,
  setTime: true,
  troubled: true,
};

const ask = async (url: string, name: string, args: unknown[]): Promise<unknown> => {
  // JSON would turn them into null, which isn't a default.
  const given = args.slice(0, args.findLastIndex((arg) => arg !== undefined) + 1);
  const answer = await fetch(`${url}/control/${name}`, { method: 'POST', body: JSON.stringify(given) });
  const body: unknown = await answer.json();
  if (answer.ok) return body;
  throw new Error(`the test mint refused ${name}: ${(body as { error?: string }).error ?? answer.status}`);
};

/** Controls the test mint at a URL. Each function promises the result of its namesake there. */
export const remoteControl = (url: () => string): RemoteControl => {
  const names = Object.keys(NAMES) as (keyof MintControl)[];
  const entries = names.map((name) => [name, (...args: unknown[]) => ask(url(), name, args)]);
  return Object.fromEntries(entries) as RemoteControl;
};
