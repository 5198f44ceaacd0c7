import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCore } from './core.ts';
import { createFaults, type Fault, type FaultPath, seededRandom } from './faults.ts';
import { createHandler, type SeenRequest } from './handler.ts';
import { createIssuer, type IssueOptions } from './issue.ts';
import type { KeysetSpec } from './keyset.ts';
import { createKeysetList, type KeysetChange, type RotateOptions } from './keyset-list.ts';
import { createLightning } from './lightning.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import type { ProofState } from './protocol.ts';
import { createRateLimiter, type RateLimit } from './rate-limit.ts';
import { createRoutes, type InfoOverrides } from './routes.ts';
import { openStore, type Totals } from './store.ts';

export type {
  Fault,
  FaultPath,
  IssueOptions,
  KeysetChange,
  KeysetSpec,
  Limits,
  ProofState,
  RateLimit,
  RotateOptions,
  SeenRequest,
};

/** What a mint is to be. All of it can be JSON, for a mint in a process of its own. */
export interface TestMintOptions {
  /** Where its state is kept; the same directory again is the same mint. Default: in memory. */
  directory?: string;
  /** Default: a free one. */
  port?: number;
  /** Serve under this path, `/Bitcoin`, as many mints do. Default none. */
  path?: string;
  /** The keys come from it; the same seed gives the same keys. Default: random. */
  seed?: string;
  /** The keysets it starts with, where its state has none yet. Default: one of version 2, for sat, without a fee. */
  keysets?: KeysetSpec[];
  limits?: Partial<Limits>;
  /** Parts of `/v1/info` that are to be otherwise; `nuts` is merged (NUT-06). */
  info?: InfoOverrides;
  /** Answer a repeated swap, mint or melt as the first time (NUT-19), and say so in `/v1/info`. */
  isCaching?: boolean;
  /** The seed of the chance that faults with a probability hit. Default 1. */
  randomSeed?: number;
}

/** A keyset as tests see it. */
export interface KeysetSummary {
  id: string;
  unit: string;
  active: boolean;
  listed: boolean;
  keysServed: boolean;
  inputFeePpk: number;
  /** Only where the keyset expires. */
  finalExpirySeconds?: number;
}

/** What can be done to a mint besides asking it. Every one of these is a route too: POST `/control/<name>`. */
export interface MintControl {
  /** Makes requests to a path fail; the first fault set is the first to hit. */
  fail(path: FaultPath, fault: Fault): void;
  /** Ends the faults set for a path, or all; requests that hang there go on. */
  clearFaults(path?: FaultPath): void;
  /** How many requests hang now. */
  hanging(): number;
  /** Makes a new active keyset; the old ones of its unit become inactive. */
  rotate(options?: RotateOptions): KeysetSummary;
  setKeyset(id: string, change: KeysetChange): void;
  keysets(): KeysetSummary[];
  /** Marks the proofs of tokens as pending (NUT-07). */
  setPending(tokens: string[]): void;
  /** Marks those of tokens, or all, as no longer pending. */
  clearPending(tokens?: string[]): void;
  /** Makes a token; its value counts as issued. */
  issue(amount: number, options?: IssueOptions): string;
  /** What the unspent proofs of tokens are worth. Proofs this mint did not sign are worth nothing. */
  unspent(tokens: string[]): number;
  /** The state of each proof of a token. */
  states(token: string): ProofState[];
  /** Spends what is unspent of tokens as another would; it counts as melted. */
  spend(tokens: string[]): void;
  /** The sums of a unit, `sat` by default: wallet + unspent + fees = issued - melted. */
  totals(unit?: string): Totals;
  /**
   * The value of all unspent proofs of a unit, `sat` by default: issued - melted - fees. Throws if that differs from
   * the value of all proofs ever signed minus the spent ones.
   */
  outstanding(unit?: string): number;
  /** The state of each Y, in the same order (NUT-07). */
  unspentOf(ys: string[]): ProofState[];
  /** Marks exactly these blinded messages (B_) as pending; `[]` clears them. Requests that use them get 11004. */
  setOutputsPending(bs: string[]): void;
  /** Changes the given limits and keeps the others. A restart of the process resets them. */
  setLimits(limits: Partial<Limits>): void;
  /** Answers 429 beyond this rate, with an empty window; without a limit the mint answers all. Controls don't count. */
  setRateLimit(limit?: RateLimit): void;
  /** The requests that came since it started, the last thousand; of one path, or all. */
  requests(path?: string): SeenRequest[];
  /** The number of requests since the mint started, for one path or all. */
  requestCount(path?: string): number;
  /**
   * Stops the mint's clock at a Unix time; without one it runs again. Keyset expiry, the `lag` fault and rate limits
   * use this clock.
   */
  setTime(unixSeconds?: number): void;
}

