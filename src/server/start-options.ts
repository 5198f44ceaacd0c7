import type { RunCommand } from '../shared/run-command.ts';
import type { OnBudgetReached } from './budgets/budgets.service.ts';
import type { JournalLimits } from './changes/journal.ts';
import type { LookTimes } from './changes/other-programs.ts';
import type { ProviderTimes } from './pi-models/call-provider.ts';
import type { Clock } from './platform/clock.ts';
import type { LinkSystem } from './platform/create-link.ts';
import type { LogLines } from './platform/logger.ts';
import type { PricingDeps } from './pricing/open-pricing.ts';
import type { TrustService } from './root/root-trust.ts';
import type { ServicesDeps, StartProgram } from './selling/index.ts';
import type { SettingsHost } from './settings/settings-host.ts';
import type { StatusListener } from './status/status.service.ts';
import type { OnWalletEvent, SeedVault, WalletDeps } from './wallet/index.ts';

/** A running server. */
export interface RunningServer {
  /** The server's URL without a trailing slash, such as `http://127.0.0.1:8000`. */
  url: string;
  /** The page's URL with the page token in the fragment, only for the operator. */
  pageUrl: string;
  /** SECURITY: has operator rights until dot-mi quits. */
  pageToken: string;
  /** SECURITY: has operator rights until it's renewed. Never give it to a page. */
  readonly operatorToken: string;
  renewOperatorToken(): Promise<void>;
  /** The managed root. */
  rootPath: string;
  version: string;
  /** Returns a run command with the path of pi, for the desktop's terminal. Throws the errors of `GET /api/agents/:id/run-command`. */
  terminalCommand(id: string): Promise<RunCommand>;
  /** Reads or grants trust in the root, for the host's command line. */
  rootTrust: Pick<TrustService, 'read' | 'trustNow'>;
  /** Brings the terminal of an agent's run to the front, as `POST /api/agents/:id/status/terminal` does. */
  showTerminal(id: string): Promise<void>;
  /** Returns the paths of the roots that were open before, newest first, for the host's menu. */
  recentRoots(): Promise<readonly string[]>;
  /** Why the wallet's routes don't work. May contain paths. Undefined if they work. */
  walletProblem: string | undefined;
  /** True if there's a page to open, false if there's only the API. */
  hasPage: boolean;
  /** Refreshes the BTC price once after the computer slept. */
  wake(): void;
  /** Stops the server. Open requests get up to 5 s to finish. */
  close(): Promise<void>;
}

/** Options that a host passes to {@link startServer}. */
export interface StartOptions {
  /** The token to keep when restarting at the same address, so that pages stay signed in. Defaults to a new one. */
  pageToken?: string;
  /** The page's host name to keep when restarting, so that open pages keep working. Defaults to a new one. */
  runHost?: string;
  /** Stores the settings and restarts the server when they change. If undefined, settings are read-only. */
  settings?: SettingsHost;
  /** True to fail if the wallet can't be opened, because the previous settings have one that can. Defaults to false. */
  needsWallet?: boolean;
  /** The destination of the log. Defaults to standard error. */
  logLines?: LogLines;
  /** Seals the wallet's seed if the system has a keychain. Called only for a wallet of real sats. */
  seedVault?: () => Promise<SeedVault | undefined>;
  /**
   * Reads the PATH for setup scripts, if the host's own is too short. Never rejects. Defaults to the environment's.
   */
  readSearchPath?: (() => Promise<string | undefined>) | undefined;
  /** Called with wallet events, for the host's notifications. */
  onWalletEvent?: OnWalletEvent;
  /** Called when an agent reaches 80 or 100 percent of a limit, for the host's notifications. */
  onBudgetReached?: OnBudgetReached;
  /** Receives changes in agents' status, for the host's notifications and tray. */
  statusListener?: StatusListener;
  /** Called for each sale of a service, for the host's notifications. */
  onSale?: ServicesDeps['onSale'];
  /** Called when a service opens, closes or ends, for the host's notifications. */
  onShop?: ServicesDeps['onShop'];
  /** Starts one of our programs as its own process. By default, Node starts it. */
  startProgram?: StartProgram | undefined;
  testing?: TestingOptions;
}

/** Options that only tests change. */
export interface TestingOptions
  extends Pick<WalletDeps, 'mintTimeoutMs' | 'requestDeadlineMs' | 'decisionTimes' | 'onStep'>,
    Pick<PricingDeps, 'priceListUrls' | 'refreshPauseMs'> {
  clock?: Clock;
  setupTimeoutMs?: number;
  /** How much the history keeps. */
  journalLimits?: JournalLimits;
  /** When to look for changes of other programs. */
  lookTimes?: LookTimes;
  linkSystem?: LinkSystem;
  /** How long providers of models can take. */
  providerTimes?: ProviderTimes;
}
