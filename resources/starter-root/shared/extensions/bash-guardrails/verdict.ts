/** `block`: never. `ask`: only when the user, having seen it, says yes. `why` is a sentence. */
export interface Verdict {
  action: 'block' | 'ask';
  why: string;
}

export const block = (why: string): Verdict => ({ action: 'block', why });
export const ask = (why: string): Verdict => ({ action: 'ask', why });

/** The first that blocks, or else the first that asks. */
export const worst = (verdicts: readonly (Verdict | undefined)[]): Verdict | undefined =>
  verdicts.find((verdict) => verdict?.action === 'block') ??
  verdicts.find((verdict) => verdict !== undefined);
