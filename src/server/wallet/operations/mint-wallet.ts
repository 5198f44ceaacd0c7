import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { MintError } from '../mint/mint.ts';
import { createMintThread, type MintThreadData } from '../mint/mint-thread.ts';
import { ASK_AWAY_MINT_MS, isMintAway, type MintWatch, watchMint } from '../mint/mint-watch.ts';
import { createRequestShare } from '../mint/request-share.ts';
import type { Seed } from '../seed/seed.ts';
import type { Operation } from '../store/operation.ts';
import { earlierUrlsOf, type WalletStore } from '../store/wallet-store.ts';
import { type BalanceView, createBalanceView } from './balance.ts';
import type { OnStep } from './decide.ts';
import { DECISION_TIMES, type DecisionTimes } from './decide.ts';
import { createDueQueue } from './due-queue.ts';
import { createLedger } from './ledger.ts';
import { createMaintenance } from './maintenance.ts';
import { createWalletOutputs } from './outputs.ts';
import { createOwnKeysets, type ForeignKeysets } from './own-keysets.ts';
import { createProofChecks } from './proof-checks.ts';
import { rememberInputLimit } from './read-token.ts';
import { createReceiver, REQUEST_DEADLINE_MS, type Receiver, type WalletContext } from './receive.ts';
import { createReconciler } from './reconcile.ts';
import { createRecovery } from './recovery.ts';
import { createRunner } from './runner.ts';
import { createSpender, type Spender } from './spend.ts';
import { createTokenShare } from './token-share.ts';

/** One mint's wallet: everything that moves its sats. */
export interface MintWallet {
  context: WalletContext;
  receiver: Receiver;
  spender: Spender;
  watch: MintWatch;
  balance: BalanceView;
  /** Returns the mints whose keysets this mint lists as its own. The wallet doesn't use them here. */
  foreignKeysets(): ForeignKeysets[];
  /** Resumes an earlier process's operations, and fetches the mint's signatures for the wallet's words. */
  start(): void;
  /** Closes the wallet. Pending operations continue at the next start. */
  close(): Promise<void>;
}

/** The parts that a mint's wallet needs. Tests change the deadlines and steps. */
interface MintWalletParts {
  workerUrl: URL;
  mintUrl: string;
  store: WalletStore;
  seed: Seed;
  clock: Clock;
  logger: Logger;
  /** Called after an operation changed, or with null after only the balance changed. */
  onChange(operation: Operation | null): void;
  /** Called after each request that shows whether the mint is reachable. */
  onMintHeard?: ((isReachable: boolean) => void) | undefined;
  otherMints: Parameters<typeof createBalanceView>[0]['otherMints'];
  /** If the sats are test money, their mint, and the URL of the mint that the balance names. */
  testMoney?: { mint: MintThreadData['testMoneyMint']; mintUrl: string } | undefined;
  /** For a mint that the wallet doesn't use now. See {@link createOwnKeysets}. */
  beforeClaim?: () => Promise<unknown>;
  mintTimeoutMs?: number | undefined;
  requestDeadlineMs?: number | undefined;
  decisionTimes?: Partial<DecisionTimes> | undefined;
  onStep?: OnStep | undefined;
}

/** An operation starts a check of the free proofs only if the last check is older than this. */
const CHECK_EVERY_MS = 60_000;

