import { createThread } from '../platform/thread.ts';
import { type Mint, MintError, TokenError } from './mint.ts';

/** A call of the mint as it crosses to the thread. */
export interface MintCall {
  method: keyof Mint;
  parameters: unknown[];
}

/** What a call came to. Errors cross as plain fields, since their class would not. */
export type MintOutcome =
  | { value: unknown }
  | { token: { reason: TokenError['reason']; message: string } }
  | { mistake: string }
  | { mint: { kind: MintError['kind']; message: string; details: MintError['details'] } };

/** What the thread is told when it starts. */
export interface MintThreadData {
  mintUrl: string;
  timeoutMs: number | undefined;
}

/** A token of thousands of proofs takes minutes to check; each request has a deadline of its own. */
const ANSWER_TIMEOUT_MS = 30 * 60 * 1000;

/** Runs a call in the thread. */
export const answerMintCall = async (mint: Mint, { method, parameters }: MintCall): Promise<MintOutcome> => {
  try {
    const call = mint[method] as (...parameters: unknown[]) => Promise<unknown>;
    return { value: await call(...parameters) };
  } catch (error) {
    if (error instanceof TokenError) return { token: { reason: error.reason, message: error.message } };
    if (error instanceof MintError) {
      return { mint: { kind: error.kind, message: error.message, details: error.details } };
    }
    // Ours to mend. SECURITY: its own words may hold a proof.
    return { mistake: `${method} failed with ${error instanceof Error ? error.name : typeof error}` };
  }
};

/** A {@link Mint} whose work is done in a thread of its own, which starts with the first call. */
export const createMintThread = (workerUrl: URL, data: MintThreadData): Mint => {
  const thread = createThread<MintCall, MintOutcome>(workerUrl, {
    name: 'mint',
    workerData: data,
    answerTimeoutMs: ANSWER_TIMEOUT_MS,
  });

  const call =
    <M extends keyof Mint>(method: M) =>
    async (...parameters: Parameters<Mint[M]>): Promise<Awaited<ReturnType<Mint[M]>>> => {
      const outcome = await thread.ask({ method, parameters }).catch((): MintOutcome => {
        return { mint: { kind: 'unanswered', message: 'The thread of the mint ended.', details: {} } };
      });
      if ('token' in outcome) throw new TokenError(outcome.token.reason, outcome.token.message);
      if ('mint' in outcome) {
        throw new MintError(outcome.mint.kind, outcome.mint.message, outcome.mint.details);
      }
      if ('mistake' in outcome) throw new Error(`the mint's thread: ${outcome.mistake}`);
      return outcome.value as Awaited<ReturnType<Mint[M]>>;
    };

  return {
    describe: call('describe'),
    inspect: call('inspect'),
    check: call('check'),
    keysets: call('keysets'),
    split: call('split'),
    deterministicOutputs: call('deterministicOutputs'),
    randomOutputs: call('randomOutputs'),
    swap: call('swap'),
    states: call('states'),
    restore: call('restore'),
    scan: call('scan'),
    encode: call('encode'),
    info: call('info'),
    close: () => thread.close(),
  };
};
