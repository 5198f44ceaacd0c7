import type { ReachedBudget } from '../server/budgets/budgets.service.ts';
import type { Clock } from '../server/platform/clock.ts';
import type { RunChange } from '../server/status/status.service.ts';
import type { OperationReport, WalletEvent } from '../server/wallet/index.ts';
import type { Sale, Service } from '../shared/api/services.ts';
import type { NotificationEvent, PageView } from '../shared/desktop-bridge.ts';
import type { ShowNotification, ShownNotification } from './system-notifications.ts';

/** Payments within this time share a notification. */
const GROUP_MS = 3_000;
/** After a notification about sales, the next one waits this long and covers all sales since. */
const SALES_GROUP_MS = 60_000;
/** A mint that doesn't respond for this long is worth a notification. */
const OUTAGE_MS = 5 * 60_000;
/** If the wallet made no request for longer than this, the mint's state in between is unknown. */
const LONGEST_SILENCE_MS = 15 * 60_000;
/** How long an operation can be pending before it's reported as stuck. */
const STUCK_AFTER_MS = 10 * 60_000;
/** A failure within this time was already reported in the response to the request. */
const ANSWERED_WITHIN_MS = 15_000;
/** How long to wait before a notification, because a program may answer on the person's behalf. */
const ASKED_MS = 3_000;
/** A service that closes for less than this, such as during a restart, needs no notification. */
const CLOSED_MS = 30_000;
/** How often a provider that reports no usage is worth a notification. */
const ESTIMATED_MS = 24 * 60 * 60_000;
/** If an agent worked for less than this, the person is still watching. */
const LEAST_WORK_MS = 10_000;
/** How many finished operations to remember, so that none is counted twice. */
const MOST_REMEMBERED = 1_000;

const PAYMENT_KINDS: ReadonlySet<OperationReport['kind']> = new Set(['receive', 'send', 'reclaim']);

/** The parts of the app that notifications need. */
export interface NotificationsHost {
  show: ShowNotification;
  wants(kind: NotificationEvent): boolean;
  /** Returns whether the person is viewing this view, or any view if none is given. */
  isLookingAt(view?: PageView): boolean;
  /** Shows the window, with this view if one is given. */
  open(view?: PageView): void;
  clock: Clock;
}

/** Reports events that can cause a desktop notification. */
export interface Notifications {
  hear(event: WalletEvent): void;
  /** Call when an agent reaches 80 or 100 percent of a limit. */
  budgetReached(reached: ReachedBudget): void;
  /** Call when a customer's request to a service ends. */
  saleEnded(agent: string, sale: Pick<Sale, 'outcome' | 'charged' | 'isEstimated'>): void;
  /** Call when a service opens, closes or ends. */
  shopTurned(agent: string, service: Pick<Service, 'state' | 'problem'>): void;
  /** Call when an agent's run starts working or waiting, is done, or ends. */
  runChanged(change: RunChange): void;
  /** Call when a new version has been downloaded. Each version is reported once. */
  updateReady(version: string): void;
}

const number = new Intl.NumberFormat('en');
const sats = (amount: number): string => `${number.format(amount)} sat`;
const total = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);

/** Returns “21 sat”, or “3 payments, 63 sat in total”. */
const describeAll = (amounts: readonly number[]): string =>
  amounts.length === 1
    ? sats(total(amounts))
    : `${number.format(amounts.length)} payments, ${sats(total(amounts))} in total`;

/** Returns “45 seconds”, “12 minutes” or “3 hours”. */
const describeTime = (ms: number): string => {
  const [count, unit] =
    ms < 60_000
      ? [ms / 1_000, 'second']
      : ms < 3_600_000
        ? [ms / 60_000, 'minute']
        : [ms / 3_600_000, 'hour'];
  const whole = Math.floor(count);
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
};

/** Customers' requests since the last notification about them. */
interface EndedSales {
  sold: number;
  refunded: number;
  /** In sats. */
  earned: number;
  agents: Set<string>;
}

/** Returns “translator made 3 sales”, followed by the earnings and failures. */
const describeSales = ({ sold, refunded, earned, agents }: EndedSales): { title: string; body: string } => {
  const [agent = ''] = agents;
  const who = agents.size === 1 ? agent : `${number.format(agents.size)} agents`;
  const failures = `${number.format(refunded)} ${refunded === 1 ? 'request' : 'requests'} failed. The ${refunded === 1 ? 'customer' : 'customers'} got a full refund.`;
  if (sold === 0) return { title: `${who} couldn’t do paid work`, body: failures };
  return {
    title: `${who} made ${sold === 1 ? 'a sale' : `${number.format(sold)} sales`}`,
    body: refunded > 0 ? `${sats(earned)}. ${failures}` : sats(earned),
  };
};

