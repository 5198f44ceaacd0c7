import type { Clock } from '../../platform/clock.ts';
import { type Mint, MintError, type SwapPlan, type SwapResult } from '../mint/mint.ts';
import { decide, failedResponse, hasProtocolCode, isCoded, resultOf } from './decide.ts';
import type { Decision, DecisionTimes, Earlier, Evidence, Exchange, Question, Response } from './exchange.ts';

/** Steps at which a crash test can kill the process. */
export type Step =
  | 'operation-written'
  | 'swap-answered'
  | 'states-known'
  | 'outputs-restored'
  | 'operation-completed'
  | 'operation-failed'
  | 'operation-replanned';

/** Called at each step. Only tests use it. */
export type OnStep = (step: Step) => void;

interface AttemptParts {
  mint: Mint;
  clock: Clock;
  onStep: OnStep;
  times: DecisionTimes;
}

/** Returns a mint's error. Rethrows anything else. */
const asMintError = (error: unknown): MintError => {
  if (error instanceof MintError) return error;
  throw error;
};

const restoreOutputs = (mint: Mint, { keysetId, keep, send }: SwapPlan) =>
  mint.restore(keysetId, [...keep, ...send]);

/** Returns a plan's result, if the mint signed all of its outputs with the plan's amounts (NUT-09). */
export const findSigned = async (mint: Mint, plan: SwapPlan): Promise<SwapResult | undefined> =>
  resultOf(plan, await restoreOutputs(mint, plan));

const send = async (exchange: Exchange, { mint, onStep }: AttemptParts): Promise<Response> => {
  try {
    const result = await mint.swap(exchange);
    onStep('swap-answered');
    return { kind: 'done', result };
  } catch (error) {
    return failedResponse(asMintError(error));
  }
};

const askAbout = async (
  question: Question,
  exchange: Exchange,
  { mint, onStep }: AttemptParts,
): Promise<Partial<Evidence>> => {
  const states = () => mint.states(exchange.inputs.map(({ y }) => y));
  switch (question.about) {
    case 'inputs': {
      const inputs = await states();
      onStep('states-known');
      return { inputs };
    }
    case 'signed': {
      const signed = await restoreOutputs(mint, exchange);
      onStep('outputs-restored');
      return { signed };
    }
    case 'inputsAgain':
      return { inputsAgain: await states() };
    case 'keysets':
      return { keysets: await mint.keysets(question.refresh) };
  }
};

/** Returns how all requests of an exchange ended, including the last one. */
const afterResponse = (earlier: Earlier, { response, inputs, signed }: Omit<Evidence, 'now'>): Earlier => {
  if (response.kind === 'unsent' || earlier === 'unanswered') return earlier;
  if (response.kind !== 'refused') return 'unanswered';
  // The states show what the refusal says, or could say.
  const isShown = inputs?.some((state) => state !== 'UNSPENT') || signed?.some((proof) => proof !== null);
  const isRefused = isCoded(response) || response.about === 'size' || (hasProtocolCode(response) && isShown);
  return isRefused ? 'refused' : 'unanswered';
};

/**
 * Sends an exchange, and fetches only the evidence that {@link decide} needs. Any error from the mint becomes
 * evidence. Also returns the next attempt's {@link Earlier}.
 */
export const attempt = async (
  exchange: Exchange,
  parts: AttemptParts,
): Promise<{ decision: Decision; earlier: Earlier }> => {
  const { clock, times } = parts;
  const response = await send(exchange, parts);
  let evidence: Omit<Evidence, 'now'> = { response };
  for (;;) {
    const decision = decide(exchange, { ...evidence, now: clock.now() }, times);
    if (decision.kind !== 'ask') return { decision, earlier: afterResponse(exchange.earlier, evidence) };
    const found = await askAbout(decision, exchange, parts).catch(
      (error: unknown): Partial<Evidence> => ({ unread: asMintError(error) }),
    );
    evidence = { ...evidence, ...found };
  }
};
