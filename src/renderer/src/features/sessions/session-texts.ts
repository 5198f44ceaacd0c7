import type { AgentSession, SessionUsage } from '../../../../shared/api/sessions.ts';
import { formatSats, formatUsd } from '../../money/format-price.ts';
import { sessions as words } from '../../strings/sessions.ts';

/** Characters that change the direction of the text after them. */
const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Spells out hidden direction marks in text. SECURITY: anyone may have written the text, and such a mark can
 * disguise a command or a file name.
 */
export const visible = (text: string): string =>
  text.replace(DIRECTION_MARKS, (mark) => `‹U+${mark.charCodeAt(0).toString(16).toUpperCase()}›`);

/** Formats a tool's arguments as readable lines: `name: value`, with strings verbatim. */
export const argumentLines = (json: string): string => {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return Object.entries(value)
        .map(([name, own]) => `${name}: ${typeof own === 'string' ? own : JSON.stringify(own)}`)
        .join('\n');
  } catch {
    // The arguments were cut off, so they're no longer valid JSON.
  }
  return json;
};

/** A formatted cost. */
interface CostText {
  readonly usd: string;
  /** Undefined if unknown. */
  readonly sats: string | undefined;
  /** Why the cost isn't exact. */
  readonly hint: string | undefined;
}

const UNKNOWN: CostText = { usd: words.costUnknown, sats: undefined, hint: words.costUnknownHint };

const toText = (usd: number, sats: number | null, isEstimate: boolean, isPart: boolean): CostText => ({
  usd: words.cost(formatUsd(usd), isEstimate, isPart),
  sats: sats === null ? undefined : words.cost(words.sats(formatSats(sats)), isEstimate, isPart),
  hint: isPart ? words.costUnknownHint : isEstimate ? words.estimateHint : undefined,
});

/** Returns the cost of a session. */
export const costOfSession = (session: AgentSession): CostText => {
  const { usdRecorded, usdEstimated, unpricedTokens, sats } = session;
  if (usdEstimated === null && usdRecorded === 0) return UNKNOWN;
  return toText(usdRecorded + (usdEstimated ?? 0), sats, (usdEstimated ?? 0) > 0, unpricedTokens > 0);
};

/** Returns the cost of one entry. */
export const costOfEntry = ({ usd, sats, estimated, coveredBySubscription }: SessionUsage): CostText => {
  const text = usd === null ? UNKNOWN : toText(usd, sats, estimated, false);
  return coveredBySubscription ? { ...text, hint: words.coveredHint } : text;
};
