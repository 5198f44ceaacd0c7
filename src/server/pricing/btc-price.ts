import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { askSource, type FetchJson, type Source, SourceError } from './btc-sources.ts';
import { findBtcPrice, isNearOld, type ReportedPrice } from './find-btc-price.ts';
import type { PriceHistory } from './price-history.ts';

/** The BTC price in use. */
export interface CurrentPrice extends ReportedPrice {
  /** True if it's older than three intervals. */
  stale: boolean;
}

/** Keeps the BTC price current. */
export interface BtcPriceKeeper {
  /** Throws `price_unavailable` if no price was ever fetched. */
  current(): CurrentPrice;
  /**
   * Queries the sources, but not within five seconds of the last time: then it returns or throws the same as
   * that time. Throws `refresh_failed` and keeps the old price.
   */
  refresh(): Promise<ReportedPrice>;
  /** Returns the prices since `at`, oldest first. */
  since(at: number): ReportedPrice[];
  /** Refreshes the price immediately, and again at each interval. */
  start(): void;
  /** Refreshes after the computer slept, without waiting for the next timer. Does nothing if the price is recent. */
  wake(): void;
  stop(): void;
}

interface BtcPriceParts {
  sources: readonly Source[];
  fetchJson: FetchJson;
  history: PriceHistory;
  intervalMs: number;
  /** The least time between two refreshes. Default: {@link REFRESH_PAUSE_MS}. */
  refreshPauseMs?: number | undefined;
  clock: Clock;
  logger: Logger;
  onPrice(reported: ReportedPrice): void;
}

const FIRST_RETRY_MS = 5_000;
/** Anybody can request refreshes, and the sources block programs that ask too often. */
const REFRESH_PAUSE_MS = 5_000;
/** A price this recent isn't refreshed on waking, because a due timer may have just refreshed it. */
const JUST_NOW_MS = 10_000;
/** Spreads requests out, so that many programs don't send them at the same moment. */
const JITTER = 0.1;
const STALE_INTERVALS = 3;
/** How many consecutive refreshes must report a large move if no second source can confirm it. */
const CONVINCING = 3;

const isNewerAndNear = (reported: ReportedPrice, latest: ReportedPrice): boolean =>
  reported.at > latest.at && isNearOld(reported.price, latest.price);

export const createBtcPriceKeeper = ({
  sources,
  fetchJson,
  history,
  intervalMs,
  refreshPauseMs = REFRESH_PAUSE_MS,
  clock,
  logger,
  onPrice,
}: BtcPriceParts): BtcPriceKeeper => {
  const staleMs = STALE_INTERVALS * intervalMs;
  const backoffUntil = new Map<string, number>();
  let running: Promise<ReportedPrice> | undefined;
  let last: { readonly at: number; readonly result: Promise<ReportedPrice> } | undefined;
  let doubtful: { reported: ReportedPrice; times: number } | undefined;
  let failures = 0;
  let cancelTimer: (() => void) | undefined;
  let stopped = false;

  const fetchPrice = async (source: Source): Promise<Pick<ReportedPrice, 'price' | 'at'>> => {
    try {
      const { price, atMs } = await askSource(source, fetchJson);
      const now = clock.now();
      // A time in the future means that a clock is wrong.
      return { price, at: Math.min(atMs ?? now, now) };
    } catch (error) {
      if (error instanceof SourceError && error.retryAfterMs !== undefined) {
        backoffUntil.set(source.name, clock.now() + error.retryAfterMs);
      }
      throw error;
    }
  };

  /** Returns whether consecutive refreshes have confirmed a large move that no other source can confirm. */
  const isConfirmedByRepetition = (reported: ReportedPrice): boolean => {
    const again = doubtful && isNearOld(reported.price, doubtful.reported.price);
    doubtful = { reported, times: again && doubtful ? doubtful.times + 1 : 1 };
    return doubtful.times >= CONVINCING;
  };

  const askAll = async (): Promise<ReportedPrice> => {
    const now = clock.now();
    const availableSources = sources.filter(({ name }) => (backoffUntil.get(name) ?? 0) <= now);
    const latest = history.latest();
    const finding = await findBtcPrice(availableSources, latest?.price, now - staleMs, fetchPrice);
    if (finding.kind === 'nothing' || finding.kind === 'old') doubtful = undefined;
    if (
      finding.kind === 'nothing' ||
      (finding.kind === 'unconfirmed' && !isConfirmedByRepetition(finding.reported)) ||
      // An old price is better than none, and than an older one.
      (finding.kind === 'old' && latest && !isNewerAndNear(finding.reported, latest))
    ) {
      throw new AppError(
        'refresh_failed',
        finding.kind === 'unconfirmed'
          ? 'The BTC price moved by more than 10% and no second source confirmed it. dot-mi keeps the old price.'
          : latest
            ? 'No source returned a plausible BTC price. dot-mi keeps the old price.'
            : 'No source returned a plausible BTC price. Check the network and the sources, or try again later.',
        { success: false, sources: finding.failures },
      );
    }
    doubtful = undefined;
    const { reported } = finding;
    // The source's own time can be before that of another source's price.
    if (latest && latest.at <= now && reported.at < latest.at) return latest;
    await history.add(reported).catch((error: unknown) => {
      logger.warn({ err: error }, 'the BTC price could not be saved; it will be lost on restart');
    });
    onPrice(reported);
    return reported;
  };

  /** Queries the sources, whenever that was done last. Concurrent calls share the result. */
  const refreshNow = (): Promise<ReportedPrice> => {
    if (running) return running;
    running = askAll().finally(() => {
      running = undefined;
    });
    last = { at: clock.now(), result: running };
    return running;
  };

  const refresh = (): Promise<ReportedPrice> => {
    const ageMs = last ? clock.now() - last.at : Number.POSITIVE_INFINITY;
    // A clock that was set back must not stop refreshes.
    return last && ageMs >= 0 && ageMs < refreshPauseMs ? last.result : refreshNow();
  };

  const later = (ms: number) => {
    cancelTimer?.();
    if (!stopped) cancelTimer = clock.after(ms * (1 - JITTER / 2 + Math.random() * JITTER), () => run());
  };

  // Set the next timer after this refresh, so that a laptop that wakes up has one due timer, not many.
  const run = (ask = refreshNow) => {
    ask().then(
      () => {
        failures = 0;
        later(intervalMs);
      },
      (error: unknown) => {
        if (!(error instanceof AppError)) logger.error({ err: error }, 'refreshing the BTC price failed');
        later(Math.min(intervalMs, FIRST_RETRY_MS * 2 ** failures));
        failures += 1;
      },
    );
  };

  return {
    refresh,
    since: history.since,
    current() {
      const reported = history.latest();
      if (!reported) {
        throw new AppError(
          'price_unavailable',
          'dot-mi has no BTC price yet. Try again in a few seconds, or check that this computer can reach the sources in BTC_PRICE_SOURCES.',
          { retryAfterSeconds: FIRST_RETRY_MS / 1000 },
        );
      }
      return { ...reported, stale: clock.now() - reported.at > staleMs };
    },
    // A request may have asked them just before.
    start: () => run(refresh),
    wake() {
      const ageMs = clock.now() - (history.latest()?.at ?? 0);
      if (stopped || running || (ageMs >= 0 && ageMs < JUST_NOW_MS)) return;
      cancelTimer?.();
      run();
    },
    stop() {
      stopped = true;
      cancelTimer?.();
    },
  };
};
