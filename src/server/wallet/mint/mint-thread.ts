import { createThread } from '../../platform/thread.ts';
import { type KeysetKeys, type Mint, MintError, TokenError } from './mint.ts';
import { takeRequestCount } from './mint-http.ts';

/** The mint methods that the thread handles. */
export type MintMethod = Exclude<keyof Mint, 'close'>;

/** A call to the mint. */
interface MintCall {
  method: MintMethod;
  parameters: unknown[];
}

/** A call as sent to the thread. */
export interface SentMintCall extends MintCall {
  /** How long the thread must send no request, in ms. It has no clock of its own, because tests set the wallet's. */
  restMs: number;
}

/** A call's result. Errors are sent as plain fields, because their class would be lost. */
type MintOutcome =
  | { value: unknown }
  | { token: { reason: TokenError['reason']; message: string } }
  | { mistake: string }
  | { mint: { kind: MintError['kind']; message: string; details: MintError['details'] } };

interface MintResponse {
  outcome: MintOutcome;
  /** How many requests the thread sent to the mint since its last response. */
  requests: number;
}

/** The thread's startup data. */
export interface MintThreadData {
  mintUrl: string;
  timeoutMs: number | undefined;
  /** Keysets learned earlier. See {@link Mint.keysets}. */
  keysets: KeysetKeys[];
  /** The derivations of other mints' keysets, which aren't used here. */
  foreign?: string[];
  /** The mint's earlier addresses, which its tokens can still name. */
  earlierUrls?: string[];
  /** For test money, the file of its mint's books, and the secret that its keys depend on. */
  testMoneyMint?: { path: string; secret: string } | undefined;
}

/** A scan can take minutes. Each request has its own deadline. */
const RESPONSE_TIMEOUT_MS = 30 * 60 * 1000;

/** Calls a mint's method. */
export const callMint = (mint: Mint, { method, parameters }: MintCall): Promise<unknown> =>
  (mint[method] as (...parameters: unknown[]) => Promise<unknown>)(...parameters);

const outcomeOf = async (mint: Mint, call: MintCall): Promise<MintOutcome> => {
  try {
    return { value: await callMint(mint, call) };
  } catch (error) {
    if (error instanceof TokenError) return { token: { reason: error.reason, message: error.message } };
    if (error instanceof MintError) {
      return { mint: { kind: error.kind, message: error.message, details: error.details } };
    }
    // A bug in our code. SECURITY: the message may contain a proof.
    return { mistake: `${call.method} failed with ${error instanceof Error ? error.name : typeof error}` };
  }
};

/** Runs a call in the thread. */
export const runMintCall = async (mint: Mint, call: MintCall): Promise<MintResponse> => ({
  outcome: await outcomeOf(mint, call),
  requests: takeRequestCount(),
});

/** The method names as values. The type ensures that none are missing. */
const METHODS: Record<MintMethod, true> = {
  describe: true,
  inspect: true,
  keysets: true,
  disown: true,
  deterministicOutputs: true,
  randomOutputs: true,
  swap: true,
  states: true,
  restore: true,
  scan: true,
  encode: true,
  request: true,
  info: true,
  offer: true,
};

/** Creates a mint's methods from one function that makes any call. */
export const createMintMethods = (call: (call: MintCall) => Promise<unknown>): Pick<Mint, MintMethod> =>
  Object.fromEntries(
    Object.keys(METHODS).map((name) => {
      const method = name as MintMethod;
      return [method, (...parameters: unknown[]) => call({ method, parameters })];
    }),
  ) as unknown as Pick<Mint, MintMethod>;

/**
 * Creates a {@link Mint} in its own thread, which starts with the first call. `onRequests` gets the number of
 * requests that each call sent to the mint. While `restsForMs` isn't 0, calls that need one reject as limited.
 */
export const createMintThread = (
  workerUrl: URL,
  data: MintThreadData,
  onRequests: (count: number) => void = () => undefined,
  restsForMs: () => number = () => 0,
): Mint => {
  const thread = createThread<SentMintCall, MintResponse>(workerUrl, {
    name: 'mint',
    workerData: data,
  });

  const sendCall = async (call: MintCall): Promise<unknown> => {
    const sent = { ...call, restMs: restsForMs() };
    const { outcome, requests } = await thread.ask(sent, RESPONSE_TIMEOUT_MS).catch((): MintResponse => {
      const mint = { kind: 'unanswered', message: 'The mint’s thread ended.', details: {} } as const;
      return { outcome: { mint }, requests: 0 };
    });
    if (requests > 0) onRequests(requests);
    if ('token' in outcome) throw new TokenError(outcome.token.reason, outcome.token.message);
    if ('mint' in outcome) {
      throw new MintError(outcome.mint.kind, outcome.mint.message, outcome.mint.details);
    }
    if ('mistake' in outcome) throw new Error(`the mint’s thread: ${outcome.mistake}`);
    return outcome.value;
  };

  return { ...createMintMethods(sendCall), close: () => thread.close() };
};
