import type { RunCommand } from '../shared/run-command.ts';
import type { OnBudgetReached } from './budgets/budgets.service.ts';
import type { Clock } from './platform/clock.ts';
import type { LinkSystem } from './platform/create-link.ts';
import type { LogLines } from './platform/logger.ts';
import type { PricingDeps } from './pricing/open-pricing.ts';
import type { TrustService } from './root/root-trust.ts';
import type { StartProgram } from './services/service-process.ts';
import type { ServicesDeps } from './services/services.service.ts';
import type { SettingsHost } from './settings/settings-host.ts';
import type { StatusListener } from './status/status.service.ts';
import type { WalletDeps } from './wallet/open-wallet.ts';
import type { SeedVault } from './wallet/seed/seed-vault.ts';
import type { OnWalletEvent } from './wallet/wallet-events.ts';

/** A running server. */
export interface RunningServer {
  /** Such as `http://127.0.0.1:8000`, without a trailing slash. */
  url: string;
  /** The URL of the page with its token in the fragment, only for the operator. */
  pageUrl: string;
  /** SECURITY: has operator rights until the process ends. */
  pageToken: string;
  /** SECURITY: has operator rights until it is renewed. Never give it to a page. */
  readonly operatorToken: string;
  renewOperatorToken(): Promise<void>;
  /** The root it manages. */
  rootPath: string;
  version: string;
  /** For the desktop's terminal. Throws what `GET /api/agents/:id/run-command` answers. */
  runCommand(id: string): Promise<RunCommand>;
  /** For the host's command line: whether the root's setup script may run. */
  rootTrust: Pick<TrustService, 'read' | 'trustNow'>;
  /** Why the routes of the wallet don't work, with paths; undefined if they do. */
  walletProblem: string | undefined;
  /** Whether there is a page to open, or only the API. */
  hasPage: boolean;
  /** Refreshes the BTC price once after the machine slept. */
  wake(): void;
  /** Ends the server. Open requests get at most 5 s to finish. */
  close(): Promise<void>;
}

/** Options that a host passes to {@link startServer}. */
export interface StartOptions {
  /** The token to keep on a restart at the same address, so that pages stay signed in. Default: a new one. */
  pageToken?: string;
  /** The name of the page to keep on a restart, so that open pages stay. Default: a new one. */
  runHost?: string;
  /** Keeps the settings and restarts the server when they change. Without it, settings are read-only. */
  settings?: SettingsHost;
  /** Whether a wallet that can't be opened ends the start, because other settings have one that can. Default: no. */
  needsWallet?: boolean;
  /** Where the log goes. Default: standard error. */
  logLines?: LogLines;
  /** Seals the wallet's seed if the system has a keychain. Called only for a wallet of real sats. */
  seedVault?: () => Promise<SeedVault | undefined>;
  /** The PATH for setup scripts, if the host's own is too short. Never rejects. Default: the environment's. */
  readSearchPath?: (() => Promise<string | undefined>) | undefined;
  /** Hears what the wallet did, for notifications of the host. */
  onWalletEvent?: OnWalletEvent;
  /** Hears that an agent reached 80 or 100 percent of a limit, for notifications of the host. */
  onBudgetReached?: OnBudgetReached;
  /** Hears what agents do, for notifications and the tray of the host. */
  statusListener?: StatusListener;
  /** Hears of each sale of a service, for notifications of the host. */
  onSale?: ServicesDeps['onSale'];
  /** Starts a program of ours as a process of its own. Default: as Node does. */
  startProgram?: StartProgram | undefined;
  testing?: TestingOptions;
}

/** Parameters that only tests change. */
export interface TestingOptions
  extends Pick<WalletDeps, 'mintTimeoutMs' | 'requestDeadlineMs' | 'confirmAfterMs' | 'onStep'>,
    Pick<PricingDeps, 'priceListUrls'> {
  clock?: Clock;
  setupTimeoutMs?: number;
  linkSystem?: LinkSystem;
}