/** A mint in this process. */
export interface TestMint extends MintControl {
  url: string;
  port: number;
  /** Stops listening and ends all connections, so that clients get ECONNREFUSED, until `back`. */
  away(): Promise<void>;
  back(): Promise<void>;
  close(): Promise<void>;
}

const NOTICE_MS = 10;

const readText = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
};

/** Runs one of the control's functions on the list of its arguments that the body is. */
const runControl = async (
  control: MintControl,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
) => {
  const answer = (status: number, value: unknown) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(value ?? null));
  };
  try {
    const run = Object.hasOwn(control, name) ? control[name as keyof MintControl] : undefined;
    if (!run) return answer(404, { error: `no control ${name}` });
    const text = await readText(request);
    answer(200, (run as (...args: unknown[]) => unknown)(...(text === '' ? [] : JSON.parse(text))));
  } catch (error) {
    answer(400, { error: error instanceof Error ? error.message : String(error) });
  }
};

/** Starts a mint on loopback: NUT-01 to 12 with fake Lightning. It holds its port until `close`. */
export const startTestMint = async (options: TestMintOptions = {}): Promise<TestMint> => {
  const { path: basePath = '', keysets: specs = [{}], isCaching = false, info = {} } = options;
  let setSeconds: number | undefined;
  const now = () => setSeconds ?? Date.now() / 1000;
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const store = openStore(options.directory, options.seed);
  const keysets = createKeysetList(store, specs, now);
  const core = createCore(store, keysets, limits, now);
  const lightning = createLightning(store, core, limits, keysets.units, now);
  const faults = createFaults(seededRandom(options.randomSeed ?? 1));
  const rateLimiter = createRateLimiter(now);
  const issuer = createIssuer(store, keysets, () => url);

  const summarise = (keyset: KeysetSummary): KeysetSummary => {
    const { id, unit, active, listed, keysServed, inputFeePpk, finalExpirySeconds } = keyset;
    const expiry = finalExpirySeconds === undefined ? {} : { finalExpirySeconds };
    return { id, unit, active, listed, keysServed, inputFeePpk, ...expiry };
  };
  const markPending = (body: unknown) => {
    const inputs = (body as { inputs?: { secret: string }[] }).inputs ?? [];
    store.setPending(inputs.map(({ secret }) => issuer.yOf(secret)));
  };
  const routes = createRoutes(store, keysets, core, lightning, limits, { info, isCaching });
  const ageOf = (b: string) => now() - (store.signedAt(b) ?? now());
  const falseAnswers = { keysets, random: faults.random, ageOf };
  const handler = createHandler(routes, faults, rateLimiter, falseAnswers, markPending);

  const control: MintControl = {
    fail: faults.add,
    clearFaults: faults.clear,
    hanging: faults.hanging,
    rotate: (rotation) => summarise(keysets.rotate(rotation)),
    setKeyset: keysets.change,
    keysets: () => keysets.all().map(summarise),
    setPending: (tokens) => store.setPending(tokens.flatMap(issuer.ysOf)),
    clearPending: (tokens) => store.clearPending(tokens?.flatMap(issuer.ysOf)),
    issue: issuer.issue,
    unspent: issuer.unspent,
    states: issuer.states,
    spend: (tokens) => issuer.spend(tokens),
    totals: (unit = 'sat') => store.totals(unit),
    outstanding: (unit = 'sat') => store.outstanding(unit),
    unspentOf: (ys) => ys.map((y) => store.state(y).state),
    setOutputsPending: store.setPendingOutputs,
    setLimits: (changed) => void Object.assign(limits, changed),
    setRateLimit: rateLimiter.set,
    requests: handler.requests,
    requestCount: handler.requestCount,
    setTime: (unixSeconds) => {
      setSeconds = unixSeconds;
    },
  };

  const server = createServer((request, response) => {
    const [pathname = ''] = (request.url ?? '').split('?');
    const path = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : '';
    const name = /^\/control\/(\w+)$/.exec(path)?.[1];
    const work = name
      ? runControl(control, name, request, response)
      : handler.handle(request.method ?? 'GET', path, request, response);
    // The client may be gone in the middle of its own request.
    work.catch(() => response.destroy());
  });
  // A client that computes for long in this process must not find its connection closed for idling.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  const listen = (port: number) =>
    new Promise<number>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'EADDRINUSE' ? new Error(`port ${port} is taken`, { cause: error }) : error),
      );
      server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      if (!server.listening) return resolve();
      // Clients of this process are to have noticed, so that none uses a dead connection for its next request.
      server.close(() => setTimeout(resolve, NOTICE_MS));
      server.closeAllConnections();
    });

  let isClosed = false;
  let url = '';
  let port: number;
  try {
    port = await listen(options.port ?? 0);
  } catch (error) {
    store.close();
    throw error;
  }
  url = `http://127.0.0.1:${port}${basePath}`;

  return {
    ...control,
    url,
    port,
    away: stop,
    back: async () => void (await listen(port)),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await stop();
      store.close();
    },
  };
};
