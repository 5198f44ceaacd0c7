import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { OpenWallet } from './open-wallet.ts';
import { VaultUnavailableError } from './seed/seed-vault.ts';
import type { WalletService } from './wallet.service.ts';

const RETRY_MS = 5_000;

/** Dependencies of {@link openWhenUnlocked}. */
export interface UnlockDeps {
  clock: Clock;
  logger: Logger;
  /** Called when the wallet opened late. */
  onUnlocked(service: WalletService): void;
}

const lockedError = () =>
  new AppError(
    'wallet_locked',
    "The system's keychain didn't open. It protects the wallet's backup words, and nothing is lost. Unlock the keychain, then restart dot-mi.",
    { retryAfterSeconds: RETRY_MS / 1000 },
  );

/**
 * Opens a wallet, now or when the keychain opens. A program that starts at login can be earlier than the
 * keychain, and its agents and files must not wait for that. Until the wallet is open, each of its routes throws
 * `wallet_locked`. Rejects like `open`, except for {@link VaultUnavailableError}.
 */
export const openWhenUnlocked = async (
  open: () => Promise<OpenWallet>,
  { clock, logger, onUnlocked }: UnlockDeps,
): Promise<OpenWallet> => {
  let wallet: OpenWallet | undefined;
  let isStarted = false;
  let isClosed = false;
  let attempt: Promise<void> | undefined;
  let lastFailure: string | undefined;
  let cancelTimer = (): void => undefined;

  const tryToOpen = async (): Promise<void> => {
    try {
      wallet = await open();
    } catch (error) {
      const failure = error instanceof VaultUnavailableError ? undefined : String(error);
      // Not at each attempt.
      if (failure !== undefined && failure !== lastFailure)
        logger.error({ err: error }, 'the wallet could not be opened after the keychain was locked');
      lastFailure = failure;
      if (!isClosed) cancelTimer = clock.after(RETRY_MS, retry);
      return;
    }
    logger.info({}, 'the keychain opened, and so did the wallet');
    if (isClosed) return;
    if (isStarted) wallet.start();
    onUnlocked(wallet.service);
  };
  const retry = () => {
    attempt = tryToOpen();
  };

  try {
    return await open();
  } catch (error) {
    if (!(error instanceof VaultUnavailableError)) throw error;
    logger.warn({}, 'the keychain is locked, so the wallet opens later');
  }
  cancelTimer = clock.after(RETRY_MS, retry);

  return {
    // A proxy, so that a method that is added later can't be forgotten here.
    service: new Proxy({} as WalletService, {
      get(_target, name) {
        if (!wallet) throw lockedError();
        return Reflect.get(wallet.service, name);
      },
    }),
    start() {
      isStarted = true;
      wallet?.start();
    },
    async close() {
      isClosed = true;
      cancelTimer();
      await attempt;
      await wallet?.close();
    },
  };
};