/**
 * Decides when a person gets a notification, based on reports from the wallet, budgets and services.
 *
 * SECURITY: no text contains a token, a memo, or a mint's words. Other people can see a notification.
 */
export const createNotifications = ({
  show,
  wants,
  isLookingAt,
  open,
  clock,
}: NotificationsHost): Notifications => {
  /** `<id> <state>` of operations that were counted when they ended. A restarted server may report them again. */
  const counted = new Set<string>();
  const stuckTimers = new Map<string, () => void>();
  let wallet = { mintUrl: '', isSimulated: false };
  let readyVersion: string | undefined;
  let outage:
    | { sinceMs: number; lastMs: number; isReported: boolean; shown: ShownNotification | undefined }
    | undefined;

  const notify = (kind: NotificationEvent, view: PageView, title: string, body: string) => {
    if (!wants(kind) || isLookingAt(view)) return undefined;
    return show({ title, body }, () => open(view));
  };

  /** Collects amounts for a moment, and then reports those that the person didn't see in the wallet. */
  const createGroup = (report: (amounts: readonly number[]) => void) => {
    let waiting: number[] = [];
    return (amount: number) => {
      if (isLookingAt('wallet')) return;
      waiting.push(amount);
      if (waiting.length > 1) return;
      clock.after(GROUP_MS, () => {
        const amounts = waiting;
        waiting = [];
        report(amounts);
      });
    };
  };

  const received = createGroup((amounts) => {
    const title = wallet.isSimulated ? 'Test payment received' : 'Payment received';
    notify('payments', 'wallet', title, describeAll(amounts));
  });
  const failed = createGroup((amounts) =>
    notify('attention', 'wallet', 'Payment failed', `${describeAll(amounts)}. The wallet shows the reason.`),
  );
  const stuck = createGroup((amounts) =>
    notify(
      'attention',
      'wallet',
      'Payment stuck',
      `${describeAll(amounts)}. The mint hasn’t finished this payment. To get the sats back, choose “Release…” for it in the wallet’s history.`,
    ),
  );

  /** Counts an operation's end. Returns false if it was already counted. */
  const countOnce = ({ id, state }: OperationReport): boolean => {
    const key = `${id} ${state}`;
    if (counted.has(key)) return false;
    counted.add(key);
    for (const oldest of counted) {
      if (counted.size <= MOST_REMEMBERED) break;
      counted.delete(oldest);
    }
    return true;
  };

  const hearOperation = (operation: OperationReport) => {
    const { id, kind, state, amount, createdAt, isReleased, isOfCharge } = operation;
    if (!PAYMENT_KINDS.has(kind)) return;
    if (state === 'pending') {
      if (stuckTimers.has(id)) return;
      const leftMs = Math.max(0, createdAt + STUCK_AFTER_MS - clock.now());
      // Keep the entry after the timer fires, so that a stuck operation is reported only once.
      stuckTimers.set(
        id,
        clock.after(leftMs, () => stuck(amount)),
      );
      return;
    }
    stuckTimers.get(id)?.();
    stuckTimers.delete(id);
    if (!countOnce(operation)) return;
    // A sale has its own notification.
    if (state === 'completed' && kind === 'receive' && !isOfCharge) received(amount);
    const isLate = clock.now() - createdAt > ANSWERED_WITHIN_MS;
    if (state === 'failed' && isLate && !isReleased) failed(amount);
  };

  const endOutage = () => {
    outage?.shown?.close();
    outage = undefined;
  };

  /** Detects outages from the wallet's own requests, without extra ones. */
  const hearMint = (isReachable: boolean) => {
    if (isReachable) return endOutage();
    const nowMs = clock.now();
    if (outage && nowMs - outage.lastMs > LONGEST_SILENCE_MS) endOutage();
    outage ??= { sinceMs: nowMs, lastMs: nowMs, isReported: false, shown: undefined };
    outage.lastMs = nowMs;
    if (outage.isReported || nowMs - outage.sinceMs < OUTAGE_MS) return;
    outage.isReported = true;
    outage.shown = notify(
      'mint',
      'wallet',
      'The mint isn’t responding',
      `${new URL(wallet.mintUrl).host} hasn’t responded for five minutes. dot-mi can’t receive payments until it does.`,
    );
  };

  let ended: EndedSales | undefined;
  let lastSalesMs = Number.NEGATIVE_INFINITY;
  const reportSales = () => {
    const sales = ended;
    ended = undefined;
    if (!sales) return;
    const { title, body } = describeSales(sales);
    if (notify('sales', 'wallet', title, body)) lastSalesMs = clock.now();
  };

  /** When a sale of each agent was last reported as estimated. */
  const estimatedAt = new Map<string, number>();
  const reportEstimated = (agent: string) => {
    if (clock.now() - (estimatedAt.get(agent) ?? Number.NEGATIVE_INFINITY) < ESTIMATED_MS) return;
    estimatedAt.set(agent, clock.now());
    notify(
      'sales',
      `agent:${agent}`,
      `${agent}’s provider reports no usage`,
      'dot-mi estimated the model tokens of a sale. Compare its price with the provider’s bill.',
    );
  };

  /** The closed services, with their notifications. */
  const closed = new Map<string, { cancel(): void; shown: ShownNotification | undefined }>();

  /** The waiting runs, with their notifications. A restarted server reports them again. */
  const waits = new Map<string, { cancel(): void; shown: ShownNotification | undefined }>();
  const runWaits = (run: string, agent: string) => {
    if (waits.has(run)) return;
    const cancel = clock.after(ASKED_MS, () => {
      const title = `${agent} is waiting for you`;
      const shown = notify('waiting', `agent:${agent}`, title, 'Answer it in its terminal.');
      waits.set(run, { cancel, shown });
    });
    waits.set(run, { cancel, shown: undefined });
  };
  const stopWaiting = (run: string) => {
    const wait = waits.get(run);
    wait?.cancel();
    wait?.shown?.close();
    waits.delete(run);
  };

  return {
    hear(event) {
      if (event.name === 'operation') return hearOperation(event.operation);
      if (event.name === 'mint') return hearMint(event.isReachable);
      // The server started, or restarted with other settings.
      if (event.mintUrl !== wallet.mintUrl || event.isSimulated) endOutage();
      wallet = { mintUrl: event.mintUrl, isSimulated: event.isSimulated };
      const stillPending = new Set(event.pending.map(({ id }) => id));
      for (const [id, cancel] of stuckTimers) {
        if (stillPending.has(id)) continue;
        cancel();
        stuckTimers.delete(id);
      }
      event.pending.forEach(hearOperation);
    },

    budgetReached({ agent, unit, period, percent }) {
      const limit = `its ${unit === 'usd' ? 'dollars' : 'sats'} for ${period === 'day' ? 'today' : 'this month'}`;
      const next = period === 'day' ? 'tomorrow' : 'next month';
      if (percent < 100) {
        notify('budgets', 'overview', `${agent} is near its budget`, `It has used ${percent}% of ${limit}.`);
        return;
      }
      notify(
        'budgets',
        'overview',
        `${agent} has used its budget`,
        `It has used all of ${limit}. You can run it again ${next}, or raise the limit.`,
      );
    },

    saleEnded(agent, { outcome, charged, isEstimated }) {
      if (isEstimated) reportEstimated(agent);
      if (!ended) {
        ended = { sold: 0, refunded: 0, earned: 0, agents: new Set() };
        clock.after(Math.max(GROUP_MS, lastSalesMs + SALES_GROUP_MS - clock.now()), reportSales);
      }
      ended[outcome] += 1;
      ended.earned += charged ?? 0;
      ended.agents.add(agent);
    },

    shopTurned(agent, { state, problem = '' }) {
      const before = closed.get(agent);
      if (state === 'closed') {
        if (before) return;
        const cancel = clock.after(CLOSED_MS, () => {
          const shown = notify('sales', `agent:${agent}`, `Customers can’t buy from ${agent}`, problem);
          closed.set(agent, { cancel, shown });
        });
        closed.set(agent, { cancel, shown: undefined });
        return;
      }
      closed.delete(agent);
      before?.cancel();
      before?.shown?.close();
      if (before?.shown && state === 'running')
        notify('sales', `agent:${agent}`, `${agent} is for sale again`, 'Customers can buy from it.');
    },

    runChanged({ agent, run, state, workedMs }) {
      const named = `${agent} ${run}`;
      if (state === 'waiting') return runWaits(named, agent);
      stopWaiting(named);
      if (state === 'done' && workedMs >= LEAST_WORK_MS)
        notify('done', `agent:${agent}`, `${agent} is done`, `It worked for ${describeTime(workedMs)}.`);
    },

    updateReady(version) {
      if (version === readyVersion) return;
      readyVersion = version;
      if (!wants('updates') || isLookingAt()) return;
      show({ title: `dot-mi ${version} is ready`, body: 'dot-mi installs it when you quit.' }, () => open());
    },
  };
};
