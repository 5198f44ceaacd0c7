import type { Config } from './config.ts';
import { StartError } from './http/http-server.ts';
import { RESOURCES_DIRECTORY } from './locations.ts';
import { systemCode } from './platform/app-error.ts';
import { NotPrivateError } from './platform/private-files.ts';
import { type OpenPricing, openPricing, type PricingDeps } from './pricing/open-pricing.ts';
import { loadOperatorToken, type OperatorToken } from './sign-in/operator-token.ts';
import { ensureStarterRoot } from './starter-root.ts';
import { openWhenPossible } from './wallet/locked-wallet.ts';
import { type OpenWallet, openWallet, type WalletDeps } from './wallet/open-wallet.ts';
import { DatabaseInUseError } from './wallet/store/sqlite.ts';

/** The template of this version's starter root. */
export const STARTER_TEMPLATE = `${RESOURCES_DIRECTORY}/starter-root`;

/** Creates what the data folder lacks: operator token, prices and a root. Throws {@link StartError}. */
export const prepareData = async (
  config: Config,
  pricing: PricingDeps,
): Promise<[operatorToken: OperatorToken, pricing: OpenPricing]> => {
  try {
    const [operatorToken, prices] = await Promise.all([
      loadOperatorToken(config.walletDirectory),
      openPricing(config, pricing),
      config.rootPath === undefined ? ensureStarterRoot(config.starterRootPath, STARTER_TEMPLATE) : undefined,
    ]);
    return [operatorToken, prices];
  } catch (error) {
    if (error instanceof NotPrivateError) throw new StartError(`dot-mi could not start: ${error.message}`);
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new StartError(
      `dot-mi can't write its data (${code}). Start it in a writable directory, or set WALLET_DB_PATH, MODEL_PRICING_PATH and DOT_MI_ROOT to writable paths.`,
    );
  }
};

/**
 * Opens the wallet, as {@link openWhenPossible} does. Throws {@link StartError} if another dot-mi has it, and if it can't be
 * opened but `isNeeded`.
 */
export const openWalletOrExplain = async (
  config: Config,
  isNeeded: boolean,
  deps: WalletDeps,
): Promise<OpenWallet> => {
  try {
    const wallet = await openWhenPossible(() => openWallet(config, deps), {
      ...deps,
      walletDirectory: config.walletDirectory,
      onUnlocked(service) {
        const { balance, pending } = service.balance();
        deps.publish({ balance, pending, operation: null });
      },
    });
    if (isNeeded && wallet.problem !== undefined)
      throw new StartError(`dot-mi could not start: ${wallet.problem}.`);
    return wallet;
  } catch (error) {
    if (error instanceof DatabaseInUseError)
      throw new StartError(`dot-mi could not start: ${error.message}.`);
    throw error;
  }
};
