// Shared by the list, the transcript's header and its entries, and tested alone.
import type { SessionUsage } from '../../../../shared/api/sessions.ts';
import type { AgentSession } from '../../../../shared/api/usage.ts';
import { formatSats, formatUsd } from '../../format-price.ts';
import { sessions as words } from '../../strings/sessions.ts';

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