/** Opens a mint's wallet. */
export const createMintWallet = (parts: MintWalletParts): MintWallet => {
  const { workerUrl, mintUrl, store, seed, clock, logger, testMoney } = parts;
  const share = createRequestShare(clock);
  const thread = createMintThread(
    workerUrl,
    {
      mintUrl,
      timeoutMs: parts.mintTimeoutMs,
      keysets: store.keysets.all(),
      foreign: store.keysets.foreign(),
      earlierUrls: earlierUrlsOf(store.metadata),
      testMoneyMint: testMoney?.mint,
    },
    share.count,
    () => watch.pausedForMs(),
  );
  const watch = watchMint(thread, clock, () => onMintBack(), parts.onMintHeard);
  const queue = createDueQueue(clock, logger);
  const onMintBack = () => {
    recovery.retrySoon();
    queue.wake();
  };
  const hasSeed = () => seed.mnemonic() !== undefined;
  const balance = createBalanceView({
    store,
    clock,
    mintUrl: testMoney?.mintUrl ?? mintUrl,
    devMode: testMoney !== undefined,
    hasSeed,
    backedUpAt: seed.backedUpAt,
    checkedAt: () => (testMoney ? undefined : proofChecks.checkedAt()),
    otherMints: parts.otherMints,
  });
  const { mint, foreignKeysets } = createOwnKeysets({
    mint: watch.mint,
    store,
    ...(parts.beforeClaim ? { beforeClaim: parts.beforeClaim } : {}),
    onListed: balance.listed,
  });
  const onChange = (operation: Operation | null) => {
    balance.changed();
    parts.onChange(operation);
  };
  const onStep: OnStep = parts.onStep ?? (() => undefined);
  const { pausedForMs } = watch;
  const times: DecisionTimes = { ...DECISION_TIMES, ...parts.decisionTimes };
  const restsForMs = () => Math.max(pausedForMs(), share.restMs());

  const outputs = createWalletOutputs({
    store,
    mint,
    clock,
    mnemonic: seed.mnemonic,
    signNewCounters: () => spender.signNewCounters(),
  });
  const ledger = createLedger({
    store,
    mint,
    clock,
    logger,
    onStep,
    onSetAside: () => proofChecks.schedule(),
    onRandom: () => maintenance.lookSoon(),
  });
  const reconciler = createReconciler({
    store,
    mint,
    clock,
    logger,
    mnemonic: seed.mnemonic,
    isNewSeed: () => seed.isNew,
    checkProofs: () => proofChecks.checkFree(),
    onChange: () => onChange(null),
  });
  const runner = createRunner({
    store,
    mint,
    ledger,
    outputs,
    clock,
    logger,
    onStep,
    times,
    onChange(operation) {
      if (operation.state === 'failed') recovery.scheduleRecheck();
      else if (clock.now() - (proofChecks.checkedAt() ?? 0) >= CHECK_EVERY_MS) checkSoon();
      onChange(operation);
    },
    async onCollision(plan) {
      await reconciler.passCollision(plan);
      maintenance.lookSoon();
    },
    onLimit({ what, most }, plan) {
      if (what === 'inputs') rememberInputLimit(store, plan.inputs.length, most);
    },
    onSpentElsewhere: () => checkSoon(),
    onOutsideSpent: (ys) => recovery.recheckTakers(ys),
    onFresh: reconciler.noteFresh,
  });
  const tokenShare = createTokenShare(clock, watch);
  const recovery = createRecovery({
    store,
    mint,
    tokenShare,
    runner,
    ledger,
    queue,
    clock,
    logger,
    pausedForMs,
    onDone: (number) => onChange(store.operations.get(number) ?? null),
  });
  const proofChecks = createProofChecks({
    store,
    mint,
    clock,
    logger,
    queue,
    confirmAfterMs: times.confirmSilentAfterMs,
    pausedForMs,
    trySwap: (ys) => spender.trySwap(ys),
    onChange: () => onChange(null),
  });
  /** Checks all free proofs. If background work pauses, the remaining checks run after the pause. */
  const checkInTurn = async () => {
    await proofChecks.checkFree(() => restsForMs() === 0);
    if (proofChecks.isInterrupted()) maintenance.lookSoon();
  };
  const checkSoon = () =>
    void checkInTurn().catch((error: unknown) =>
      logger.debug({ err: error }, 'the proof states will be checked later'),
    );
  const context: WalletContext = {
    mintUrl,
    store,
    mint,
    outputs,
    reconciler,
    runner,
    recovery,
    proofChecks,
    queue,
    tokenShare,
    checkSoon,
    clock,
    requestDeadlineMs: parts.requestDeadlineMs ?? REQUEST_DEADLINE_MS,
    onStep,
    onChange,
    spendable: () => balance.read().balance - (balance.read().unlisted ?? 0),
    unlisted: () => balance.read().unlisted ?? 0,
    hasSeed,
    requireMint: watch.requireMint,
  };
  const spender = createSpender(context);
  const maintenance = createMaintenance({
    store,
    mint,
    spender,
    reconciler,
    proofChecks,
    runner,
    clock,
    queue,
    hasSeed,
    restsForMs,
  });

  /**
   * Checks what the mint signed for other copies of this wallet, so that a rollback loses no sats. Returns false if the mint
   * didn't answer.
   */
  const lookAtStart = async (): Promise<boolean> => {
    // Do this first, so that the balance never counts both what another copy spent and what it got in return.
    await checkInTurn();
    if (seed.isNew || !hasSeed()) return true;
    const { all } = await mint.keysets(true);
    return reconciler.look(all.filter(({ active }) => active).map(({ id }) => id));
  };

  /** When to look. Undefined once the mint answered, so that an old copy's balance is right soon after the mint is back. */
  let lookAt: number | undefined;
  queue.add('look at the start', {
    dueAt: () => lookAt,
    async work() {
      lookAt = undefined;
      try {
        if (await lookAtStart()) return;
      } catch (error) {
        if (error instanceof MintError) lookAt = clock.now();
        throw error;
      }
      lookAt = clock.now();
      throw new MintError('unanswered', 'The mint did not say what it signed.');
    },
    shortestMs: 0,
    restsForMs: pausedForMs,
    // A mint that is away is back soon. One that refuses may do so for long.
    retryMs: (error, failures) =>
      isMintAway(error) ? ASK_AWAY_MINT_MS : ASK_AWAY_MINT_MS * 2 ** Math.min(failures - 1, 6),
  });

  return {
    context,
    receiver: createReceiver(context),
    spender,
    watch,
    balance,
    foreignKeysets,
    start() {
      if (store.operations.hasPending()) void recovery.runNow();
      // No other wallet uses test money's mint, so there's nothing to look for. The mint's thread starts when it's needed.
      if (!testMoney) {
        lookAt = clock.now();
        maintenance.start();
      }
      queue.start();
    },
    async close() {
      const ended = [queue.stop(), proofChecks.ended(), runner.stop()];
      // Calls that wait for the mint fail as unanswered, and their operations stay pending.
      await thread.close();
      await Promise.all(ended);
      await seed.written();
    },
  };
};
