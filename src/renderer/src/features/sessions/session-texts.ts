import type { AgentSession, SessionUsage } from '../../../../shared/api/sessions.ts';
import { formatSats, formatUsd } from '../../format-price.ts';
import { sessions as words } from '../../strings/sessions.ts';

/** Characters that change the direction of the text after them. */
const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text with its hidden direction marks spelled out. SECURITY: the text may be anyone's, and such a mark can make
 * a command or a file name read as another one.
 */
export const visible = (text: string): string =>
  text.replace(DIRECTION_MARKS, (mark) => `‹U+${mark.charCodeAt(0).toString(16).toUpperCase()}›`);

/** The arguments of a tool as lines to read: `name: value`, with texts as they are. */
export const argumentLines = (json: string): string => {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return Object.entries(value)
        .map(([name, own]) => `${name}: ${typeof own === 'string' ? own : JSON.stringify(own)}`)
        .join('\n');
  } catch {
    // It was cut, so it is no longer JSON.
  }
  return json;
};

/** A cost as it is shown. */
interface CostText {
  readonly usd: string;
  /** Undefined if it isn't known. */
  readonly sats: string | undefined;
  /** Why the cost is not exact. */
  readonly hint: string | undefined;
}

const UNKNOWN: CostText = { usd: words.costUnknown, sats: undefined, hint: words.costUnknownHint };

const toText = (usd: number, sats: number | null, isEstimate: boolean, isPart: boolean): CostText => ({
  usd: words.cost(formatUsd(usd), isEstimate, isPart),
  sats: sats === null ? undefined : words.cost(words.sats(formatSats(sats)), isEstimate, isPart),
  hint: isPart ? words.costUnknownHint : isEstimate ? words.estimateHint : undefined,
});

/** The cost of a session. */
export const costOfSession = (session: AgentSession): CostText => {
  const { usdRecorded, usdEstimated, unpricedTokens, sats } = session;
  if (usdEstimated === null && usdRecorded === 0) return UNKNOWN;
  return toText(usdRecorded + (usdEstimated ?? 0), sats, (usdEstimated ?? 0) > 0, unpricedTokens > 0);
};

/** The cost of one entry. */
export const costOfEntry = ({ usd, sats, estimated }: SessionUsage): CostText =>
  usd === null ? UNKNOWN : toText(usd, sats, estimated, false);
