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

/** The options of a mint. All of them can be JSON, for a mint in its own process. */
export interface TestMintOptions {
  /** The directory of its state. The same directory again is the same mint. Default: in memory. */
  directory?: string;
  /** Default: a free port. */
  port?: number;
  /** The path to answer under, such as `/Bitcoin`, as many mints do. Default none. */
  path?: string;
  /** Determines the keys: the same seed gives the same keys. Default: random. */
  seed?: string;
  /** The first keysets, if its state has none yet. Default: one of version 2, for sat, without a fee. */
  keysets?: KeysetSpec[];
  limits?: Partial<Limits>;
  /** Parts of `/v1/info` to override. `nuts` is merged (NUT-06). */
  info?: InfoOverrides;
  /** Repeats the first answer to a repeated swap, mint or melt (NUT-19), and says so in `/v1/info`. */
  isCaching?: boolean;
  /** The seed of the randomness in faults with a probability. Default 1. */
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

/** Controls of a mint in addition to its API. Each of them is a route too: POST `/control/<name>`. */
export interface MintControl {
  /** Makes requests to a path fail. The first fault set is the first to hit. */
  fail(path: FaultPath, fault: Fault): void;
  /** Ends the faults set for a path, or all. Requests that hang there continue. */
  clearFaults(path?: FaultPath): void;
  /** The number of requests that hang now. */
  hanging(): number;
  /** Creates a new active keyset. The old ones of its unit become inactive. */
  rotate(options?: RotateOptions): KeysetSummary;
  setKeyset(id: string, change: KeysetChange): void;
  keysets(): KeysetSummary[];
  /** Marks the proofs of tokens as pending (NUT-07), for this many seconds of its clock or until cleared. */
  setPending(tokens: string[], seconds?: number): void;
  /** Marks the proofs of tokens, or all, as no longer pending. */
  clearPending(tokens?: string[]): void;
  /** Creates a token. Its value counts as issued. */
  issue(amount: number, options?: IssueOptions): string;
  /** The value of the tokens' unspent proofs. Proofs that this mint didn't sign are worth nothing. */
  unspent(tokens: string[]): number;
  /** The state of each proof of a token. */
  states(token: string): ProofState[];
  /** Spends the unspent proofs of tokens as someone else would. They count as melted. */
  spend(tokens: string[]): void;
  /** The sums of a unit, `sat` by default: wallet + unspent + fees = issued - melted. */
  totals(unit?: string): Totals;
  /**
   * The value of all unspent proofs of a unit, `sat` by default: issued - melted - fees. Throws if that
   * differs from the value of all proofs ever signed minus the spent ones.
   */
  outstanding(unit?: string): number;
  /** The state of each Y, in the same order (NUT-07). */
  unspentOf(ys: string[]): ProofState[];
  /** Marks exactly these blinded messages (B_) as pending; `[]` clears them. Requests with them get 11004. */
  setOutputsPending(bs: string[]): void;
  /** Changes the given limits and keeps the others. A restart of the process resets them. */
  setLimits(limits: Partial<Limits>): void;
  /**
   * Answers 429 beyond this rate, with an empty window. No limit: the mint answers all. Controls don't count.
   */
  setRateLimit(limit?: RateLimit): void;
  /** The last thousand requests since the mint started, for one path or all. */
  requests(path?: string): SeenRequest[];
  /** The number of requests since the mint started, for one path or all. */
  requestCount(path?: string): number;
  /**
   * Stops the mint's clock at a Unix time. Without one, it runs again. Keyset expiry, the `lag` fault and
   * rate limits use this clock.
   */
  setTime(unixSeconds?: number): void;
  /** The number of proofs that were ever left pending for a set time, and that it ever called spent falsely. */
  troubled(): { leftPending: number; liedAbout: number };
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

/** Runs one of the control's functions. The body is the list of its arguments. */
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
  const store = openStore(options.directory, options.seed, now);
  const keysets = createKeysetList(store, specs, now);
  const core = createCore(store, keysets, limits, now);
  const lightning = createLightning(store, core, limits, keysets.units, now);
  const faults = createFaults(seededRandom(options.randomSeed ?? 1));
  const rateLimiter = createRateLimiter(now);
  const issuer = createIssuer(store, keysets, () => url);

  const summarize = (keyset: KeysetSummary): KeysetSummary => {
    const { id, unit, active, listed, keysServed, inputFeePpk, finalExpirySeconds } = keyset;
    const expiry = finalExpirySeconds === undefined ? {} : { finalExpirySeconds };
    return { id, unit, active, listed, keysServed, inputFeePpk, ...expiry };
  };
  const inputYs = (body: unknown) =>
    ((body as { inputs?: { secret: string }[] }).inputs ?? []).map(({ secret }) => issuer.yOf(secret));
  const routes = createRoutes(store, keysets, core, lightning, limits, { info, isCaching });
  const ageOf = (b: string) => now() - (store.signedAt(b) ?? now());
  const falseAnswers = { keysets, random: faults.random, ageOf, addLie: store.addLie };
  const handler = createHandler(routes, faults, rateLimiter, falseAnswers, {
    mark: (body, seconds) => store.setPending(inputYs(body), seconds),
    clear: (body) => store.clearPending(inputYs(body)),
  });

  const control: MintControl = {
    fail: faults.add,
    clearFaults: faults.clear,
    hanging: faults.hanging,
    rotate: (rotation) => summarize(keysets.rotate(rotation)),
    setKeyset: keysets.change,
    keysets: () => keysets.all().map(summarize),
    setPending: (tokens, seconds) => store.setPending(tokens.flatMap(issuer.ysOf), seconds),
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
    troubled: store.troubled,
  };

  const server = createServer((request, response) => {
    const [pathname = ''] = (request.url ?? '').split('?');
    const path = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : '';
    const name = /^\/control\/(\w+)$/.exec(path)?.[1];
    const work = name
      ? runControl(control, name, request, response)
      : handler.handle(request.method ?? 'GET', path, request, response);
    // The client may disappear in the middle of its own request.
    work.catch(() => response.destroy());
  });
  // A client that computes for long in this process must not find its idle connection closed.
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
      // Clients in this process must notice it, so that none uses a dead connection for its next request.
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
