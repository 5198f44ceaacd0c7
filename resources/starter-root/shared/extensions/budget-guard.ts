/**
 * Stops the agent once it has used the budget that it has in dot-mi. `setup.sh run` only looks before a run, and
 * starts no agent with this extension while dot-mi is not running.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent';

const TIMEOUT_MS = 3_000;

/** What dot-mi answers, as far as it matters here. */
interface Budget {
  exceeded: boolean;
  limits: {
    unit: 'usd' | 'sats';
    period: 'day' | 'month';
    limit: number;
    used: number | null;
    exceeded: boolean;
  }[];
}

/** Where any program can listen while dot-mi doesn't. Elsewhere only https proves who answers. */
const THIS_COMPUTER = /^(127\..*|0\.0\.0\.0|\[::.*|(.*\.)?localhost\.?)$/;

/** Throws unless the program at this address proves that it knows the key. */
async function requireDotMi({ protocol, hostname, origin }: URL, key: string): Promise<void> {
  if (protocol === 'https:' || !THIS_COMPUTER.test(hostname)) return;
  const nonce = randomBytes(16).toString('hex');
  const url = new URL(`/api/health?${new URLSearchParams({ nonce, origin })}`, origin);
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const { proofs = [] } = (await response.json()) as { proofs?: string[] };
  const hash = createHash('sha256').update(key).digest('hex');
  const proof = createHmac('sha256', hash).update(`dot-mi server\n${nonce}\n${origin}`).digest('hex');
  if (!proofs.includes(proof)) throw new Error('the program at this address does not know DOT_MI_KEY');
}

/** Asks dot-mi for the budget of the agent in this directory. Throws if it can't tell. */
async function askBudget(agentDir: string): Promise<Budget> {
  const url = new URL(
    `/api/agents/${encodeURIComponent(basename(agentDir))}/budget`,
    process.env.DOT_MI_URL || 'http://127.0.0.1:8000',
  );
  url.searchParams.set('directory', realpathSync(agentDir));
  const key = process.env.DOT_MI_KEY;
  if (key) await requireDotMi(url, key);
  const response = await fetch(url, {
    headers: key ? { Authorization: `Bearer ${key}` } : {},
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`dot-mi returned ${response.status}`);
  return (await response.json()) as Budget;
}

const amount = (unit: 'usd' | 'sats', value: number): string =>
  unit === 'usd' ? `$${value.toFixed(2)}` : `${Math.round(value)} sats`;

/** “It has used $5.02 of $5.00 today.” */
export function usedUp({ limits }: Budget): string {
  return limits
    .filter(({ exceeded }) => exceeded)
    .map(({ unit, period, limit, used }) => {
      const when = period === 'day' ? 'today' : 'this month';
      return `It has used ${amount(unit, used ?? limit)} of ${amount(unit, limit)} ${when}.`;
    })
    .join(' ');
}

/** Where there is no interface, standard output is an answer or a protocol. */
const tell = (ctx: ExtensionContext, text: string, kind: 'warning' | 'error'): void => {
  if (ctx.hasUI) ctx.ui.notify(text, kind);
  else process.stderr.write(`budget-guard: ${text}\n`);
};

export default function (pi: ExtensionAPI): void {
  let hasWarned = false;

  /** Whether pi runs without an agent, or `setup.sh run --force` started it. */
  const isFree = (): boolean => !process.env.PI_CODING_AGENT_DIR || Boolean(process.env.DOT_MI_FORCE);

  // Since 1.5.1, pi pays for its cache while it waits for you. Without an answer nothing is lost but the cache.
  pi.on('cache_warming_decision', async () => {
    if (isFree()) return undefined;
    const mayWarm = await askBudget(process.env.PI_CODING_AGENT_DIR ?? '').then(
      ({ exceeded }) => !exceeded,
      () => false,
    );
    return mayWarm ? undefined : { action: 'stop' as const };
  });

  // pi waits for this before each call of the model. Before 0.87 it doesn't wait for turn_start. So nothing is spent
  // after the call that reached the limit.
  pi.on('context', async (_event, ctx) => {
    const agentDir = process.env.PI_CODING_AGENT_DIR;
    if (!agentDir || isFree()) return;
    try {
      const budget = await askBudget(agentDir);
      hasWarned = false;
      if (!budget.exceeded) return;
      tell(ctx, `${basename(agentDir)} stopped, because its budget is used up. ${usedUp(budget)}`, 'error');
      ctx.abort();
    } catch (error) {
      // dot-mi may be restarting. The launcher made sure that it was there when the run began.
      if (hasWarned) return;
      hasWarned = true;
      tell(
        ctx,
        `The budget is not watched now: ${error instanceof Error ? error.message : error}.`,
        'warning',
      );
    }
  });
}
